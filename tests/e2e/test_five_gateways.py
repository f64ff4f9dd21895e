"""One definition over five gateways: as a single run with all its outputs, and as a load."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.daemons import HANG_GUARD_S, ROOT, DaemonProcess, require_peer, running
from support.five_gateways import (
    DEFINITION,
    PI_PASSWORD,
    Peers,
    peers,
    postgresql_with_subscribers,
    sqlite,
)

from tsvc.cli.definition_file import read_definition
from tsvc.cli.embedded import clean_environment

pytestmark = pytest.mark.e2e

GUIDE = ROOT / "docs/guide/five-gateways.md"
LIFELINES = ["TSVC", "SSP", "SCP", "crm", "OCS", "routes", "PI"]
# The operations that wait for a peer, by the name of their latency, with their number per call.
LATENCIES = {
    "db.crm.Subscriber": 1,
    "Credit-Control-Request": 2,
    "REST": 1,
    "PI CCSCD1=QRY": 1,
    "PromptAndCollectUserInformation": 1,
    "Connect": 1,
}
RATE = 200
BACKLOG = 40
SECONDS = [2, pytest.param(30, marks=pytest.mark.slow)]


@dataclass(frozen=True)
class Setting:
    """A daemon with all five gateways up, and their peers."""

    daemon: DaemonProcess
    peers: Peers

    def run(self, **more: Any) -> dict[str, Any]:
        return self.daemon.run(read_definition(DEFINITION), **more)

    def requests(self) -> dict[str, int]:
        """Return how many requests each peer reports; the database is left out."""
        return {
            "OCS": self.peers.ocs.log.count("Credit-Control-Request"),
            "routes": (self.peers.nginx.folder / "access.log").read_text().count("/api/route"),
            "PI": self.peers.pi.log.count("-> ACK MSISDN"),
        }


@pytest.fixture(scope="module", params=["postgresql", "sqlite"])
def setting(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Setting]:
    folder = tmp_path_factory.mktemp("peers")
    if request.param == "sqlite":
        yield from with_database(folder, sqlite(folder))
    else:
        with postgresql_with_subscribers() as server:
            yield from with_database(folder, server.url)


def with_database(folder: Path, url: str) -> Iterator[Setting]:
    home = folder / "daemon"
    home.mkdir()
    with peers(folder, url) as found, running(home, found.configuration) as daemon:
        daemon.until_up()
        yield Setting(daemon, found)


def tsvc(setting: Setting, *arguments: object) -> str:
    """Return the output of a command, with the daemon as the default daemon."""
    done = subprocess.run(
        [sys.executable, "-m", "tsvc.cli.main", *map(str, arguments)],
        env={**clean_environment(), "TSVC_PORT": str(setting.daemon.port)},
        capture_output=True,
        timeout=HANG_GUARD_S,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_one_call_and_what_was_carried_from_peer_to_peer(setting: Setting) -> None:
    before = setting.requests()
    result = setting.run()
    summary = result["first_call_summary"]
    assert result["verdict"] == "pass", summary
    carried = {"account": "ACC-1", "service_key": 45, "granted_s": 60, "extension": "100"}
    assert summary["vars"].items() >= carried.items()
    after = setting.requests()
    assert {name: after[name] - count for name, count in before.items()} == {
        "OCS": 2,
        "routes": 1,
        "PI": 1,
    }
    last = setting.peers.ocs.log.splitlines()[-1]
    assert re.search(r"Credit-Control-Request tester\.example\.net;\S+: 2001$", last)


def test_latencies_of_every_kind(setting: Setting) -> None:
    operations = setting.run()["operations"]
    for name, times in LATENCIES.items():
        counts = [one["count"] for one in operations if one["name"] == name]
        assert counts == [1] * times, name


def test_every_form_of_the_ladder_has_all_lifelines(setting: Setting, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    text = tsvc(setting, "run", DEFINITION, "--html", page)
    (heading,) = re.findall(r"^ *seconds (.*)$", text, re.MULTILINE)
    assert heading.split() == LIFELINES
    for title in ("Subscriber", "CCR-Initial", "GET /api/route", "CCSCD1=QRY", "CCR-Termination"):
        assert len(re.findall(rf"^ +\d\.\d{{4}}.*-- {title} --", text, re.MULTILINE)) == 1, title
    run_id = f"ladder {tmp_path}"
    setting.run(run_id=run_id)
    svg = tsvc(setting, "trace", run_id, "--format", "svg")
    for shown in (svg, page.read_text("utf-8")):
        found = re.findall(r'text-anchor="middle"[^>]*>([^<]+)</text>', shown)
        assert found[: len(LIFELINES)] == LIFELINES
        assert "Granted CC-Time 60" in shown
        assert PI_PASSWORD not in shown


def test_the_trace_shows_decoded_messages(setting: Setting, tmp_path: Path) -> None:
    run_id = f"trace {tmp_path}"
    setting.run(run_id=run_id, trace_level=2)
    trace = json.loads(tsvc(setting, "trace", run_id, "--format", "json"))
    messages = trace["messages"]
    found = [
        (one["protocol"], one["title"])
        for one in messages
        if one.get("protocol", "tcap") != "tcap"
    ]
    assert found == [
        ("db", "Subscriber"),
        ("db", "1 row"),
        ("diameter", "CCR-Initial"),
        ("diameter", "CCA-Initial"),
        ("rest", "GET /api/route"),
        ("rest", "200 OK"),
        ("pi", "CCSCD1=QRY"),
        ("pi", "ACK"),
        ("diameter", "CCR-Termination"),
        ("diameter", "CCA-Termination"),
    ]
    last = messages[-1]["content"]
    by_name = {avp["name"]: avp["value"] for avp in last["avps"]}
    assert (last["name"], by_name["Result-Code"]) == ("Credit-Control-Answer", 2001)
    text = tsvc(setting, "trace", run_id, "--format", "text")
    for part in ("Used-Service-Unit", "Subscription-Id-Data", "ACC-1", "CCSCD1=QRY", "InitialDP"):
        assert part in text, part


def test_the_capture_has_diameter_and_http_as_tshark_reads_them(
    setting: Setting, tmp_path: Path
) -> None:
    tshark = require_peer(shutil.which("tshark"), "apt-get install tshark")
    run_id = f"capture {tmp_path}"
    setting.run(run_id=run_id)
    pcap = tmp_path / "call.pcap"
    tsvc(setting, "trace", run_id, "--format", "pcap", "-o", pcap)
    # The port is not Diameter's usual one.
    decode_as = f"tcp.port=={setting.peers.ocs.port},diameter"
    reading = [tshark, "-r", str(pcap), "-d", decode_as]
    fields = ["diameter.cmd.code", "diameter.CC-Request-Type", "diameter.Result-Code"]
    done = subprocess.run(
        [*reading, "-Y", "diameter", "-T", "fields", "-E", "separator=,"]
        + [part for field in fields for part in ("-e", field)],
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S,
        check=True,
    )
    assert done.stdout.split() == ["272,1,", "272,1,2001", "272,3,", "272,3,2001"]
    problems = subprocess.run(
        [*reading, "-Y", "_ws.malformed || _ws.expert.severity == error"],
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S,
        check=True,
    )
    assert problems.stdout == ""


@pytest.mark.parametrize("seconds", SECONDS)
def test_a_load(setting: Setting, seconds: int) -> None:
    total = RATE * seconds
    before = setting.requests()
    # A busy machine makes fewer calls a second; the backlog keeps calls from waiting in queues.
    distribution = {"type": "linear", "total": total, "cps": RATE, "backlog": BACKLOG}
    result = setting.run(distribution=distribution)
    assert result["verdict"] == "pass", (result["counts"], result["first_aborts"][:1])
    assert result["counts"]["passed"] == total
    for name, times in LATENCIES.items():
        counts = [one["count"] for one in result["operations"] if one["name"] == name]
        assert counts == [total] * times, name
    after = setting.requests()
    made = {name: after[name] - count for name, count in before.items()}
    assert made == {"OCS": 2 * total, "routes": total, "PI": total}
    for gateway in setting.daemon.result("DescribeService")["gateways"]:
        held = ("in_use", "waiting", "pending", "dialogues")
        assert [gateway["counters"].get(name, 0) for name in held] == [0, 0, 0, 0], gateway


def test_the_definition_is_in_the_guide() -> None:
    assert "etc/examples/guide/five_gateways.json" in GUIDE.read_text("utf-8")
