"""The fake HTTP interface, asked by the standard library's client."""

import http.client
import json

import gevent
import pytest
from support.waiting import GUARD_S

from tsvc.gateways.fake import load_settings
from tsvc.kinds.rest.fake import RestFake, RestSettings

ACCOUNT = {
    "path": "/api/account/{id}",
    "method": "GET",
    "headers": {"X-Served-By": "node-7"},
    "json": {
        "id": "{$v->{path}{id}}",
        "granted": "{$v->{query}{granted} * 2}",
        "asked": "{++$g->{asked}}",
        "literal": "\\{x}",
        "tags": ["gold", None, True],
    },
}
ROUTES = [
    ACCOUNT,
    {"path": "/api/account/{id}", "method": "put", "status": 204},
    {"path": "/echo", "json": "{$v->{json}}"},
    {"path": "/echo/text", "text": "{$v->{method} . ' ' . $v->{fields}{'x-a'} . $v->{content}}"},
    {"path": "/xml", "text": "<a/>", "headers": {"content-type": "text/xml"}},
    {"path": "/busy", "status": 503, "json": {"error": "busy"}, "delay_s": 0.01},
    {"path": "/broken", "json": {"n": "{1 / 0}"}},
]


@pytest.fixture
def ask():
    """Return a function that sends a request in a thread: the client does not use gevent."""
    fake = RestFake(routes=ROUTES)
    fake.lines = []
    fake.on_request = fake.lines.append
    fake.start()

    def call(method, target, body=None, **fields):
        def work():
            connection = http.client.HTTPConnection(*fake.address, timeout=GUARD_S)
            try:
                connection.request(method, target, body, fields)
                response = connection.getresponse()
                return response.status, dict(response.getheaders()), response.read()
            finally:
                connection.close()

        return gevent.get_hub().threadpool.spawn(work).get(timeout=GUARD_S)

    call.fake = fake
    yield call
    fake.stop()


def test_expressions_see_the_request_and_what_others_left(ask):
    for asked in (1, 2):
        status, fields, content = ask("GET", "/api/account/64%20%C5%BE?granted=30")
        assert (status, fields["Content-Type"]) == (200, "application/json")
        assert fields["X-Served-By"] == "node-7"
        assert json.loads(content) == {
            "id": "64 ž",
            "granted": 60,
            "asked": asked,
            "literal": "{x}",
            "tags": ["gold", None, True],
        }
    assert ask.fake.lines == ["GET /api/account/64 ž?granted=30 -> 200"] * 2


def test_the_method_chooses_among_routes_of_a_path(ask):
    assert ask("PUT", "/api/account/1")[0] == 204
    assert ask("DELETE", "/api/account/1")[0] == 404


@pytest.mark.parametrize("content", [{"a": [1, "x"]}, "text", 5, None])
def test_json_comes_back(ask, content):
    status, _, body = ask("POST", "/echo", json.dumps(content))
    assert (status, json.loads(body)) == (200, content)


def test_texts(ask):
    _, fields, body = ask("PATCH", "/echo/text", "ž".encode(), **{"X-A": "1"})
    assert (fields["Content-Type"], body.decode()) == ("text/plain; charset=utf-8", "PATCH 1ž")
    _, fields, body = ask("GET", "/xml")
    assert (fields["content-type"], body) == ("text/xml", b"<a/>")
    assert "Content-Type" not in fields


@pytest.mark.parametrize(
    ("target", "status", "text"),
    [
        ("/busy", 503, "busy"),
        ("/broken", 500, "n: "),
        ("/api/account/", 404, "no route for GET /api/account/"),
        ("/api/account/1/more", 404, "no route"),
    ],
)
def test_what_goes_wrong_says_so(ask, target, status, text):
    found, _, body = ask("GET", target)
    assert found == status
    assert text in json.loads(body)["error"]


def test_head_has_no_content(ask):
    status, fields, body = ask("HEAD", "/xml")
    assert (status, fields["Content-Length"], body) == (200, "4", b"")


@pytest.mark.parametrize(
    ("route", "text"),
    [
        ({}, "routes[0].path: is missing"),
        ({"path": "/", "status": 42}, "routes[0].status: "),
        ({"path": "/", "json": {"a": "{1 +}"}}, "routes[0].json: "),
        ({"path": "/", "jsn": 1}, 'did you mean "json"?'),
    ],
)
def test_mistakes_are_named_before_anything_starts(route, text):
    with pytest.raises(ValueError, match="routes") as refused:
        load_settings(RestSettings, {"routes": [route]})
    assert text in str(refused.value)
