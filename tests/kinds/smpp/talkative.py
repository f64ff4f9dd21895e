"""An ESME that answers each deliver_sm and submits a message back; in some cases it deviates."""

import random
from collections.abc import Callable
from typing import Any

import gevent
from support.esme import PlainEsme

from tsvc.protocols.smpp.commands import GENERIC_NACK, RESPONSE, Command
from tsvc.protocols.smpp.pdus import Pdu, encode

ONE_IN = 3
Twist = Callable[["Esme", bytes, bytes], list[bytes]]
"""Returns the PDUs to send in place of an answer and a message."""


def plain(esme: "Esme", answer: bytes, message: bytes) -> list[bytes]:
    return [answer, message]


def numbered(octets: bytes, number: int) -> bytes:
    return octets[:12] + number.to_bytes(4) + octets[16:]


def with_status(status: int, octets: bytes) -> bytes:
    return octets[:8] + status.to_bytes(4) + octets[12:]


def lengthened(octets: bytes, more: bytes) -> bytes:
    """Return a PDU with more octets at its end, and the length that fits."""
    return (len(octets) + len(more)).to_bytes(4) + octets[4:] + more


def octet_changed(esme: "Esme", octets: bytes) -> bytes:
    at = esme.chance.randrange(8, len(octets))  # length and command id stay
    return octets[:at] + bytes((esme.chance.randrange(256),)) + octets[at + 1 :]


def later(esme: "Esme", answer: bytes, message: bytes) -> list[bytes]:
    """Delay both until the next answer: by then no instance waits for them."""
    esme.overdue += [answer, message]
    return []


def once_more(esme: "Esme", answer: bytes, message: bytes) -> list[bytes]:
    """Send both, and send them again with the next answer."""
    esme.overdue += [answer, message]
    return [answer, message]


LINK = encode(Pdu(Command.ENQUIRE_LINK, 77))
QUERY = encode(Pdu(Command.QUERY_SM, 78))
TLV = bytes.fromhex("0204000200ff")  # user_message_reference
TWISTS: list[Twist] = [
    lambda esme, answer, message: [],
    lambda esme, answer, message: [answer],
    lambda esme, answer, message: [message],
    lambda esme, answer, message: [message, answer],
    lambda esme, answer, message: [answer, answer, message],
    lambda esme, answer, message: [answer, message, answer],
    lambda esme, answer, message: [answer, message, message],
    lambda esme, answer, message: [answer, message, numbered(message, 5000)],
    lambda esme, answer, message: [answer, numbered(message, 0)],
    lambda esme, answer, message: [answer, numbered(message, 0x80000001)],
    lambda esme, answer, message: [answer, numbered(message, 0x7FFFFFFF)],
    lambda esme, answer, message: [with_status(8, answer), message],
    lambda esme, answer, message: [
        with_status(0x14, lengthened(answer[:16], b"")),
        message,
    ],
    lambda esme, answer, message: [answer, with_status(1, message)],
    lambda esme, answer, message: [lengthened(answer, TLV), message],
    lambda esme, answer, message: [answer, lengthened(message, TLV)],
    lambda esme, answer, message: [answer, lengthened(message, TLV[:3])],
    lambda esme, answer, message: [LINK, answer, QUERY, message],
    lambda esme, answer, message: [
        encode(Pdu(GENERIC_NACK, int.from_bytes(answer[12:16]), 3)),
        message,
    ],
    lambda esme, answer, message: [answer, numbered(answer, 4000), message],
    lambda esme, answer, message: [answer, message.replace(b"hello", b"hallo")],
    lambda esme, answer, message: [answer, message.replace(b"777", b"778")],
    later,
    once_more,
    *[lambda esme, answer, message: [octet_changed(esme, answer), message]] * 4,
    *[lambda esme, answer, message: [answer, octet_changed(esme, message)]] * 10,
]


class Esme:
    """Answers a deliver_sm and submits a message to its sender; `twist` may change both."""

    def __init__(self, port: int, twist: Twist = plain, seed: int = 0) -> None:
        self.chance = random.Random(seed)
        self.twist = twist
        self.overdue: list[bytes] = []
        self.heard: list[Pdu] = []  # requests
        self.responses: list[Pdu] = []
        self.text = b"hello"
        self._number = 100
        self._plain = PlainEsme(port)
        assert self._plain.bind().command_status == 0
        self._greenlet = gevent.spawn(self._run)

    def close(self) -> None:
        """Close the connection without unbind."""
        self._greenlet.kill()
        self._plain.close()

    def _run(self) -> None:
        try:
            while True:
                pdu = self._plain.receive()
                if pdu.command_id & RESPONSE:
                    self.responses.append(pdu)
                elif pdu.command_id in (Command.UNBIND, Command.ENQUIRE_LINK):
                    self._plain.answer(pdu)
                else:
                    self.heard.append(pdu)
                    self.say(*self.reaction(pdu))
        except (EOFError, OSError):
            pass

    def reaction(self, pdu: Pdu) -> list[bytes]:
        """Return what is sent for a request."""
        answer = encode(Pdu(pdu.command_id | RESPONSE, pdu.sequence_number))
        overdue, self.overdue = self.overdue, []
        return [*overdue, *self.twist(self, answer, self.message(pdu))]

    def message(self, pdu: Pdu) -> bytes:
        """Return a message to the sender of a request."""
        return self.message_to(str(pdu.parameters["source_addr"]))

    def message_to(self, address: str, **more: Any) -> bytes:
        """Return a message to an address."""
        self._number += 1
        given = {"source_addr": "777", "destination_addr": address, "short_message": self.text}
        return encode(Pdu(Command.SUBMIT_SM, self._number, 0, {**given, **more}))

    def say(self, *pdus: bytes) -> None:
        """Send PDUs in one piece."""
        if pdus:
            self._plain.socket.sendall(b"".join(pdus))


class Unsteady:
    """Twists one conversation in ONE_IN on average, drawn with its own seed."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self.deviated = 0

    def __call__(self, esme: Esme, answer: bytes, message: bytes) -> list[bytes]:
        twist = self._chance.choice(TWISTS)
        if self._chance.random() * ONE_IN >= 1:
            return [answer, message]
        self.deviated += 1
        return twist(esme, answer, message)
