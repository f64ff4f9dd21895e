"""Definitions made from dialogues: their operations in order of time, waits, names, variables."""

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from tsvc.expr.template import is_expression
from tsvc.numbers import text_exactly
from tsvc.record.recorder import Dialogue, Entry, Step

LONG_PAUSE_S = 0.1  # before a message of ours: a longer pause was intended
_USUAL_WAIT_S = 10.0  # the default wait of an operation for its message
_FEWEST_DIGITS = 5  # of a number that becomes a variable
_VALUE = "value"  # a member of an object that has `name` too
_DIGITS, _HEX, _TIME = "_digits", "_hex", "time"  # a time has digits too, but is not a number


def make_definition(dialogues: Sequence[Dialogue], name: str) -> dict[str, Any]:
    """Return the definition of dialogues, which are not empty. `name`: of the definition.

    Shape:   name, the params that the dialogues have in common, vars, operations.
    """
    names = _names(dialogues)
    params: dict[str, Any] = {}
    for dialogue in dialogues:
        _agree(dialogue, params)
    operations: list[Entry] = []
    known: list[Entry] = []  # entries of `before` so far; a repeated one comes with its dialogue
    for dialogue, own in zip(dialogues, names, strict=True):
        for entry in dialogue.before:
            if entry in known:
                dialogue.steps[0].operations.insert(0, entry)
            else:
                known.append(entry)
                operations.append(_named(entry, dialogue, own))
    steps = [
        (step.time, step.packet, at, step)
        for at, dialogue in enumerate(dialogues)
        for step in dialogue.steps
    ]
    steps.sort(key=lambda one: one[:3])
    definition: dict[str, Any] = {}
    previous: float | None = None
    for time, _, at, step in steps:
        pause = 0.0 if previous is None else time - previous
        if step.operations and step.is_sent and pause > LONG_PAUSE_S:
            operations.append({"type": "wait", "arguments": {"seconds": round(pause, 3)}})
        entries = [_named(entry, dialogues[at], names[at]) for entry in step.operations]
        operations += _waiting(entries, step, pause)
        previous = time
    operations = [literal(entry) for entry in operations]
    wanted = {text: one for dialogue in dialogues for text, one in dialogue.variables.items()}
    variables = _take_variables(operations, wanted)
    if variables:
        definition["vars"] = variables
    given = {key: value for key, value in params.items() if value is not None}
    return {"name": name, **given, **definition, "operations": operations}


def definition_text(dialogues: Sequence[Dialogue], name: str) -> str:
    """Return the definition of dialogues as the text of a JSON file."""
    dumps = partial(json.dumps, indent=2, ensure_ascii=False)
    return text_exactly(make_definition(dialogues, name), dumps) + "\n"


def _agree(dialogue: Dialogue, params: dict[str, Any]) -> None:
    """Add a dialogue's params to those of the definition, or `own` to its first operation."""
    if all(params.setdefault(key, value) == value for key, value in dialogue.params.items()):
        return
    first = next((step.operations[0] for step in dialogue.steps if step.operations), {})
    first |= dialogue.own


def _names(dialogues: Sequence[Dialogue]) -> list[str | None]:
    """Return the name of each dialogue, None if its operations need none."""
    with_names = [dialogue for dialogue in dialogues if dialogue.naming]
    counts: Counter[str] = Counter()
    found: list[str | None] = []
    for dialogue in dialogues:
        counts[dialogue.role] += 1
        needs_one = dialogue.naming and (len(with_names) > 1 or dialogue.is_named)
        found.append(f"{dialogue.role} {counts[dialogue.role]}" if needs_one else None)
    return found


def _named(entry: Entry, dialogue: Dialogue, name: str | None) -> Entry:
    """Return an operation with the name of its dialogue after its type."""
    if name is None:
        return entry
    rest = {key: value for key, value in entry.items() if key != "type"}
    return {"type": entry["type"], dialogue.naming: name, **rest}


def _waiting(entries: list[Entry], step: Step, pause: float) -> list[Entry]:
    """Return operations; the first one waits longer than usual if its message took long."""
    if step.is_sent or not entries or pause <= _USUAL_WAIT_S / 2:
        return entries
    return [_put(entries[0], step.waits_by, math.ceil(2 * pause)), *entries[1:]]


def _put(entry: Entry, way: tuple[str, ...], value: int) -> Entry:
    """Return an entry with a value at the end of a path."""
    name, *rest = way
    inner = _put(entry.get(name, {}), tuple(rest), value) if rest else value
    return {**entry, name: inner}


def literal(value: Any) -> Any:
    """Return a value in which texts that look like expressions are escaped."""
    if isinstance(value, dict):
        return {key: literal(one) for key, one in value.items()}
    if isinstance(value, list):
        return [literal(one) for one in value]
    return "\\" + value if is_expression(value) else value


# -- variables ------------------------------------------------------------------------------------


def _take_variables(operations: list[Entry], wanted: Mapping[str, str]) -> dict[str, str]:
    """Replace each number or wanted text that occurs more than once by a variable.

    Return the variables, by name. `wanted`: names of variables by text.
    """
    places = [place for entry in operations for place in _places(entry.get("arguments"), wanted)]
    counts = Counter(holder[key] for holder, key in places)
    names: dict[str, str] = {}
    for holder, key in places:
        text = holder[key]
        if counts[text] < 2:
            continue
        if text not in names:
            usual = holder.get("name") if key == _VALUE else key.removesuffix(_DIGITS)
            names[text] = _free_name(wanted.get(text, str(usual)), set(names.values()))
        holder[key] = f"{{$v->{{{names[text]}}}}}"
        # The hex twin has the same value, and would keep it if the variable is changed.
        holder.pop(key.removesuffix(_DIGITS) + _HEX, None)
    return {name: text for text, name in names.items()}


def _places(value: Any, wanted: Mapping[str, str]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the object and the key of each text that may become a variable."""
    if isinstance(value, dict):
        for key, one in value.items():
            if isinstance(one, str) and (one in wanted or _is_number(value, key, one)):
                yield value, key
            else:
                yield from _places(one, wanted)
    elif isinstance(value, list):
        for one in value:
            yield from _places(one, wanted)


def _is_number(holder: Mapping[str, Any], key: str, text: str) -> bool:
    """Return True if a text is a number of a party: a member of digits, or a value with a name."""
    if len(text) < _FEWEST_DIGITS:
        return False
    if key == _VALUE:
        return "name" in holder and text.isascii() and text.isdecimal()
    return key.endswith(_DIGITS) and _TIME not in key


def _free_name(wanted: str, taken: set[str]) -> str:
    """Return a free name for a variable, made from the wanted one."""
    plain = "".join(sign if sign.isalnum() else "_" for sign in wanted).strip("_") or "number"
    name, number = plain, 1
    while name in taken:
        number += 1
        name = f"{plain}_{number}"
    return name
