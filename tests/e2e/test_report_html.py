"""The reports of real runs: the HTML as a browser shows it, each other file as its readers read
it.

The browser has no network: names are not resolved, and the page's own policy forbids the rest.
"""

import csv
import json
import os
import re
import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tsvc.cli.embedded import PrivateDaemon, clean_environment

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "etc/examples/extension_dialing.json"
FLOW = ROOT / "etc/examples/flows/extension_dialing.json"
HANG_GUARD_S = 120
CHROMIUM = shutil.which("chromium")
BROWSER_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
needs_browser = pytest.mark.skipif(
    CHROMIUM is None and os.environ.get("TSVC_REQUIRE_PEERS") != "1",
    reason="no chromium; on Debian: apt-get install chromium",
)


@dataclass(frozen=True, slots=True)
class Reports:
    """The files that one command wrote about a load that passed and a call that did not."""

    folder: Path
    status: int

    def text(self, name: str) -> str:
        return (self.folder / name).read_text("utf-8")


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    folder = tmp_path_factory.mktemp("reports")
    example = json.loads(EXAMPLE.read_text())
    cps = {"target": 60, "initial": 10, "ramp_s": 1}
    distribution = {"type": "linear", "cps": cps, "total": 120, "backlog": 100}
    threshold = {"metric": "failed", "op": "<=", "value": 0}
    missed = {"metric": "operations[7].p99_ms", "op": "<", "value": 0}
    load = {**example, "distribution": distribution, "thresholds": [threshold]}
    strict = {**load, "thresholds": [threshold, missed]}
    operations = [_wrong(operation) for operation in example["operations"]]
    (folder / "a_load.json").write_text(json.dumps(load))
    (folder / "b_wrong.json").write_text(json.dumps({**example, "operations": operations}))
    (folder / "c_missed.json").write_text(json.dumps(strict))
    command = [sys.executable, "-m", "tsvc.cli.main", "run", "."]
    for name in ("html", "junit", "gtest", "csv", "json"):
        command += [f"--{name}", f"out.{name}"]
    with PrivateDaemon(flows=[FLOW]) as daemon:
        found = subprocess.run(
            command,
            env={**clean_environment(), "TSVC_PORT": str(daemon.port), "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=HANG_GUARD_S,
            cwd=folder,
        )
    assert found.returncode in (0, 1), found.stderr
    return Reports(folder, found.returncode)


def _wrong(operation: dict[str, Any]) -> dict[str, Any]:
    if not operation["type"].endswith(".Connect"):
        return operation
    return {**operation, "arguments": {"destinationRoutingAddress_digits": "4329199"}}


def browse(tmp_path: Path, page: Path, *options: str) -> str:
    """Open a page and return the browser's output."""
    assert CHROMIUM is not None, "TSVC_REQUIRE_PEERS=1, and no chromium"
    profile = tmp_path / "profile"
    found = subprocess.run(
        [CHROMIUM, *BROWSER_OPTIONS, f"--user-data-dir={profile}", *options, page.as_uri()],
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


class Dom(HTMLParser):
    """The open tags around every tag, as `tag.class` paths."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.paths: list[str] = []
        self.attributes: list[dict[str, str | None]] = []
        self._open: list[tuple[str, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self._open.append((tag, ".".join([tag, *(found.get("class") or "").split()])))
        self.paths.append(" ".join(shown for _, shown in self._open))
        self.attributes.append(found)
        if tag == "meta":
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        while self._open.pop()[0] != tag:
            pass

    def count(self, *parts: str) -> int:
        """Return how many tags end with the last part and stand below the others, in order."""
        return sum(_matches(path.split(), parts) for path in self.paths)


def _matches(path: list[str], parts: tuple[str, ...]) -> bool:
    if path[-1] != parts[-1]:
        return False
    steps = iter(path)
    return all(part in steps for part in parts)


@needs_browser
def test_a_browser_shows_charts_checks_and_ladder(reports: Reports, tmp_path: Path) -> None:
    dom = Dom(browse(tmp_path, reports.folder / "out.html", "--dump-dom"))
    assert dom.count("figure.chart", "svg") == 8
    assert dom.count("figure.chart", "svg", "path.line.c-rate") >= 1
    assert dom.count("figure.chart", "svg", "path.line.c-asked") == 2
    assert dom.count("div.ladder", "svg", "polygon") >= 12  # an arrowhead for each message
    assert dom.count("article", "dl.differs", "dd.wrong") == 2  # among the causes and the checks
    (button,) = [attrs for attrs in dom.attributes if attrs.get("id") == "fold"]
    assert "hidden" not in button  # so the script ran, under the page's own policy


@needs_browser
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("light", ["--window-size=1200,2400"]),
        ("dark", ["--window-size=1200,2400", "--blink-settings=preferredColorScheme=0"]),
        ("narrow", ["--window-size=500,2400"]),
    ],
)
def test_it_can_be_seen(reports: Reports, tmp_path: Path, name: str, options: list[str]) -> None:
    picture = tmp_path / f"{name}.png"
    browse(tmp_path, reports.folder / "out.html", *options, f"--screenshot={picture}")
    octets = picture.read_bytes()
    width, height = struct.unpack(">II", octets[16:24])
    assert (width, height) == tuple(map(int, options[0].partition("=")[2].split(",")))
    assert len(octets) > 50_000  # an empty page compresses to a tenth of that


# A page of that width, which no window may have: media queries use the frame's width.
_FRAMED = """<!DOCTYPE html><meta charset="utf-8">
<body><iframe width="{width}" height="3000" srcdoc="{page}"></iframe><pre></pre><script>
document.querySelector("iframe").addEventListener("load", event => {{
  const page = event.target.contentDocument;
  const numbers = [...page.querySelectorAll(".numbers td[data-name]")].map(one => {{
    const box = one.getBoundingClientRect();
    return {{name: one.dataset.name, text: one.textContent, left: box.left, right: box.right,
      label: getComputedStyle(one, "::before").content}};
  }});
  const rules = [...page.querySelectorAll(".head .thresholds li")].map(one => one.textContent);
  const width = page.documentElement.scrollWidth;
  const wide = [...page.querySelectorAll("*")].filter(one => one.getBoundingClientRect().right >
    {width} && !one.closest("pre, .ladder")).map(one => one.outerHTML.slice(0, 200));
  const found = {{width, wide, numbers, rules}};
  document.querySelector("pre").textContent = JSON.stringify(found);
}});
</script>"""


@needs_browser
@pytest.mark.parametrize("width", [320, 420, 1000])
def test_small_screens_show_every_number(reports: Reports, tmp_path: Path, width: int) -> None:
    page = tmp_path / "framed.html"
    framed = _FRAMED.format(width=width, page=escape(reports.text("out.html"), quote=True))
    page.write_text(framed, "utf-8")
    measured = re.search(r"</iframe><pre>(\{.*\})</pre>", browse(tmp_path, page, "--dump-dom"))
    assert measured is not None
    found = json.loads(unescape(measured[1]))
    assert found["width"] <= width, ["to be scrolled sideways", *found["wide"]]
    numbers = found["numbers"]
    assert len(numbers) >= 2 * 7 * 3  # of two loads: response, service, an operation at least
    assert all(one["text"] and 0 <= one["left"] < one["right"] <= width for one in numbers)
    labels = {one["label"] for one in numbers}
    assert labels == ({"none"} if width == 1000 else {f'"{one["name"]}"' for one in numbers})
    assert [rule for rule in found["rules"] if "operations[7].p99_ms < 0" in rule]


def test_the_head_tells_of_thresholds(reports: Reports) -> None:
    heads = reports.text("out.html").split('<header class="head ')
    (missed,) = [head for head in heads if "<h1>c_missed</h1>" in head]
    head = missed.partition("</header>")[0]
    assert "1 of 2 thresholds missed" in head
    rules = head.partition('<ul class="thresholds">')[2].split("<li>")[1:]
    assert [rule.partition("<code>")[2].partition("</code>")[0] for rule in rules] == [
        "operations[7].p99_ms &lt; 0",
        "failed &lt;= 0",
    ]
    assert ["fail" in rules[0].partition("<code>")[0], "got 0" in rules[1]] == [True, True]


def test_the_exit_status_and_every_file_agree(reports: Reports) -> None:
    assert reports.status == 1
    runs = json.loads(reports.text("out.json"))["runs"]
    assert [(run["file"], run["status"]) for run in runs] == [
        ("a_load.json", "passed"),
        ("b_wrong.json", "failed"),
        ("c_missed.json", "threshold"),
    ]
    junit = ElementTree.fromstring(reports.text("out.junit"))
    (suite,) = junit
    assert [(case.get("name"), len(case)) for case in suite] == [
        ("a_load", 1),
        ("b_wrong", 2),
        ("c_missed", 2),
    ]
    assert (suite.get("tests"), suite.get("failures")) == ("3", "2")
    assert "expected: 4329199\n       got: 4329100" in reports.text("out.junit")
    gtest = ElementTree.fromstring(reports.text("out.gtest"))[0]
    assert [len(case) for case in gtest] == [0, 1, 1]
    rows = list(csv.DictReader(reports.text("out.csv").splitlines()))
    started = [int(row["num_calls_started"]) for row in rows if row["name"] == "a_load"]
    assert sum(started) == 120
    assert len(started) > 1


def test_the_page_holds_no_address_and_no_folder(reports: Reports) -> None:
    text = reports.text("out.html")
    assert "127.0.0.1" not in text
    assert str(reports.folder) not in text
