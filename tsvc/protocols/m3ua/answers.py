"""Messages that an association writes by itself: ERR, NTFY, acknowledgements, requests."""

from collections.abc import Iterable

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.asp import STATUS_TEXTS, Role, RoutingContext
from tsvc.protocols.m3ua.indications import DestinationInd, DestinationStatus, ErrorInd, NotifyInd
from tsvc.protocols.m3ua.messages import Message, MessageId
from tsvc.protocols.m3ua.params import ErrorCode, Parameter, Status, TrafficMode

QUOTED_OCTETS = 40  # of the offending message in Diagnostic Information


class Refused(Exception):
    """A received message is answered with ERR; `parameters` name the values at fault."""

    def __init__(self, code: ErrorCode, text: str, *parameters: Parameter) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.parameters = parameters


def routing_context(contexts: Iterable[RoutingContext]) -> Parameter | None:
    """Return the parameter that names these contexts; None if they have no name."""
    named = tuple(context for context in contexts if context is not None)
    return params.ROUTING_CONTEXT.of(named) if named else None


def error(code: ErrorCode, offending: bytes, parameters: Iterable[Parameter] = ()) -> Message:
    """Build the ERR that answers an offending message."""
    return messages.message(
        messages.ERR,
        params.ERROR_CODE.of(code),
        *parameters,
        params.DIAGNOSTIC_INFORMATION.of(offending[:QUOTED_OCTETS]),
    )


def notify(context: RoutingContext, status: Status) -> Message:
    """Build the NTFY about one AS."""
    return messages.message(messages.NTFY, params.STATUS.of(status), routing_context([context]))


def maintenance(
    message_id: MessageId,
    contexts: Iterable[RoutingContext],
    traffic_mode: int | None,
    asp_identifier: int | None,
) -> Message:
    """Build an ASPSM or ASPTM message out of what its layout allows of these values."""
    given = (
        None if traffic_mode is None else params.TRAFFIC_MODE_TYPE.of(traffic_mode),
        routing_context(contexts),
        None if asp_identifier is None else params.ASP_IDENTIFIER.of(asp_identifier),
    )
    allowed = {declared.tag for declared in messages.LAYOUTS[message_id].optional}
    fitting = (item for item in given if item is not None and item.tag in allowed)
    return messages.message(message_id, *fitting)


def check(message: Message) -> None:
    """Refuse what can't be handled whatever the state: class, type, missing parameters."""
    if message.message_class not in messages.CLASSES:
        text = f"message class {message.message_class} is not supported"
        raise Refused(ErrorCode.UNSUPPORTED_MESSAGE_CLASS, text)
    if message.id not in messages.LAYOUTS:
        text = f"{message.name} is of no supported type"
        raise Refused(ErrorCode.UNSUPPORTED_MESSAGE_TYPE, text)
    missing = message.missing()
    if missing:
        raise Refused(ErrorCode.MISSING_PARAMETER, f"{message.name} without {missing}")


def code_of(error: RemoteProtocolError, octets: bytes) -> ErrorCode:
    """Return the code that says why octets could not be decoded."""
    if octets and octets[0] != messages.VERSION:
        return ErrorCode.INVALID_VERSION
    if (error.offset or 0) < messages.HEADER_OCTETS:
        return ErrorCode.PROTOCOL_ERROR
    return ErrorCode.PARAMETER_FIELD_ERROR


def invalid_contexts(contexts: tuple[int, ...]) -> Refused:
    """Refuse routing contexts that are not configured."""
    text = f"routing context {', '.join(map(str, contexts))} is not configured"
    at_fault = params.ROUTING_CONTEXT.of(contexts)
    return Refused(ErrorCode.INVALID_ROUTING_CONTEXT, text, at_fault)


def invalid_appearance(appearance: int) -> Refused:
    """Refuse a network appearance that is not configured."""
    text = f"network appearance {appearance} is not configured"
    at_fault = params.NETWORK_APPEARANCE.of(appearance)
    return Refused(ErrorCode.INVALID_NETWORK_APPEARANCE, text, at_fault)


