"""Arrows of TCAP messages in a ladder; what a component shows, its operation declares."""

from typing import Any

from tsvc.kinds.sigtran.messages.decoding import DialogueReader
from tsvc.protocols.facts import anything, texts_of
from tsvc.protocols.inap.operation import OPERATIONS as INAP_OPERATIONS
from tsvc.protocols.map.dialogue import texts_of_pdu
from tsvc.protocols.map.operation import OPERATIONS as MAP_OPERATIONS
from tsvc.protocols.ros import Operation
from tsvc.results.arrow import PEER, Arrow, Detail
from tsvc.results.exchanges import Presentation, present
from tsvc.results.text import message_text


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
        message_text(message, with_octets=False),
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
    """Return what a decoded component shows a reader, the most important first.

    An operation that declares no facts, or that nobody declares, shows its first few members.
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
    """Return the operation of a name, which no two protocols have in common."""
    if name is None:
        return None
    return INAP_OPERATIONS.get(name) or MAP_OPERATIONS.get(name)


def _portion_detail(message: dict[str, Any]) -> Detail | None:
    """Return what the dialogue portion says, where that is more than usual."""
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


present("tcap", Presentation(DialogueReader, _tcap_arrow))
