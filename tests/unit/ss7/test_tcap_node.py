"""The node between dialogues and the network: messages that can't be sent."""

from types import SimpleNamespace

import pytest

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import GatewayError, LocalProtocolError
from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.tcap import dialogue_portion as portion
from tsvc.protocols.tcap.endpoint import Endpoint
from tsvc.protocols.tcap.messages import MessageType, encode
from tsvc.ss7.tcap_node import TcapNode


class Network:
    """Carries all messages except those with the given numbers."""

    def __init__(self, *lost, error=GatewayError):
        self.sent = []
        self._lost = lost
        self._error = error

    def transmit(self, outgoing):
        self.sent.append(outgoing.octets)
        if len(self.sent) in self._lost:
            raise self._error(f"message {len(self.sent)} is lost")


@pytest.fixture
def node():
    return TcapNode(Endpoint(), SYSTEM_CLOCK, lambda indication: None)


def tapped(node):
    """Return a dialogue, and the list of octets that its tap keeps as sent."""
    kept = []

    def tap(is_sent, octets, called, calling, route):
        kept.append(octets)
        return SimpleNamespace(lost=lambda: kept.remove(octets))

    dialogue = node.endpoint.new_dialogue(0.0)
    dialogue.tap = tap
    return dialogue, kept


def test_what_is_sent_is_kept(node):
    node.network = Network()
    dialogue, kept = tapped(node)
    dialogue.begin("B", "A")
    node.flush()
    assert kept == node.network.sent
    assert len(kept) == 1


@pytest.mark.parametrize("error", [GatewayError, LocalProtocolError])
def test_what_can_not_be_sent_is_told_counted_and_not_kept(node, error):
    node.network = Network(2, error=error)
    (first, kept), (second, lost) = tapped(node), tapped(node)
    first.begin("B", "A")
    second.begin("B", "A")
    with pytest.raises(GatewayError, match="message 2 is lost"):
        node.flush()
    assert len(kept) == 1
    assert lost == []
    assert node.undeliverable == 1


def test_an_abort_that_can_not_be_sent_is_not_kept(node):
    node.network = Network(2)
    dialogue, kept = tapped(node)
    dialogue.begin("B", "A")
    node.flush()
    answer = encode(MessageType.CONTINUE, otid=b"\x00\x00\x00\x07", dtid=dialogue.otid)
    node.deliver(answer, "A", "B")
    dialogue.abort()
    with pytest.raises(GatewayError):
        node.flush()
    assert kept == [node.network.sent[0], answer]


class User:
    """A user that records the events of its dialogue."""

    def __init__(self):
        self.told = []

    def on_indication(self, indication):
        self.told.append((indication.kind.name, indication.text))


def begun(node):
    """Return the user and the first octets of a dialogue that has sent its BEGIN by a route."""
    dialogue = node.endpoint.new_dialogue(0.0)
    dialogue.user, dialogue.route = User(), "a link"
    dialogue.begin("B", "A", application_context=BY_ALIAS["camel2"].octets)
    node.flush()
    return dialogue, node.network.sent[-1]


def test_a_lost_link_is_told_and_no_refusal(node):
    node.network = Network()
    dialogue, _ = begun(node)
    node.fail_route("a link", "it is down")
    assert dialogue.user.told == [("NOTICE", "it is down")]
    assert (node.refusals.count, node.refusals.text) == (0, "")


def test_what_the_network_gives_back_is_a_refusal(node):
    node.network = Network()
    dialogue, octets = begun(node)
    assert node.deliver_returned(octets, 1, "a link")
    text = "SCCP returned the message: no translation for address"
    assert dialogue.user.told == [("NOTICE", text)]
    assert (node.refusals.count, node.refusals.text) == (1, text)
    assert not node.deliver_returned(b"\x64\x00", 1, "a link"), "of nobody's dialogue"
    assert node.refusals.count == 1


@pytest.mark.parametrize("result", [0, 1])
def test_a_dialogue_that_the_peer_refuses_is_a_refusal(node, result):
    node.network = Network()
    dialogue, _ = begun(node)
    aare = portion.Aare(BY_ALIAS["camel2"].octets, result, 1, 2)
    octets = encode(MessageType.END, dtid=dialogue.otid, dialogue=portion.encode(aare))
    node.deliver(octets, "A", "B")
    assert node.refusals.count == result
    assert ("refused the dialogue" in node.refusals.text) == bool(result)
