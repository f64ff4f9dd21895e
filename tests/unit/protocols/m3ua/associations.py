"""What the tests of associations share: two back to back, and what one has to send."""

from support.playbook import Language

from tsvc.protocols.m3ua import messages
from tsvc.protocols.m3ua.asp import Role
from tsvc.protocols.m3ua.association import Association
from tsvc.protocols.m3ua.messages import decode, encode, message

M3UA = Language(encode, decode, name=lambda message: message.name)


def sent(association):
    """Return the messages that wait for their transport, decoded."""
    return [decode(octets) for octets in association.data_to_send()]


def names(association):
    return [item.name for item in sent(association)]


def exchange(first, second, now=0.0, piece=1):
    """Carry everything to and fro in pieces; return the indications of each side."""
    found = {first: [], second: []}
    for _ in range(50):
        carried = False
        for source, target in ((first, second), (second, first)):
            stream = b"".join(source.data_to_send())
            for at in range(0, len(stream), piece):
                found[target] += target.receive(stream[at : at + piece], now)
                carried = True
        if not carried:
            return found[first], found[second]
    raise AssertionError("the two never stop talking")


def pair(role=Role.ASP, **options):
    """Return two that are connected: the one that asks, with these options, and its peer."""
    contexts = options.pop("routing_contexts", (7,))
    asking = Association(role, routing_contexts=contexts, **options)
    answering = (
        Association(Role.SGP, routing_contexts=contexts)
        if role is Role.ASP
        else Association(role, routing_contexts=contexts, initiates=False)
    )
    asking.connected(0.0)
    answering.connected(0.0)
    return asking, answering


def active_sgp(**options):
    """Return an SGP whose ASP is active, with nothing left to send."""
    sgp = Association(Role.SGP, routing_contexts=(7,), **options)
    sgp.receive(encode(message(messages.ASPUP)), 0.0)
    sgp.receive(encode(message(messages.ASPAC)), 0.0)
    sgp.data_to_send()
    return sgp
