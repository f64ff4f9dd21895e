"""From a flow document to a compiled flow, with everything that is wrong with it at once.

A document is whatever JSON (or YAML, TOML) gave: nothing about its shape is taken for granted.
Problems have a path in the document's own spelling (`flow.operations.3.config.min_digits`; the
index where `operations` is an array, with the operation id in the text). Errors refuse the flow,
warnings do not. Warnings about a config come with a config that has no errors only.
"""

from typing import get_args

from tsvc.errors import Problem
from tsvc.flow.announcements import AnnouncementTable
from tsvc.flow.flow import Flow
from tsvc.flow.json_value import describe, hint
from tsvc.flow.operation_document import Checked, Draft, Surroundings, check, read_drafts
from tsvc.flow.patterns import PatternSyntax
from tsvc.flow.settings import FlowSettings
from tsvc.flow.triggers import read_triggers

MAX_MESSAGE_ID = 2**31 - 1  # what an elementary message id can carry
UNNAMED = "flow"
_MEMBERS = ["announcements", "name", "operations", "pattern_syntax", "triggers"]


def compile_flow(document: object, settings: FlowSettings) -> tuple[Flow | None, list[Problem]]:
    """Return the flow, None if there are errors, and every problem. Never raises."""
    if not isinstance(document, dict):
        return None, [Problem("flow", f"must be an object, not {describe(document)}")]
    problems = [
        Problem(f"flow.{key}", "unknown member" + hint(key, _MEMBERS))
        for key in document
        if key not in _MEMBERS
    ]
    name = document.get("name", UNNAMED)
    if not isinstance(name, str) or not name:
        problems.append(Problem("flow.name", f"must be a non-empty string, not {describe(name)}"))
    triggers, found = read_triggers(document.get("triggers", []), "flow.triggers")
    problems += found
    announcements, found = _read_announcements(document.get("announcements", {}))
    problems += found
    syntax, found = _read_syntax(document.get("pattern_syntax", "acs"))
    problems += found
    if "operations" not in document:
        return None, [*problems, Problem("flow.operations", "is required")]
    drafts, found = read_drafts(document["operations"], "flow.operations")
    problems += found
    ids = {draft.id for draft in drafts if draft.id is not None}
    checked, found = _check_all(drafts, Surroundings(settings, announcements, syntax, ids))
    problems += found
    starts = [one for one in checked if one.type == "Start"]
    problems += _start_problems(document["operations"], starts)
    if len(starts) == 1:
        problems += _unreachable(checked, starts[0])
    if any(problem.severity == "error" for problem in problems):
        return None, problems
    operations = {one.operation.id: one.operation for one in checked if one.operation}
    start = starts[0].operation
    assert start is not None  # no error: every operation was built
    return Flow(str(name), triggers, operations, start.id), problems


def _read_syntax(value: object) -> tuple[PatternSyntax | None, list[Problem]]:
    known: tuple[PatternSyntax, ...] = get_args(PatternSyntax)
    for syntax in known:
        if value == syntax:
            return syntax, []
    text = f'must be "acs" or "regex", not {describe(value)}'
    return None, [Problem("flow.pattern_syntax", text)]


def _read_announcements(value: object) -> tuple[AnnouncementTable, list[Problem]]:
    """Return {set: {entry: message id}} with what is right in it, and the rest as problems."""
    path = "flow.announcements"
    if not isinstance(value, dict):
        return {}, [Problem(path, f"must be an object of sets, not {describe(value)}")]
    table: dict[str, dict[str, int]] = {}
    problems: list[Problem] = []
    for set_name, entries in value.items():
        if not isinstance(entries, dict):
            text = f"must be an object of entries, not {describe(entries)}"
            problems.append(Problem(f"{path}.{set_name}", text))
            continue
        for entry, message_id in entries.items():
            if type(message_id) is int and 0 <= message_id <= MAX_MESSAGE_ID:
                table.setdefault(str(set_name), {})[str(entry)] = message_id
            else:
                text = f"must be a message id (0 to {MAX_MESSAGE_ID}), not {describe(message_id)}"
                problems.append(Problem(f"{path}.{set_name}.{entry}", text))
    return table, problems


def _check_all(drafts: list[Draft], around: Surroundings) -> tuple[list[Checked], list[Problem]]:
    checked: list[Checked] = []
    problems: list[Problem] = []
    for draft in drafts:
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
        for start in starts[1:]
    ]


def _unreachable(checked: list[Checked], start: Checked) -> list[Problem]:
    """Return a warning for each operation that no way from Start leads to.

    With exits or ids that can't be read nobody knows the ways, and nothing is said.
    """
    exits = {one.draft.id: one.exits for one in checked}
    if None in exits or None in exits.values():
        return []
    reached: set[int | None] = set()
    waiting = [start.draft.id]
    while waiting:
        current = waiting.pop()
        if current is not None and current not in reached:
            reached.add(current)
            waiting += exits[current] or ()
    return [
        one.draft.problem("", "unreachable: no exit on any way from Start leads here", "warning")
        for one in checked
        if one.draft.id not in reached
    ]
