"""Portions of a trace: together they are the whole trace, wherever they begin and end."""

import json
from random import Random

import pytest

from tsvc.protocols.m3ua import messages as m3ua
from tsvc.protocols.m3ua.data import encode_data
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.sccp.messages import encode_udt
from tsvc.results import portions
from tsvc.results.arrow import arrow_json
from tsvc.results.exchanges import arrows_of, decode_messages
from tsvc.results.layout import lifelines_of
from tsvc.results.portions import end_of, read_portion
from tsvc.results.records import ExchangeRecord, MessageRecord

ASPUP = m3ua.encode(m3ua.Message(*m3ua.ASPUP, ()))
ENDS = Address(1, 146, 7)
# A message that carries a whole TCAP message is not shown beside it.
CARRIER = encode_data(500, 700, 3, 0, 0, 9, encode_udt(ENDS, ENDS, b"carried"), routing_context=7)
PLAIN = bytes.fromhex("0100001480000110000000040000000100000002")  # a CCR with no AVP


def mixed(*traces):
    """Return the records of simultaneous calls, with the messages mixed at random.

    Between them are messages of links, requests of another protocol, and undecodable messages.
    """
    random = Random(7)
    left = [
        [one._replace(dialogue=f"{one.dialogue}{number}") for one in trace]
        for number, trace in enumerate(traces)
    ]
    found = []
    while any(left):
        queue = random.choice([one for one in left if one])
        found.append(queue.pop(0))
        kind = random.randrange(6)
        if kind == 0:
            found.append(ExchangeRecord(0.0, "m3ua", "link", True, ASPUP))
        elif kind == 1:
            found.append(ExchangeRecord(0.0, "diameter", "OCS", True, PLAIN))
        elif kind == 2:
            found.append(ExchangeRecord(0.0, "m3ua", "link", False, CARRIER, "itu"))
        elif kind == 3:  # not a BEGIN: earlier messages of the dialogue still count
            found.append(MessageRecord(0.0, found[-1].dialogue, "ssp", False, b"\x62\x02\x48"))
    return [one._replace(t=at / 1000) for at, one in enumerate(found)]


@pytest.fixture(scope="module")
def records(extension_records, assisted_records):
    # The same name of a dialogue is used for successive calls, as in a loop.
    again = [*extension_records, *extension_records[:-1], *assisted_records]
    return mixed(extension_records, assisted_records, again, extension_records, assisted_records)


def whole(records):
    messages = decode_messages(records, with_spans=True)
    arrows = arrows_of(messages)
    drawn = [
        {**one, "arrow": arrow_json(arrow)} for one, arrow in zip(messages, arrows, strict=True)
    ]
    return drawn, lifelines_of(arrows)


def read(records, size, **how):
    """Return all messages, read in portions of a size, without their numbers."""
    found, numbers, first = [], [], 0
    while first < len(records):
        end = end_of(records, first, size)
        assert first < end <= first + size
        messages, _ = read_portion(records, first, end, **how)
        numbers += [one.pop("index") for one in messages]
        found += messages
        first = end
    assert numbers == sorted(set(numbers))
    return found


@pytest.mark.parametrize("size", [1, 2, 3, 7, 25, 1000])
def test_portions_put_together_are_the_whole(records, size):
    expected, _ = whole(records)
    assert 60 < len(expected) < len(records), "some are not shown"
    named = json.dumps(expected)
    assert "nothing was invoked" not in named
    assert "PromptAndCollectUserInformation result" in named
    assert read(records, size) == expected


def test_of_another_dialogue_nothing_is_read(records, monkeypatch):
    """To read a portion costs the messages of its dialogues, not all earlier messages."""
    seen = []
    really = portions.read_messages

    def read_messages(given, **how):
        given = list(given)
        seen.append(given)
        return really(given, **how)

    monkeypatch.setattr(portions, "read_messages", read_messages)
    first = max(at for at, one in enumerate(records) if isinstance(one, MessageRecord))
    read_portion(records, first, first + 1)
    (given,) = seen
    assert {one.dialogue for one in given} == {records[first].dialogue}
    begins = [one for one in given if one.octets[:1] == b"\x62" and len(one.octets) > 3]
    assert begins == given[:1], "the last BEGIN of that name and what followed"


def test_a_summary_has_what_is_drawn_and_searched(records):
    expected, _ = whole(records)
    found, named = read(records, 10, is_summary=True), set()
    names = {"protocol", "t", "dialogue", "peer", "direction", "hex", "arrow"}
    for short, message in zip(found, expected, strict=True):
        operations = short.pop("operations", None)
        assert short == {name: message[name] for name in names if name in message}
        assert (operations is None) == ("components" not in message)
        named.update(operations or ())
    assert {"InitialDP", "PromptAndCollectUserInformationResult"} < named
    assert "PromptAndCollectUserInformationError" in named


def test_lifelines_are_those_of_the_portion(records, extension_records):
    _, lifelines = read_portion(records, 0, len(records))
    assert (lifelines["roles"], lifelines["peers"]) == whole(records)[1]
    assert {"SSP", "SRF"} < set(lifelines["roles"])
    assert read_portion(extension_records, 0, 1)[1] == {"roles": ["SSP"], "peers": ["SCP"]}
    assert read_portion(records, 3, 3) == ([], {"roles": [], "peers": []})


def test_long_messages_make_a_portion_short():
    long = ExchangeRecord(0.0, "rest", "BSS", True, bytes(portions.MOST_OCTETS))
    short = ExchangeRecord(0.0, "rest", "BSS", True, b"GET")
    given = [short, short, long, long, short]
    ends = [0]
    while ends[-1] < len(given):
        ends.append(end_of(given, ends[-1], 100))
    assert ends == [0, 2, 3, 4, 5]
    assert end_of(given, 5, 100) == 5
    assert end_of(given, 7, 100) == 7
