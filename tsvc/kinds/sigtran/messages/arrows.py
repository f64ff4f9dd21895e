"""Arrows of a ladder: for TCAP messages, and for other messages of their links.

The declaration of an operation defines the facts that its component shows. A message of M3UA or
SUA that carries a whole TCAP message is not shown as well; segments, returned messages and
management are.
"""

from typing import Any

from tsvc.errors import RemoteProtocolError
from tsvc.kinds.sigtran.messages.decoding import DialogueReader
from tsvc.protocols.facts import anything, texts_of
from tsvc.protocols.inap.operation import OPERATIONS as INAP_OPERATIONS
from tsvc.protocols.m3ua import messages as m3ua
from tsvc.protocols.m3ua import params
from tsvc.protocols.m3ua.answers import error_indication, notify_indication
from tsvc.protocols.m3ua.data import of_message
from tsvc.protocols.m3ua.params import PointCode
from tsvc.protocols.map.dialogue import texts_of_pdu
from tsvc.protocols.map.operation import OPERATIONS as MAP_OPERATIONS
from tsvc.protocols.ros import Operation
from tsvc.protocols.sccp import messages as sccp
from tsvc.protocols.sccp.address import Network
from tsvc.protocols.sccp.messages import ReturnCause
from tsvc.protocols.sua import connectionless
from tsvc.protocols.sua.association import to_m3ua
from tsvc.results.arrow import PEER, Arrow, Detail
from tsvc.results.exchanges import Exchange, Presentation, exchange, present


def _tcap_arrow(message: dict[str, Any]) -> Arrow:
    components = message.get("components", [])
    details = [_portion_detail(message), *(_component_detail(one) for one in components)]
    details += [Detail("!", (note,)) for note in message.get("notes", ())]
    if "problem" in message:
        details.append(Detail("!", (message["problem"],)))
    for component in components:
        details += [Detail("!", (note,)) for note in component["notes"]]
    return Arrow(
        message["t"],
        message["dialogue"],
        str(message["role"]).upper(),
        PEER,
        message["direction"] == "sent",
        _label(message, components),
        tuple(detail for detail in details if detail is not None),
        message,
        _is_failure(message, components),
    )


def _label(message: dict[str, Any], components: list[dict[str, Any]]) -> str:
    primitive = message.get("primitive")
    if primitive is None:
        return "unreadable message"
    parts = [primitive]
    context = message["application_context"]
    if primitive == "BEGIN" and context is not None:
        parts.append(f"({context})")
    if message["p_abort_cause"] is not None:
        parts.append(message["p_abort_cause"])
    if components:
        parts.append(" " + ", ".join(_short(component) for component in components))
    return " ".join(parts)


def _short(component: dict[str, Any]) -> str:
    kind = component["component"]
    name = component["operation"]
    if name is None:
        short = "?" if component["code"] is None else str(component["code"])
    else:
        short = short_name(name)
    return short if kind == "invoke" else f"{short} {kind}"


def _component_detail(component: dict[str, Any]) -> Detail:
    kind, name = component["component"], component["operation"]
    if name is None:
        name = "" if component["code"] is None else f"operation {component['code']}"
    if kind != "invoke":
        name = f"{name} {kind}".strip()
    return Detail(name, tuple(component_facts(component)))


def component_facts(component: dict[str, Any]) -> list[str]:
    """Return the facts of a decoded component, the most important first.

    An undeclared operation, or one that declares no facts, shows its first few members.
    """
    arguments = component.get("arguments")
    kind = component.get("component")
    if not isinstance(arguments, dict) or kind == "malformed":
        return []
    if kind == "error":
        return _error_facts(arguments)
    if kind == "reject":
        problem = arguments.get("problem_name", arguments.get("problem"))
        return [f"{arguments.get('problem_type')} problem {problem}"]
    operation = _operation(component.get("operation"))
    if operation is None:
        return anything(arguments)
    facts = operation.result_facts if kind == "result" else operation.facts
    return texts_of(facts, arguments)


def _error_facts(arguments: dict[str, Any]) -> list[str]:
    found = [str(arguments.get("errorCode_name", arguments.get("errorCode")))]
    parameter = arguments.get("parameter")
    if isinstance(parameter, dict):
        return [*found, *anything(parameter)]
    detail = arguments.get("parameter_name", arguments.get("parameter_hex"))
    return found if detail is None else [*found, str(detail)]


def short_name(name: str) -> str:
    """Return the short name of an operation of INAP, CAP or MAP, its name if it has none."""
    operation = _operation(name)
    return name if operation is None else operation.short_name or name


def _operation(name: str | None) -> Operation | None:
    """Return the operation with a name; names are unique across protocols."""
    if name is None:
        return None
    return INAP_OPERATIONS.get(name) or MAP_OPERATIONS.get(name)


def _portion_detail(message: dict[str, Any]) -> Detail | None:
    """Return the contents of the dialogue portion, if they are unusual."""
    pdu = message.get("dialogue_pdu") or {}
    kind = pdu.get("pdu")
    facts = texts_of_pdu(pdu)
    if kind == "AARQ" and facts:
        return Detail("MAP-Open", tuple(facts))
    if kind == "AARE" and pdu["result"] != 0:
        result = pdu.get("result_name", pdu["result"])
        diagnostic = pdu.get("diagnostic_name", pdu["diagnostic"])
        return Detail("AARE", (f"result {result}", f"diagnostic {diagnostic}", *facts))
    if kind == "ABRT":
        return Detail("ABRT", (f"source {pdu.get('source_name', pdu['source'])}", *facts))
    return None


