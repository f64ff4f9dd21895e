"""One M3UA association over one connection: the machine that a driver runs (RFC 4666).

Input: octets of a stream (receive), or whole messages with their SCTP stream (receive_message);
the state of the transport (connected, disconnected); the user's data; `now` in monotonic seconds.
Output: indications, returned to the caller, and whole messages, queued until data_to_send() takes
them. After every call the driver sends the queued messages and asks next_timer() when
handle_timer() is due. Messages of the peer never raise: a wrong message is answered with ERR and
indicated as ProtocolErrorInd.

The states are those of an ASP, DOWN, INACTIVE and ACTIVE, one for each routing context. The table
`asp.TRANSITIONS` has the next state for a received message, by role. `asp.NEXT_REQUEST` has the
next request of the asking side on its way to the state it wants, one at a time (AspRequests).
Routing keys are registered between ASPUP and ASPAC and deregistered between ASPIA and ASPDN
(Registrations). IPSPs of double exchange have a state for each direction; all others have one. An
SGP reports every change of state to its ApplicationServers, which all its associations share: they
run the states of the AS, send NTFY and choose the ASP of each message.

Timers: T(ack) for requests and registrations, T(beat), and T(r) of the Application Servers. If the
last repetition of a request is not answered, the association is closed, unless it is active for
another context.

What it does not do: open, close or repeat connections (CloseInd asks the driver to close), read
user data, or route.
"""

from collections.abc import Callable
from dataclasses import replace

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.m3ua import answers, asp, messages, params, registration
from tsvc.protocols.m3ua.answers import Refused
from tsvc.protocols.m3ua.asp import (
    Action,
    AspRequests,
    AspState,
    Request,
    Role,
    RoutingContext,
    Side,
)
from tsvc.protocols.m3ua.contexts import Contexts
from tsvc.protocols.m3ua.data import USUAL_DATA, of_message
from tsvc.protocols.m3ua.heartbeat import Heartbeat
from tsvc.protocols.m3ua.indications import (
    CloseInd,
    DataInd,
    DestinationInd,
    InactiveInd,
    Indication,
    ProtocolErrorInd,
    RegistrationInd,
    state_indications,
)
from tsvc.protocols.m3ua.messages import MAX_MESSAGE_OCTETS, Message, MessageId, MessageStream
from tsvc.protocols.m3ua.params import ErrorCode, Status, TrafficMode
from tsvc.protocols.m3ua.registration import Registrations
from tsvc.protocols.m3ua.routing_keys import RoutingKey, RoutingKeys
from tsvc.protocols.m3ua.servers import ApplicationServers, Recorder, Transfer

_DATA_ID = bytes(messages.DATA)
_ERR_ID = bytes(messages.ERR)
_NO_SUCH_MESSAGE = (
    ErrorCode.UNSUPPORTED_MESSAGE_CLASS,
    ErrorCode.UNSUPPORTED_MESSAGE_TYPE,
    ErrorCode.UNEXPECTED_MESSAGE,
)


