"""The SMSC's sockets: listens, drives a session for each ESME, sends requests and answers.

Calls into a session never switch. The sender of a request waits in a mailbox of its own, which is
found by the sequence number. So a late answer can't reach another sender.
"""

import hmac
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import gevent
from gevent import socket
from gevent.server import StreamServer

from tsvc.clock import Clock
from tsvc.errors import GatewayError, LocalProtocolError, failure
from tsvc.kinds.smpp.config import SmppConfig
from tsvc.kinds.smpp.inbox import Inbound, Inbox, Owner, Taker
from tsvc.log import get_logger
from tsvc.protocols.smpp.commands import Command, Status, Tlv, command_name, is_response
from tsvc.protocols.smpp.pdus import HEADER_OCTETS, Pdu, Value
from tsvc.protocols.smpp.session import (
    BOUND,
    RECEIVERS,
    TRANSMITTERS,
    AnswerInd,
    BoundInd,
    CloseInd,
    FailedInd,
    Indication,
    MessageInd,
    Session,
    StrayInd,
    Take,
    TakenInd,
)
from tsvc.results.records import Ends
from tsvc.transport.driver import StreamDriver, ends_of
from tsvc.transport.mailbox import Mailbox
from tsvc.values import dataclass
from tsvc.words import quoted

log = get_logger("smpp")

_BEFORE_ADDRESS = 2  # octets: type of number and numbering plan
MAX_CONNECTIONS = 1000
_POLL_S = 0.01
# The session has a timer for every request; this only guards against faults of tsvc itself.
GUARD_S = 5.0


@dataclass(frozen=True, slots=True)
class SubmitAnswer:
    """The response to a request, and how long it took."""

    pdu: Pdu
    seconds: float
    notes: tuple[str, ...] = ()  # what is malformed in the response


# Called for each PDU: system_id of the ESME, True if the SMSC sent it, octets, ends.
EsmeTap = Callable[[str, bool, bytes, Ends | None], None]


class Waiting(Protocol):
    """Receives the answer to a request."""

    def put(self, found: AnswerInd | FailedInd) -> None:
        """Store the answer, or the reason why there is none. Never switches."""


class Link:
    """One connected ESME."""

    def __init__(self, session: Session, peer: str) -> None:
        self.session = session
        self.peer = peer
        self.driver: EsmeDriver | None = None
        self.waiting: dict[int, Waiting] = {}
        # The owner of each request that was sent, by sequence number: it receives a second answer.
        self.asked: dict[int, Owner] = {}
        self.can_send = False
        self.ends: Ends | None = None

    def __str__(self) -> str:
        return f"{self.session.system_id or 'unbound'} at {self.peer}"

    def flush(self) -> None:
        """Send what the session has queued; never switches."""
        if self.driver is not None:
            self.driver.flush()

    def handle(self, indications: list[Indication]) -> None:
        """Pass on the indications that a call into the session returned, and flush."""
        if self.driver is not None:
            self.driver.handle(indications)


class Asked(NamedTuple):
    """A request that was sent, and the mailbox for its answer."""

    link: Link
    number: int
    octets: bytes
    at: float
    mailbox: Mailbox[AnswerInd | FailedInd]


class EsmeDriver(StreamDriver):
    """Closes the connection of an ESME that keeps sending requests but does not read answers."""

    full_reason = "the ESME does not read: send queue is full"


class _Queued:
    """A sender that waits for room in a window: of any ESME, or of one system_id."""

    __slots__ = ("room", "system_id")

    def __init__(self, system_id: str | None) -> None:
        self.system_id = system_id
        self.room: Mailbox[bool] = Mailbox()


