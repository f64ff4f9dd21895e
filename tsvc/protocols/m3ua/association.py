"""One M3UA association over one connection: the machine that a driver runs.

It must not know transports or clocks: octets and `now` (monotonic seconds) come in, whole
messages and indications go out. Nothing that a peer sends raises an exception.
"""

from collections.abc import Callable

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.m3ua import answers, asp, messages, params
from tsvc.protocols.m3ua.answers import Refused
from tsvc.protocols.m3ua.asp import AspState
from tsvc.protocols.m3ua.data import USUAL_DATA, of_message
from tsvc.protocols.m3ua.indications import (
    DataInd,
    DestinationInd,
    Indication,
)
from tsvc.protocols.m3ua.maintenance import Maintenance
from tsvc.protocols.m3ua.messages import Message, MessageId
from tsvc.protocols.m3ua.params import ErrorCode
from tsvc.protocols.m3ua.servers import Transfer

_DATA_ID = bytes(messages.DATA)


class Association(Maintenance):
    """Our end of one M3UA association, for a stream (receive) or whole messages."""

    # What the driver calls

    def connected(self, now: float) -> list[Indication]:
        """Take notice that the transport is up; the side that asks sends ASPUP."""
        if self._asks:
            self._pursuit.wanted = AspState.ACTIVE
            self._pursue(now)
        return []

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

    def receive_message(self, octets: bytes, now: float, stream: int = 0) -> list[Indication]:
        """Take one whole message in, as SCTP delivers it on one of its streams."""
        if self._is_closed:
            return []
        try:
            if stream:
                answers.check_stream(octets, stream)
            if octets[2:4] == _DATA_ID and (data := USUAL_DATA.take(octets)) is not None:
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
        running = (
            self._pursuit.deadline,
            self._registrations.deadline,
            self._heartbeat.next_timer(),
            recovery,
        )
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
        request, given_up = self._registrations.handle_timer(now)
        if request is not None:
            self.send(request)
        if given_up:
            indications += self._registered(given_up, now)
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
        self.send_transfer(Transfer(opc, dpc, si, ni, mp, sls, user_data), routing_context)

    def send_transfer(self, transfer: Transfer, routing_context: int | None = None) -> None:
        """Do what send_data() does, with the label and the user data in one value."""
        self.transfer(self._peer.active(routing_context), transfer)

    def send_destination_status(self, indication: DestinationInd, now: float) -> None:
        """Queue the SSNM message that says this: DUNA, DAVA, DAUD, SCON, DUPU or DRST."""
        self.send(answers.destination_message(indication))

    def shut_down(self, now: float) -> list[Indication]:
        """Leave properly: ASPIA, ASPDN, then CloseInd; an SGP says ASPDN ACK and is done."""
        if self._is_closed or self._is_shutting_down:
            return []
        self._is_shutting_down = True
        self._pursuit.wanted = AspState.DOWN
        if self._asks:
            self._pursue(now)
            is_asking = self._pursuit.asked or self._registrations.is_open
            return [] if is_asking else self._close("shut down", now)
        if self.state > AspState.DOWN:
            self.send(messages.message(messages.ASPDN_ACK))
        return self._close("shut down", now)

    # Received messages

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
            return self._on_data(of_message(message))
        if message.message_class == messages.DUNA[0]:
            return [answers.destination(message)]
        return _HANDLERS[message.id](self, message, now)

    def _on_data(self, data: DataInd) -> list[Indication]:
        state = self._own.state_for_data(data.routing_context)
        # Over SCTP, DATA on its own stream may overtake the ASPAC ACK.
        if state is not AspState.ACTIVE and self._pursuit.asked != messages.ASPAC:
            raise self._unexpected("DATA")
        expected, appearance = self._network_appearance, data.network_appearance
        if expected is not None and appearance is not None and appearance != expected:
            raise answers.invalid_appearance(appearance)
        return [data]

    def _on_beat(self, message: Message, now: float) -> list[Indication]:
        self.send(messages.Message(*messages.BEAT_ACK, message.parameters))
        return []

    def _on_beat_ack(self, message: Message, now: float) -> list[Indication]:
        self._heartbeat.acknowledge(message.get(params.HEARTBEAT_DATA) or b"")
        return []


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
