"""One SUA association over one connection: the machine that a driver runs (RFC 3868).

The states of ASP and AS, their requests, the ASP for a message, BEAT and ERR are those of M3UA:
input, output, states, tables and timers are described in m3ua.association. So this is an M3UA
association whose messages have the form of SUA on the wire.

Management messages have other tags in SUA; they are translated in both directions. A CLDT or CLDR
is the user data of an internal DATA; it is indicated as UnitdataInd. An ERR quotes the message as
received, not its internal form. The state of a subsystem (such as a DUNA with an SSN) is indicated
as SubsystemInd.

What it does not do: segmenting, and connection-oriented messages (CORE, COAK ...), which are
refused like any message that M3UA does not know.
"""

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.m3ua import answers, association, messages, params
from tsvc.protocols.m3ua import params as m3ua
from tsvc.protocols.m3ua.answers import Refused
from tsvc.protocols.m3ua.asp import AspState, RoutingContext
from tsvc.protocols.m3ua.data import encode_data
from tsvc.protocols.m3ua.indications import (
    DataInd,
    DestinationInd,
    Indication,
    ProtocolErrorInd,
)
from tsvc.protocols.m3ua.messages import HEADER_OCTETS, Message
from tsvc.protocols.m3ua.params import ErrorCode, Parameter, PointCode
from tsvc.protocols.m3ua.servers import Transfer
from tsvc.protocols.sccp.address import Address, Network, RoutingIndicator
from tsvc.protocols.sua import connectionless
from tsvc.protocols.sua import params as sua
from tsvc.protocols.sua.address import SSN, decode_address, encode_address
from tsvc.protocols.sua.connectionless import Connectionless, DataResponse, MissingParameter
from tsvc.values import dataclass

# ASP, network and routing key management: M3UA's messages with SUA's tags.
#
# SUA took these messages over from M3UA: class, type and layout of the values are the same, some
# tags are not. So one table translates between them, and SUA runs on M3UA's machine.


_SAME: tuple[tuple[int, int], ...] = (
    (m3ua.NETWORK_APPEARANCE.tag, sua.NETWORK_APPEARANCE.tag),
    (m3ua.USER_CAUSE.tag, sua.USER_CAUSE.tag),
    (m3ua.CONGESTION_INDICATIONS.tag, sua.CONGESTION_LEVEL.tag),
    (m3ua.ROUTING_KEY.tag, sua.ROUTING_KEY.tag),
    (m3ua.REGISTRATION_RESULT.tag, sua.REGISTRATION_RESULT.tag),
    (m3ua.DEREGISTRATION_RESULT.tag, sua.DEREGISTRATION_RESULT.tag),
    (m3ua.REGISTRATION_STATUS.tag, sua.REGISTRATION_STATUS.tag),
    (m3ua.DEREGISTRATION_STATUS.tag, sua.DEREGISTRATION_STATUS.tag),
    (m3ua.LOCAL_ROUTING_KEY_IDENTIFIER.tag, sua.LOCAL_ROUTING_KEY_IDENTIFIER.tag),
)
# Both directions in one table: a tag of the other protocol becomes a tag that is ignored here.
_SWAP: dict[int, int] = {one: other for pair in _SAME for one, other in (pair, pair[::-1])}

_NESTED: frozenset[int] = frozenset(
    declared.tag
    for declared in (m3ua.ROUTING_KEY, m3ua.REGISTRATION_RESULT, m3ua.DEREGISTRATION_RESULT)
)
CLASSES = messages.CLASSES - {messages.DATA[0]}


def to_m3ua(message: Message) -> Message:
    """Return a received SUA message in the form that M3UA's machine reads.

    Malformed values stay as they are: the machine finds and answers them.
    """
    return _retagged(message, tuple(_to_m3ua(item) for item in message.parameters))


def from_m3ua(message: Message) -> Message:
    """Return a message of M3UA's machine as it is sent in SUA."""
    return _retagged(message, tuple(_from_m3ua(item) for item in message.parameters))


def _retagged(message: Message, parameters: tuple[Parameter, ...]) -> Message:
    return Message(message.message_class, message.message_type, parameters)


