"""Lines of PI: expected octets are written out here, not made by the codec."""

import time
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.pi.codec import Codec, Lines, Status, read_command
from tsvc.protocols.pi.dialect import Dialect, dialect_problems

CODEC = Codec(Dialect())
WALL = 1_700_000_000.0  # 2023-11-14T22:13:20Z


def test_login():
    assert CODEC.login("admin", "s,ecret") == b"admin,s,ecret;"


def test_no_login_without_a_format():
    assert Codec(Dialect(login_format="")).login("admin", "x") is None


@pytest.mark.parametrize("password", ["a;b", "a\rb", "a\nb"])
def test_a_credential_that_breaks_the_line_is_refused_and_not_shown(password):
    with pytest.raises(LocalProtocolError, match=r"^password: ") as caught:
        CODEC.login("admin", password)
    assert password not in str(caught.value)


@pytest.mark.parametrize(
    ("parameters", "octets"),
    [
        ({}, b"CCSCD1=QRY;"),
        ({"MSISDN": "0210635462"}, b"CCSCD1=QRY:MSISDN=0210635462;"),
        (
            {"MSISDN": "0210635462", "BALANCE_TYPE": "General Cash", "LIST_TYPE": "BALANCE"},
            b"CCSCD1=QRY:MSISDN=0210635462,BALANCE_TYPE=General Cash,LIST_TYPE=BALANCE;",
        ),
        ({"ID": ["1", "2"], "A": "x:y=z"}, b"CCSCD1=QRY:ID=1,ID=2,A=x:y=z;"),
        ({"ID": []}, b"CCSCD1=QRY;"),
        ({"NAME": "Zoë"}, b"CCSCD1=QRY:NAME=Zo\xeb;"),
    ],
)
def test_command(parameters, octets):
    assert CODEC.command("CCSCD1=QRY", parameters, WALL) == octets


def test_everything_of_a_command_may_be_set():
    dialect = Dialect(
        command_format="<{command}|{parameters}>{{}}",
        bare_command_format="<{command}>",
        parameter_separator="&",
        terminator="\r\n",
        synstamp="%Y%m%d%H%M%S",
        encoding="utf-8",
    )
    codec = Codec(dialect)
    assert not list(dialect_problems(dialect))
    octets = codec.command("A=B", {"N": "ë,;"}, WALL)
    assert octets == b"<A=B|N=\xc3\xab,;&SYNSTAMP=20231114221320>{}\r\n"


def test_a_synstamp_may_be_local(monkeypatch):
    monkeypatch.setenv("TZ", "NZST-13")  # POSIX: thirteen hours east
    time.tzset()
    try:
        codec = Codec(Dialect(synstamp="%Y%m%d%H%M%S", has_local_synstamp=True))
        assert codec.command("A=B", {}, WALL) == b"A=B:SYNSTAMP=20231115111320;"
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("parameters", "place"),
    [
        ({"A": "1;2"}, "arguments.parameters.A"),
        ({"A": "1,B=2"}, "arguments.parameters.A"),
        ({"A": ["1", "2\r"]}, "arguments.parameters.A"),
        ({"A": "1\n"}, "arguments.parameters.A"),
        ({"A": "€"}, "arguments.parameters.A"),
        ({"A=B": "1"}, "arguments.parameters.A=B"),
        ({"": "1"}, "arguments.parameters."),
        ({"X;Y": "1"}, "arguments.parameters.X;Y"),
        ({"SYNSTAMP": "1"}, "arguments.parameters.SYNSTAMP"),
        ({"mac": "1"}, "arguments.parameters.mac"),
    ],
)
def test_what_would_break_the_line_is_refused_by_name(parameters, place):
    with pytest.raises(LocalProtocolError) as caught:
        CODEC.command("CCSCD1=QRY", parameters, WALL)
    assert caught.value.path == place


@pytest.mark.parametrize("command", ["", " ", "A=B;C=D", "A=B\n", "A=B,C=D"])
def test_a_command_that_is_none_is_refused(command):
    with pytest.raises(LocalProtocolError, match=r"arguments\.command"):
        CODEC.command(command, {}, WALL)


def test_a_line_has_a_longest_length():
    codec = Codec(Dialect(max_line=20))
    assert codec.command("A=B", {"C": "x" * 14}, WALL) == b"A=B:C=" + b"x" * 14 + b";"
    with pytest.raises(LocalProtocolError, match="longer than 20"):
        codec.command("A=B", {"C": "x" * 15}, WALL)


@pytest.mark.parametrize(
    ("line", "status", "info", "fields"),
    [
        ("CCSCD1=QRY:ACK", "ACK", "", {}),
        ("CCSCD1=QRY:ACK:", "ACK", "", {}),
        ("ACK", "ACK", "", {}),
        ("ACK,A=1", "ACK", "A=1", {"A": "1"}),
        (
            "CCSCD1=QRY:ACK:MSISDN=0210635462,BALANCE=1450, T=12:30,B=,x",
            "ACK",
            "MSISDN=0210635462,BALANCE=1450, T=12:30,B=,x",
            {"MSISDN": "0210635462", "BALANCE": "1450", "T": "12:30", "B": ""},
        ),
        ("ccscd1=qry:ACK:A=1,A=2,A=3", "ACK", "A=1,A=2,A=3", {"A": ["1", "2", "3"]}),
        ("CCSCD1=QRY:ACK:A=1\r\nB=2", "ACK", "A=1\r\nB=2", {"A": "1\r\nB=2"}),
        ("CCSCD1=QRY:NACK:88-021 DOES NOT EXIST", "NACK", "88-021 DOES NOT EXIST", {}),
        ("NACK", "NACK", "", {}),
    ],
)
def test_answers(line, status, info, fields):
    reply = CODEC.reply(line, "CCSCD1=QRY")
    assert (reply.status, reply.info, dict(reply.fields)) == (Status(status), info, fields)
    assert reply.as_dict()["raw"] == line
    assert reply.as_dict()["parameters"] == fields


