"""One operation of a flow document: its envelope, its exits and its config."""

from collections.abc import Mapping, Set
from typing import Any

from tsvc import turns
from tsvc.config.scp_tables import Scp
from tsvc.errors import Problem
from tsvc.flow.announcements import AnnouncementTable
from tsvc.flow.fields import NodeSchema, load
from tsvc.flow.flow import Operation, PathStep
from tsvc.flow.node import NODES, Node, Site
from tsvc.flow.patterns import PatternSyntax
from tsvc.memo import Memo
from tsvc.values import dataclass
from tsvc.words import described, did_you_mean, digits_of

MAX_ID = 2**31 - 1
MAX_EXITS = 1000  # of an operation: each has a name and a path step
# Making a schema takes longer than using it, and leaves reference cycles behind.
_CONFIGS: Memo[tuple[type[NodeSchema], PatternSyntax | None, int | None], NodeSchema] = Memo(
    "configs of flow operations", 200, lambda asked: asked[0](asked[1], asked[2])
)
_MEMBERS = ["base_node", "config", "exits", "id", "type"]


@dataclass(frozen=True, slots=True)
class Draft:
    """An operation before its checks: its path and its members.

    `id` is None if the document gives no valid id. `is_indexed`: the path has an array index, so
    texts must name the id.
    """

    path: str
    members: Mapping[object, object]
    id: int | None
    is_indexed: bool

    def problem(self, below: str, text: str, severity: str = "error") -> Problem:
        """Return a problem at a path below the operation ("" = the operation itself)."""
        path = f"{self.path}.{below}" if below else self.path
        named = f"operation {self.id}: " if self.is_indexed and self.id is not None else ""
        return Problem(path, named + text, severity)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Data of the rest of the document for an operation. pattern_syntax None: it is invalid."""

    settings: Scp
    announcements: AnnouncementTable
    pattern_syntax: PatternSyntax | None
    ids: Set[int]


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of an operation's checks; `operation` None if it has errors.

    `exits` without those to missing operations; None if one can't be read at all.
    """

    draft: Draft
    type: str | None
    exits: tuple[int | None, ...] | None
    operation: Operation | None


def read_drafts(value: object, path: str) -> tuple[list[Draft], list[Problem]]:
    """Return the operations of a document, object or array, and the problems of their ids."""
    entries: list[tuple[object, object]]
    if isinstance(value, dict):
        entries, is_indexed = list(value.items()), False
    elif isinstance(value, list):
        entries, is_indexed = list(enumerate(value)), True
    else:
        return [], [Problem(path, f"must be an object or an array, not {described(value)}")]
    drafts: list[Draft] = []
    problems: list[Problem] = []
    ids: set[int] = set()
    for key, members in entries:
        turns.walked()
        if not isinstance(members, dict):
            problems.append(
                Problem(f"{path}.{key}", f"must be an object, not {described(members)}")
            )
            continue
        given = members.get("id")
        operation_id = given if type(given) is int and 0 <= given <= MAX_ID else None
        draft = Draft(f"{path}.{key}", members, operation_id, is_indexed)
        complaint = _id_complaint(draft, None if is_indexed else str(key), ids)
        if complaint:
            problems.append(draft.problem("id", complaint))
        if operation_id is not None:
            ids.add(operation_id)
        drafts.append(draft)
    return drafts, problems


def _id_complaint(draft: Draft, key: str | None, ids_before: Set[int]) -> str:
    """Return what is wrong with the id, "" if nothing; `key` None in an array, which has none."""
    if "id" not in draft.members:
        return "is required"
    if draft.id is None:
        return f"must be an integer from 0 to {MAX_ID}, not {described(draft.members['id'])}"
    if key is not None and key != str(draft.id):
        return f'must equal its key "{key}", not {draft.id}'
    if draft.id in ids_before:
        return "is the id of an earlier operation too"
    return ""


