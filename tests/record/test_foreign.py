"""Messages of other implementations, from the folder in TSVC_VECTORS."""

import json
import os
from pathlib import Path

import pytest
from record.replayed import assert_passes, assert_tells_changes, definition_of
from support.segments import exported

from tsvc.record.capture import dialogues_of, read_capture

FOLDER = os.environ.get("TSVC_VECTORS", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="TSVC_VECTORS is not set")


def vectors(name):
    if not FOLDER:
        return {}
    text = (Path(FOLDER) / f"{name}.json").read_text(encoding="utf-8")
    return {one["id"]: bytes.fromhex(one["hex"]) for one in json.loads(text)["vectors"]}


DIALOGUES = vectors("cap_map_dialogues")
# Dialogues of captures: True marks messages of the side that began.
WHOLE = {
    "CAP 2, a call": [(5, True), (6, False), (7, True), (8, False)],
    "CAP 2, its beginning": [(0, True), (1, False), (2, True)],
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_dialogue(daemon, name):
    said = [(ours, DIALOGUES[f"cap-dialogue-{number}"]) for number, ours in WHOLE[name]]
    made = definition_of(exported([octets for _, octets in said], "tcap"))
    tsvc = daemon()
    assert_passes(tsvc, made, [said])
    assert_tells_changes(tsvc, made, [said])


BEGINS = [name for name, octets in DIALOGUES.items() if octets[0] == 0x62]
# Operations that tsvc does not know.
UNKNOWN = {
    "map-dialogue-2": "packet 1: operation 67 is not known in map3",
    "map-dialogue-4": "packet 1: operation 23 is not known in map3",
}


@pytest.mark.parametrize("name", [name for name in BEGINS if name not in UNKNOWN])
def test_a_begin_is_sent(daemon, name):
    octets = DIALOGUES[name]
    made = definition_of(exported([octets], "tcap"))
    assert_passes(daemon(), made, [[(True, octets)]])


@pytest.mark.parametrize(
    "name", [name for name in BEGINS if name.startswith("map") and name not in UNKNOWN]
)
def test_a_begin_is_expected(daemon, name):
    said = [(False, DIALOGUES[name])]
    made = definition_of(exported([DIALOGUES[name]], "tcap"), side="server")
    assert_passes(daemon(), made, [said])


@pytest.mark.parametrize("name", UNKNOWN if FOLDER else ())
@pytest.mark.parametrize("side", ["client", "server"])
def test_what_is_not_known_is_told(name, side):
    (dialogue,) = dialogues_of(read_capture(exported([DIALOGUES[name]], "tcap")), side)
    assert UNKNOWN[name] in dialogue.problems


@pytest.mark.parametrize(
    ("name", "count"),
    [("sample_initialdp_sctp_dlt101.pcap", 4), ("sample_initialdp_upperpdu_dlt252.pcap", 3)],
)
def test_a_capture(daemon, name, count):
    """Two InitialDPs on several links, one after the other: each is sent unchanged."""
    octets = (Path(FOLDER) / name).read_bytes()
    found = dialogues_of(read_capture(octets))
    assert len(found) == count
    made = definition_of(octets)
    messages = read_capture(octets).messages
    begins = [message.octets[message.octets.index(b"\x62") :] for message in messages]
    said = [[(True, whole(begin))] for begin in begins[:count]]
    if count < len(begins):
        said = [[(True, whole(begins[at]))] for at in (0, 1, 3)]
    assert_passes(daemon(), made, said)


def whole(octets):
    """Return a BEGIN without the padding after it."""
    size = 2 + octets[1] if octets[1] < 0x80 else 3 + octets[2]
    return octets[:size]