def _to_m3ua(parameter: Parameter) -> Parameter:
    tag = _SWAP.get(parameter.tag, parameter.tag)
    octets = parameter.octets
    try:
        if tag in _NESTED:
            inside = m3ua.NESTED.decode(octets)
            octets = m3ua.NESTED.encode(tuple(_to_m3ua(item) for item in inside))
        elif tag == sua.DESTINATION_ADDRESS.tag and (pc := _pc_of(octets)) is not None:
            # A routing key names its destination by an address; the machine knows point codes.
            return m3ua.DESTINATION_POINT_CODE.of(PointCode(pc))
    except RemoteProtocolError:
        pass
    return Parameter(tag, octets)


def _from_m3ua(parameter: Parameter) -> Parameter:
    tag = _SWAP.get(parameter.tag, parameter.tag)
    octets = parameter.octets
    if parameter.tag in _NESTED:
        inside = m3ua.NESTED.decode(octets)
        octets = m3ua.NESTED.encode(tuple(_from_m3ua(item) for item in inside))
    elif parameter.tag == m3ua.DESTINATION_POINT_CODE.tag:
        pc = m3ua.DESTINATION_POINT_CODE.value_of(parameter).pc
        address = Address(RoutingIndicator.SSN, pc=pc)
        return sua.DESTINATION_ADDRESS.of(encode_address(address, Network.ANSI))
    return Parameter(tag, octets)


def _pc_of(address: bytes) -> int | None:
    # ANSI has the wider point codes; the registration checks the range itself.
    return decode_address(address, Network.ANSI).pc


# The indications of an SUA association that an M3UA association does not have.
#
# Both are subclasses of M3UA indications, so that code for M3UA can handle them.


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitdataInd(DataInd):
    """A CLDT or CLDR arrived: N-UNITDATA or N-NOTICE indication."""

    message: Connectionless


@dataclass(frozen=True, slots=True, kw_only=True)
class SubsystemInd(DestinationInd):
    """An SNM message about one subsystem of these nodes, not about the nodes themselves.

    `smi`: the subsystem multiplicity indicator as received; None if there was none.
    """

    ssn: int
    smi: int | None = None


SCCP_SERVICE = 3  # SUA has no service indicator: there is only one user


class Association(association.Association):
    """Our end of one SUA association; `network`: the form of its addresses.

    The user data of send_transfer() and transfer() are a CLDT or CLDR as transfer_of() makes it.
    """

    network = Network.ITU
    tid_label: tuple[int, int, int] | None = None  # start, end, value: sent in ASPAC
    _received: bytes | None = None  # the message that is being processed, as received

    def _take(self, octets: bytes, now: float, stream: int = 0) -> list[Indication]:
        self._received = octets
        try:
            if len(octets) < HEADER_OCTETS or octets[0] != messages.VERSION:
                return super()._take(octets, now)
            if octets[2] == connectionless.MESSAGE_CLASS:
                return self._on_connectionless(octets, now)
            if octets[2] == messages.DATA[0]:
                text = "message class 1 is not supported"
                raise Refused(ErrorCode.UNSUPPORTED_MESSAGE_CLASS, text)
            return self._on_management(octets, now, stream)
        except Refused as refused:
            if octets[2] == connectionless.MESSAGE_CLASS:
                self._note(octets)
            return self._refuse(refused, octets)
        finally:
            self._received = None

    def _note(self, octets: bytes) -> None:
        """Note the message as received, not its internal form."""
        super()._note(self._received or octets)

    def send(self, message: Message) -> None:
        """Queue a message of M3UA in the form of SUA, in any state."""
        if message.id == messages.ERR and self._received is not None:
            message = _quoting(message, self._received)
        message = from_m3ua(message)
        if message.id == messages.ASPAC and self.tid_label is not None:
            label = sua.TID_LABEL.of(sua.TidLabel(*self.tid_label))
            message = Message(*message.id, (*message.parameters, label))
        super().send(message)

    def transfer(
        self, context: RoutingContext, transfer: Transfer, correlation_id: int | None = None
    ) -> None:
        """Queue a CLDT or CLDR. Errors: LocalProtocolError if it does not fit."""
        completed = connectionless.completed(transfer.user_data, context, correlation_id)
        self._outgoing.append(completed)
        if transfer.trail is not None and self.recorder is not None:
            self.recorder.carried(transfer.trail, completed)

    def send_destination_status(self, indication: DestinationInd, now: float) -> None:
        """Queue the SNM message about the status of nodes or of a subsystem on them."""
        message = answers.destination_message(indication)
        if isinstance(indication, SubsystemInd):
            smi = () if indication.smi is None else (sua.SMI.of(indication.smi),)
            about = (*message.parameters, SSN.of(indication.ssn), *smi)
            message = Message(*message.id, about)
        self.send(message)

    def _on_connectionless(self, octets: bytes, now: float) -> list[Indication]:
        if not connectionless.is_known(octets):
            text = f"connectionless message type {octets[3]} is not supported"
            raise Refused(ErrorCode.UNSUPPORTED_MESSAGE_TYPE, text)
        try:
            message = connectionless.decode(octets, self.network)
        except RemoteProtocolError as error:
            is_missing = isinstance(error, MissingParameter)
            code = ErrorCode.MISSING_PARAMETER if is_missing else answers.code_of(error, octets)
            refused = Refused(code, str(error))
            back = connectionless.salvaged(octets, self.network)
            if back is None:
                raise refused from error
            # The user must learn that its message came back, even if the CLDR is malformed.
            found = self._unitdata(back, octets, now)
            return [*self._refuse(refused, octets), *found]
        return self._unitdata(message, octets, now)

    def _unitdata(self, message: Connectionless, octets: bytes, now: float) -> list[Indication]:
        # M3UA checks an internal DATA: is it allowed now, in this context? The label is not used.
        context = self._context_of(message)
        asked = encode_data(0, 0, SCCP_SERVICE, 0, 0, 0, b"", routing_context=context)
        return [
            _unitdata(message, octets) if isinstance(item, DataInd) else item
            for item in super()._take(asked, now)
        ]

    def _context_of(self, message: Connectionless) -> int | None:
        """Return the context that a message names, None if its value stands for no context.

        A CLDR is accepted in any context: the message that it returns was ours.
        """
        context = message.routing_context
        if isinstance(message, DataResponse) and self.state_in(context) is AspState.DOWN:
            return None
        is_nameless = self.state_in(None) is not AspState.DOWN
        return None if is_nameless and context == connectionless.NO_CONTEXT else context

    def _on_management(self, octets: bytes, now: float, stream: int) -> list[Indication]:
        try:
            message = messages.decode(octets)
        except RemoteProtocolError:
            return super()._take(octets, now)
        translated = messages.encode(to_m3ua(message))
        return [_about_subsystem(item, message) for item in super()._take(translated, now, stream)]


