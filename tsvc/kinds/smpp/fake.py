"""An ESME that binds to the tester: it submits configured messages and answers received ones.

It connects, and connects again when the connection is lost. The messages come from its settings,
at a rate, or from lines of the standard input.
"""

import sys
from collections.abc import Iterator, Mapping
from itertools import chain, cycle, islice
from typing import Any, ClassVar

import gevent
from gevent import socket
from gevent.lock import Semaphore
from marshmallow import ValidationError

from tsvc.errors import LocalProtocolError, reason
from tsvc.gateways.fake import Observer, load_settings
from tsvc.protocols.smpp.commands import (
    GENERIC_NACK,
    RESPONSE,
    Command,
    Status,
    Tlv,
    is_response,
    status_name,
)
from tsvc.protocols.smpp.pdus import Pdu, PduStream, Refused, Value, decode_header, encode, read
from tsvc.protocols.smpp.tree import parameters_of, status_of, tree_of
from tsvc.schema.fields import Anything, Boolean, Choice, Integer, List, Number, String
from tsvc.schema.style import Mistake
from tsvc.schema.table import TableMembers

_BINDS = {
    "transceiver": Command.BIND_TRANSCEIVER,
    "transmitter": Command.BIND_TRANSMITTER,
    "receiver": Command.BIND_RECEIVER,
}
_VERSION = 0x34
_CONNECT_S = 10.0
_ANSWER_S = 10.0  # after that a submit_sm counts as lost
_READ_OCTETS = 65536
_LAST_NUMBER = 0x7FFF_FFFF


class Submitted(Anything):
    """Parameters of a submit_sm, as in test definitions."""

    type = "table"

    def read(self, value: Any) -> Any:
        """Return the parameters. Errors: ValidationError if they can't be encoded."""
        if not isinstance(value, Mapping):
            raise self.refusal(Mistake.TYPE, value)
        try:
            parameters_of(Command.SUBMIT_SM, value)
        except LocalProtocolError as error:
            raise ValidationError(f"{error.path}: {error.text}") from None
        return value


class StatusName(Anything):
    """A command_status by name or number."""

    def read(self, value: Any) -> int:
        """Return the number. Errors: ValidationError."""
        try:
            return status_of(value)
        except LocalProtocolError as error:
            raise ValidationError(error.text) from None


class EsmeSettings(TableMembers):
    """The settings of an ESME."""

    system_id = String(default="esme", help="who it is")
    password = String(default="", help="and its password")
    system_type = String(default="", help="what it calls itself besides")
    bind = Choice(_BINDS, default="transceiver", help="what it binds as")
    messages = List(
        Submitted(),
        default=list,
        help="parameters of what it submits, such as source_addr, destination_addr and"
        " short_message_text",
    )
    count = Integer(
        0, default=None, help="how many it submits, the messages in turn; null: each of them once"
    )
    per_s = Number(above=0, default=1.0, help="how many in a second")
    lines = Boolean(
        default=False,
        help="submit a message for each line of the standard input, too: SOURCE DESTINATION TEXT",
    )
    window = Integer(1, 1000, default=10, help="most of them without an answer")
    answer = StatusName(default=0, help="command_status for what it is sent, a number or a name")
    reply_text = String(default=None, help="submitted to whoever a message that comes is from")
    reconnect_s = Number(0.01, default=1.0, help="pause between attempts to connect")


class _Link:
    """One connection, and the sequence numbers of its requests."""

    def __init__(self, sock: socket.socket, window: int) -> None:
        self.window = Semaphore(window)
        self.paced: set[int] = set()  # submit_sm requests that occupy the window
        self._sock = sock
        self._stream = PduStream()
        self._number = 0

    def receive(self) -> bytes | None:
        """Return the octets of the next PDU, None at the end.

        Blocks: until it comes. Errors: OSError, Refused for a length that no PDU has.
        """
        while (octets := self._stream.next_message()) is None:
            received = self._sock.recv(_READ_OCTETS)
            if not received:
                return None
            self._stream.feed(received)
        return octets

    def ask(
        self, command: int, parameters: Mapping[str, Value], tlvs: tuple[Tlv, ...] = ()
    ) -> int:
        """Send a request and return its number. Errors: OSError, LocalProtocolError."""
        self._number = self._number % _LAST_NUMBER + 1
        number = self._number
        self._sock.sendall(encode(Pdu(command, number, 0, parameters, tlvs)))
        return number

    def answer(self, request: Pdu, status: int = 0) -> None:
        """Answer a request. Errors: OSError."""
        self.say(request.command_id | RESPONSE, request.sequence_number, status)

    def say(self, command: int, number: int, status: int) -> None:
        """Send a PDU without parameters. Errors: OSError."""
        self._sock.sendall(encode(Pdu(command, number, status)))