class Association:
    """Our end of one M3UA association, for a stream (receive) or whole messages.

    `routing_contexts`: empty means one AS that messages do not name. `initiates`: True if we send
    ASPUP. It counts for an IPSP only: an ASP always sends it, an SGP never, and in double exchange
    both IPSPs do. `keys` are registered before ASPAC. `servers` and `routing_keys` are shared by
    the associations of one SGP; `wake` is called when another association queued a message here.
    `asp_identifiers`: those that ASPUP may carry; None: any or none.
    """

    def __init__(
        self,
        role: Role,
        *,
        routing_contexts: tuple[int, ...] = (),
        network_appearance: int | None = None,
        traffic_mode: TrafficMode | None = None,
        asp_identifier: int | None = None,
        heartbeat_s: float | None = None,
        ack_timeout_s: float = 2.0,
        ack_attempts: int = 5,
        initiates: bool = True,
        is_double_exchange: bool = False,
        keys: tuple[RoutingKey, ...] = (),
        routing_keys: RoutingKeys | None = None,
        asp_identifiers: frozenset[int] | None = None,
        servers: ApplicationServers | None = None,
        wake: Callable[[], None] | None = None,
        max_message_octets: int = MAX_MESSAGE_OCTETS,
    ) -> None:
        self.role = role
        self._network_appearance = network_appearance
        self._traffic_mode = traffic_mode
        self.asp_identifier = asp_identifier
        self._asks = role is Role.ASP or (role is Role.IPSP and (initiates or is_double_exchange))
        self._servers: ApplicationServers | None = None
        if role is Role.SGP:
            self._servers = servers or ApplicationServers(traffic_mode)
        self._routing_keys = routing_keys
        self._asp_identifiers = asp_identifiers
        self._wake = wake
        self._stream = MessageStream(max_message_octets)
        self._heartbeat = Heartbeat(heartbeat_s)
        self._own = Contexts(routing_contexts, role)
        # One state for both directions, unless each side asks for its own.
        is_double = role is Role.IPSP and is_double_exchange
        self._peer = Contexts(routing_contexts, role) if is_double else self._own
        # An ASP without an AS of its own before it registers one.
        self._needs_registration = routing_keys is not None and not routing_contexts
        self._requests = AspRequests(ack_timeout_s, ack_attempts)
        self._registrations = Registrations(keys, ack_timeout_s, ack_attempts)
        self._outgoing: list[bytes] = []
        # Indications from outside of the driver's calls: the next of these returns them.
        self._postponed: list[Indication] = []
        self._is_shutting_down = False
        self._is_closed = False
        self.recorder: Recorder | None = None
        self.divert: Callable[[bytes], bool] | None = None  # may take whole messages: a relay

    @property
    def state(self) -> AspState:
        """The best state of all routing contexts, towards the peer: ACTIVE allows DATA."""
        return self._peer.best

    @property
    def own_state(self) -> AspState:
        """The state that the peer acknowledged to us; differs from `state` in double exchange."""
        return self._own.best

    @property
    def is_active(self) -> bool:
        """True if DATA can be sent for at least one routing context."""
        return self._peer.best is AspState.ACTIVE

    def state_in(self, routing_context: RoutingContext) -> AspState:
        """Return the state for one routing context; DOWN if it is not configured."""
        return self._peer.states.get(routing_context, AspState.DOWN)

    # -- what the driver calls --------------------------------------------------------------

    def connected(self, now: float) -> list[Indication]:
        """Start, because the transport is up; the side that asks sends ASPUP."""
        if self._asks:
            self._requests.wanted = AspState.ACTIVE
            self._request_next(now)
        return []

    def disconnected(self, now: float, reason: str = "connection lost") -> list[Indication]:
        """Stop, because the transport is gone; the association can't be used again."""
        if self._is_closed:
            return []
        is_failure = not self._is_shutting_down
        indications: list[Indication] = []
        for contexts in {id(one): one for one in (self._own, self._peer)}.values():
            down = dict.fromkeys(contexts.states, AspState.DOWN)
            indications += self._enter(contexts, down, reason, now, is_failure=is_failure)
        if self._routing_keys is not None:
            self._routing_keys.forget(self)
        self._end()
        return indications

    def receive(self, octets: bytes, now: float) -> list[Indication]:
        """Process octets of a stream, in pieces of any size."""
        indications = self._take_postponed()
        if self._is_closed:
            return indications
        self._stream.feed(octets)
        try:
            while not self._is_closed and (whole := self._stream.next_message()) is not None:
                indications += self.receive_message(whole, now)
        except RemoteProtocolError as error:
            unread = self._stream.unread()
            indications += self._refuse(
                Refused(answers.code_of(error, unread), str(error)), unread
            )
            indications += self._close(f"framing lost: {error}", now)
        return indications

    def receive_message(self, octets: bytes, now: float, stream: int = 0) -> list[Indication]:
        """Process one whole message, as SCTP delivers it on one of its streams."""
        if self._is_closed or (self.divert is not None and self.divert(octets)):
            return []
        return self._take(octets, now, stream)

    def _take(self, octets: bytes, now: float, stream: int = 0) -> list[Indication]:
        try:
            if stream:
                answers.check_stream(octets, stream)
            if octets[2:4] == _DATA_ID and (data := USUAL_DATA.take(octets)) is not None:
                return self._on_data(data)
            if octets[2:4] != _DATA_ID:
                self._note(octets)
            message = messages.decode(octets)
        except Refused as refused:
            return self._refuse(refused, octets)
        except RemoteProtocolError as error:
            return self._refuse(Refused(answers.code_of(error, octets), str(error)), octets)
        try:
            answers.check(message)
            return self._handle(message, octets, now)
        except Refused as refused:
            return self._refuse(refused, octets)
        except RemoteProtocolError as error:
            return self._refuse(Refused(ErrorCode.PARAMETER_FIELD_ERROR, str(error)), octets)

    def data_to_send(self) -> list[bytes]:
        """Return the queued messages, one item each, and empty the queue."""
        outgoing, self._outgoing = self._outgoing, []
        return outgoing

    def next_timer(self) -> float | None:
        """Return when `handle_timer` is due (may be past), None while no timer runs."""
        if self._postponed:
            return 0.0
        if self._is_closed:
            return None
        recovery = self._servers.next_timer() if self._servers else None
        running = (
            self._requests.deadline,
            self._registrations.deadline,
            self._heartbeat.next_timer(),
            recovery,
        )
        return min((deadline for deadline in running if deadline is not None), default=None)

    def handle_timer(self, now: float) -> list[Indication]:
        """Handle the timers that are due: T(ack), BEAT, T(r)."""
        indications = self._take_postponed()
        if self._is_closed:
            return indications
        if self._servers:
            self._servers.handle_timer(now)
        if self._heartbeat.is_lost(now):
            return indications + self._close("BEAT is not acknowledged", now)
        beat = self._heartbeat.handle_timer(now)
        if beat is not None:
            self.send(messages.message(messages.BEAT, params.HEARTBEAT_DATA.of(beat)))
        request, given_up = self._registrations.handle_timer(now)
        if request is not None:
            self.send(request)
        if given_up:
            indications += self._registered(given_up, now)
        if self._requests.deadline is not None and now >= self._requests.deadline:
            indications += self._ask_again(now)
        return indications

    # -- what the user calls ----------------------------------------------------------------

    def send_transfer(self, transfer: Transfer, routing_context: int | None = None) -> None:
        """Queue a DATA message, in the first active routing context unless one is named.

        Errors: LocalProtocolError when not active, or a value does not fit.
        """
        self.transfer(self._peer.active(routing_context), transfer)

    def send_destination_status(self, indication: DestinationInd, now: float) -> None:
        """Queue the SSNM message of an indication: DUNA, DAVA, DAUD, SCON, DUPU or DRST."""
        self.send(answers.destination_message(indication))

    def shut_down(self, now: float) -> list[Indication]:
        """Leave properly: ASPIA, ASPDN, then CloseInd; an SGP sends ASPDN ACK and is done."""
        if self._is_closed or self._is_shutting_down:
            return []
        self._is_shutting_down = True
        self._requests.wanted = AspState.DOWN
        if self._asks:
            self._request_next(now)
            is_asking = self._requests.asked or self._registrations.is_open
            return [] if is_asking else self._close("shut down", now)
        if self.state > AspState.DOWN:
            self.send(messages.message(messages.ASPDN_ACK))
        return self._close("shut down", now)

    def send(self, message: Message) -> None:
        """Queue any message as it is, in any state."""
        octets = messages.encode(message)
        self._outgoing.append(octets)
        if self.recorder is not None:
            self.recorder.managed(True, octets)

    # -- what the Application Servers of our SGP call ---------------------------------------

    def notify(
        self, context: RoutingContext, status: Status, asp_identifier: int | None = None
    ) -> None:
        """Queue a NTFY; called by `servers`."""
        self.send(answers.notify(context, status, asp_identifier))
        if self._wake:
            self._wake()

    def transfer(
        self, context: RoutingContext, transfer: Transfer, correlation_id: int | None = None
    ) -> None:
        """Queue DATA in any state. Errors: LocalProtocolError: too long."""
        octets = transfer.data(context, self._network_appearance, correlation_id)
        self.queue(octets, transfer.trail)

    def frame(self, transfer: Transfer) -> bytes:
        """Return the DATA that send_transfer() would queue. Errors: as there."""
        return transfer.data(self._peer.active(None), self._network_appearance)

    def queue(self, octets: bytes, trail: object) -> None:
        """Queue DATA as it is, and inform its trail."""
        self._outgoing.append(octets)
        if trail is not None and self.recorder is not None:
            self.recorder.carried(trail, octets)

    def stand_by(self, context: RoutingContext) -> None:
        """Become inactive, because another ASP took over; called by `servers`."""
        self._peer.enter({context: AspState.INACTIVE})
        self._postponed.append(InactiveInd((context,), "alternate ASP active"))

    # -- received messages ------------------------------------------------------------------

    def _handle(self, message: Message, octets: bytes, now: float) -> list[Indication]:
        if (AspState.DOWN, message.id) in asp.TRANSITIONS[self.role]:
            return self._on_maintenance(message, octets, now)
        is_asked_to_register = message.id in (messages.REG_REQ, messages.DEREG_REQ)
        if is_asked_to_register and self._routing_keys is None:
            text = "routing key management is not supported"
            raise Refused(ErrorCode.UNSUPPORTED_MESSAGE_CLASS, text)
        if message.id not in answers.RECEIVABLE[self.role]:
            raise self._unexpected(message.name)
        if message.id == messages.DATA:
            return self._on_data(replace(of_message(message), octets=octets))
        if message.message_class == messages.DUNA[0]:
            return [answers.destination(message)]
        return _HANDLERS[message.id](self, message, now)

    def _on_data(self, data: DataInd) -> list[Indication]:
        state = self._own.state_for_data(data.routing_context)
        # Over SCTP, DATA on its own stream may overtake the ASPAC ACK.
        if state is not AspState.ACTIVE and self._requests.asked != messages.ASPAC:
            raise self._unexpected("DATA")
        expected, appearance = self._network_appearance, data.network_appearance
        if expected is not None and appearance is not None and appearance != expected:
            raise answers.invalid_appearance(appearance)
        return [data]

    def _on_maintenance(self, message: Message, octets: bytes, now: float) -> list[Indication]:
        ours = self._own if asp.MOVES[message.id] is Side.OWN else self._peer
        contexts, unknown = ours.about(message)
        mode: int | None = self._traffic_mode
        if message.id == messages.ASPAC:
            mode = answers.traffic_mode_of(message, self._traffic_mode)
            if self._needs_registration and None in contexts:
                text = "no Application Server is configured or registered for this ASP"
                raise Refused(ErrorCode.NO_CONFIGURED_AS_FOR_ASP, text)
        elif message.id == messages.ASPUP:
            self._check_asp(message)
        table = asp.TRANSITIONS[self.role]
        steps = {context: table[ours.states[context], message.id] for context in contexts}
        actions = {action for _, taken in steps.values() for action in taken}
        indications: list[Indication] = []
        if Action.ACKNOWLEDGE in actions:
            self._send_maintenance(asp.ACKNOWLEDGEMENT[message.id], contexts, mode)
        if Action.REFUSE in actions:
            indications += self._refuse(self._unexpected(message.name), octets)
        if unknown:
            indications += self._refuse(answers.invalid_contexts(unknown), octets)
        states = {context: state for context, (state, _) in steps.items()}
        indications += self._enter(ours, states, message.name, now)
        self._request_next(now)
        is_left = self._own.best is AspState.DOWN
        if self._is_shutting_down and self._requests.asked is None and is_left:
            indications += self._close("shut down", now)
        return indications

    def _check_asp(self, message: Message) -> None:
        if self._servers is None:
            return
        if self._servers.is_blocked:
            raise Refused(ErrorCode.REFUSED_MANAGEMENT_BLOCKING, "blocked by the management")
        identifier = message.get(params.ASP_IDENTIFIER)
        taken = self._servers.identifiers(self)
        answers.check_asp_identifier(identifier, self._asp_identifiers, taken)
        self.asp_identifier = identifier

    def _on_reg_req(self, message: Message, now: float) -> list[Indication]:
        keys = self._routing_keys
        if keys is None or self.state is AspState.DOWN:
            raise self._unexpected(message.name)
        answer, contexts = registration.answer_registrations(
            message, lambda key: keys.register(self, key)
        )
        self.send(answer)
        for context in contexts:
            self._peer.add(context)
        inactive: dict[RoutingContext, AspState] = {
            context: AspState.INACTIVE
            for context in contexts
            if self._peer.states[context] is AspState.DOWN
        }
        return self._enter(self._peer, inactive, message.name, now)

    def _on_dereg_req(self, message: Message, now: float) -> list[Indication]:
        keys = self._routing_keys
        if keys is None or self.state is AspState.DOWN:
            raise self._unexpected(message.name)
        answer, contexts = registration.answer_deregistrations(
            message,
            lambda context: keys.deregister(
                self, context, is_active=self.state_in(context) is AspState.ACTIVE
            ),
        )
        self.send(answer)
        if self._servers:
            for context in contexts:
                self._servers.update(self, context, AspState.DOWN, now)
        for context in contexts:
            self._peer.remove(context)
        return []

    def _on_reg_rsp(self, message: Message, now: float) -> list[Indication]:
        return self._registered(self._registrations.on_registered(message), now)

    def _on_dereg_rsp(self, message: Message, now: float) -> list[Indication]:
        for context in self._registrations.on_deregistered(message):
            self._own.remove(context)
        self._request_next(now)
        return []

    def _registered(self, found: list[RegistrationInd], now: float) -> list[Indication]:
        indications: list[Indication] = [*found]
        states: dict[RoutingContext, AspState] = {}
        for context in [item.routing_context for item in found]:
            if context is not None:
                self._own.add(context)
                states[context] = max(self._own.states[context], AspState.INACTIVE)
        indications += self._enter(self._own, states, "registered", now)
        if self._registrations.are_all_refused and None in self._own.states:
            reasons = ", ".join(item.text for item in found)
            return indications + self._close(f"no routing key is registered: {reasons}", now)
        self._request_next(now)
        return indications

    def _on_error(self, message: Message, now: float) -> list[Indication]:
        error = answers.error_indication(message)
        indications: list[Indication] = [error]
        self._requests.refusal = error.words
        if self._registrations.is_open and error.code in _NO_SUCH_MESSAGE:
            indications += self._registered(self._registrations.give_up(error.text), now)
        return indications

    def _on_notify(self, message: Message, now: float) -> list[Indication]:
        notified = answers.notify_indication(message)
        status = Status(notified.status_type, notified.information)
        indications: list[Indication] = [notified]
        contexts, _ = self._own.about(message)
        if status == asp.ALTERNATE_ASP_ACTIVE:
            self._requests.stand_by(contexts)
            active = {
                context: AspState.INACTIVE
                for context in contexts
                if self._own.states[context] is AspState.ACTIVE
            }
            indications += self._enter(self._own, active, notified.text, now)
        elif status in asp.NEEDS_ASPS:
            self._requests.resume(contexts)
            self._request_next(now)
        return indications

    def _on_beat(self, message: Message, now: float) -> list[Indication]:
        self.send(messages.Message(*messages.BEAT_ACK, message.parameters))
        return []

    def _on_beat_ack(self, message: Message, now: float) -> list[Indication]:
        self._heartbeat.acknowledge(message.get(params.HEARTBEAT_DATA) or b"")
        return []

    # -- state ------------------------------------------------------------------------------

    def _enter(
        self,
        ours: Contexts,
        states: dict[RoutingContext, AspState],
        reason: str,
        now: float,
        *,
        is_failure: bool = False,
    ) -> list[Indication]:
        moved = ours.enter(states)
        if max(self._own.best, self._peer.best) is AspState.DOWN:
            self._heartbeat.stop()
        else:
            self._heartbeat.start(now)
        if self._servers:
            for context, state in moved.items():
                if not (self._needs_registration and context is None):
                    self._servers.update(self, context, state, now, is_failure=is_failure)
        # The user only needs to know whether it may send.
        return state_indications(moved, reason) if ours is self._peer else []

    def _request_next(self, now: float) -> None:
        if not self._asks or self._is_registering(now):
            return
        if request := self._requests.advance(self._own.states, now):
            self._send_request(request)

    def _is_registering(self, now: float) -> bool:
        """Send a REG REQ or DEREG REQ that is due; return True while a response is awaited.

        REG REQ is sent between ASPUP and ASPAC, DEREG REQ between ASPIA and ASPDN.
        """
        request = None
        if self._own.best is not AspState.DOWN and self._requests.wanted is AspState.ACTIVE:
            request = self._registrations.register(now)
        elif self._own.best is AspState.INACTIVE:
            request = self._registrations.deregister(now)
        if request is not None:
            self._requests.stop()
            self.send(request)
        return self._registrations.is_open

    def _ask_again(self, now: float) -> list[Indication]:
        text = self._requests.failure
        request = self._requests.repeat(self._own.states, now)
        if request and not self._is_shutting_down:
            self._send_request(request)
            return []
        if self._is_shutting_down or not self.is_active:
            return self._close(text, now)
        contexts = self._requests.give_up(self._own.states)
        return [ProtocolErrorInd(f"{text} for routing contexts {contexts}")]

    def _close(self, reason: str, now: float) -> list[Indication]:
        return [*self.disconnected(now, reason), CloseInd(reason)]

    def _end(self) -> None:
        self._is_closed = True
        self._requests.stop()
        self._registrations.deadline = None
        self._heartbeat.stop()

    # -- sending ----------------------------------------------------------------------------

    def _send_request(self, request: Request) -> None:
        self._send_maintenance(request.id, request.contexts, self._traffic_mode)

    def _send_maintenance(
        self, message_id: MessageId, contexts: tuple[RoutingContext, ...], mode: int | None
    ) -> None:
        self.send(answers.maintenance(message_id, contexts, mode, self.asp_identifier))

    def _refuse(self, refused: Refused, offending: bytes) -> list[Indication]:
        if offending[2:4] == _DATA_ID:
            self._note(offending)
        # An ERR is never answered with ERR: two stacks would go on forever.
        if offending[2:4] != _ERR_ID:
            self.send(answers.error(refused.code, offending, refused.parameters))
        return [ProtocolErrorInd(refused.text)]

    def _note(self, octets: bytes) -> None:
        if self.recorder is not None:
            self.recorder.managed(False, octets)

    # -- small questions --------------------------------------------------------------------

    def _take_postponed(self) -> list[Indication]:
        postponed, self._postponed = self._postponed, []
        return postponed

    def _unexpected(self, name: str) -> Refused:
        text = f"{name} is unexpected at the {self.role.name} in {self.state.name}"
        return Refused(ErrorCode.UNEXPECTED_MESSAGE, text)


_HANDLERS: dict[MessageId, Callable[[Association, Message, float], list[Indication]]] = {
    messages.ERR: Association._on_error,
    messages.NTFY: Association._on_notify,
    messages.BEAT: Association._on_beat,
    messages.BEAT_ACK: Association._on_beat_ack,
    messages.REG_REQ: Association._on_reg_req,
    messages.REG_RSP: Association._on_reg_rsp,
    messages.DEREG_REQ: Association._on_dereg_req,
    messages.DEREG_RSP: Association._on_dereg_rsp,
}
