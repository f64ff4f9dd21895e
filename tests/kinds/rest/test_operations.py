"""rest.* through the whole service, against servers on raw sockets."""

import json

import gevent
import pytest
from gevent.event import Event
from kinds.rest.service import HttpService, failures, first
from support import undefined
from support.waiting import GUARD_S, until
from unit.transport.http_servers import RawServer, ok

from tsvc.errors import LocalProtocolError
from tsvc.kinds.rest.content import encoded, split_content_type, tree_of
from tsvc.operations.operation import OPERATION_TYPES, type_of
from tsvc.transport.http.message import Response

JSON = b"Content-Type: application/json; charset=utf-8\r\nX-A: 1\r\nX-A: 2\r\n"


class World:
    """A server whose answer depends on the path; /slow waits for `gate`."""

    def __init__(self):
        self.gate = Event()
        self.server = RawServer(self._serve)
        self.requests = self.server.requests

    def _serve(self, server, sock, _):
        while (request := server.read(sock)) is not None:
            target = request.split(b" ", 2)[1]
            if target.startswith(b"/api/slow"):
                self.gate.wait(GUARD_S)
            if target.startswith(b"/api/cut"):
                sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
                return
            if target.startswith(b"/api/silent"):
                continue
            code = b"500 Broken" if target.startswith(b"/api/broken") else b"200 OK"
            body = json.dumps({"target": target.decode(), "n": 7}).encode()
            sock.sendall(ok(body, JSON).replace(b"200 OK", code, 1))


@pytest.fixture
def world():
    world = World()
    yield world
    world.server.stop()


@pytest.fixture
def tsvc(world, tmp_path):
    members = {
        "base_uri": f"http://127.0.0.1:{world.server.port}/api",
        "server_timeout_s": GUARD_S,
        "username": "me",
        "password": "t0p-secret",
    }
    other = {**members, "base_uri": f"http://127.0.0.1:{world.server.port}/other"}
    hasty = {**members, "server_timeout_s": 0.5}
    applications = {"R1": members, "billing": other, "hasty": hasty}
    made = HttpService(tmp_path, {name: ("rest", one) for name, one in applications.items()})
    yield made
    made.stop()


def send(path="/x", method="GET", type_="rest.SendRequest", **arguments):
    return {"type": type_, "arguments": {"path": path, "method": method, **arguments}}


def expect(*tests, **more):
    return {"type": "rest.ExpectResponse", "tests": list(tests), **more}


def is_(kpath, value, type_="string"):
    return {"kpath": kpath, "type": type_, "value": value}


CODE_200 = is_("rest.code", 200, "integer")
REST = {"rest": "R1"}


# -- what an operation does ----------------------------------------------------------------------


def test_send_and_expect(tsvc, world):
    result = tsvc.run(
        {"type": "eval", "expression": "$v->{id} = 'a b'"},
        send(
            "{'/balance/' . $v->{id}}",
            "post",
            query={"q": "{$v->{id}}"},
            content_type="application/json",
            content={"id": "{$v->{id}}", "list": [1, None, True]},
            http_headers=[{"name": "X-Id", "value": "{1 + 1}"}],
        ),
        expect(
            CODE_200,
            is_("rest.content_type", "application/json"),
            is_("rest.content_json.n", 7, "integer"),
            is_("rest.content_json.target", "/api/balance/a%20b?q=a+b"),
            is_("rest.http_headers.[name=X-A].[1].value", "2"),
            is_("rest.http_headers.[name=X-A].[0].value", "1"),
            is_("rest.content", '\\{"target": "/api/balance/a%20b?q=a+b", "n": 7}'),
        ),
        {"type": "eval", "expression": "$v->{n} = $i->{REST}{content_json}{n}"},
        {"type": "eval", "expression": "$v->{c} = $v->{__INBOUND}{REST}{code}"},
        **REST,
    )
    assert result["verdict"] == "pass", first(result)
    assert (first(result)["vars"]["n"], first(result)["vars"]["c"]) == (7, 200)
    head, _, body = world.requests[-1].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /api/balance/a%20b?q=a+b HTTP/1.1\r\nHost: 127.0.0.1:")
    assert b"\r\nX-Id: 2" in head
    assert json.loads(body) == {"id": "a b", "list": [1, None, True]}
    assert [(one["op"], one["name"], one["count"]) for one in result["operations"]] == [
        (2, "REST", 1)
    ]


