"""What needs SCTP of the kernel, in a Linux that has it, where this one has none.

One guest for all: to boot it takes longer than most of the tests. Each part of what it plays is a
test here, of which the guest plays those whose peers are there.
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
WORDS = "sctp or osmo_stp"  # of files that have other tests as well


@dataclass(frozen=True)
class Part:
    """Files of tests, and what looks for their peers, here: a guest builds nothing."""

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
    """What the guest said, and how its tests ended: (file, is passed)."""

    outcome: Outcome
    ends: list[tuple[str, bool]]


def is_there(part: Part) -> bool:
    try:
        part.require()
    except (pytest.skip.Exception, pytest.fail.Exception):
        return False  # its own test says so
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
    """Yield the file of each test and whether it passed: what is left out there has not, but for
    what is for kernels without SCTP, and ran here."""
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
