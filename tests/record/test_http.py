"""HTTP: recorded with a server on raw sockets, replayed by one that sends the same responses."""

import gzip
import json

import pytest
from kinds.rest.service import HttpService, failures, first
from record.replayed import definition_of, trace
from support.capturing import OURS, THEIRS, fields, text2pcap
from support.waiting import GUARD_S
from unit.transport.http_servers import RawServer, answering, ok

from tsvc.record.capture import dialogues_of, read_capture

JSON = b"Content-Type: application/json\r\n"
TEXT = b"Content-Type: text/plain; charset=utf-8\r\n"
CHUNKED = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + JSON + b"\r\n"
    b'9;x=y\r\n{"n": 1, \r\n8\r\n"m": 23}\r\n0\r\nX-T: 1\r\n\r\n'
)
BALANCE = json.dumps(
    {"balance": 1450, "rate": 0.25, "ok": True, "off": False, "list": [{"id": "a"}, "{b}"]}
).encode()


def send(path, method="GET", **arguments):
    return {"type": "rest.Request", "arguments": {"path": path, "method": method, **arguments}}


CALLS = {
    "JSON both ways": (
        send(
            "/balance", "POST", content_type="application/json", content={"msisdn": "6421000001"}
        ),
        ok(BALANCE, JSON),
    ),
    "a query and fields": (
        send(
            "/a%20b/c", query="x=1&y=%7Bz%7D", http_headers=[{"name": "X-Id", "value": "{1 . 7}"}]
        ),
        ok(b"{curly}", TEXT),
    ),
    "octets": (
        send("/put", "PUT", content_type="application/octet-stream", content_hex="00ff7d"),
        ok(b"\xff\xfe", b"Content-Type: application/octet-stream\r\n"),
    ),
    "chunks": (send("/chunks"), CHUNKED),
    "a form": (
        send(
            "/form",
            "POST",
            content_type="application/x-www-form-urlencoded",
            content={"user": "tester", "of": ["a", "b"]},
        ),
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n" + TEXT + b"\r\ngone",
    ),
    "JSON of odd names": (send("/odd"), ok(b'{"a.b": 1, "n": null, "e": []}', JSON)),
    "nothing": (send("/gone", "DELETE"), b"HTTP/1.1 204 No Content\r\n\r\n"),
}


@pytest.fixture
def world(tmp_path):
    """A function that makes (service, server): the service's REST gateway uses the server."""
    made = []

    def make():
        server = RawServer(lambda server, sock, number: server.say(server, sock, number))
        folder = tmp_path / f"{len(made)}"
        folder.mkdir()
        server.say = answering(ok())
        members = {"base_uri": f"http://127.0.0.1:{server.port}", "server_timeout_s": GUARD_S}
        made.append((HttpService(folder, {"R1": ("rest", members)}), server))
        return made[-1]

    yield make
    for daemon, server in made:
        daemon.stop()
        server.stop()


def run(world, operations, answers, **params):
    """Run operations against a server that gives these answers: (result, requests)."""
    daemon, server = world
    left = iter(answers)

    def say(server, sock, _):
        while server.read(sock) is not None:
            sock.sendall(next(left))

    server.say = say
    server.requests.clear()
    for sock in list(server._open):
        sock.close()
    result = daemon.run(*operations, rest="R1", **{"ssp_ac": None, **params})
    return result, list(server.requests)


@pytest.mark.parametrize("name", CALLS)
def test_a_recorded_request(world, name):
    here = world()
    operation, answer = CALLS[name]
    result, requests = run(here, [operation], [answer], run_id="recorded")
    assert first(result)["state"] == "passed", first(result)["reason"]
    made = definition_of(trace(here[0], "recorded"))
    operations = made.pop("operations")
    again, sent = run(here, operations, [answer], strict=1, **made)
    assert again["verdict"] == "pass", (first(again)["reason"], failures(again))
    assert sent == requests


