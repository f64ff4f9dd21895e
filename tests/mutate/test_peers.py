"""Some hundred changed messages of peers other than TCAP; and a check that survivors are found."""

from collections.abc import Iterator
from typing import Any

import pytest

from mutate import report
from mutate.judges import JUDGES, diameter, rest
from mutate.peers import Peers, peers, table, unexplained
from mutate.protocols import DIAMETER
from mutate.wire import changes

COUNT, SEED = 200, 7  # of five protocols


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peers]:
    with peers(tmp_path_factory.mktemp("peers")) as found:
        yield found


@pytest.mark.slow
def test_what_must_be_noticed_is(made: Peers) -> None:
    played = made.play(made.changes(COUNT, SEED))
    assert len(played) > COUNT * 9 / 10, "nearly all came where they were to be changed"
    assert [(one.name, one.must) for one in unexplained(played)] == []
    assert "diameter all" in table(played)


def test_answers_that_nobody_compares_are_found(
    made: Peers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: Any) -> list[Any]:
        return []

    monkeypatch.setattr("tsvc.kinds.diameter.gateway.differences", none)
    peer = next(one for one in made.peers if one.protocol is DIAMETER)
    messages = made.unchanged(peer)
    # The End-to-End Identifier of the first answer.
    chosen = [
        one
        for one in changes(DIAMETER, messages[:1])
        if one.place in range(16, 20) and one.operator.startswith("bit")
    ]
    assert len(unexplained(made.play(chosen))) == len(chosen) == 32


def test_each_change_is_one(made: Peers) -> None:
    for peer in made.peers:
        messages = made.unchanged(peer)
        found = list(changes(peer.protocol, messages))
        assert len({one.name for one in found}) == len(found) > 1000, peer.protocol.name


def test_a_name_is_found_again(made: Peers) -> None:
    for name in ("osd/message1/-1/bit 0", "smpp/message1/3/member swap"):
        (played,) = made.play([made.named(name)])
        assert (played.name, played.verdict != "pass") == (name, True)
    with pytest.raises(KeyError):
        made.named("pi/message9/0/cut")


@pytest.mark.parametrize(
    ("protocol", "message", "before", "after", "must"),
    [
        ("osd", 0, b"<state>A</state>", b"<state >A</state >", False),
        ("osd", 0, b"<state>A</state>", b"<state>B</state>", True),
        ("osd", 0, b"text/xml", b"text/cml", True),
        ("osd", 0, b"/envelope/", b"/envelopf/", True),
        ("osd", 0, b"</state>", b"</stbte>", True),
        ("osd12", 1, b"soap:Receiver", b"soap:Sender", True),
        ("osd12", 0, b"application/soap+xml", b"text/xml", True),
        ("pi", 0, b"CCSCD1=QRY:", b"", False),
        ("pi", 0, b"CCSCD1=QRY:", b"CCSCD1=CHG:", True),
        ("pi", 0, b"BALANCE=1450", b"BALANCE=1451", True),
        ("pi", 2, b"88-", b"89-", True),
        ("pi", 2, b";", b"", True),
        ("smpp", 1, b"balance?", b"balance!", True),
        ("smpp", 1, b"\x02\x01\x00\x01\x02", b"\x02\x01\x00\x02\x02", True),
        ("smpp", 0, b"m-", b"n-", True),
        ("rest", 0, b'"owner": "Ana"', b'"owner" :"Ana"', False),
        ("rest", 0, b"12.5", b"1.25e1", True),  # shorter than its length field
    ],
)
def test_what_judges_say(
    made: Peers, protocol: str, message: int, before: bytes, after: bytes, must: bool
) -> None:
    peer = next(one for one in made.peers if one.protocol.name == protocol)
    octets = made.unchanged(peer)[message]
    assert octets.count(before) == 1
    changed = octets.replace(before, after)
    if protocol.startswith("osd") and peer.protocol.refit:
        changed = peer.protocol.refit(changed)
    said = JUDGES[protocol]([("", (octets, [changed]))])
    assert [bool(one) for one in said] == [must], said


def test_judges_tell_what_means_the_same(made: Peers) -> None:
    by_name = {one.protocol.name: made.unchanged(one)[0] for one in made.peers}
    answer, response = by_name["diameter"], by_name["rest"]
    said = diameter(
        [
            ("", (answer, [answer])),
            ("", (answer, [answer[:-1] + b"\x3d"])),
            ("", (answer, [])),
        ]
    )
    assert [bool(one) for one in said] == [False, True, True]
    spaced = response.replace(b"Content-Type:", b"content-type:  ")
    other = response.replace(b"1450", b"1451")
    longer = response.replace(b"160", b"161")
    said = rest([("", (response, [one])) for one in (spaced, other, longer)])
    assert [bool(one) for one in said] == [False, True, True]


def test_every_survivor_has_a_reason() -> None:
    assert report.is_explained("diameter/message0/4/bit 3", report.explained())
    assert not report.is_explained("diameter/message0/4/bit 5", report.explained())
