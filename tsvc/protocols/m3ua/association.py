"""One M3UA association over one connection: the machine that a driver runs.

It must not know transports or clocks: octets and `now` (monotonic seconds) come in, whole
messages and indications go out. Nothing that a peer sends raises an exception.
"""

from collections.abc import Callable

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.m3ua import answers, asp, messages, params
from tsvc.protocols.m3ua.answers import Refused
from tsvc.protocols.m3ua.asp import (
    Action,
    ApplicationServers,
    AspState,
    Role,
    RoutingContext,
)
from tsvc.protocols.m3ua.contexts import Contexts
from tsvc.protocols.m3ua.data import decode_data, encode_data, of_message
from tsvc.protocols.m3ua.heartbeat import Heartbeat
from tsvc.protocols.m3ua.indications import (
    CloseInd,
    DataInd,
    DestinationInd,
    InactiveInd,
    Indication,
    ProtocolErrorInd,
    state_indications,
)
from tsvc.protocols.m3ua.messages import Message, MessageId
from tsvc.protocols.m3ua.params import ErrorCode, Status, TrafficMode
from tsvc.protocols.m3ua.pursuit import Pursuit, Request
from tsvc.protocols.m3ua.stream import MAX_MESSAGE_OCTETS, MessageStream

_DATA_ID = bytes(messages.DATA)
_ERR_ID = bytes(messages.ERR)


