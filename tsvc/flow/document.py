"""Compiles a flow document to a flow, and returns all problems at once.

A document is any JSON (or YAML, TOML) value: nothing about its shape is assumed. Problems have a
path in the document's own spelling (`flow.operations.3.config.min_digits`; the index if
`operations` is an array, with the operation id in the text). Errors refuse the flow, warnings
do not. Warnings about a config are only given if the config has no errors.
"""

import re
from dataclasses import replace
from typing import get_args

from tsvc import turns
from tsvc.config.scp_tables import Scp, Srf
from tsvc.errors import Problem
from tsvc.flow.announcements import (
    MAX_PARTS,
    AnnouncementTable,
    Message,
    Part,
    VariableMessage,
)
from tsvc.flow.fields import NodeSchema, digits, load
from tsvc.flow.flow import Flow
from tsvc.flow.node import NODES, Serves
from tsvc.flow.operation_document import Checked, Draft, Surroundings, check, read_drafts
from tsvc.flow.patterns import PatternSyntax
from tsvc.flow.triggers import Trigger, TriggerKind, read_triggers
from tsvc.schema.fields import Boolean
from tsvc.words import described, did_you_mean

MAX_MESSAGE_ID = 2**31 - 1  # the highest elementary message id
UNNAMED = "flow"
_PART_DIGITS = re.compile("[0-9A-F]{1,32}")
_MEMBERS = ["announcements", "name", "operations", "pattern_syntax", "srf", "triggers"]


def compile_flow(document: object, settings: Scp) -> tuple[Flow | None, list[Problem]]:
    """Return the flow, None if there are errors, and every problem. Never raises.

    Blocks: while others run, inside of turns.given().
    """
    if not isinstance(document, dict):
        return None, [Problem("flow", f"must be an object, not {described(document)}")]
    problems = [
        Problem(f"flow.{key}", "unknown member" + did_you_mean(key, _MEMBERS))
        for key in turns.over(document)
        if key not in _MEMBERS
    ]
    name = document.get("name", UNNAMED)
    if not isinstance(name, str) or not name:
        problems.append(Problem("flow.name", f"must be a non-empty string, not {described(name)}"))
    triggers, found = read_triggers(document.get("triggers", []), "flow.triggers")
    problems += found
    announcements, found = _read_announcements(document.get("announcements", {}))
    problems += found
    syntax, found = _read_syntax(document.get("pattern_syntax", "acs"))
    problems += found
    srf, found = _read_srf(document["srf"], settings.srf) if "srf" in document else (None, [])
    problems += found
    if "operations" not in document:
        return None, [*problems, Problem("flow.operations", "is required")]
    is_ussd = any(trigger.kind is TriggerKind.USSD_PREFIX for trigger in triggers)
    drafts, found = read_drafts(document["operations"], "flow.operations")
    problems += found
    ids = {draft.id for draft in drafts if draft.id is not None}
    checked, found = _check_all(drafts, Surroundings(settings, announcements, syntax, ids))
    problems += found
    is_ussd = is_ussd or any(_serves(one) == "USSD sessions" for one in checked)
    if is_ussd:
        problems += _not_of_ussd(triggers, checked)
    starts = [one for one in checked if one.type == "Start"]
    problems += _start_problems(document["operations"], starts)
    if len(starts) == 1:
        problems += _unreachable(checked, starts[0])
    if any(problem.severity == "error" for problem in problems):
        return None, problems
    operations = {one.operation.id: one.operation for one in checked if one.operation}
    start = starts[0].operation
    assert start is not None  # no error: every operation was built
    return Flow(str(name), triggers, operations, start.id, is_ussd, srf), problems


def _serves(one: Checked) -> Serves | None:
    node_type = NODES.get(one.type) if one.type else None
    return node_type.serves if node_type else None


def _not_of_ussd(triggers: tuple[Trigger, ...], checked: list[Checked]) -> list[Problem]:
    """Return what a flow for USSD sessions can't have: a flow serves either these or calls."""
    of_calls = (TriggerKind.SERVICE_KEY, TriggerKind.CALLED_PREFIX)
    found = [
        Problem(
            "flow.triggers",
            f"{trigger.kind.value} chooses flows of calls; this one serves USSD sessions",
        )
        for trigger in turns.over(triggers)
        if trigger.kind in of_calls
    ]
    return found + [
        one.draft.problem("type", f"{one.type} serves calls; the flow serves USSD sessions")
        for one in turns.over(checked)
        if _serves(one) == "calls"
    ]


class _SrfSchema(NodeSchema):
    use_etc = Boolean(required=True, help="external: EstablishTemporaryConnection")
    routing_address = digits(help="assistingSSPIPRoutingAddress of an external one")