def test_both_in_one(tsvc):
    request = {**send("/broken", type_="rest.Request"), "tests": [is_("rest.code", "500")]}
    result = tsvc.run(request, **REST)
    assert result["verdict"] == "pass", first(result)
    assert "Received REST response 500" in [one["text"] for one in first(result)["check_log"]]


@pytest.mark.parametrize("tests", [[], [{"kpath": "rest.nothing", "type": "exists", "value": 0}]])
@pytest.mark.parametrize("is_one", [True, False])
def test_a_refusal_that_nobody_looks_at(tsvc, tests, is_one):
    request = {**send("/broken", type_="rest.Request"), "tests": tests}
    operations = [request] if is_one else [send("/broken"), expect(*tests)]
    for refusals, verdict in (("note", "pass"), ("fail", "fail")):
        result = tsvc.run(*operations, rest="R1", refusals=refusals)
        assert (result["verdict"], result["counts"]["unchecked_refusals"]) == (verdict, 1)
        texts = [check["text"] for check in first(result)["check_log"]]
        assert "refused with HTTP 500; nobody looked" in texts
    looks = [is_("rest.code", 500, "integer")]
    result = tsvc.run({**request, "tests": looks}, rest="R1", refusals="fail")
    assert (result["verdict"], result["counts"]["unchecked_refusals"]) == ("pass", 0)


def test_a_response_that_differs_fails(tsvc):
    result = tsvc.run(send("/broken"), expect(CODE_200), **REST)
    assert result["verdict"] == "fail"
    assert failures(result) == ["rest.code (integer) differs"]


def test_labels(tsvc, world):
    request = send("/x", type_="rest.billing.Request")
    assert tsvc.run(request)["verdict"] == "pass"
    assert world.requests[-1].startswith(b"GET /other/x ")
    assert tsvc.run(request, rest_billing="R1")["verdict"] == "pass"
    assert world.requests[-1].startswith(b"GET /api/x ")
    paired = [
        send("/1", type_="rest.billing.SendRequest"),
        send("/2"),
        expect(is_("rest.content_json.target", "/api/2"), type="rest.ExpectResponse", label="e"),
    ]
    paired[2]["type"] = "rest.main.ExpectResponse"
    paired[1]["type"] = "rest.main.SendRequest"
    last = expect(is_("rest.content_json.target", "/other/1"))
    result = tsvc.run(*paired, last, rest_main="R1", rest="R1")
    assert result["verdict"] == "pass", first(result)


def test_responses_are_taken_in_the_order_of_the_requests(tsvc, world):
    gevent.spawn_later(0.05, world.gate.set)
    result = tsvc.run(
        send("/slow"),
        send("/fast"),
        expect(is_("rest.content_json.target", "/api/slow")),
        expect(is_("rest.content_json.target", "/api/fast")),
        **REST,
    )
    assert result["verdict"] == "pass", first(result)


# -- what aborts ---------------------------------------------------------------------------------


def test_a_response_that_nobody_takes(tsvc):
    result = tsvc.run(send("/x"), {"type": "wait", "arguments": {"seconds": 0.2}}, **REST)
    assert result["verdict"] == "abort"
    expected = "unexpected REST response 200 to GET /api/x at the end of the instance"
    assert first(result)["reason"] == expected


def test_a_request_whose_response_never_came_is_given_up(tsvc, world):
    result = tsvc.run(send("/slow"), **REST)
    assert result["verdict"] == "pass", first(result)
    (status,) = [one for one in tsvc.service.gateways.status() if one["name"] == "R1"]
    assert status["counters"]["in_use"] == 0
    world.gate.set()


@pytest.mark.parametrize("is_one", [True, False])
def test_a_cancelled_instance_gives_its_connection_back(tsvc, world, is_one):
    operations = [send("/slow", type_="rest.Request")] if is_one else [send("/slow"), expect()]
    params = {"operations": operations, "ssp_ac": "camel2", **REST}
    assert tsvc.ask("ExecuteTest", run_id="waits", **params)["result"] == "ok"
    until(lambda: world.requests)
    tsvc.ask("CancelTest", run_id="waits")
    result = tsvc.ask("QueryTest", run_id="waits", wait_s=GUARD_S)["result"]
    assert (result["completed"], result["verdict"]) == (1, "cancelled")
    (status,) = [one for one in tsvc.service.gateways.status() if one["name"] == "R1"]
    assert (status["counters"]["in_use"], status["state"]) == (0, "up")
    world.gate.set()
    assert tsvc.run(send(type_="rest.Request"), **REST)["verdict"] == "pass"