@pytest.mark.parametrize("name", [name for name in CALLS if name != "nothing"])
def test_changes_are_told(world, name):
    """Each octet of a response's content is changed, one at a time; of chunks, their contents."""
    here = world()
    operation, answer = CALLS[name]
    run(here, [operation], [answer], run_id="recorded")
    made = definition_of(trace(here[0], "recorded"))
    operations = made.pop("operations")
    passed = []
    start = answer.index(b"\r\n\r\n") + 4
    places = range(start, len(answer))
    if name == "chunks":
        places = [place for place in places if chr(answer[place]) in "123nm"]
        places = places[2:-2]  # without the sizes and the trailer
    for place in places:
        if answer[place] == 0x20:
            continue  # between values of JSON, any blank is allowed
        other = bytearray(answer)
        other[place] ^= 0x01
        again, _ = run(here, operations, [bytes(other)], strict=1, linger_ms=0, **made)
        if again["verdict"] == "pass":
            passed.append((place, bytes(other)[start:]))
    assert passed == []


def test_as_tshark_reads_it(tmp_path, world):
    here = world()
    messages = []
    for operation, answer in CALLS.values():
        _, requests = run(here, [operation], [answer])
        messages += [(True, requests[0]), (False, answer)]
    timed = [(is_ours, at * 0.01, octets) for at, (is_ours, octets) in enumerate(messages)]
    capture = text2pcap(tmp_path, timed, "-4", f"{OURS},{THEIRS}", "-T", "40000,80")
    found = read_capture(capture)
    assert found.remarks == []
    assert [one.octets for one in found.messages] == [octets for _, octets in messages]
    shown = fields(tmp_path, capture, "http.request.method", "http.response.code")
    theirs = [row[0] or row[1] for row in shown if any(row)]
    (dialogue,) = dialogues_of(found)
    assert [step.text.split()[0] for step in dialogue.steps] == theirs
    made = definition_of(capture)
    answers = [octets for is_ours, octets in messages if not is_ours]
    again, sent = run(here, made["operations"], answers, strict=1)
    assert again["verdict"] == "pass", (first(again)["reason"], failures(again))
    assert sent == [octets for is_ours, octets in messages if is_ours]


def test_content_that_was_coded(tmp_path, world):
    here = world()
    _, requests = run(here, [send("/x")], [ok()])
    body = gzip.compress(b'{"n": 7}')
    answer = ok(body, JSON + b"Content-Encoding: gzip\r\n")
    capture = text2pcap(
        tmp_path,
        [(True, 0.0, requests[0]), (False, 0.1, answer)],
        "-4", f"{OURS},{THEIRS}", "-T", "40000,80",
    )  # fmt: skip
    made = definition_of(capture)
    assert made["operations"][0]["tests"][-1] == {
        "kpath": "rest.content_json.n",
        "type": "integer",
        "value": 7,
    }
    again, _ = run(here, made["operations"], [ok(b'{"n": 7}', JSON)], strict=1)
    assert again["verdict"] == "pass"


def test_secrets_of_requests_stay_out(tmp_path, world):
    request = b"GET /x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer t0p\r\nCookie: s=t0p\r\n\r\n"
    options = ("-4", f"{OURS},{THEIRS}", "-T", "40000,80")
    capture = text2pcap(tmp_path, [(True, 0.0, request), (False, 0.1, ok())], *options)
    assert "t0p" not in json.dumps(definition_of(capture))


def test_what_has_no_response_is_told(tmp_path):
    options = ("-4", f"{OURS},{THEIRS}", "-T", "40000,80")
    request = b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n"
    (dialogue,) = dialogues_of(read_capture(text2pcap(tmp_path, [(True, 0.0, request)], *options)))
    assert dialogue.problems == ["packet 1: a request has no response in the capture"]
    found = read_capture(text2pcap(tmp_path, [(False, 0.0, ok())], *options))
    assert dialogues_of(found) == []
    assert str(found.remarks[0]).endswith("HTTP: a response whose request was not captured")
