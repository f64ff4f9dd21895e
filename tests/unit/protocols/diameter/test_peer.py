"""The peer machine: every state against every event, two machines together, time."""

import pytest
from support.playbook import (
    Language,
    after,
    asked,
    connected,
    indicated,
    playbook,
    received,
)
from support.playbook import sent as sends

from tsvc.protocols.diameter.capabilities import RELAY, Application, Node
from tsvc.protocols.diameter.dictionary import standard
from tsvc.protocols.diameter.message import Header, decode_header, encode_message
from tsvc.protocols.diameter.peer import (
    CLOSING_S,
    HANDSHAKE_S,
    TRANSITIONS,
    Action,
    AnswerInd,
    CloseInd,
    Event,
    Fault,
    LeaveInd,
    OpenInd,
    Peer,
    RequestInd,
    State,
    StrayInd,
    step,
)
from tsvc.protocols.diameter.tree import encode_avps, message_tree

CLIENT = Node("client.example.net", "example.net", 10415, "client")
SERVER = Node("server.example.net", "example.net", product_name="server")
CCR = 272


def avps(*pairs):
    given = [{"name": name, "value": value} for name, value in pairs]
    return encode_avps(given, standard(), "avps")


def tree(octets):
    return message_tree(octets, standard())


DIAMETER = Language(bytes, tree, name=lambda message: message["name"])


def sent(peer):
    return [tree(octets) for octets in peer.data_to_send()]


class Pair:
    """Two state machines that are connected directly, and simulated time."""

    def __init__(self, client=CLIENT, server=SERVER, **more):
        self.now = 100.0
        self.client = Peer(client, sends_cer=True, first_hop_by_hop_id=0xFFFFFFFF, **more)
        self.server = Peer(server, sends_cer=False)
        self.client.connected(self.now)
        self.server.connected(self.now)

    def run(self):
        """Carry messages until there are no more; return the indications of both sides."""
        found = ([], [])
        while True:
            to_server = b"".join(self.client.data_to_send())
            to_client = b"".join(self.server.data_to_send())
            if not to_server and not to_client:
                return found
            if to_server:
                found[1].extend(self.server.receive(to_server, self.now))
            if to_client:
                found[0].extend(self.client.receive(to_client, self.now))


@pytest.fixture
def pair():
    found = Pair()
    found.run()
    return found


def test_capabilities():
    pair = Pair()
    (cer,) = sent(pair.client)
    assert (cer["name"], cer["application_id"]) == ("Capabilities-Exchange-Request", 0)
    assert [avp["name"] for avp in cer["avps"]] == [
        "Origin-Host",
        "Origin-Realm",
        "Host-IP-Address",
        "Vendor-Id",
        "Product-Name",
        "Supported-Vendor-Id",
        "Auth-Application-Id",
    ]
    pair = Pair()
    (to_client, to_server) = pair.run()
    (opened,) = to_client
    assert isinstance(opened, OpenInd)
    assert opened.peer.origin_host == "server.example.net"
    assert opened.peer.product_name == "server"
    assert opened.peer.applications == {4}
    assert to_server[0].peer.origin_host == "client.example.net"
    assert pair.client.is_open
    assert pair.server.is_open


def test_no_application_in_common():
    pair = Pair(server=Node("s", "r", applications=(Application(16777302, vendor_id=10415),)))
    (to_client, to_server) = pair.run()
    assert to_client == [
        CloseInd("s refuses the capabilities: 5010 DIAMETER_NO_COMMON_APPLICATION", Fault.REFUSED)
    ]
    text = (
        "client.example.net has no application in common with us: "
        "5010 DIAMETER_NO_COMMON_APPLICATION; its: 4 credit-control; ours: 16777302 Sy"
    )
    assert to_server == [CloseInd(text, Fault.REFUSING)]
    assert pair.client.state is pair.server.state is State.CLOSED


@pytest.mark.parametrize(
    "node",
    [
        Node("s", "r", applications=(Application(RELAY),)),
        Node("s", "r", applications=(Application(4, is_accounting=True, vendor_id=10415),)),
    ],
)
def test_applications_of_other_kinds_are_common(node):
    pair = Pair(server=node)
    pair.run()
    assert pair.client.is_open