def test_nothing_to_wait_for(tsvc):
    result = tsvc.run(expect(), **REST)
    assert first(result)["reason"] == "expected a REST response, but no request waits for one"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/silent", "hasty: GET /api/silent: no response within 0.5 s"),
        (
            "/cut",
            "hasty: GET /api/cut: the server closed the connection in the middle of its response",
        ),
    ],
)
@pytest.mark.parametrize("is_one", [True, False])
def test_trouble_of_the_transport_aborts(tsvc, path, reason, is_one):
    operations = [send(path, type_="rest.Request")] if is_one else [send(path), expect()]
    result = tsvc.run(*operations, rest="hasty")
    assert (result["verdict"], first(result)["reason"]) == ("abort", reason)
    assert tsvc.run(send(type_="rest.Request"), **REST)["verdict"] == "pass"


def test_a_failure_that_nobody_waits_for(tsvc):
    result = tsvc.run(send("/cut"), {"type": "wait", "arguments": {"seconds": 0.2}}, **REST)
    assert result["verdict"] == "abort"
    assert "unexpected failure of a REST request, R1: GET /api/cut" in first(result)["reason"]


def test_what_cannot_be_sent_aborts_the_instance(tsvc):
    result = tsvc.run(
        {"type": "eval", "expression": "$v->{x} = {}"},
        send(content_type="text/plain", content="{$v->{x}}"),
        **REST,
    )
    expected = "REST: content: an object or array can't be sent as text/plain"
    assert first(result)["reason"] == expected


@pytest.mark.parametrize("value", ["5", "{a => 1}", "'a: b'"])
def test_headers_that_turn_out_to_be_no_list(tsvc, value):
    result = tsvc.run(
        {"type": "eval", "expression": f"$v->{{x}} = {value}"},
        send(http_headers="{$v->{x}}"),
        **REST,
    )
    expected = "REST: http_headers: must be a list of {name, value}"
    assert first(result)["reason"] == expected


# -- what is refused before it runs --------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"method": None}, "method"),
        ({"methode": "GET"}, "methode"),
        ({"content": {"a": 1}}, "content_type"),
        ({"content": {"a": 1}, "content_type": "text/plain"}, "content"),
        ({"content": "x", "content_type": "text/plain; charset=klingon"}, "content_type"),
        ({"content": "€", "content_type": "text/plain; charset=latin-1"}, "content"),
        ({"content": "x", "content_type": "a/b", "content_hex": "00"}, "content_hex"),
        ({"content_hex": "0g"}, "content_hex"),
        ({"http_headers": {"name": "A"}}, "http_headers"),
        ({"http_headers": [{"name": "A"}]}, "http_headers[0].value"),
        ({"http_headers": [{"name": "A", "value": "1", "x": 1}]}, "http_headers[0].x"),
        ({"http_headers": [7]}, "http_headers[0]"),
    ],
)
def test_definitions_that_are_refused(tsvc, arguments, path):
    assert list(tsvc.refused(send(**arguments), **REST)) == [f"operations[0].arguments.{path}"]


def test_a_gateway_is_needed(tsvc):
    assert list(tsvc.refused(send())) == ["rest"]


# -- what is kept --------------------------------------------------------------------------------


def test_the_ladder_shows_requests_and_responses_without_secrets(tsvc):
    request = send("/x", "POST", "rest.Request", content_type="text/plain", content="hello")
    result = tsvc.run(request, trace_level=2, **REST)
    shown = [one for one in first(result)["messages"] if one.get("protocol") == "rest"]
    assert [(one["title"], one["direction"]) for one in shown] == [
        ("POST /api/x", "sent"),
        ("200 OK", "received"),
    ]
    assert shown[0]["facts"] == ["hello"]
    assert shown[1]["content"]["content_json"]["n"] == 7
    text = json.dumps(result)
    assert "t0p-secret" not in text
    assert "bWU6dDBwLXNlY3JldA" not in text


