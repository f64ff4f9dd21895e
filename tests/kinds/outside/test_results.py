"""Classes from outside: what they may return, by kind."""

import pytest
from kinds.outside import site

from tsvc.errors import GatewayError, LocalProtocolError
from tsvc.kinds.db.statements import Shape

site, make = site.site, site.make


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ({"status": "NACK", "info": "88-no"}, ("NACK", "88-no", {})),
        (("ACK", "B=1"), ("ACK", "B=1", {"B": "1"})),
        ({"status": "ack", "fields": {"B": 1}}, ("ACK", "", {"B": 1})),
    ],
)
def test_pi_results(make, value, wanted):
    told = []
    reply = make("Pi").request("RESULT", {"value": value}, lambda *one: told.append(one))
    tree = reply.as_dict()
    assert (tree["status"], tree["info"], tree["fields"]) == wanted
    assert [is_sent for is_sent, _ in told] == [True, False]


@pytest.mark.parametrize("value", [None, 5, {}, {"status": "maybe"}, ("ACK",)])
def test_pi_results_that_are_none(make, value):
    with pytest.raises(
        GatewayError, match=r"OLD: request\(\) returned .*, not a dict with status"
    ):
        make("Pi").request("RESULT", {"value": value})


def test_db_results(make):
    gateway = make("Db")

    def perform(name, **values):
        return gateway.perform(gateway.statement(name), values).tree()

    rows = [{"a": "1.50", "b": "01"}, {"x": 5}]
    assert perform("Rows", x=5) == {"rows": rows, "count": 2}
    assert perform("Row") == {"rows": {"a": 1}, "count": 1, "value": 1}
    assert perform("Nothing") == {"rows": None, "count": 0}
    assert perform("Count") == {"rows": [], "count": 3}
    with pytest.raises(GatewayError, match=r"query\(\) returned 'text', not rows"):
        perform("Wrong")
    with pytest.raises(GatewayError, match='no statement Rowsy; did you mean "Rows"'):
        perform("Rowsy")
    with pytest.raises(GatewayError, match=r"no method sql\(\)"):
        gateway.query("SELECT 1", Shape.ROWS)
    other = make("DbWithSql")
    answer = other.perform(other.query("SELECT :a", Shape.ROWS), {"a": 1})
    assert answer.rows == [{"sql": "SELECT :a", "a": 1}]


def test_rest_results(make):
    gateway = make("Rest")
    headers = [("X-A", "1", False)]
    request = gateway.request(
        "POST", "a b", {"q": "ä"}, headers=headers, content_type="text/plain", body=b"hi"
    )
    response = gateway.send(request)
    assert (response.code, response.field("server")) == (200, "old")
    assert b'"path": "/a%20b?q=%C3%A4"' in response.body
    assert b'"headers": {"Content-Type": "text/plain", "X-A": "1"}' in response.body
    told = []
    response = gateway.send(gateway.request("GET", "/tuple"), lambda *one: told.append(one))
    assert (response.code, response.body, response.field("x-a")) == (404, b"nothing here", "1")
    assert told[1] == (False, response.octets)
    with pytest.raises(GatewayError, match=r"request\(\) returned '200'"):
        gateway.send(gateway.request("GET", "/wrong"))


def test_osd_results(make):
    gateway = make("Osd")
    told = []
    code, answer = gateway.call("a", "ns", "Do", {"x": 1}, lambda *one: told.append(one))
    assert (code, answer.as_dict()) == (
        200,
        {"element": "DoResponse", "returned": {"action": "a", "x": 1}},
    )
    assert [is_sent for is_sent, _ in told] == [True, False]
    code, answer = gateway.call("a", "ns", "Fail", {})
    assert (code, answer.fault.code, answer.fault.string) == (500, "1", "no such subscriber")
    code, answer = gateway.call("a", "ns", "Bare", {})
    assert (code, answer.fault.code, answer.fault.string) == (500, "", "")
    for operation in ("Wrong", "Odd"):
        with pytest.raises(GatewayError, match="not a dict with returned or fault"):
            gateway.call("a", "ns", operation, {})
    with pytest.raises(LocalProtocolError, match="a class of your own is told none"):
        gateway.call("a", "ns", "Do", {}, headers={"a:b": 1})
