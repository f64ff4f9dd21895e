"""Answers that can't be read, and lines that no command asked for: through the whole service."""

import pytest
from gevent.event import Event
from kinds.pi import testbed
from support.daemons import Daemon
from support.waiting import GUARD_S, until

serve = testbed.serve
WAIT = {"type": "wait", "arguments": {"seconds": 0.1}}
LOAD = {"type": "load", "total": 10, "backlog": 2}
RIGHT = b"CCSCD1=QRY:ACK:BALANCE=1;"


def request(**arguments):
    return {"type": "ocncc.pi.Request", "arguments": {"command": "CCSCD1=QRY", **arguments}}


def checks(result):
    log = result["first_call_summary"]["check_log"]
    return [(check["level"], check["text"]) for check in log]


@pytest.fixture
def play(serve, tmp_path):
    """Return a function that runs operations; the server answers each command with octets."""
    made = []

    def play(answer, *operations, distribution=None, **members):
        def handle(sock, _):
            sock.recv(1000)
            sock.sendall(b"ACK;")
            while sock.recv(1000):
                sock.sendall(answer)

        host, port = serve(handle)
        given = {"remote_host": host, "remote_port": port, **testbed.CREDENTIALS, **members}
        made.append(Daemon(tmp_path, {"PI-1": ("pi", given)}))
        made[-1].until_up()
        more = {} if distribution is None else {"distribution": distribution}
        return made[-1].run(*operations, **more)

    yield play
    for one in made:
        one.stop()


def reason(result):
    return result["first_call_summary"]["reason"]


def test_what_is_right_passes(play):
    result = play(RIGHT, request(status="ACK"), WAIT, request())
    assert (result["verdict"], result["counts"]["malformed"]) == ("pass", 0), reason(result)


MUTANTS = [
    *(RIGHT[:at] + b";" for at in range(12, 14)),
    b"CCSCD1=QRY:NAK:BALANCE=1;",
    b"CCSCD1=QRY;",
    b"ACKNOWLEDGED;",
    b"\x00\xff;",
    b"x" * 70_000,
]


@pytest.mark.parametrize("answer", MUTANTS, ids=lambda one: repr(one[:20]))
def test_an_answer_that_can_not_be_read_fails(play, answer):
    result = play(answer, request())
    assert result["verdict"] == "fail", reason(result)
    assert result["counts"]["malformed"] == 1
    ((_, text),) = [one for one in checks(result) if one[0] == "fail"]
    assert text.startswith("malformed answer: ")


def test_an_answer_of_another_encoding(play):
    result = play(b"CCSCD1=QRY:ACK:\xff;", request(), encoding="utf-8")
    assert ("fail", "malformed answer: at octet 15: a line is not utf-8") in checks(result)


@pytest.mark.parametrize(("malformed", "verdict"), [("note", "pass"), ("abort", "abort")])
def test_the_attribute_malformed(play, malformed, verdict):
    result = play(b"hello;", {**request(), "malformed": malformed})
    assert (result["verdict"], result["counts"]["malformed"]) == (verdict, 1)


def test_in_a_load(play):
    counts = play(b"hello;", request(), distribution=LOAD)["counts"]
    assert counts["failed"] == counts["malformed"] == 10


@pytest.mark.parametrize("more", [b"ACK:A=99;", b"ACK:A=9", b"\r\n ACK:A=99;"])
@pytest.mark.parametrize("following", [[], [request()]], ids=["at the end", "before another one"])
def test_a_second_answer_aborts(play, more, following):
    result = play(RIGHT + more, request(), *following)
    assert result["verdict"] == "abort"
    assert "unexpected PI line that no command asked for" in reason(result)


def test_line_ends_behind_an_answer_are_none(play):
    assert play(RIGHT + b"\r\n \n", request(), WAIT)["verdict"] == "pass"


def test_a_second_answer_that_comes_later_aborts(serve, tmp_path):
    """The second answer is found at the end of the instance, though no command reads it."""
    said = []

    def handle(sock, _):
        sock.recv(1000)
        sock.sendall(b"ACK;")
        sock.recv(1000)
        sock.sendall(RIGHT)
        until_taken.wait(GUARD_S)
        sock.sendall(b"ACK:A=99;")
        testbed.until_arrived(sock)
        said.append(1)
        sock.recv(1000)

    until_taken = Event()
    host, port = serve(handle)
    members = {"remote_host": host, "remote_port": port, **testbed.CREDENTIALS}
    daemon = Daemon(tmp_path, {"PI-1": ("pi", members)})
    try:
        daemon.until_up()
        run_id = daemon.execute(request(), {"type": "halt", "arguments": {"seconds": 600}})
        until(lambda: daemon.call("QueryTest", run_id=run_id)["halted"])  # the first is taken
        until_taken.set()
        until(lambda: said)
        daemon.resume(run_id)
        result = daemon.finish(run_id)
    finally:
        daemon.stop()
    assert result["verdict"] == "abort"
    assert "'ACK:A=99;'" in reason(result)