def check(draft: Draft, around: Surroundings) -> tuple[Checked, list[Problem]]:
    """Check all of an operation except its id. Return the result and every problem."""
    node_type, problems = _read_type(draft)
    problems += [
        draft.problem(str(key), "unknown member" + did_you_mean(key, _MEMBERS))
        for key in turns.over(draft.members)
        if key not in _MEMBERS
    ]
    base_node = draft.members.get("base_node")
    if "base_node" in draft.members and type(base_node) is not int:
        problems.append(
            draft.problem("base_node", f"must be an integer, not {described(base_node)}")
        )
    exits, exit_problems = _read_exits(draft, node_type, around.ids)
    problems += exit_problems
    config, config_problems = _read_config(draft, node_type, around.pattern_syntax)
    problems += config_problems
    operation = None
    if not problems and node_type and exits is not None and config is not None:
        operation, problems = _build(draft, node_type, exits, config, around)
    return Checked(draft, node_type.type if node_type else None, exits, operation), problems


def _read_type(draft: Draft) -> tuple[type[Node] | None, list[Problem]]:
    if "type" not in draft.members:
        return None, [draft.problem("type", "is required")]
    given = draft.members["type"]
    if not isinstance(given, str):
        return None, [draft.problem("type", f"must be a string, not {described(given)}")]
    node_type = NODES.get(given)
    if node_type is None:
        text = f'no operation type is named "{given}"' + did_you_mean(given, NODES.names())
        return None, [draft.problem("type", text)]
    return node_type, []


def _read_exits(
    draft: Draft, node_type: type[Node] | None, ids: Set[int]
) -> tuple[tuple[int | None, ...] | None, list[Problem]]:
    given = draft.members.get("exits")
    if "exits" not in draft.members:
        return None, [draft.problem("exits", "is required")]
    if not isinstance(given, list):
        text = f"must be an array of operation ids and nulls, not {described(given)}"
        return None, [draft.problem("exits", text)]
    problems = []
    exits: list[int | None] = []
    is_readable = True
    if len(given) > MAX_EXITS:
        text = f"must be an array of at most {MAX_EXITS} exits, not of {len(given)}"
        return None, [draft.problem("exits", text)]
    for index, target in enumerate(given):
        if target is None or (type(target) is int and target in ids):
            exits.append(target)
        elif type(target) is int:
            text = f"there is no operation {digits_of(target)}"
            problems.append(draft.problem(f"exits.{index}", text))
        else:
            is_readable = False
            text = f"must be an operation id or null, not {described(target)}"
            problems.append(draft.problem(f"exits.{index}", text))
    if node_type and node_type.exit_names(len(given)) is None:
        text = f"{node_type.type} has {node_type.exit_rule()}, not {len(given)}"
        problems.append(draft.problem("exits", text))
    return tuple(exits) if is_readable else None, problems


def _read_config(
    draft: Draft, node_type: type[Node] | None, syntax: PatternSyntax | None
) -> tuple[dict[str, Any] | None, list[Problem]]:
    given = draft.members.get("config", {})
    if not isinstance(given, dict):
        return None, [draft.problem("config", f"must be an object, not {described(given)}")]
    if node_type is None:
        return None, []
    exits = draft.members.get("exits")
    exit_count = len(exits) if isinstance(exits, list) else None
    config, errors = load(_CONFIGS[node_type.Config, syntax, exit_count], given)
    return config, [draft.problem(".".join(("config", *path)), text) for path, text in errors]


def _build(
    draft: Draft,
    node_type: type[Node],
    exits: tuple[int | None, ...],
    config: dict[str, Any],
    around: Surroundings,
) -> tuple[Operation | None, list[Problem]]:
    """Return the operation of a draft without errors, and the warnings of its node."""
    names = node_type.exit_names(len(exits))
    if names is None or draft.id is None:  # the id was refused before
        return None, []
    site = Site(around.settings, around.announcements, exits)
    node = node_type.build(config, site)
    base_node = draft.members.get("base_node")
    operation = Operation(
        id=draft.id,
        type=node_type.type,
        node=node,
        exits=exits,
        base_node=base_node if isinstance(base_node, int) else None,
        entered=PathStep(draft.id, node_type.type),
        left=tuple(
            PathStep(draft.id, node_type.type, index, name) for index, name in enumerate(names)
        ),
    )
    return operation, [
        draft.problem(f"config.{member}", text, "warning") for member, text in site.warnings
    ]
