"""Tests that need the kernel's SCTP, in a Linux guest that has it, if this kernel has none.

There is one guest for all tests: to boot it takes longer than most of the tests. Each group of
files in the guest is a test here; the guest runs the groups whose peers are present.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest
from peers.go_diameter.peer import program
from peers.jss7.bridge import classpath
from support.daemons import require_peer
from support.user_mode_linux import Outcome, has_sctp, run_pytest, why_not

LIMIT_S = 900.0  # a hang guard: booting and all tests take three minutes or less
WORDS = "sctp or osmo_stp"  # of files that contain other tests as well


@dataclass(frozen=True)
class Part:
    """Files of tests, and the check for their peers on this machine: a guest builds nothing."""

    files: tuple[str, ...]
    require: Callable[[], object]


def osmo_stp() -> None:
    require_peer(shutil.which("osmo-stp"), "apt-get install osmo-stp")
    require_peer(shutil.which("tshark"), "apt-get install tshark")
    classpath()


def diameter() -> None:
    program()
    require_peer(shutil.which("freeDiameterd"), "apt-get install freediameterd")


PARTS = {
    "ours": Part(
        ("tests/unit/ss7/test_sctp.py", "tests/kinds/sigtran/test_sctp_calls.py"), lambda: None
    ),
    "osmo-stp, alone and to jSS7": Part(
        ("tests/peers/osmo_stp/test_calls.py", "tests/peers/osmo_stp/test_jss7.py"), osmo_stp
    ),
    "Diameter with go-diameter and freeDiameter": Part(
        ("tests/peers/go_diameter/test_calls.py", "tests/kinds/diameter/test_freediameter.py"),
        diameter,
    ),
}


@dataclass(frozen=True)
class Played:
    """The outcome of the guest, and the ends of its tests: (file, is passed)."""

    outcome: Outcome
    ends: list[tuple[str, bool]]


def is_there(part: Part) -> bool:
    try:
        part.require()
    except (pytest.skip.Exception, pytest.fail.Exception):
        return False  # its own test reports it
    return True


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Played:
    if has_sctp():
        pytest.skip("this kernel has SCTP: the tests ran here")
    missing = why_not()
    if missing is not None:
        if os.environ.get("TSVC_REQUIRE_PEERS") == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    folder = tmp_path_factory.mktemp("guest")
    files = [file for part in PARTS.values() if is_there(part) for file in part.files]
    report = folder / "report.xml"
    options = ["-rs", "-k", WORDS, f"--junitxml={report}", "-o", "junit_family=xunit1"]
    outcome = run_pytest(folder, [*options, *files], LIMIT_S)
    return Played(outcome, list(ends_in(report)) if report.exists() else [])


def ends_in(report: Path) -> Iterator[tuple[str, bool]]:
    """Yield the file of each test and whether it passed. A test that was skipped in the guest has
    not passed; tests for kernels without SCTP, which ran here, are left out."""
    for case in ElementTree.parse(report).iter("testcase"):
        skipped = case.find("skipped")
        if skipped is None or skipped.get("message") != "this kernel has SCTP":
            yield case.get("file", ""), not any(one.tag != "properties" for one in case)


@pytest.mark.slow
@pytest.mark.e2e
@pytest.mark.parametrize("name", PARTS)
def test_over_sctp(name: str, guest: Played) -> None:
    PARTS[name].require()
    for file in PARTS[name].files:
        ends = [is_passed for played, is_passed in guest.ends if played == file]
        console = guest.outcome.console[-2000:]
        assert ends, f"{file} was not played\n{guest.outcome.text}\n{console}"
        assert all(ends), f"{file}\n{guest.outcome.text}"