class EsmeFake:
    """A fake ESME; host and port are those of the SMSC."""

    Settings = EsmeSettings
    is_client: ClassVar[bool] = True

    def __init__(self, host: str = "127.0.0.1", port: int = 2775, **settings: Any) -> None:
        self.settings = load_settings(EsmeSettings, settings)
        self.on_request: Observer = lambda text: None
        self._address = (host, port)
        self._link: _Link | None = None  # while it is bound
        self._left = self._messages()
        self._greenlets: list[Any] = []

    @property
    def address(self) -> tuple[str, int]:
        """The address that it connects to."""
        return self._address

    def start(self) -> None:
        """Connect in the background."""
        if not self._greenlets:
            self._greenlets.append(gevent.spawn(self._stay_bound))
            if self.settings["lines"]:
                self._greenlets.append(gevent.spawn(self._read_lines))

    def stop(self) -> None:
        """Disconnect without an unbind; a second call changes nothing."""
        gevent.killall(self._greenlets)
        self._greenlets.clear()

    def _messages(self) -> Iterator[Mapping[str, Any]]:
        messages, count = self.settings["messages"], self.settings["count"]
        return islice(cycle(messages), len(messages) if count is None else count)

    # -- the session ------------------------------------------------------------------------

    def _stay_bound(self) -> None:
        while True:
            try:
                with socket.create_connection(self._address, timeout=_CONNECT_S) as sock:
                    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    sock.settimeout(None)
                    self._serve(_Link(sock, self.settings["window"]))
                    self.on_request("the connection is closed")
            except (OSError, Refused) as error:
                self.on_request(f"not connected: {reason(error)}")
            gevent.sleep(self.settings["reconnect_s"])

    def _serve(self, link: _Link) -> None:
        """Bind, then handle PDUs until the end. Errors: OSError, Refused."""
        names = ("system_id", "password", "system_type")
        own: dict[str, Value] = {name: self.settings[name] for name in names}
        link.ask(_BINDS[self.settings["bind"]], {**own, "interface_version": _VERSION})
        submitting = None
        try:
            while (octets := link.receive()) is not None:
                header = decode_header(octets)
                if header.command_id in [RESPONSE | command for command in _BINDS.values()]:
                    if header.command_status:
                        self.on_request(f"bind refused: {status_name(header.command_status)}")
                        return
                    self.on_request(f"bound as {self.settings['bind']}")
                    self._link = link
                    submitting = gevent.spawn(self._submit_all, link)
                elif not self._take(link, octets):
                    return
        finally:
            self._link = None
            if submitting is not None:
                submitting.kill()

    def _take(self, link: _Link, octets: bytes) -> bool:
        """Handle a PDU. Return False if the PDU ends the session. Errors: OSError."""
        try:
            pdu = read(octets).pdu
        except Refused as error:
            link.say(GENERIC_NACK, decode_header(octets).sequence_number, error.status)
            return True
        if is_response(pdu.command_id):
            if pdu.sequence_number in link.paced:
                link.paced.discard(pdu.sequence_number)
                link.window.release()
            message_id = str(tree_of(pdu)["parameters"].get("message_id", ""))
            self.on_request(f"{pdu.name} {status_name(pdu.command_status)} {message_id}".rstrip())
            return True
        match pdu.command_id:
            case Command.DELIVER_SM | Command.DATA_SM:
                self._take_message(link, pdu)
            case Command.ENQUIRE_LINK | Command.UNBIND:
                link.answer(pdu)
            case _:
                link.say(GENERIC_NACK, pdu.sequence_number, Status.ESME_RINVCMDID)
        return pdu.command_id != Command.UNBIND

    def _take_message(self, link: _Link, pdu: Pdu) -> None:
        status: int = self.settings["answer"]
        link.answer(pdu, status)
        given = tree_of(pdu)["parameters"]
        source, destination = given.get("source_addr", ""), given.get("destination_addr", "")
        text = given.get("short_message_text", given.get("short_message_hex", ""))
        self.on_request(f"{pdu.name} {source} -> {destination}: {text} -> {status_name(status)}")
        reply = self.settings["reply_text"]
        if reply is not None:
            addresses = {"source_addr": destination, "destination_addr": source}
            try:
                self._submit(link, {**addresses, "short_message_text": reply})
            except LocalProtocolError as error:
                self.on_request(f"not submitted: {error}")

    # -- what it submits --------------------------------------------------------------------

    def _submit_all(self, link: _Link) -> None:
        for message in self._left:
            if not link.window.acquire(timeout=_ANSWER_S):
                self.on_request("no answer to a submit_sm")
            try:
                link.paced.add(self._submit(link, message))
            except OSError:
                self._left = chain([message], self._left)  # the next session begins with it
                return
            gevent.sleep(1 / self.settings["per_s"])

    def _submit(self, link: _Link, message: Mapping[str, Any]) -> int:
        """Send a message and return its number. Errors: OSError, LocalProtocolError."""
        parameters, tlvs = parameters_of(Command.SUBMIT_SM, message)
        number = link.ask(Command.SUBMIT_SM, parameters, tlvs)
        text = message.get("short_message_text", message.get("short_message_hex", ""))
        source, destination = message.get("source_addr", ""), message.get("destination_addr", "")
        self.on_request(f"submit_sm {source} -> {destination}: {text}")
        return number

    def _read_lines(self) -> None:
        # A terminal, a pipe and a file are all read in a thread: none blocks the event loop.
        pool = gevent.get_hub().threadpool
        while line := pool.apply(sys.stdin.readline):
            words = line.rstrip("\n").split(" ", 2)
            if len(words) < 3:
                self.on_request("a line is SOURCE DESTINATION TEXT")
                continue
            named = ("source_addr", "destination_addr", "short_message_text")
            while (link := self._link) is None:
                gevent.sleep(self.settings["reconnect_s"])
            try:
                self._submit(link, dict(zip(named, words, strict=True)))
            except (OSError, LocalProtocolError) as error:
                self.on_request(f"not submitted: {error}")
