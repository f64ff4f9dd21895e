"""Messages that an association writes by itself: ERR, NTFY, acknowledgements, requests."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.asp import ACKNOWLEDGEMENT, STATUS_TEXTS, Role, RoutingContext
from tsvc.protocols.m3ua.indications import DestinationInd, DestinationStatus, ErrorInd, NotifyInd
from tsvc.protocols.m3ua.messages import Message, MessageId
from tsvc.protocols.m3ua.params import (
    ErrorCode,
    Parameter,
    ParameterType,
    PointCode,
    Status,
    TrafficMode,
)

T = TypeVar("T")

QUOTED_OCTETS = 40  # of the offending message in Diagnostic Information
_MOST_INFO = 255
_MOST_NAMED = 8  # values of a list that one line shows
MAX_CONGESTION_LEVEL = 3


class Refused(Exception):
    """A received message must be answered with ERR; `parameters` have the values at fault."""

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


def notify(context: RoutingContext, status: Status, asp_identifier: int | None = None) -> Message:
    """Build the NTFY about one AS, or about one of its ASPs."""
    return messages.message(
        messages.NTFY,
        params.STATUS.of(status),
        None if asp_identifier is None else params.ASP_IDENTIFIER.of(asp_identifier),
        routing_context([context]),
    )


def maintenance(
    message_id: MessageId,
    contexts: Iterable[RoutingContext],
    traffic_mode: int | None,
    asp_identifier: int | None,
) -> Message:
    """Build an ASPSM or ASPTM message with those of the given values that its layout allows."""
    given = (
        None if traffic_mode is None else params.TRAFFIC_MODE_TYPE.of(traffic_mode),
        routing_context(contexts),
        None if asp_identifier is None else params.ASP_IDENTIFIER.of(asp_identifier),
    )
    allowed = {declared.tag for declared in messages.LAYOUTS[message_id].optional}
    fitting = (item for item in given if item is not None and item.tag in allowed)
    return messages.message(message_id, *fitting)


def check(message: Message) -> None:
    """Raise Refused for a class, type or parameter that no state can handle.

    A parameter that M3UA does not know is ignored. A parameter of another message is refused,
    except in answers, ERR and NTFY: nothing is gained by refusing those.
    """
    if message.message_class not in messages.CLASSES:
        text = f"message class {message.message_class} is not supported"
        raise Refused(ErrorCode.UNSUPPORTED_MESSAGE_CLASS, text)
    if message.id not in messages.LAYOUTS:
        text = f"{message.name} is of no supported type"
        raise Refused(ErrorCode.UNSUPPORTED_MESSAGE_TYPE, text)
    missing = message.missing()
    if missing:
        raise Refused(ErrorCode.MISSING_PARAMETER, f"{message.name} without {missing}")
    if message.id in _STRICT:
        layout = messages.LAYOUTS[message.id]
        allowed = {declared.tag for declared in (*layout.mandatory, *layout.optional)}
        for parameter in message.parameters:
            known = params.PARAMETER_TYPES.get(parameter.tag)
            if known is not None and parameter.tag not in allowed:
                text = f"{message.name} with {known.name}"
                raise Refused(ErrorCode.UNEXPECTED_PARAMETER, text)
    level = message.get(params.CONGESTION_INDICATIONS)
    if level is not None and level > MAX_CONGESTION_LEVEL:
        text = f"congestion level {level} is above {MAX_CONGESTION_LEVEL}"
        raise Refused(ErrorCode.INVALID_PARAMETER_VALUE, text)


def check_stream(octets: bytes, stream: int) -> None:
    """Raise Refused for management on another stream than 0 (SCTP); BEAT may come on any."""
    if len(octets) < messages.HEADER_OCTETS:
        return  # decoding will report the error
    message_id = (octets[2], octets[3])
    is_management = message_id[0] in (messages.ERR[0], messages.ASPUP[0])
    if stream != 0 and is_management and message_id not in (messages.BEAT, messages.BEAT_ACK):
        text = f"message {message_id[0]}/{message_id[1]} on stream {stream}"
        raise Refused(ErrorCode.INVALID_STREAM_IDENTIFIER, text)


def check_asp_identifier(
    identifier: int | None, allowed: frozenset[int] | None, taken: set[int]
) -> None:
    """Raise Refused for a wrong ASP Identifier in an ASPUP; `allowed` None: accept all."""
    if allowed is None:
        return
    if identifier is None:
        raise Refused(ErrorCode.ASP_IDENTIFIER_REQUIRED, "ASPUP without an ASP Identifier")
    if identifier not in allowed or identifier in taken:
        text = f"ASP Identifier {identifier} is {'taken' if identifier in taken else 'unknown'}"
        raise Refused(ErrorCode.INVALID_ASP_IDENTIFIER, text)


def code_of(error: RemoteProtocolError, octets: bytes) -> ErrorCode:
    """Return the error code for octets that could not be decoded."""
    if octets and octets[0] != messages.VERSION:
        return ErrorCode.INVALID_VERSION
    if (error.offset or 0) < messages.HEADER_OCTETS:
        return ErrorCode.PROTOCOL_ERROR
    return ErrorCode.PARAMETER_FIELD_ERROR


def invalid_contexts(contexts: tuple[int, ...]) -> Refused:
    """Return the error for routing contexts that are not configured."""
    text = f"routing context {', '.join(map(str, contexts))} is not configured"
    at_fault = params.ROUTING_CONTEXT.of(contexts)
    return Refused(ErrorCode.INVALID_ROUTING_CONTEXT, text, at_fault)


def invalid_appearance(appearance: int) -> Refused:
    """Return the error for a network appearance that is not configured."""
    text = f"network appearance {appearance} is not configured"
    at_fault = params.NETWORK_APPEARANCE.of(appearance)
    return Refused(ErrorCode.INVALID_NETWORK_APPEARANCE, text, at_fault)


def traffic_mode_of(message: Message, expected: TrafficMode | None) -> int | None:
    """Return the traffic mode of an ASPAC. Errors: Refused for another mode than ours."""
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
    """Return the indication of an ERR; parameters that can't be read are left out.

    Errors: RemoteProtocolError if its code is malformed.
    """
    code = message.get(params.ERROR_CODE) or 0
    is_named = code in ErrorCode.__members__.values()
    text = ErrorCode(code).name.lower().replace("_", " ") if is_named else f"code {code}"
    contexts = _readable(message, params.ROUTING_CONTEXT) or ()
    diagnostic = _readable(message, params.DIAGNOSTIC_INFORMATION) or b""
    appearance = _readable(message, params.NETWORK_APPEARANCE)
    affected = _readable(message, params.AFFECTED_POINT_CODE) or ()
    words = (
        f"ERR 0x{code:02x} ({text if is_named else 'unknown code'})",
        _listed("routing context", contexts),
        _listed("network appearance", () if appearance is None else (appearance,)),
        _listed("point code", [code.pc for code in affected]),
        _diagnosed(diagnostic),
    )
    return ErrorInd(code, text, contexts, diagnostic, ", ".join(filter(None, words)))


def _listed(what: str, values: Sequence[int]) -> str:
    if not values:
        return ""
    more = ", …" if len(values) > _MOST_NAMED else ""
    return f"{what} {', '.join(map(str, values[:_MOST_NAMED]))}{more}"


def _diagnosed(octets: bytes) -> str:
    """Return Diagnostic Information in words: the message it quotes, a text, or octets."""
    if not octets:
        return ""
    if octets[0] == messages.VERSION and len(octets) >= messages.HEADER_OCTETS:
        return f"about {Message(octets[2], octets[3]).name}"
    more = "…" if len(octets) > QUOTED_OCTETS else ""
    shown = octets[:QUOTED_OCTETS]
    if shown.isascii() and (text := shown.decode()).isprintable():
        return f'diagnostic "{text}{more}"'
    return f"diagnostic {shown.hex()}{more}"


def _readable(message: Message, declared: ParameterType[T]) -> T | None:
    """Return the value of a parameter, None if it is absent or malformed."""
    try:
        return message.get(declared)
    except RemoteProtocolError:
        return None


def _info(message: Message) -> str:
    """Return the INFO String as one printable line; empty if there is none."""
    text = _readable(message, params.INFO_STRING) or ""
    return "".join(sign if sign.isprintable() else " " for sign in text[:_MOST_INFO]).strip()


def notify_indication(message: Message) -> NotifyInd:
    """Return the indication of a NTFY. Errors: RemoteProtocolError for malformed values."""
    status = message.get(params.STATUS) or Status(0, 0)
    unnamed = f"status {status.status_type}/{status.information}"
    text, info = STATUS_TEXTS.get(status, unnamed), _info(message)
    return NotifyInd(
        status.status_type,
        status.information,
        message.get(params.ASP_IDENTIFIER),
        message.get(params.ROUTING_CONTEXT) or (),
        f"{text} ({info})" if info else text,
    )


def destination(message: Message) -> DestinationInd:
    """Return the indication of an SSNM message. Errors: RemoteProtocolError: malformed values."""
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
    """Build the SSNM message of an indication: the inverse of `destination`."""
    appearance = indication.network_appearance
    concerned = indication.concerned_destination
    level = indication.congestion_level
    return messages.message(
        DESTINATION_MESSAGES[indication.status],
        None if appearance is None else params.NETWORK_APPEARANCE.of(appearance),
        routing_context(indication.routing_contexts),
        params.AFFECTED_POINT_CODE.of(indication.point_codes),
        None if indication.user_cause is None else params.USER_CAUSE.of(indication.user_cause),
        None
        if concerned is None
        else params.CONCERNED_DESTINATION.of(params.PointCode(concerned)),
        None if level is None else params.CONGESTION_INDICATIONS.of(level),
    )


# The known status of a destination, and its level of congestion, 0 for none.
Known = tuple[DestinationStatus, int]


def audit_answers(
    audit: DestinationInd, known: Callable[[PointCode], Known | None]
) -> list[DestinationInd]:
    """Return the answers to a DAUD: DAVA, DUNA, DRST, and SCON for a congested destination.

    Errors: Refused (destination status unknown) if no status of its point codes is known.
    """
    found: list[DestinationInd] = []
    unknown: list[PointCode] = []
    for code in audit.point_codes:
        state = known(code)
        if state is None:
            unknown.append(code)
            continue
        status, level = state
        about = replace(audit, point_codes=(code,), congestion_level=None)
        if level:
            congested = DestinationStatus.CONGESTED
            found.append(replace(about, status=congested, congestion_level=level))
        found.append(replace(about, status=status))
    if unknown and not found:
        text = f"the status of {', '.join(str(code.pc) for code in unknown)} is not known"
        at_fault = params.AFFECTED_POINT_CODE.of(tuple(unknown))
        raise Refused(ErrorCode.DESTINATION_STATUS_UNKNOWN, text, at_fault)
    return found


DESTINATION_MESSAGES: dict[DestinationStatus, MessageId] = {
    DestinationStatus(layout.name): message_id
    for message_id, layout in messages.LAYOUTS.items()
    if message_id[0] == messages.DUNA[0]
}

_BOTH_WAYS = {messages.ERR, messages.DATA, messages.SCON, messages.BEAT, messages.BEAT_ACK}
_RKM_ANSWERS = {messages.REG_RSP, messages.DEREG_RSP}
_TO_ASP = {
    messages.NTFY,
    messages.DUNA,
    messages.DAVA,
    messages.DUPU,
    messages.DRST,
    *_RKM_ANSWERS,
}
_TO_SGP = {messages.DAUD, messages.REG_REQ, messages.DEREG_REQ}
_STRICT = {
    messages.DATA,
    *DESTINATION_MESSAGES.values(),
    *ACKNOWLEDGEMENT,
    messages.REG_REQ,
    messages.DEREG_REQ,
}

# The messages that each role may receive, except ASPSM and ASPTM: their table is asp.TRANSITIONS.
RECEIVABLE: dict[Role, set[MessageId]] = {
    Role.ASP: _BOTH_WAYS | _TO_ASP,
    Role.SGP: _BOTH_WAYS | _TO_SGP,
    Role.IPSP: _BOTH_WAYS | _TO_ASP | _TO_SGP,
}
