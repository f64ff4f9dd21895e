"""Reports about runs: the same octets that the command line writes."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gui.browsers import Browser, daemon_options, gui
from support.daemons import EXAMPLES, ROOT, DaemonProcess
from support.ports import free_port

from tsvc.cli.embedded import clean_environment

pytestmark = pytest.mark.e2e

FORMS = ("html", "junit", "gtest", "csv", "json")
FAILS = {"operations": [{"type": "fail"}], "name": "fails on purpose"}
WRONG = {"operations": [{"type": "no such type"}]}
TYPES = {
    "html": "text/html; charset=utf-8",
    "junit": "application/xml",
    "gtest": "application/xml",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "pcap": "application/vnd.tcpdump.pcap",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace: a folder of 50 files, of which three don't pass, and the sample."""
    found = tmp_path_factory.mktemp("tests")
    (found / "suite").mkdir()
    for number in range(50):
        text = json.dumps({"operations": [{"type": "pass"}], "name": f"number {number}"})
        (found / "suite" / f"t{number:02}.json").write_text(text)
    (found / "suite" / "t07.json").write_text(json.dumps(FAILS))
    (found / "suite" / "t21.json").write_text(json.dumps(FAILS))
    (found / "suite" / "t42.json").write_text(json.dumps(WRONG))
    (found / "call.json").write_text((EXAMPLES / "extension_dialing.json").read_text())
    (found / "flows").symlink_to(EXAMPLES / "flows")
    return found


@pytest.fixture(scope="module")
def anna(
    tmp_path_factory: pytest.TempPathFactory, assets: Path, root: Path, tester: DaemonProcess
) -> Iterator[Browser]:
    options = daemon_options({"lab": tester.port, "gone": free_port()})
    folder = tmp_path_factory.mktemp("gui")
    with gui(folder, assets, "--workspace", root, *options) as made:
        yield made.enter()


def tsvc(
    daemon: DaemonProcess, folder: Path, *arguments: object
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tsvc.cli.main", *map(str, arguments)],
        env={
            **clean_environment(),
            "TSVC_PORT": str(daemon.port),
            "PYTHONPATH": str(ROOT),
        },
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture(scope="module")
def result_id(tester: DaemonProcess, root: Path) -> int:
    """A run of the sample by the command line, with its reports beside it."""
    options = [word for form in (*FORMS, "pcap") for word in (f"--{form}", f"call.{form}")]
    done = tsvc(tester, root, "run", "call.json", *options, "--trace", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    found: int = tester.result("ListResults", {"limit": 1})["results"][0]["result_id"]
    return found


@pytest.mark.parametrize("form", [*FORMS, "pcap"])
def test_as_tsvc_run_writes_it(anna: Browser, root: Path, result_id: int, form: str) -> None:
    query = {"daemon": "lab", "result": result_id, "format": form, "name": "call.json"}
    found = anna.get("/api/export", **query)
    assert found.status == 200, found
    assert found.headers["content-type"] == TYPES[form]
    suffix = "xml" if form in ("junit", "gtest") else form
    attached = f'attachment; filename="call.{suffix}"'
    assert found.headers["content-disposition"] == attached
    written = (root / f"call.{form}").read_bytes()
    if form == "json":
        # The first was requested when the run had just ended, the second comes from the archive.
        shown, known = json.loads(found.body), json.loads(written)
        for document in (shown, known):
            for moving in ("time_now", "archived"):
                document["runs"][0]["result"].pop(moving, None)
        assert shown == known
    elif form == "html":
        assert found.body.startswith(b"<!DOCTYPE html>")
        assert b"extension" in found.body
    else:
        assert found.body == written


@pytest.mark.parametrize("form", ["html", "junit", "gtest", "csv"])
def test_as_tsvc_results_writes_it(
    anna: Browser, tester: DaemonProcess, tmp_path: Path, result_id: int, form: str
) -> None:
    done = tsvc(tester, tmp_path, "results", "--id", result_id, f"--{form}", "out")
    assert done.returncode == 0, done.stderr
    found = anna.get("/api/export", daemon="lab", result=result_id, format=form)
    written = (tmp_path / "out").read_bytes()
    assert found.body == written


def test_a_run_in_progress(anna: Browser) -> None:
    """The export does not collect the run."""
    halt = [{"type": "halt", "arguments": {"seconds": 600}}]
    assert anna.result("lab", "ExecuteTest", run_id="a b/ü", operations=halt) == "ok"
    found = anna.get("/api/export", daemon="lab", run="a b/ü", format="json")
    assert found.headers["content-disposition"] == 'attachment; filename="-.json"'
    assert found.document["runs"][0]["result"]["state"] == "running"
    assert anna.result("lab", "CancelTest", run_id="a b/ü")["completed"] == 1


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("suite/call.json", "call.csv"),
        ("<img src=x onerror=alert(1)>.json", "-img-src-x-onerror-alert-1-.csv"),
        ('a"; filename="b.exe', "a-filename-b.csv"),
        ("a\r\nX-Injected: 1", "a-X-Injected-1.csv"),
        ("../../etc/passwd", "passwd.csv"),
        ("é" * 300, "-.csv"),
    ],
)
def test_names_of_files(anna: Browser, result_id: int, name: str, file: str) -> None:
    found = anna.get("/api/export", daemon="lab", result=result_id, format="csv", name=name)
    assert found.status == 200, found
    assert found.headers["content-disposition"] == f'attachment; filename="{file}"'
    assert "x-injected" not in found.headers


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"daemon": "lab", "result": 999999, "format": "html"}, 404),
        ({"daemon": "lab", "run": "none", "format": "junit"}, 404),
        ({"daemon": "lab", "run": "none", "format": "pcap"}, 404),
        ({"daemon": "gone", "result": 1, "format": "csv"}, 502),
        ({"daemon": "none", "result": 1, "format": "csv"}, 404),
        ({"daemon": "lab", "result": 1, "format": "exe"}, 400),
        ({"daemon": "lab", "result": 1}, 400),
        ({"daemon": "lab", "result": "x", "format": "csv"}, 400),
        ({"daemon": "lab", "result": "²", "format": "csv"}, 400),
        ({"daemon": "lab", "format": "csv"}, 400),
        ({"result": 1, "format": "csv"}, 404),
    ],
)
def test_what_is_no_report(anna: Browser, query: dict[str, Any], status: int) -> None:
    found = anna.get("/api/export", **query)
    assert (found.status, bool(found.problem)) == (status, True)