def _is_failure(message: dict[str, Any], components: list[dict[str, Any]]) -> bool:
    if message.get("primitive") in (None, "U-ABORT", "P-ABORT"):
        return True
    bad = ("error", "reject", "malformed")
    return any(component["component"] in bad for component in components)


present("tcap", Presentation(lambda spans: DialogueReader(with_spans=spans), _tcap_arrow))


# -- messages of links --------------------------------------------------------------------------


@exchange("m3ua")
def decode_m3ua(octets: bytes, is_sent: bool, network: str = "itu") -> Exchange | None:
    """Return the contents of a message; None if it carries a whole TCAP message; never raises."""
    try:
        message = m3ua.decode(octets)
        if message.id != m3ua.DATA:
            return _management(message)
        data = of_message(message)
    except RemoteProtocolError as error:
        return _unreadable(octets, error)
    label = {
        "opc": data.opc,
        "dpc": data.dpc,
        "si": data.si,
        "ni": data.ni,
        "sls": data.sls,
        "routing_context": data.routing_context,
    }
    try:
        carried = sccp.decode(data.user_data, Network(network))
    except RemoteProtocolError as error:
        return Exchange("DATA, unreadable", (str(error),), label, is_failure=True)
    kind = sccp.type_of(carried).name
    where = f"{data.opc} to {data.dpc}"
    match carried:
        case sccp.ExtendedUnitdata(options=sccp.OptionalPart(segmentation=segmentation)):
            if segmentation is None:
                return None
            return _segment(kind, where, label, segmentation.is_first, segmentation.remaining)
        case sccp.UnitdataService() | sccp.ExtendedUnitdataService():
            return _returned(kind, where, label, carried.return_cause)
    return None


@exchange("sua")
def decode_sua(octets: bytes, is_sent: bool, network: str = "itu") -> Exchange | None:
    """Return the contents of a message; None if it carries a whole TCAP message; never raises."""
    try:
        if not connectionless.is_known(octets):
            return _management(to_m3ua(m3ua.decode(octets)))
        message = connectionless.decode(octets, Network(network))
    except RemoteProtocolError as error:
        return _unreadable(octets, error)
    label = {
        "routing_context": message.routing_context,
        "source_pc": message.source.pc,
        "destination_pc": message.destination.pc,
    }
    where = f"SSN {message.source.ssn} to {message.destination.ssn}"
    if isinstance(message, connectionless.DataResponse):
        return _returned("CLDR", where, label, message.cause.value)
    part = message.segmentation
    if part is None:
        return None
    return _segment("CLDT", where, label, part.is_first, part.remaining)


def _segment(
    kind: str, where: str, label: dict[str, Any], is_first: bool, remaining: int
) -> Exchange:
    place = "the first" if is_first else "the last" if not remaining else "one"
    content = {"message": kind, **label, "is_first": is_first, "remaining": remaining}
    return Exchange(f"{kind} segment", (f"{place}, {remaining} to come", where), content)


def _returned(kind: str, where: str, label: dict[str, Any], cause: int) -> Exchange:
    try:
        text = ReturnCause(cause).name.lower().replace("_", " ")
    except ValueError:
        text = f"cause {cause}"
    content = {"message": kind, **label, "return_cause": cause, "return_cause_name": text}
    return Exchange(kind, (text, where), content, is_failure=True)


def _management(message: m3ua.Message) -> Exchange:
    content: dict[str, Any] = {"message": message.name}
    for parameter in message.parameters:
        declared = _PARAMETERS.get(parameter.tag)
        if declared is not None:
            content[declared.name] = _shown(declared.value_of(parameter))
    facts = [f"{name} {value}" for name, value in content.items() if name not in _UNTOLD]
    is_failure = message.id in (m3ua.ERR, m3ua.DUNA)
    if message.id == m3ua.ERR:
        facts.insert(0, error_indication(message).text)
    elif message.id == m3ua.NTFY:
        facts.insert(0, notify_indication(message).text)
    return Exchange(message.name, tuple(facts), content, is_failure)


def _shown(value: Any) -> Any:
    """Return the value of a parameter in a form that JSON can carry."""
    if isinstance(value, PointCode):
        return f"{value.pc}/{value.mask}" if value.mask else value.pc
    if isinstance(value, tuple):
        items = [_shown(one) for one in value]
        return items[0] if len(items) == 1 else items
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, int | str) else str(value)


def _unreadable(octets: bytes, error: RemoteProtocolError) -> Exchange:
    return Exchange("unreadable message", (str(error),), {"hex": octets.hex()}, is_failure=True)


_PARAMETERS = {
    declared.tag: declared
    for layout in m3ua.LAYOUTS.values()
    for declared in (*layout.mandatory, *layout.optional)
}
_LONG = (params.DIAGNOSTIC_INFORMATION, params.HEARTBEAT_DATA)  # others have a text
_UNTOLD = {"message", *(one.name for one in (*_LONG, params.ERROR_CODE, params.STATUS))}
