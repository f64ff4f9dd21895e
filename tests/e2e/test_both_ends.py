"""The page about both ends: its configuration and definitions, over links between the two."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from support.both_ends import PAGE, configuration
from support.daemons import EXAMPLES, ROOT, DaemonProcess, example, running
from support.scripted_scp import checks
from support.waiting import until

from tsvc.cli.definition_file import read_definition

pytestmark = pytest.mark.e2e

GALLERY = ROOT / "docs/guide/gallery.md"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon with the page's configuration, but with ports and paths of flows for the test."""
    with running(tmp_path_factory.mktemp("both"), main=configuration()) as made:
        made.until_up()
        yield made


def passes(result: dict[str, Any]) -> None:
    assert result["verdict"] == "pass", result["first_call_summary"]


def definition(name: str) -> dict[str, Any]:
    assert f"guide/{name}.json" in PAGE.read_text() + GALLERY.read_text()
    return read_definition(EXAMPLES / f"guide/{name}.json")


def is_waiting(daemon: DaemonProcess, run_id: str) -> bool:
    """Return True if the only instance of a run is in progress."""
    found = daemon.result("QueryTest", {"run_id": run_id, "collect": 0})
    return bool(found["counts"]["in_progress"])


def both(
    daemon: DaemonProcess, asked: dict[str, Any], answering: str = "answers"
) -> list[dict[str, Any]]:
    """Run the two definitions; return the results of the asking and of the answering side."""
    answers = {**definition(answering), "run_id": "answers"}
    assert daemon.result("ExecuteTest", answers) == "ok"
    until(lambda: is_waiting(daemon, "answers"))
    return [
        daemon.run(asked),
        daemon.result("QueryTest", {"run_id": "answers", "wait_s": 60}),
    ]


def test_a_mobile_and_its_application(daemon: DaemonProcess) -> None:
    before = daemon.gateways()
    for result in both(daemon, definition("asks")):
        passes(result)
    after = daemon.gateways()
    for name in ("ASKS", "ANSWERS"):
        sent = after[name]["counters"]["sent"] - before[name]["counters"]["sent"]
        assert sent == 2, "all went over the link"


def test_each_side_says_what_it_misses(daemon: DaemonProcess) -> None:
    asked = definition("asks")
    asked["operations"][2]["arguments"]["ussdString_text"] = "4321"
    _, application = both(daemon, asked)
    assert application["verdict"] == "fail"
    assert any("ussdString_text" in text for text in checks(application, "fail"))


def test_nobody_waits_for_the_mobile(daemon: DaemonProcess) -> None:
    result = daemon.run(definition("asks"))
    assert result["verdict"] != "pass"
    assert "abort" in result["first_call_summary"]["reason"].lower()


@pytest.mark.parametrize("name", ["extension_dialing", "prepaid"])
def test_a_call_to_the_embedded_scp_over_a_link(daemon: DaemonProcess, name: str) -> None:
    params = (
        example(name)
        if name == "extension_dialing"
        else read_definition(EXAMPLES / f"guide/{name}.json")
    )
    passes(daemon.run({**params, "sigtran": "SSP"}))


# -- the gallery ------------------------------------------------------------------------------

IS_BUSY = {"subscriberState": {"camelBusy": 1}}
PAIRS = [
    ("route_asks", "route_answers"),
    ("message_asks", "message_answers"),
    ("location_asks", "location_answers"),
]


@pytest.mark.parametrize(("asks", "answers"), PAIRS)
def test_a_pair_of_the_gallery(daemon: DaemonProcess, asks: str, answers: str) -> None:
    for result in both(daemon, definition(asks), answers):
        passes(result)


@pytest.mark.parametrize(
    ("asks", "answers", "place", "value", "told"),
    [
        ("route_asks", "route_answers", (0, "gmsc-OrGsmSCF-Address_digits"), "6421000098", 1),
        ("message_asks", "message_answers", (2, "sm-RP-UI_hex"), "040a91461200001001", 1),
        ("location_asks", "location_answers", (1, "subscriberInfo"), IS_BUSY, 0),
    ],
)
def test_a_pair_of_which_one_side_differs(
    daemon: DaemonProcess,
    asks: str,
    answers: str,
    place: tuple[int, str],
    value: object,
    told: int,
) -> None:
    """The side that gets an unexpected value fails: the result with that index."""
    asked = definition(asks)
    at, name = place
    asked["operations"][at]["arguments"][name] = value
    assert both(daemon, asked, answers)[told]["verdict"] != "pass"


def test_every_pair_of_the_gallery_is_run() -> None:
    text = GALLERY.read_text()
    rows = re.findall(r"guide/(\w*asks)\.json.*guide/(\w*answers)\.json", text)
    assert set(rows) == {*PAIRS, ("asks", "answers")}