class TestSuites:
    @pytest.fixture(scope="class")
    @classmethod
    def runs(cls, tester: DaemonProcess, root: Path) -> list[dict[str, Any]]:
        """The suite as the command line ran it, with the browser's names."""
        options = [word for form in FORMS for word in (f"--{form}", f"suite.{form}")]
        done = tsvc(tester, root, "run", "suite", "--quiet", *options)
        assert done.returncode == 5, done.stdout + done.stderr
        document = json.loads((root / "suite.json").read_text())
        return [
            {
                "path": run["file"],
                "daemon": "lab",
                "result_id": run["result"] and run["result"]["result_id"],
                "refusal": run.get("refusal"),
            }
            for run in document["runs"]
        ]

    @pytest.mark.parametrize("form", ["junit", "gtest", "csv"])
    def test_as_the_command_line_writes_it(
        self, anna: Browser, root: Path, runs: list[dict[str, Any]], form: str
    ) -> None:
        assert len(runs) == 50
        found = anna.post("/api/suite", {"format": form, "runs": runs})
        assert found.status == 200, found
        assert found.body == (root / f"suite.{form}").read_bytes()
        failures = {"junit": 2, "gtest": 3, "csv": 0}
        assert found.body.count(b"<failure") == failures[form]
        assert found.headers["content-type"] == TYPES[form]

    def test_to_be_read(self, anna: Browser, runs: list[dict[str, Any]]) -> None:
        found = anna.post("/api/suite", {"format": "html", "runs": runs})
        assert found.body.count(b"no such type") >= 1
        assert b"on purpose" in found.body

    @pytest.mark.parametrize(
        ("document", "status"),
        [
            ({"format": "junit", "runs": []}, 400),
            ({"format": "pcap", "runs": [{"path": "a", "daemon": "lab"}]}, 400),
            ({"format": "junit", "runs": [7]}, 400),
            ({"format": "junit", "runs": {}}, 400),
            ({"format": "junit", "runs": [{}] * 1001}, 400),
            ({"format": "junit", "runs": [{"path": "a", "daemon": "none"}]}, 404),
            ({"format": "junit", "runs": [{"path": "a", "daemon": "gone", "result_id": 1}]}, 502),
            (
                {"format": "junit", "runs": [{"path": "a", "daemon": "lab", "result_id": 10**6}]},
                404,
            ),
        ],
    )
    def test_what_is_none(self, anna: Browser, document: Any, status: int) -> None:
        assert anna.post("/api/suite", document).status == status