class Association:
    """Our end of one M3UA association.

    `routing_contexts`: empty means one AS that messages do not name. `initiates`: whether we send
    ASPUP; an ASP does, an SGP never, an IPSP as given. `servers` is shared by the associations
    of one SGP; `wake` is called when another association queued something here.
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
        servers: ApplicationServers | None = None,
        wake: Callable[[], None] | None = None,
        max_message_octets: int = MAX_MESSAGE_OCTETS,
    ) -> None:
        self.role = role
        self._network_appearance = network_appearance
        self._traffic_mode = traffic_mode
        self._asp_identifier = asp_identifier
        self._asks = role is Role.ASP or (role is Role.IPSP and initiates)
        self._servers: ApplicationServers | None = None
        if role is Role.SGP:
            self._servers = servers or ApplicationServers(traffic_mode)
        self._wake = wake
        self._stream = MessageStream(max_message_octets)
        self._heartbeat = Heartbeat(heartbeat_s)
        self._contexts = Contexts(routing_contexts, role)
        self._pursuit = Pursuit(ack_timeout_s, ack_attempts)
        self._outgoing: list[bytes] = []
        self._unreported: list[Indication] = []
        self._is_shutting_down = False
        self._is_closed = False

    @property
    def state(self) -> AspState:
        """The best state over all routing contexts."""
        return self._contexts.best

    @property
    def is_active(self) -> bool:
        """Whether DATA can be sent for at least one routing context."""
        return self._contexts.best is AspState.ACTIVE

    def state_in(self, routing_context: RoutingContext) -> AspState:
        """Return the state for one routing context; DOWN if it is not configured."""
        return self._contexts.states.get(routing_context, AspState.DOWN)

    # What the driver calls

    def connected(self, now: float) -> list[Indication]:
        """Take notice that the transport is up; the side that asks sends ASPUP."""
        if self._asks:
            self._pursuit.wanted = AspState.ACTIVE
            self._pursue(now)
        return []

    def disconnected(self, now: float, reason: str = "connection lost") -> list[Indication]:
        """Take notice that the transport is gone; the association is of no more use."""
        if self._is_closed:
            return []
        indications = self._enter(dict.fromkeys(self._contexts.states, AspState.DOWN), reason, now)
        self._end()
        return indications

    def receive(self, octets: bytes, now: float) -> list[Indication]:
        """Take octets of a stream in, in pieces of any size."""
        indications = self._take_unreported()
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

    def receive_message(self, octets: bytes, now: float) -> list[Indication]:
        """Take one whole message in, as SCTP delivers it."""
        if self._is_closed:
            return []
        try:
            if octets[2:4] == _DATA_ID and (data := decode_data(octets)) is not None:
                return self._on_data(data)
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
        """Return when `handle_timer` is due (may be past), None while nothing runs."""
        if self._unreported:
            return 0.0
        if self._is_closed:
            return None
        recovery = self._servers.next_timer() if self._servers else None
        running = (self._pursuit.deadline, self._heartbeat.next_timer(), recovery)
        return min((deadline for deadline in running if deadline is not None), default=None)

    def handle_timer(self, now: float) -> list[Indication]:
        """Do what has become due: T(ack), BEAT, T(r)."""
        indications = self._take_unreported()
        if self._is_closed:
            return indications
        if self._servers:
            self._servers.handle_timer(now)
        if self._heartbeat.is_lost(now):
            return indications + self._close("BEAT is not acknowledged", now)
        beat = self._heartbeat.handle_timer(now)
        if beat is not None:
            self.send(messages.message(messages.BEAT, params.HEARTBEAT_DATA.of(beat)))
        if self._pursuit.deadline is not None and now >= self._pursuit.deadline:
            indications += self._ask_again(now)
        return indications

    # What the user calls

    def send_data(
        self,
        opc: int,
        dpc: int,
        si: int,
        ni: int,
        mp: int,
        sls: int,
        user_data: bytes,
        now: float,
        *,
        routing_context: int | None = None,
    ) -> None:
        """Queue a DATA message, in the first active routing context unless one is named.

        Errors: LocalProtocolError when not active, or a value does not fit.
        """
        context = self._contexts.active(routing_context)
        self._outgoing.append(
            encode_data(
                opc,
                dpc,
                si,
                ni,
                mp,
                sls,
                user_data,
                routing_context=context,
                network_appearance=self._network_appearance,
            )
        )

    def send_destination_status(self, indication: DestinationInd, now: float) -> None:
        """Queue the SSNM message that says this: DUNA, DAVA, DAUD, SCON, DUPU or DRST."""
        self.send(answers.destination_message(indication))

    def send(self, message: Message) -> None:
        """Queue any message as it is, without a look at the state."""
        self._outgoing.append(messages.encode(message))

    def shut_down(self, now: float) -> list[Indication]:
        """Leave properly: ASPIA, ASPDN, then CloseInd; an SGP says ASPDN ACK and is done."""
        if self._is_closed or self._is_shutting_down:
            return []
        self._is_shutting_down = True
        self._pursuit.wanted = AspState.DOWN
        if self._asks:
            self._pursue(now)
            return [] if self._pursuit.asked else self._close("shut down", now)
        if self.state > AspState.DOWN:
            self.send(messages.message(messages.ASPDN_ACK))
        return self._close("shut down", now)

    # What the Application Servers of our SGP call

    def notify(self, context: RoutingContext, status: Status) -> None:
        """Queue a NTFY; called by `servers`."""
        self.send(answers.notify(context, status))
        if self._wake:
            self._wake()

    def stand_by(self, context: RoutingContext) -> None:
        """Take notice that another ASP took over; called by `servers`."""
        self._contexts.enter({context: AspState.INACTIVE})
        self._unreported.append(InactiveInd((context,), "alternate ASP active"))

    # Received messages

    def _handle(self, message: Message, octets: bytes, now: float) -> list[Indication]:
        if (self.state, message.id) in asp.TRANSITIONS[self.role]:
            return self._on_maintenance(message, octets, now)
        if message.message_class == messages.REG_REQ[0]:
            text = "routing key management is not supported"
            raise Refused(ErrorCode.UNSUPPORTED_MESSAGE_CLASS, text)
        if message.id not in answers.RECEIVABLE[self.role]:
            raise self._unexpected(message.name)
        if message.id == messages.DATA:
            return self._on_data(of_message(message))
        if message.message_class == messages.DUNA[0]:
            return [answers.destination(message)]
        return _HANDLERS[message.id](self, message, now)

    def _on_data(self, data: DataInd) -> list[Indication]:
        state = self._contexts.state_for_data(data.routing_context)
        # Over SCTP, DATA on its own stream may overtake the ASPAC ACK.
        if state is not AspState.ACTIVE and self._pursuit.asked != messages.ASPAC:
            raise self._unexpected("DATA")
        expected, appearance = self._network_appearance, data.network_appearance
        if expected is not None and appearance is not None and appearance != expected:
            raise answers.invalid_appearance(appearance)
        return [data]

    def _on_maintenance(self, message: Message, octets: bytes, now: float) -> list[Indication]:
        table = asp.TRANSITIONS[self.role]
        contexts, unknown = self._contexts.about(message)
        mode: int | None = self._traffic_mode
        if message.id == messages.ASPAC:
            mode = answers.traffic_mode_of(message, self._traffic_mode)
        steps = {
            context: table[self._contexts.states[context], message.id] for context in contexts
        }
        actions = {action for _, taken in steps.values() for action in taken}
        indications: list[Indication] = []
        if Action.ACKNOWLEDGE in actions:
            self._send_maintenance(asp.ACKNOWLEDGEMENT[message.id], contexts, mode)
        if Action.REFUSE in actions:
            indications += self._refuse(self._unexpected(message.name), octets)
        if unknown:
            indications += self._refuse(answers.invalid_contexts(unknown), octets)
        states = {context: state for context, (state, _) in steps.items()}
        indications += self._enter(states, message.name, now)
        self._pursue(now)
        if self._is_shutting_down and self._pursuit.asked is None:
            indications += self._close("shut down", now)
        return indications

    def _on_error(self, message: Message, now: float) -> list[Indication]:
        return [answers.error_indication(message)]

    def _on_notify(self, message: Message, now: float) -> list[Indication]:
        notified = answers.notify_indication(message)
        status = Status(notified.status_type, notified.information)
        indications: list[Indication] = [notified]
        contexts, _ = self._contexts.about(message)
        if status == asp.ALTERNATE_ASP_ACTIVE:
            self._pursuit.stand_by(contexts)
            active = {
                context: AspState.INACTIVE
                for context in contexts
                if self._contexts.states[context] is AspState.ACTIVE
            }
            indications += self._enter(active, notified.text, now)
        elif status in asp.WITHOUT_TRAFFIC:
            self._pursuit.resume(contexts)
            self._pursue(now)
        return indications

    def _on_beat(self, message: Message, now: float) -> list[Indication]:
        self.send(messages.Message(*messages.BEAT_ACK, message.parameters))
        return []

    def _on_beat_ack(self, message: Message, now: float) -> list[Indication]:
        self._heartbeat.acknowledge(message.get(params.HEARTBEAT_DATA) or b"")
        return []

    # State

    def _enter(
        self, states: dict[RoutingContext, AspState], reason: str, now: float
    ) -> list[Indication]:
        moved = self._contexts.enter(states)
        if self.state is AspState.DOWN:
            self._heartbeat.stop()
        else:
            self._heartbeat.start(now)
        if self._servers:
            for context, state in moved.items():
                self._servers.update(self, context, state, now)
        return state_indications(moved, reason)

    def _pursue(self, now: float) -> None:
        if self._asks and (request := self._pursuit.advance(self._contexts.states, now)):
            self._send_request(request)

    def _ask_again(self, now: float) -> list[Indication]:
        asked = self._pursuit.asked or messages.ASPUP
        request = self._pursuit.repeat(self._contexts.states, now)
        if request and not self._is_shutting_down:
            self._send_request(request)
            return []
        text = f"{messages.LAYOUTS[asked].name} is not acknowledged"
        if self._is_shutting_down or not self.is_active:
            return self._close(text, now)
        contexts = self._pursuit.give_up(self._contexts.states)
        return [ProtocolErrorInd(f"{text} for routing contexts {contexts}")]

    def _close(self, reason: str, now: float) -> list[Indication]:
        return [*self.disconnected(now, reason), CloseInd(reason)]

    def _end(self) -> None:
        self._is_closed = True
        self._pursuit.stop()
        self._heartbeat.stop()

    # Sending

    def _send_request(self, request: Request) -> None:
        self._send_maintenance(request.id, request.contexts, self._traffic_mode)

    def _send_maintenance(
        self, message_id: MessageId, contexts: tuple[RoutingContext, ...], mode: int | None
    ) -> None:
        self.send(answers.maintenance(message_id, contexts, mode, self._asp_identifier))

    def _refuse(self, refused: Refused, offending: bytes) -> list[Indication]:
        # An ERR is never answered with ERR: two stacks would go on for ever.
        if offending[2:4] != _ERR_ID:
            self.send(answers.error(refused.code, offending, refused.parameters))
        return [ProtocolErrorInd(refused.text)]

    # Small questions

    def _take_unreported(self) -> list[Indication]:
        unreported, self._unreported = self._unreported, []
        return unreported

    def _unexpected(self, name: str) -> Refused:
        text = f"{name} is unexpected at the {self.role.name} in {self.state.name}"
        return Refused(ErrorCode.UNEXPECTED_MESSAGE, text)


_HANDLERS: dict[MessageId, Callable[[Association, Message, float], list[Indication]]] = {
    messages.ERR: Association._on_error,
    messages.NTFY: Association._on_notify,
    messages.BEAT: Association._on_beat,
    messages.BEAT_ACK: Association._on_beat_ack,
}
