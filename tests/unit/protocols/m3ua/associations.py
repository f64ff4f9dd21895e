"""Shared by the tests of associations: two of them back to back, and expected messages."""

from support.playbook import Language

from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.asp import Role
from tsvc.protocols.m3ua.association import Association
from tsvc.protocols.m3ua.messages import decode, encode, message

M3UA = Language(encode, decode, name=lambda message: message.name)


def err(code, at_fault=None):
    """Return an expected ERR: its code, and the octets that it quotes."""

    def is_err(found):
        quoted = found.get(params.DIAGNOSTIC_INFORMATION)
        is_quoted = at_fault is None or quoted == at_fault[:40]
        return found.id == messages.ERR and found.get(params.ERROR_CODE) == code and is_quoted

    is_err.__name__ = f"ERR {code!r}"
    return is_err


def sent(association):
    """Return the messages that are queued for the transport, decoded."""
    return [decode(octets) for octets in association.data_to_send()]


def names(association):
    return [item.name for item in sent(association)]


def exchange(first, second, now=0.0, piece=1):
    """Carry all messages in both directions in pieces; return the indications of each side."""
    at_first, at_second, _ = conversation(first, second, now, piece)
    return at_first, at_second


def conversation(first, second, now=0.0, piece=1):
    """Carry all messages in both directions in pieces.

    Return the indications of each side, and the messages in their order: "> ASPUP" from the first
    association, "< ASPUP_ACK" from the second.
    """
    found = {first: [], second: []}
    said = []
    for _ in range(50):
        carried = False
        for source, target, sign in ((first, second, ">"), (second, first, "<")):
            messages = source.data_to_send()
            said += [f"{sign} {decode(octets).name}" for octets in messages]
            stream = b"".join(messages)
            for at in range(0, len(stream), piece):
                found[target] += target.receive(stream[at : at + piece], now)
                carried = True
        if not carried:
            return found[first], found[second], said
    raise AssertionError("the two never stop talking")


def pair(role=Role.ASP, **options):
    """Return two connected associations: one that sends requests, with these options; its peer."""
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
