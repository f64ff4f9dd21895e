"""Decoded messages as indented text: the whole decoded content, and the octets."""

from collections.abc import Iterable, Iterator
from typing import Any

from tsvc import turns
from tsvc.printable import printable

_INDENT = "  "
_OCTETS_A_LINE = 24
_A_MESSAGE = 8  # items as turns counts them


def messages_text(decoded: Iterable[dict[str, Any]]) -> str:
    """Return all messages, an empty line between them; ends with a newline if there are any."""
    return "\n".join(message_text(message) + "\n" for message in decoded)


def message_text(message: dict[str, Any], *, with_octets: bool = True) -> str:
    """Return one message: a heading, the dialogue portion, components, then its octets."""
    turns.walked(_A_MESSAGE)
    return "\n".join(printable(line) for line in _lines(message, with_octets=with_octets))


def _lines(message: dict[str, Any], *, with_octets: bool) -> Iterator[str]:
    yield _heading(message)
    if "title" in message:
        content = message["content"]
        yield from _tree(content if isinstance(content, dict) else {"content": content}, 1)
    for side in ("called", "calling"):
        if message.get(side):
            parts = (f"{name} {value}" for name, value in message[side].items())
            yield f"{_INDENT}{side}: {', '.join(parts)}"
    if message.get("dialogue_pdu"):
        yield f"{_INDENT}dialogue portion:"
        yield from _tree(message["dialogue_pdu"], 2)
    for component in message.get("components", ()):
        yield from _component(component)
    if message.get("problem"):
        yield f"{_INDENT}! {message['problem']}"
    yield from _notes(message, 1)
    if with_octets:
        yield from _octets(message["hex"])


def _heading(message: dict[str, Any]) -> str:
    parts = [f"{message['t']:.6f} s"]
    if "title" in message:
        return "  ".join([*parts, message["peer"], message["direction"], message["title"]])
    parts += [message["dialogue"], message["direction"]]
    parts.append(message.get("primitive") or "unreadable message")
    parts += [f"{name} {message[name]}" for name in ("otid", "dtid") if message.get(name)]
    if message.get("p_abort_cause"):
        parts.append(message["p_abort_cause"])
    return "  ".join(parts)


def _component(component: dict[str, Any]) -> Iterator[str]:
    name = component["operation"]
    code = component["code"]
    parts = [component["component"]]
    if name is not None or code is not None:
        parts.append(f"{name} ({code})" if name is not None else f"operation {code}")
    if component["invoke_id"] is not None:
        parts.append(f"invoke id {component['invoke_id']}")
    if component["linked_id"] is not None:
        linked = component.get("linked_operation")
        parts.append(f"linked to {component['linked_id']}" + (f" ({linked})" if linked else ""))
    if component.get("is_last") is False:
        parts.append("more to come")
    yield f"{_INDENT}{', '.join(parts)}"
    yield from _tree(component["arguments"], 2)
    yield from _notes(component, 2)


def _notes(item: dict[str, Any], depth: int) -> Iterator[str]:
    for note in item.get("notes", ()):
        yield f"{_INDENT * depth}! {note}"


def _tree(tree: dict[str, Any], depth: int) -> Iterator[str]:
    lead = _INDENT * depth
    for key, value in turns.over(tree.items()):
        if isinstance(value, dict):
            yield f"{lead}{key}:" + ("" if value else " empty")
            yield from _tree(value, depth + 1)
        elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
            for position, item in enumerate(turns.over(value)):
                if isinstance(item, dict):
                    yield f"{lead}{key}[{position}]:"
                    yield from _tree(item, depth + 1)
                else:
                    yield f"{lead}{key}[{position}]: {item}"
        elif isinstance(value, list):
            yield f"{lead}{key}: {', '.join([str(item) for item in turns.over(value)])}"
        else:
            yield f"{lead}{key}: {value}"


def _octets(text: str) -> Iterator[str]:
    octets = bytes.fromhex(text)
    for at in turns.over(range(0, len(octets), _OCTETS_A_LINE)):
        yield f"{_INDENT}{at:04x}  {octets[at : at + _OCTETS_A_LINE].hex(' ')}"