def transfer_of(message: Connectionless, network: Network = Network.ITU) -> Transfer:
    """Return a CLDT or CLDR as a transfer for send_transfer() and Application Servers.

    Errors: LocalProtocolError if a value does not fit its field.
    """
    octets = connectionless.encode(message, network)
    opc, dpc, sls = _label(message)
    return Transfer(opc, dpc, SCCP_SERVICE, 0, 0, sls, octets)


def _label(message: Connectionless) -> tuple[int, int, int]:
    """Return the values of a routing label: opc, dpc, sls."""
    order = getattr(message, "sequence_control", 0)
    return message.source.pc or 0, message.destination.pc or 0, order & 0x0F


def _unitdata(message: Connectionless, octets: bytes) -> UnitdataInd:
    opc, dpc, sls = _label(message)
    context, data = message.routing_context, message.data or b""
    return UnitdataInd(
        opc,
        dpc,
        SCCP_SERVICE,
        0,
        0,
        sls,
        data,
        context,
        correlation_id=message.correlation_id,
        octets=octets,
        message=message,
    )


def _about_subsystem(indication: Indication, message: Message) -> Indication:
    """Return a SubsystemInd if the message is about a subsystem, otherwise the indication."""
    if not isinstance(indication, DestinationInd):
        return indication
    try:
        ssn, smi = message.get(SSN), message.get(sua.SMI)
    except RemoteProtocolError as error:
        return ProtocolErrorInd(str(error))
    if ssn is None:
        return indication
    return SubsystemInd(
        indication.status,
        indication.point_codes,
        indication.routing_contexts,
        indication.network_appearance,
        indication.congestion_level,
        indication.concerned_destination,
        indication.user_cause,
        ssn=ssn,
        smi=smi,
    )


def _quoting(error: Message, offending: bytes) -> Message:
    """Return an ERR that quotes the message as received, not its internal form."""
    quoted = params.DIAGNOSTIC_INFORMATION.of(offending[: answers.QUOTED_OCTETS])
    parameters = (quoted if item.tag == quoted.tag else item for item in error.parameters)
    return Message(*error.id, tuple(parameters))