def traffic_mode_of(message: Message, expected: TrafficMode | None) -> int | None:
    """Return the traffic mode of an ASPAC; raises Refused for one that is not ours."""
    asked = message.get(params.TRAFFIC_MODE_TYPE)
    if asked is None:
        return expected
    is_known = asked in TrafficMode.__members__.values()
    if is_known and expected in (None, asked):
        return asked
    contexts = message.get(params.ROUTING_CONTEXT)
    at_fault = (params.ROUTING_CONTEXT.of(contexts),) if contexts else ()
    text = f"traffic mode {asked} is not supported"
    raise Refused(ErrorCode.UNSUPPORTED_TRAFFIC_MODE_TYPE, text, *at_fault)


def error_indication(message: Message) -> ErrorInd:
    """Return what an ERR says; raises RemoteProtocolError on malformed values."""
    code = message.get(params.ERROR_CODE) or 0
    is_named = code in ErrorCode.__members__.values()
    text = ErrorCode(code).name.lower().replace("_", " ") if is_named else f"code {code}"
    contexts = message.get(params.ROUTING_CONTEXT) or ()
    diagnostic = message.get(params.DIAGNOSTIC_INFORMATION) or b""
    return ErrorInd(code, text, contexts, diagnostic)


def notify_indication(message: Message) -> NotifyInd:
    """Return what a NTFY says; raises RemoteProtocolError on malformed values."""
    status = message.get(params.STATUS) or Status(0, 0)
    unnamed = f"status {status.status_type}/{status.information}"
    return NotifyInd(
        status.status_type,
        status.information,
        message.get(params.ASP_IDENTIFIER),
        message.get(params.ROUTING_CONTEXT) or (),
        STATUS_TEXTS.get(status, unnamed),
    )


def destination(message: Message) -> DestinationInd:
    """Return what an SSNM message says; raises RemoteProtocolError on malformed values."""
    concerned = message.get(params.CONCERNED_DESTINATION)
    return DestinationInd(
        DestinationStatus(message.name),
        message.get(params.AFFECTED_POINT_CODE) or (),
        message.get(params.ROUTING_CONTEXT) or (),
        message.get(params.NETWORK_APPEARANCE),
        message.get(params.CONGESTION_INDICATIONS),
        concerned.pc if concerned else None,
        message.get(params.USER_CAUSE),
    )


def destination_message(indication: DestinationInd) -> Message:
    """Build the SSNM message that says this: the inverse of `destination`."""
    said = indication
    appearance = said.network_appearance
    concerned = said.concerned_destination
    level = said.congestion_level
    return messages.message(
        DESTINATION_MESSAGES[said.status],
        None if appearance is None else params.NETWORK_APPEARANCE.of(appearance),
        routing_context(said.routing_contexts),
        params.AFFECTED_POINT_CODE.of(said.point_codes),
        None if said.user_cause is None else params.USER_CAUSE.of(said.user_cause),
        None
        if concerned is None
        else params.CONCERNED_DESTINATION.of(params.PointCode(concerned)),
        None if level is None else params.CONGESTION_INDICATIONS.of(level),
    )


DESTINATION_MESSAGES: dict[DestinationStatus, MessageId] = {
    DestinationStatus(layout.name): message_id
    for message_id, layout in messages.LAYOUTS.items()
    if message_id[0] == messages.DUNA[0]
}

_BOTH_WAYS = {messages.ERR, messages.DATA, messages.SCON, messages.BEAT, messages.BEAT_ACK}
_TO_ASP = {messages.NTFY, messages.DUNA, messages.DAVA, messages.DUPU, messages.DRST}
_TO_SGP = {messages.DAUD}

# Besides ASPSM and ASPTM, whose table is asp.TRANSITIONS: what each role may receive.
RECEIVABLE: dict[Role, set[MessageId]] = {
    Role.ASP: _BOTH_WAYS | _TO_ASP,
    Role.SGP: _BOTH_WAYS | _TO_SGP,
    Role.IPSP: _BOTH_WAYS | _TO_ASP | _TO_SGP,
}