# -- content -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "content_type", "octets"),
    [
        (None, "", b""),
        ("as it is", "application/json", b"as it is"),
        ({"a": "ü"}, "application/json", '{"a": "ü"}'.encode()),
        ({"a": "ü"}, "application/json; charset=iso-8859-1", b'{"a": "\xfc"}'),
        ([1, None], "application/problem+json", b"[1, null]"),
        (True, "text/json", b"true"),
        (7, "text/plain", b"7"),
        ("ü", 'text/plain; Charset="UTF-8"', b"\xc3\xbc"),
        ({"a": "1 2&", "b": [1, "x"]}, "application/x-www-form-urlencoded", b"a=1+2%26&b=1&b=x"),
        ("a=b", "application/x-www-form-urlencoded", b"a=b"),
    ],
)
def test_content_is_encoded_as_its_type_says(content, content_type, octets):
    assert encoded(content, content_type) == octets


@pytest.mark.parametrize(
    ("content", "content_type"),
    [
        ({"a": {"b": 1}}, "application/x-www-form-urlencoded"),
        (float("nan"), "application/json"),
        ([], "text/xml"),
    ],
)
def test_content_that_has_no_octets(content, content_type):
    with pytest.raises(LocalProtocolError):
        encoded(content, content_type)


def test_content_types():
    assert split_content_type("Text/HTML ; a=b; charset=UTF-8") == ("text/html", "utf-8")
    assert split_content_type("") == ("", "")


@pytest.mark.parametrize(
    ("content_type", "body", "found"),
    [
        ("application/json", b'{"a": 1}', {"content": '{"a": 1}', "content_json": {"a": 1}}),
        ("text/json", b"\xef\xbb\xbf[]", {"content": "\ufeff[]", "content_json": []}),
        ("text/plain", b"[]", {"content": "[]"}),
        ("text/plain; charset=latin-1", b"\xfc", {"content": "ü"}),
        ("text/plain; charset=klingon", b"a", {"content": None, "content_hex": "61"}),
        ("application/octet-stream", b"\xff\x00", {"content": None, "content_hex": "ff00"}),
        ("", b"", {"content": ""}),
    ],
)
def test_content_of_a_response(content_type, body, found):
    fields = (("content-TYPE", content_type),) if content_type else ()
    tree = tree_of(Response(200, "OK", fields, body, b""))
    names = ("content", "content_hex", "content_json")
    assert {name: tree[name] for name in names if name in tree} == found


@pytest.mark.parametrize("body", [b"{", b'{"a": NaN}', b"[" * 100_000, b'{"a": 1, "a": 2}'])
def test_json_that_is_none(body):
    tree = tree_of(Response(200, "OK", (("Content-Type", "application/json"),), body, b""))
    assert "content_json" not in tree
    assert tree["content_json_error"]
    assert tree["content"] == body.decode()


def test_names_of_types():
    assert type_of("rest.billing-2_x.SendRequest").name == "rest.billing-2_x.SendRequest"
    for name in (
        "rest.a.b.SendRequest",
        "rest..SendRequest",
        "rest.a.Nothing",
        "rest.a b.Request",
    ):
        assert type_of(name) is None
    assert OPERATION_TYPES.get("rest.ExpectResponse") is not None


@pytest.mark.parametrize(
    ("place", "given", "requested"),
    [
        ("path", {"path": undefined.SOURCE}, b"GET /api HTTP"),
        ("query.q", {"query": {"q": undefined.SOURCE}}, b"GET /api/x?q= HTTP"),
        (
            "http_headers[0].value",
            {"http_headers": [{"name": "X-Id", "value": undefined.SOURCE}]},
            b"GET /api/x HTTP",
        ),
        (
            "content.a[1]",
            {"content_type": "application/json", "content": {"a": [1, undefined.SOURCE]}},
            b"GET /api/x HTTP",
        ),
    ],
)
def test_an_undefined_value_in_a_request(tsvc, world, place, given, requested):
    request = send(type_="rest.Request", **given)
    undefined.aborts_if_strict(tsvc.run, place, request, **REST)
    assert world.requests == []
    undefined.is_counted(tsvc.run(request, vars=undefined.VARS, **REST), place)
    assert world.requests[-1].startswith(requested)


def test_a_literal_null_is_no_mistake(tsvc, world):
    given = {"content_type": "application/json", "content": {"a": None}}
    result = tsvc.run(send(type_="rest.Request", **given), strict=1, **REST)
    assert (result["verdict"], result["counts"]["undefined_sent"]) == ("pass", 0)
    assert world.requests[-1].endswith(b'{"a": null}')