class SmppNode:
    """All ESMEs of one gateway.

    `deliver` receives a message and returns the command_status to answer with; None if the
    message has been taken and is answered later. `lost` is called when the last ESME that can
    send is gone, `stray` for a request whose number was in use. `takers`: those that may accept
    the octets of a message before it is decoded, by its destination address.
    """

    def __init__(
        self,
        config: SmppConfig,
        clock: Clock,
        deliver: Callable[[Inbound], int | None],
        lost: Callable[[str], None],
        stray: Callable[[Pdu], None],
        takers: Mapping[bytes, Taker] = MappingProxyType({}),
    ) -> None:
        self._config = config
        self._session = config.session
        self._passwords = config.passwords
        self._clock = clock
        self._deliver = deliver
        self._lost = lost
        self._stray = stray
        self._takers = takers
        self._links: list[Link] = []
        self._server: StreamServer | None = None
        self._is_draining = False
        self._turn = 0
        self._queue: deque[_Queued] = deque()
        self.counters = {
            "connects": 0,
            "binds": 0,
            "binds_refused": 0,
            "sent": 0,
            "received": 0,
            "throttled": 0,
            "refused": 0,
            "unexpected_responses": 0,
        }

    # -- life -------------------------------------------------------------------------------

    def start(self) -> None:
        """Listen. Errors: GatewayError if the port is taken."""
        host, port = self._config.host, self._config.port
        server = StreamServer((host, port), self._serve)
        try:
            server.start()
        except OSError as error:
            raise failure(f"can't listen on {host}:{port}", error) from None
        self._server = server

    def stop(self, grace_s: float) -> None:
        """Wait for outstanding requests, unbind, close. Blocks: up to grace_s."""
        self._is_draining = True
        self._close_server()
        deadline = self._clock.now() + grace_s
        while self._clock.now() < deadline and any(
            link.session.outstanding for link in self._links
        ):
            gevent.sleep(_POLL_S)
        for link in list(self._links):
            link.handle(link.session.unbind(self._clock.now()))
        while self._links and self._clock.now() < deadline:
            gevent.sleep(_POLL_S)
        self.kill()

    def kill(self) -> None:
        """Close everything immediately; never raises."""
        self._is_draining = True
        self._close_server()
        for link in list(self._links):
            link.handle([*link.session.disconnected("killed"), CloseInd("killed")])

    def _close_server(self) -> None:
        if self._server is not None:
            self._server.close()

    @property
    def port(self) -> int:
        """The port that the SMSC listens on."""
        return 0 if self._server is None else self._server.server_port or 0

    def bound(self) -> list[Link]:
        """Return the ESMEs that are bound."""
        return [link for link in self._links if link.session.state in BOUND]

    @property
    def is_draining(self) -> bool:
        """True if no new work is accepted."""
        return self._is_draining

    # -- one ESME ---------------------------------------------------------------------------

    def _serve(self, connection: socket.socket, address: tuple[Any, ...]) -> None:
        if len(self._links) >= MAX_CONNECTIONS:
            connection.close()
            return
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.counters["connects"] += 1
        session = Session(self._session, self._authenticate)
        link = Link(session, f"{address[0]}:{address[1]}")
        driver = EsmeDriver(
            session, connection, self._clock, lambda indication: self._on(link, indication)
        )
        link.driver = driver
        link.ends = ends_of(connection)
        session.take = partial(self._take, link)
        self._links.append(link)
        session.connected(self._clock.now())
        reason = "killed"
        try:
            reason = driver.run()
        finally:
            self._links.remove(link)
            session.take = None  # break the reference cycle: it holds the link
            self._end(link, reason)

    def _end(self, link: Link, reason: str) -> None:
        session = link.session
        for indication in session.disconnected(reason):
            self._on(link, indication)
        for waiting in list(self._queue):
            waiting.room.put(True)  # it tries another ESME, or fails
        for name in ("throttled", "refused", "unexpected_responses"):
            self.counters[name] += getattr(session.counters, name)
        if link.can_send and not any(one.session.state in TRANSMITTERS for one in self._links):
            self._lost(f"ESME {link}: {reason}")

    def _authenticate(self, bind: Pdu) -> int:
        """Return the command_status of the answer to a bind."""
        status = self._judge(str(bind.parameters["system_id"]), str(bind.parameters["password"]))
        self.counters["binds_refused" if status else "binds"] += 1
        return status

    def _judge(self, system_id: str, password: str) -> int:
        if self._is_draining:
            return Status.ESME_RBINDFAIL
        accounts = self._passwords
        if accounts and system_id not in accounts:
            return Status.ESME_RINVSYSID
        wanted = accounts.get(system_id, self._config.password)
        is_right = wanted is None or hmac.compare_digest(wanted.encode(), password.encode())
        return Status.ESME_ROK if is_right else Status.ESME_RINVPASWD

    def _on(self, link: Link, indication: Indication) -> None:
        """Handle an indication of a session. The reader calls it: it must not switch."""
        match indication:
            case AnswerInd() | FailedInd():
                self._give_room(link.session.system_id)
                waiting = link.waiting.pop(indication.sequence_number, None)
                if waiting is not None:
                    waiting.put(indication)
            case TakenInd(number):
                self._give_room(link.session.system_id)
                link.waiting.pop(number, None)
            case MessageInd():
                self._on_message(link, indication)
            case StrayInd(pdu):
                self._on_stray(link, pdu)
            case BoundInd():
                link.can_send = link.session.state in TRANSMITTERS
                log.info("ESME bound", esme=str(link), state=link.session.state.value)
            case CloseInd():
                assert link.driver is not None
                link.driver.close(indication.reason)

    def _on_stray(self, link: Link, pdu: Pdu) -> None:
        """Notify the instance that owns the request or the address, if it still runs."""
        if not is_response(pdu.command_id):
            self._stray(pdu)
            return
        owner = link.asked.get(pdu.sequence_number)
        if owner is not None:
            owner.hear(pdu)

    def _take(self, link: Link, octets: bytes) -> bool:
        """Offer the octets of a message to its address's taker. Return True if it took them."""
        if not self._takers:
            return False
        taker = self._takers.get(destination_of(octets))
        if taker is None or not taker.take(link, octets):
            return False
        self.counters["received"] += 1
        return True

    def _on_message(self, link: Link, indication: MessageInd) -> None:
        self.counters["received"] += 1
        number = indication.pdu.sequence_number

        def respond(status: int, parameters: dict[str, Value], tlvs: tuple[Tlv, ...]) -> bytes:
            octets = link.session.respond(number, status, parameters, tlvs)
            link.flush()
            return octets

        esme = link.session.system_id
        message = Inbound(
            indication.pdu, indication.octets, esme, respond, link.ends, indication.notes
        )
        status = self._deliver(message)
        if status is not None:
            respond(indication.refusal or status, {}, ())

    # -- asking -----------------------------------------------------------------------------

    def request(
        self,
        command: Command,
        parameters: Mapping[str, Value],
        tlvs: tuple[Tlv, ...],
        system_id: str | None = None,
        tap: EsmeTap | None = None,
        owner: Inbox | None = None,
    ) -> SubmitAnswer:
        """Send a deliver_sm or data_sm to an ESME and return its answer.

        `system_id` names the ESME; without it the receiving ESMEs take turns. `owner` receives a
        second answer. Blocks: up to backlog_timeout_s for room in the window and
        response_timeout_s for the answer.
        Errors: GatewayError; LocalProtocolError if a value does not fit.
        """
        asked = self._ask(self._link_with_room(system_id), command, parameters, tlvs, owner)
        if tap is not None:
            tap(asked.link.session.system_id, True, asked.octets, asked.link.ends)
        return self.wait(asked, command, tap)

    def _ask(
        self,
        link: Link,
        command: Command,
        parameters: Mapping[str, Value],
        tlvs: tuple[Tlv, ...],
        owner: Inbox | None,
    ) -> Asked:
        """Send a request on a link that has room. Errors: LocalProtocolError."""
        session = link.session
        started = self._clock.now()
        try:
            number, octets = session.request(command, parameters, tlvs, started)
        except LocalProtocolError:
            self._give_room(session.system_id)  # pass the unused room to the next sender
            raise
        self.counters["sent"] += 1
        mailbox: Mailbox[AnswerInd | FailedInd] = Mailbox()
        link.waiting[number] = mailbox
        if owner is not None:
            owner.note_asked(link.asked, number)
        link.flush()
        return Asked(link, number, octets, started, mailbox)

    def wait(
        self, asked: Asked, command: Command, tap: EsmeTap | None, waited_s: float = 0.0
    ) -> SubmitAnswer:
        """Return the answer to a request. Blocks: up to response_timeout_s, less `waited_s`.
        Errors: GatewayError.
        """
        link, number = asked.link, asked.number
        try:
            got = asked.mailbox.get(self._config.response_timeout_s + GUARD_S - waited_s)
        finally:
            # Killed meanwhile: the session still counts the request until its answer or timer.
            link.waiting.pop(number, None)
        name = command_name(command)
        if got is None:
            raise GatewayError(f"{name} to ESME {link}: no answer")
        if isinstance(got, FailedInd):
            raise GatewayError(f"{name} to ESME {link}: {got.reason}")
        if tap is not None:
            tap(link.session.system_id, False, got.octets, link.ends)
        return SubmitAnswer(got.pdu, self._clock.now() - asked.at, got.notes)

    def link_at_once(self, system_id: str | None = None) -> Link | None:
        """Return the ESME that a request would be sent to now. Return None if the request had to
        wait or can't be sent; then the order of the ESMEs is unchanged."""
        if self._is_draining or self._queue:
            return None  # those that wait for room come first
        turn = self._turn
        try:
            for link in self._receivers(system_id):
                if link.session.has_room:
                    return link
        except GatewayError:
            pass
        self._turn = turn
        return None

    def repeat(
        self, link: Link, octets: bytes, now: float, waiting: Waiting, owner: Owner, take: Take
    ) -> int:
        """Queue a request of known octets on a link that has room, without a flush. Return its
        sequence number. `take` is offered the octets of the answer."""
        number = link.session.repeat(octets, now, take)
        self.counters["sent"] += 1
        link.waiting[number] = waiting
        link.asked[number] = owner
        return number

    def has_room(self, system_id: str | None = None) -> bool:
        """Return True if a request can be sent at once; the order of the ESMEs is unchanged."""
        return (
            not self._is_draining
            and not self._queue
            and any(
                link.session.has_room
                for link in self._links
                if link.session.state in RECEIVERS and system_id in (None, link.session.system_id)
            )
        )

    def _link_with_room(self, system_id: str | None) -> Link:
        """Return an ESME whose window has room now. Blocks: up to backlog_timeout_s."""
        seconds = self._config.backlog_timeout_s
        deadline = self._clock.now() + seconds
        queued = _Queued(system_id)
        place = self._queue.append
        while True:
            if self._is_draining:
                raise GatewayError("the SMSC is stopping")
            links = self._receivers(system_id)
            for link in links:
                if link.session.has_room:
                    return link
            left = deadline - self._clock.now()
            if left <= 0:
                text = f"no room in the window of ESME {links[0]} within {seconds:g} s"
                raise GatewayError(text)
            place(queued)
            place = self._queue.appendleft  # another sender was faster: this one stays first
            self._await_room(queued, left)

    def _await_room(self, queued: _Queued, seconds: float) -> None:
        is_over = False
        try:
            queued.room.get(seconds)
            is_over = True
        finally:
            if queued in self._queue:
                self._queue.remove(queued)
            elif not is_over:
                # Killed after the room was given to it: pass the room to the next one.
                self._give_room(queued.system_id)

    def _give_room(self, system_id: str | None) -> None:
        """Wake the first sender that waits for a window which has room again; never switches."""
        for queued in self._queue:
            if system_id is None or queued.system_id in (None, system_id):
                self._queue.remove(queued)
                queued.room.put(True)
                return

    def _receivers(self, system_id: str | None) -> list[Link]:
        """Return the ESMEs that receive, each time starting with another. Errors: GatewayError."""
        found = [
            link
            for link in self._links
            if link.session.state in RECEIVERS and system_id in (None, link.session.system_id)
        ]
        if not found:
            whom = "no ESME" if system_id is None else f"no ESME {quoted(system_id)}"
            raise GatewayError(f"{whom} is bound as a receiver or transceiver")
        self._turn += 1
        at = self._turn % len(found)
        return found[at:] + found[:at]

    def summary(self) -> str:
        """Return a text that names the bound ESMEs."""
        bound = self.bound()
        if not bound:
            return "no ESME is bound"
        names = sorted({link.session.system_id for link in bound})
        return f"{len(bound)} bound: {', '.join(names)}"


def destination_of(octets: bytes) -> bytes:
    """Return the octets of the destination address of a submit_sm or data_sm. For another PDU the
    result has no meaning."""
    source = octets.find(0, HEADER_OCTETS) + 1 + _BEFORE_ADDRESS
    destination = octets.find(0, source) + 1 + _BEFORE_ADDRESS
    return octets[destination : octets.find(0, destination)]