def test_requests_and_answers(pair):
    body = avps(("Session-Id", "s;1"))
    first, octets = pair.client.request(CCR, 0x40, 4, body, "token 1")
    second, _ = pair.client.request(CCR, 0x40, 4, body, "token 2")
    # the identifiers of the capabilities exchange came before; 32 bits, then from 0
    assert (first, second) == (0, 1)
    assert tree(octets)["hop_by_hop_id"] == 0
    (_, requests) = pair.run()
    assert [request.session_id for request in requests] == ["s;1", "s;1"]
    for request in reversed(requests):
        assert isinstance(request, RequestInd)
        pair.server.answer(request.header, avps(("Result-Code", 2001)))
    (answers, _) = pair.run()
    assert [answer.token for answer in answers] == ["token 2", "token 1"]
    answer = tree(answers[1].octets)
    assert (answer["hop_by_hop_id"], answer["is_request"]) == (0, False)
    assert answer["end_to_end_id"] == tree(octets)["end_to_end_id"]
    assert pair.client.pending == {}


def test_an_answer_that_nobody_waits_for(pair):
    key, _ = pair.client.request(CCR, 0x40, 4, b"", "token")
    pair.client.forget(key)
    (_, (request,)) = pair.run()
    pair.server.answer(request.header, b"")
    ((stray,), _) = pair.run()
    assert isinstance(stray, StrayInd)
    assert stray.header.hop_by_hop_id == key
    assert pair.client.unmatched == 1


def test_an_answer_with_another_hop_by_hop_id_is_found_by_the_other_one(pair):
    pair.client.request(CCR, 0x40, 4, b"", "token 1")
    pair.client.request(CCR, 0x40, 4, b"", "token 2")
    (_, (_, second)) = pair.run()
    pair.server.answer(second.header._replace(hop_by_hop_id=12345), b"")
    ((answer,), _) = pair.run()
    assert answer.token == "token 2"


def refused(pair, code, application, body=b""):
    pair.client.request(code, 0x40, application, body, "token")
    (indications, requests) = pair.run()
    assert requests == []
    ((answer,),) = (indications,)
    assert isinstance(answer, AnswerInd)
    return tree(answer.octets)


def test_what_is_not_supported(pair):
    proxy = [{"name": "Proxy-Host", "value": "p"}, {"name": "Proxy-State", "value": "x"}]
    body = avps(("User-Name", "u"), ("Session-Id", "s;1"), ("Proxy-Info", proxy))
    answer = refused(pair, CCR, 16777238, body)
    assert answer["is_error"]
    assert answer["avp"]["Result-Code"] == 3007
    assert answer["avps"][0]["name"] == "Session-Id"
    assert answer["avp"]["Proxy-Info"] == {"Proxy-Host": "p", "Proxy-State": "x"}
    assert answer["avp"]["Origin-Host"] == "server.example.net"
    answer = refused(pair, CCR, 4, bytes.fromhex("00000108 40000007"))
    assert (answer["avp"]["Result-Code"], answer["is_error"]) == (5014, True)


def test_a_request_of_a_command_that_is_not_known(pair):
    pair.client.request(12345, 0x40, 4, avps(("Session-Id", "s;1")), "token")
    (_, (request,)) = pair.run()
    assert (request.header.command_code, request.session_id) == (12345, "s;1")


def test_watchdog():
    pair = Pair(watchdog_s=30.0, jitter=lambda: 2.0)
    pair.run()
    peer = pair.client
    assert peer.next_timer() == 132.0
    peer.receive(b"", 120.0)  # any octets postpone the watchdog
    assert peer.handle_timer(132.0) == []
    assert sent(peer) == []
    assert peer.next_timer() == 152.0
    assert peer.handle_timer(152.0) == []
    assert peer.state is State.SUSPECT
    assert peer.is_open
    pair.now = 153.0
    pair.run()
    assert peer.state is State.OPEN
    assert peer.next_timer() == 185.0


def test_watchdog_without_an_answer(pair):
    assert (
        playbook(pair.client, DIAMETER, now=pair.now)
        >> after(30.0)
        << sends("Device-Watchdog-Request")
        >> after(29.9)
        >> after(0.2)
        << indicated(CloseInd("the watchdog's request (DWR) was not answered", Fault.WATCHDOG))
        >> after(40.0)
    )
    assert pair.client.next_timer() is None