def _read_srf(value: object, of_site: Srf) -> tuple[Srf | None, list[Problem]]:
    """Return the site's resource function with the flow's changes, None if they are wrong."""
    path = "flow.srf"
    if not isinstance(value, dict):
        return None, [Problem(path, f"must be an object, not {described(value)}")]
    given, errors = load(_SrfSchema(), value)
    if errors:
        return None, [Problem(".".join((path, *place)), text) for place, text in errors]
    settings = replace(of_site, **given)
    if settings.use_etc and not settings.routing_address:
        return None, [Problem(f"{path}.routing_address", "is required, as the site has none")]
    return settings, []


def _read_syntax(value: object) -> tuple[PatternSyntax | None, list[Problem]]:
    known: tuple[PatternSyntax, ...] = get_args(PatternSyntax)
    for syntax in known:
        if value == syntax:
            return syntax, []
    text = f'must be "acs" or "regex", not {described(value)}'
    return None, [Problem("flow.pattern_syntax", text)]


def _read_announcements(value: object) -> tuple[AnnouncementTable, list[Problem]]:
    """Return {set: {entry: message id}} of the valid entries, and the others as problems."""
    path = "flow.announcements"
    if not isinstance(value, dict):
        return {}, [Problem(path, f"must be an object of sets, not {described(value)}")]
    table: dict[str, dict[str, Message]] = {}
    problems: list[Problem] = []
    for set_name, entries in value.items():
        turns.walked()
        if not isinstance(entries, dict):
            text = f"must be an object of entries, not {described(entries)}"
            problems.append(Problem(f"{path}.{set_name}", text))
            continue
        for entry, given in entries.items():
            turns.walked()
            message = _read_message(given, f"{path}.{set_name}.{entry}", problems)
            if message is not None:
                table.setdefault(str(set_name), {})[str(entry)] = message
    return table, problems


def _read_message(given: object, path: str, problems: list[Problem]) -> Message | None:
    """Return a message id, or a variable message for an object; None and a problem if wrong."""
    if isinstance(given, dict):
        return _read_variable_message(given, path, problems)
    if type(given) is int and 0 <= given <= MAX_MESSAGE_ID:
        return given
    text = f"must be a message id (0 to {MAX_MESSAGE_ID}), not {described(given)}"
    problems.append(Problem(path, text))
    return None


def _read_variable_message(
    given: dict[str, object], path: str, problems: list[Problem]
) -> Message | None:
    before = len(problems)
    message_id = _read_message(given.get("message_id"), f"{path}.message_id", problems)
    unknown = [name for name in given if name not in ("message_id", "parts")]
    problems += [Problem(f"{path}.{name}", "unknown member") for name in unknown]
    parts = given.get("parts")
    if not isinstance(parts, list) or not 1 <= len(parts) <= MAX_PARTS:
        problems.append(Problem(f"{path}.parts", f"must be an array of 1 to {MAX_PARTS} parts"))
        return None
    read = [_read_part(part) for part in parts]
    for position, part in enumerate(read):
        if part is None:
            text = 'must be {"integer": n} or {"number": "digits"}'
            problems.append(Problem(f"{path}.parts[{position}]", text))
    if len(problems) > before or not isinstance(message_id, int):
        return None
    return VariableMessage(message_id, tuple(part for part in read if part is not None))


def _read_part(part: object) -> Part | None:
    if not isinstance(part, dict) or len(part) != 1:
        return None
    kind, value = next(iter(part.items()))
    if kind == "integer" and type(value) is int and 0 <= value <= MAX_MESSAGE_ID:
        return "integer", value
    if kind == "number" and isinstance(value, str) and _PART_DIGITS.fullmatch(value):
        return "number", value
    return None


def _check_all(drafts: list[Draft], around: Surroundings) -> tuple[list[Checked], list[Problem]]:
    checked: list[Checked] = []
    problems: list[Problem] = []
    for draft in drafts:
        turns.walked(turns.PORTION)
        one, found = check(draft, around)
        checked.append(one)
        problems += found
    return checked, problems


def _start_problems(operations: object, starts: list[Checked]) -> list[Problem]:
    if not isinstance(operations, dict | list) or len(starts) == 1:
        return []
    if not starts:
        return [Problem("flow.operations", "there is no operation of type Start")]
    first = starts[0].draft.path
    return [
        start.draft.problem("type", f"a flow has one Start, the first one is {first}")
        for start in turns.over(starts[1:])
    ]


def _unreachable(checked: list[Checked], start: Checked) -> list[Problem]:
    """Return a warning for each operation that can't be reached from Start.

    If exits or ids can't be read, the paths are not known and no warning is given.
    """
    exits = {one.draft.id: one.exits for one in checked}
    if None in exits or None in exits.values():
        return []
    reached: set[int | None] = set()
    waiting = [start.draft.id]
    while waiting:
        turns.walked()
        current = waiting.pop()
        if current is not None and current not in reached:
            reached.add(current)
            waiting += exits[current] or ()
    return [
        one.draft.problem("", "unreachable: no exit on any way from Start leads here", "warning")
        for one in turns.over(checked)
        if one.draft.id not in reached
    ]