@pytest.mark.parametrize(
    "line", ["CCSCD1=CHG:ACK:A=1", "CCSCD1=QRY", "ACKNOWLEDGED", "\x00\xff", "CCSCD1=QRY:NAK:1"]
)
def test_what_is_no_answer_to_this_command(line):
    with pytest.raises(RemoteProtocolError):
        CODEC.reply(line, "CCSCD1=QRY")


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ("ACK", None),
        ("LOGIN:ACK:welcome", None),
        ("NACK:2-USER IS LOCKED", "2-USER IS LOCKED"),
        ("LOGIN:NACK,3-PASSWORD EXPIRED", "3-PASSWORD EXPIRED"),
        ("NACK", "no reason given"),
    ],
)
def test_logins(line, refusal):
    assert CODEC.login_refusal(line) == refusal


def test_a_greeting_is_no_answer_to_a_login():
    with pytest.raises(RemoteProtocolError):
        CODEC.login_refusal("Welcome")


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=5))
def test_lines_do_not_depend_on_packets(octets, cuts):
    whole = CODEC.lines().feed(octets)
    lines = CODEC.lines()
    edges = [0, *sorted(min(cut, len(octets)) for cut in cuts), len(octets)]
    found = []
    for start, end in pairwise(edges):
        found += lines.feed(octets[start:end])
    assert found == whole


@given(st.text(max_size=100))
def test_any_answer_is_read_or_refused(line):
    with suppress(RemoteProtocolError):
        CODEC.reply(line, "A=B")


_SAFE = st.text(
    st.characters(codec="latin-1", exclude_characters=";,\r\n=:", min_codepoint=32), min_size=1
).filter(lambda text: text == text.strip() and text.upper() not in ("SYNSTAMP", "MAC"))


@given(st.dictionaries(_SAFE, _SAFE, max_size=5))
def test_a_server_reads_what_was_asked(parameters):
    octets = CODEC.command("CCSCD1=QRY", parameters, WALL)
    (line,) = CODEC.lines().feed(octets)
    assert read_command(line) == ("CCSCD1=QRY", parameters)


def test_line_ends_between_lines_are_nobodys():
    lines = CODEC.lines()
    assert lines.feed(b"\r\n A;\r\n;\nB;\r\n") == ["A", "B"]
    assert not lines.has_rest
    assert lines.feed(b"C") == []
    assert lines.has_rest


def test_a_terminator_in_two_pieces():
    lines = Codec(Dialect(terminator="\r\n")).lines()
    assert lines.feed(b"A\r") == []
    assert lines.feed(b"\nB\r\n") == ["A", "B"]


@pytest.mark.parametrize("octets", [b"x" * 11, b"x" * 11 + b";"])
def test_a_line_without_end(octets):
    with pytest.raises(RemoteProtocolError, match="longer than 10"):
        Codec(Dialect(max_line=10)).lines().feed(octets)


def test_octets_that_are_no_text():
    with pytest.raises(RemoteProtocolError, match="utf-8"):
        Codec(Dialect(encoding="utf-8")).lines().feed(b"\xff;")


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("login_format", "{user}"),
        ("login_format", "{username.__class__}"),
        ("command_format", "{command!r}"),
        ("command_format", "{0}"),
        ("command_format", "{command"),
        ("ack_pattern", "("),
        ("terminator", ""),
        ("parameter_separator", ""),
        ("encoding", "utf-16"),
        ("encoding", "nothing"),
        ("max_line", 0),
    ],
)
def test_a_dialect_that_can_not_work(member, value):
    assert [name for name, _ in dialect_problems(Dialect(**{member: value}))] == [member]


@pytest.mark.parametrize("piece", [1, 7, 10_000])
def test_blanks_after_a_line_are_no_line_however_many(piece):
    """Blanks are never too long, however they are split; complete lines before them are kept."""
    lines = Lines(b"\r\n", "ascii", 10)
    octets = b"ACK:1\r\n" + b"\r\n" * 3000 + b"  \r\n\tACK:2\r\n"
    found = []
    for at in range(0, len(octets), piece):
        found += lines.feed(octets[at : at + piece])
    assert found == ["ACK:1", "ACK:2"]


def test_what_is_complete_comes_before_the_line_that_is_too_long():
    lines = Lines(b"\r\n", "ascii", 10)
    assert lines.feed(b"ACK:1\r\n" + b"x" * 11) == ["ACK:1"]
    with pytest.raises(RemoteProtocolError, match="longer than 10"):
        lines.feed(b"x")