def test_disconnect(pair):
    """Earlier requests are still answered; new requests of the peer are refused."""
    pair.client.request(CCR, 0x40, 4, b"", "token")
    (_, (request,)) = pair.run()
    pair.server.answer(request.header, b"")
    pair.server.request(258, 0x40, 4, avps(("Session-Id", "s")), "late")
    assert (
        playbook(pair.client, DIAMETER, now=pair.now)
        >> asked("disconnect", lambda peer, now: peer.disconnect(now, cause=2))
        << sends(lambda dpr: dpr["avp"]["Disconnect-Cause"] == 2)
        >> received(*pair.server.data_to_send())
        << sends(lambda busy: busy["avp"]["Result-Code"] == 3004)
        << indicated(lambda answer: answer.token == "token")
    )
    assert not pair.client.is_open


def test_disconnect_is_answered(pair):
    pair.client.disconnect(pair.now)
    assert pair.run() == ([CloseInd("disconnected")], [LeaveInd("0 REBOOTING")])
    assert pair.server.state is State.CLOSING
    assert pair.server.handle_timer(pair.now + CLOSING_S) == [CloseInd("disconnected")]


def test_nothing_comes():
    assert (
        playbook(Peer(CLIENT, sends_cer=True), DIAMETER)
        >> connected()
        << sends("Capabilities-Exchange-Request")
        >> after(HANDSHAKE_S - 0.1)
        >> after(0.2)
        << indicated(CloseInd("nothing came while the connection waits for CEA"))
    )


@pytest.mark.parametrize(
    "octets",
    [
        b"SSH-2.0-x\r\n",
        bytes(64),
        encode_message(Header(257, 0, 0, 1, 1), bytes.fromhex("00000108 40000007")),
        encode_message(Header(257, 0, 0, 1, 1), b""),
        encode_message(Header(257, 0, 0, 1, 1), avps(("Origin-Host", "x"))),
        encode_message(Header(272, 0x80, 4, 1, 1), b""),
        encode_message(Header(280, 0x80, 0, 1, 1), b""),
    ],
)
def test_something_else_than_an_answer_to_cer(octets):
    assert (
        playbook(Peer(CLIENT, sends_cer=True), DIAMETER)
        >> connected()
        << sends("Capabilities-Exchange-Request")
        >> after(1.0)
        >> received(octets)
        << indicated(CloseInd)
        >> after(1.0)
        >> received(octets)
    )


def test_garbage_after_messages(pair):
    pair.client.request(CCR, 0x40, 4, avps(("Session-Id", "s")), 1)
    octets = b"".join(pair.client.data_to_send()) + b"garbage!"
    request, closed = pair.server.receive(octets, pair.now)
    assert isinstance(request, RequestInd)
    assert isinstance(closed, CloseInd)


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("event", Event)
def test_every_event_has_a_step(state, event):
    following, action = step(state, event)
    assert isinstance(action, Action)
    if event not in TRANSITIONS[state]:
        assert (following, action) == (State.CLOSED, Action.CLOSE)
    if state is State.CLOSED:
        assert following is State.CLOSED


def test_an_answer_to_another_watchdog_request_is_none(pair):
    """The peer is still suspect, because its answer belongs to no request."""
    client = pair.client
    pair.now += 30
    client.handle_timer(pair.now)
    (request,) = client.data_to_send()
    head = decode_header(request)._replace(flags=0)
    body = avps(("Result-Code", 2001))
    for changed in (head._replace(end_to_end_id=1), head._replace(hop_by_hop_id=1)):
        client.receive(encode_message(changed, body), pair.now)
        assert client.state is State.SUSPECT
    client.receive(encode_message(head, body), pair.now)
    assert client.state is State.OPEN
    assert client.unmatched == 2


def test_capabilities_that_answer_another_request_close(pair):
    client = Peer(CLIENT, sends_cer=True)
    client.connected(0.0)
    (request,) = client.data_to_send()
    head = decode_header(request)
    answer = encode_message(head._replace(flags=0, end_to_end_id=77), avps(("Result-Code", 2001)))
    ((closed),) = client.receive(answer, 0.0)
    assert isinstance(closed, CloseInd)
    assert "identifiers" in closed.reason
