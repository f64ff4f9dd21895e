"""Mutants of a definition: each place that requires something of the peer is changed, so that a
right verdict can't be pass.

An edit is (place, operator) and its change of a copy of the definition. Changes that keep the
meaning are not made, such as hex in the other case, a number as its text or `!` before null.
"""

import copy
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from mutate.subjects import Subject

Definition = dict[str, Any]
Tree = Any

UNDEFINED = "{$v->{nobody_sets_this}}"
SHORT_S = 0.5  # how long a mutant waits for a message that never comes
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?$")
_EXPECTS = re.compile(r"(inap|map|tcap)\.(ssp|srf|hlr)_from_scp\.(?!Register$)")
# In addition to the arguments of operations from an SCP: members of `arguments` that are expected.
_EXPECTED_ARGUMENTS = {
    "diameter.Request": ("answer",),
    "diameter.from_server.Request": ("code",),
    "ocncc.pi.Request": ("status", "info"),
    "smpp.smsc_from_esme.Request": ("pdu", "parameters"),
}
_INSTEAD = ("ReleaseCall", "Continue", "Connect", "ConnectToResource", "ApplyCharging", "Cancel")
# Other values of members that are enumerations: valid, but not the received value.
_NAMES = {
    "eventTypeBCSM": ("oAnswer", "oAbandon", "oNoAnswer", "oDisconnect", "tAnswer"),
    "monitorMode": ("interrupted", "notifyAndContinue", "transparent"),
    "result_code": ("DIAMETER_SUCCESS", "DIAMETER_LIMITED_SUCCESS", "DIAMETER_TOO_BUSY"),
    "status": ("ACK", "NACK"),
    "pdu": ("submit_sm", "data_sm"),
    "CC-Request-Type": ("INITIAL_REQUEST", "UPDATE_REQUEST", "EVENT_REQUEST"),
}


@dataclass(frozen=True)
class Edit:
    """A change of one place. `waits`: the mutant may wait for a message that never comes."""

    place: str
    operator: str
    apply: Callable[[Definition], None]
    waits: bool = False

    @property
    def name(self) -> str:
        return f"{self.place}/{self.operator}"


@dataclass(frozen=True)
class Mutant:
    """A changed definition, named subject/place/operator, which makes it again."""

    name: str
    subject: Subject
    edits: tuple[Edit, ...]

    @property
    def operator(self) -> str:
        """Return the kind of change, without its place; "random" for random values."""
        middle = self.name.split("/")[1]
        return "random" if middle == "random" else self.edits[0].operator.rstrip("0123456789")

    @property
    def definition(self) -> Definition:
        made = copy.deepcopy(self.subject.definition)
        for edit in self.edits:
            edit.apply(made)
        if any(edit.waits for edit in self.edits):
            shorten(made)
        return made


def shorten(definition: Definition) -> None:
    """Shorten all waiting times of a definition."""
    definition["scp"] = {**definition.get("scp", {}), "tcap_timeout": SHORT_S}
    for entry in definition["operations"]:
        for holder in (entry, entry.get("arguments") or {}):
            if "seconds" in holder:
                holder["seconds"] = SHORT_S


# -- leaves ----------------------------------------------------------------------------------


def other_values(name: str, value: object) -> Iterator[tuple[str, object]]:
    """Yield (operator, value) with values that are not equal to a value of this member."""
    if isinstance(value, bool):
        yield "flipped", not value
    elif isinstance(value, int | float):
        yield "plus", value + 1
        yield "minus", value - 1
        yield "tenfold", value * 10 + 7
        yield "text", "other"
    elif value is None:
        yield "present", 1
        yield "present text", "1"
    elif isinstance(value, str):
        yield from _other_texts(name, value)
    yield "undefined", UNDEFINED
    if value is not None:
        yield "null", None


def _other_texts(name: str, value: str) -> Iterator[tuple[str, str]]:
    if value.startswith("{"):
        # An expression: its value with another character is never its own value.
        yield "longer", f"{{({value[1:-1]}) . '7'}}"
        return
    is_hex = name.endswith("_hex")
    if is_hex or value.isdigit():
        for at, digit in enumerate(value):
            other = format((int(digit, 16) + 1) % (16 if is_hex else 10), "x")
            yield f"digit{at}", value[:at] + other + value[at + 1 :]
        step = 2 if is_hex else 1
        if len(value) > step:
            yield "dropped first", value[step:]
            yield "dropped last", value[:-step]
        yield "added last", value + "7" * step
        yield "added first", "7" * step + value
        return
    if _NUMBER.match(value):
        yield "added last", value + "7"
        return
    for other in _NAMES.get(name, ()):
        if other != value:
            yield f"name {other}", other
    for at in sorted({0, len(value) // 2, len(value) - 1}):
        other = "x" if value[at] != "x" else "y"
        yield f"character{at}", value[:at] + other + value[at + 1 :]
    if len(value) > 1:
        yield "dropped first", value[1:]
        yield "dropped last", value[:-1]
    yield "added last", value + "x"
    if value.swapcase() != value:
        yield "case", value.swapcase()


def random_value(name: str, value: object, chance: random.Random) -> object:
    """Return another value of the same kind as the member's value."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + chance.choice((-1, 1)) * chance.randint(1, 10 ** chance.randint(1, 9))
    if isinstance(value, str) and not value.startswith("{") and value:
        alphabet = "0123456789abcdef" if name.endswith("_hex") else "0123456789"
        if not (name.endswith("_hex") or value.isdigit()):
            alphabet = "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ_-"
        while True:
            at = chance.randrange(len(value))
            made = value[:at] + chance.choice(alphabet) + value[at + 1 :]
            if chance.random() < 0.3 and not name.endswith("_hex"):
                made = "".join(chance.choice(alphabet) for _ in range(chance.randint(1, 20)))
            if made.lower() != value.lower():
                return made
    return chance.choice(list(other_values(name, value)))[1]


def _at(tree: Tree, path: tuple[Any, ...]) -> Tree:
    for step in path:
        tree = tree[step]
    return tree


def _text(path: tuple[Any, ...]) -> str:
    made = ""
    for step in path:
        made += f"[{step}]" if isinstance(step, int) else f".{step}"
    return made.lstrip(".")


def _put(path: tuple[Any, ...], value: object) -> Callable[[Definition], None]:
    def apply(definition: Definition) -> None:
        _at(definition, path[:-1])[path[-1]] = copy.deepcopy(value)

    return apply


def _rename(path: tuple[Any, ...], name: str) -> Callable[[Definition], None]:
    def apply(definition: Definition) -> None:
        holder = _at(definition, path[:-1])
        pairs = [(name if key == path[-1] else key, value) for key, value in holder.items()]
        holder.clear()
        holder.update(pairs)

    return apply


def leaves(tree: Tree, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], object]]:
    """Yield (path, value) of everything that is compared as a unit."""
    if isinstance(tree, dict) and tree:
        for name, value in tree.items():
            yield from leaves(value, (*path, name))
    elif isinstance(tree, list) and tree:
        for at, value in enumerate(tree):
            yield from leaves(value, (*path, at))
    elif not isinstance(tree, dict | list):
        yield path, tree


def _leaf_name(definition: Definition, path: tuple[Any, ...]) -> str:
    """Return the name that determines how a leaf compares: for an AVP, its `name`."""
    holder = _at(definition, path[:-1])
    if path[-1] == "value" and isinstance(holder, dict) and "name" in holder:
        return str(holder["name"])
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def _leaf_edits(definition: Definition, root: tuple[Any, ...]) -> Iterator[Edit]:
    entry = _at(definition, root[:2])
    is_report = entry["type"].endswith(".RequestReportBCSMEvent")
    shorthands = [one for one in entry["arguments"] if is_report and "_" not in one]
    for path, value in list(leaves(_at(definition, root), root)):
        place, name = _text(path), _leaf_name(definition, path)
        holder = _at(definition, path[:-1])
        if path[-1] == "name" and holder.get("value", 1) is None:
            continue  # the name of an absent member: another absent name is right, too
        for operator, other in other_values(name, value):
            if operator == "case" and (name in ("status", "info") or path[-1] == "name"):
                continue  # without meaning there
            if name in shorthands and other not in (0, None, UNDEFINED):
                continue  # a flag: any true value is the same
            yield Edit(place, operator, _put(path, other), waits=path[-1] in ("code", "pdu"))
        is_named = isinstance(path[-1], str) and path[-1] not in ("name", "value", "code", "pdu")
        if value is not None and is_named and not path[-1].startswith("!"):
            yield Edit(place, "not", _rename(path, f"!{path[-1]}"))


def _array_edits(definition: Definition, root: tuple[Any, ...]) -> Iterator[Edit]:
    """Change elements of arrays: two swapped, one more than was received, an event less."""

    def walk(tree: Tree, path: tuple[Any, ...]) -> Iterator[Edit]:
        if isinstance(tree, dict):
            for name, value in tree.items():
                yield from walk(value, (*path, name))
        elif isinstance(tree, list) and tree:
            for at, value in enumerate(tree):
                yield from walk(value, (*path, at))
            if path[-1] == "bcsmEvents":
                for at in range(len(tree)):
                    rest = tree[:at] + tree[at + 1 :]
                    yield Edit(_text((*path, at)), "removed", _put(path, rest))
            if path[-1] in ("bcsmEvents", "avps"):
                yield Edit(_text(path), "doubled", _put(path, [*tree, tree[0]]))
            elif tree[0] != tree[-1]:
                yield Edit(_text(path), "reversed", _put(path, tree[::-1]))

    yield from walk(_at(definition, root), root)


# -- tests -----------------------------------------------------------------------------------


def _is_absence(test: dict[str, Any]) -> bool:
    kind = test.get("type", "string")
    if kind in ("exists", "defined"):
        return test.get("value", 1) in (0, False)
    return "value" in test and test["value"] is None


def _test_edits(test: dict[str, Any], path: tuple[Any, ...]) -> Iterator[Edit]:
    place, kind = _text(path), test.get("type", "string")
    absence = _is_absence(test)
    if kind in ("exists", "defined", "boolean"):
        yield Edit(place, "flipped", _put((*path, "value"), 0 if test.get("value", 1) else 1))
    elif kind == "regex":
        for operator, pattern in (
            ("pattern longer", test["pattern"] + "zq7"),
            ("pattern before", "^zq7.*" + test["pattern"].removeprefix("^")),
            ("pattern empty text", "^$"),
            ("pattern undefined", UNDEFINED),
        ):
            yield Edit(place, operator, _put((*path, "pattern"), pattern))
    elif kind in ("in", "ordered_str_array"):
        for at in range(len(test["value"])):
            other = [f"{one}x" for one in test["value"]]
            if kind == "ordered_str_array":
                other = [*test["value"][:at], f"{test['value'][at]}x", *test["value"][at + 1 :]]
            yield Edit(f"{place}.value[{at}]", "text", _put((*path, "value"), other))
        yield Edit(place, "emptied", _put((*path, "value"), []))
        if kind == "ordered_str_array":
            yield Edit(place, "reversed", _put((*path, "value"), test["value"][::-1]))
            yield Edit(place, "longer", _put((*path, "value"), [*test["value"], "x"]))
            yield Edit(place, "shorter", _put((*path, "value"), test["value"][:-1]))
    elif kind == "timestamp" and "value" in test:
        for second in ("04", "06", "45"):
            other = test["value"].replace(":05Z", f":{second}Z")
            yield Edit(place, f"second {second}", _put((*path, "value"), other))
        yield Edit(place, "undefined", _put((*path, "value"), UNDEFINED))
    elif "value" in test:
        for operator, other in other_values("value", test["value"]):
            is_within = isinstance(other, int | float) and "tolerance" in test
            if not is_within or abs(other - test["value"]) > 2 * test["tolerance"]:
                yield Edit(f"{place}.value", operator, _put((*path, "value"), other))
    if kind == "timestamp" and "min" in test:
        for bound, beyond in (("min", "2026-01-02T03:04:06Z"), ("max", "2026-01-02T03:04:04Z")):
            yield Edit(f"{place}.{bound}", "beyond", _put((*path, bound), beyond))
    elif kind == "range" or (kind in ("len", "size") and test.get("min") == test.get("max")):
        for bound, step in (("min", 1), ("max", -1)):
            if bound in test:
                beyond = _put((*path, bound), test[bound] + step)
                yield Edit(f"{place}.{bound}", "beyond", beyond)
                yield Edit(f"{place}.{bound}", "undefined", _put((*path, bound), UNDEFINED))
    if not absence:
        # If the test is for a present value: another path, and types whose value then can't match.
        head, _, last = test["kpath"].rpartition(".")
        kpath = f"{head}.{last}_absent" if head else f"{last}_absent"
        yield Edit(f"{place}.kpath", "absent", _put((*path, "kpath"), kpath))
        keep = {"kpath": test["kpath"]}
        for swapped in (
            {"type": "defined", "value": 0}
            if kind != "exists"
            else {"type": "exists", "value": 0},
            {"type": "string", "value": "zq7"},
            {"type": "integer", "value": -7},
            {"type": "number", "value": -7.5},
            {"type": "regex", "pattern": "zq7"},
            {"type": "range", "min": 10**12, "max": 10**13},
            {"type": "len", "value": 7777},
            {"type": "size", "value": 77},
            {"type": "in", "value": ["zq7"]},
            {"type": "ordered_str_array", "value": ["zq7"]},
            {"type": "timestamp", "value": "1971-01-01T00:00:00Z"},
        ):
            if swapped["type"] == kind and kind in ("exists", "defined"):
                continue
            operator = f"type {swapped['type']}"
            yield Edit(place, operator, _put(path, {**keep, **swapped}))


# -- operations ------------------------------------------------------------------------------


def is_expectation(entry: dict[str, Any]) -> bool:
    """Return True if an operation waits for a message of an SCP."""
    return bool(_EXPECTS.match(entry.get("type", "")))


def _is_begin(entry: dict[str, Any]) -> bool:
    name = entry.get("type", "").rpartition(".")[2]
    return name in ("InitialDP", "ProcessUnstructuredSSRequest", "AssistRequestInstructions")


def _operation_edits(operations: list[dict[str, Any]]) -> Iterator[Edit]:
    for at, entry in enumerate(operations):
        if not is_expectation(entry):
            continue
        path = ("operations", at)
        place, kind = _text(path), entry["type"]
        family, _, name = kind.rpartition(".")
        is_end = kind.startswith("tcap") and kind.endswith(".End")
        yield Edit(place, "end removed" if is_end else "removed", _remove(at), waits=True)
        yield Edit(place, "doubled", _insert(at, entry), waits=True)
        side = family.partition(".")[2]
        for other in _INSTEAD:
            if other != name:
                bare = {key: entry[key] for key in ("dialogue",) if key in entry}
                made = {"type": f"inap.{side}.{other}", **bare}
                yield Edit(place, f"replaced {other}", _put(path, made), waits=True)
        for other in ("Abort", "End"):
            if family.startswith("tcap") and other != name:
                other_kind = _put((*path, "type"), f"{family}.{other}")
                yield Edit(place, f"replaced {other}", other_kind, waits=True)
        following = operations[at + 1] if at + 1 < len(operations) else None
        if following is not None and is_expectation(following):
            is_same = following.get("dialogue") == entry.get("dialogue")
            is_same = is_same and following["type"].split(".")[1] == side
            if is_same and following["type"] != kind:
                yield Edit(place, "swapped", _swap(at), waits=True)
        if "last_component" in entry:
            other_flag = 0 if entry["last_component"] else 1
            yield Edit(place, "last_component", _put((*path, "last_component"), other_flag), True)
        elif not family.startswith("tcap") and following is not None and not _is_begin(following):
            last = _put((*path, "last_component"), 1)
            yield Edit(place, "last_component", last, waits=True)
        if kind.startswith(("inap", "tcap")) and any(
            one.get("type", "").startswith("inap.ssp_to") for one in operations
        ):
            for operator, context in (("context", "1.2.3.4"), ("context of map", "ussd2")):
                yield Edit(place, operator, _put((*path, "tcap_ac"), context), waits=True)
            yield Edit(place, "refused", _put((*path, "tcap_result"), 1), waits=True)


def _remove(at: int) -> Callable[[Definition], None]:
    return lambda definition: definition["operations"].pop(at)


def _insert(at: int, entry: dict[str, Any]) -> Callable[[Definition], None]:
    made = {key: value for key, value in entry.items() if key != "label"}
    return lambda definition: definition["operations"].insert(at + 1, copy.deepcopy(made))


def _swap(at: int) -> Callable[[Definition], None]:
    def apply(definition: Definition) -> None:
        operations = definition["operations"]
        operations[at], operations[at + 1] = operations[at + 1], operations[at]

    return apply


def _context_edits(definition: Definition) -> Iterator[Edit]:
    """Yield contexts that the embedded SCP does not have."""
    for other in ("1.2.3.4", "ussd2", "ati3") if "ssp_ac" in definition else ():
        yield Edit("ssp_ac", f"context {other}", _put(("ssp_ac",), other), waits=True)


# -- all of them -----------------------------------------------------------------------------


def edits(definition: Definition) -> list[Edit]:
    """Return every edit of a definition, in the order of its places."""
    made = list(_context_edits(definition))
    operations = definition["operations"]
    made += _operation_edits(operations)
    for at, entry in enumerate(operations):
        path = ("operations", at, "arguments")
        if is_expectation(entry) and entry.get("arguments"):
            made += _leaf_edits(definition, path)
            made += _array_edits(definition, path)
        for member in _EXPECTED_ARGUMENTS.get(entry["type"], ()):
            if member in entry["arguments"]:
                made += _leaf_edits(definition, (*path, member))
                made += _array_edits(definition, (*path, member))
        for number, test in enumerate(entry.get("tests", ())):
            made += _test_edits(test, ("operations", at, "tests", number))
    return made


def systematic(subject: Subject) -> list[Mutant]:
    """Return a mutant for each place and operator."""
    return [
        Mutant(f"{subject.name}/{one.name}", subject, (one,)) for one in edits(subject.definition)
    ]


def by_chance(subject: Subject, seed: int) -> Mutant:
    """Return a mutant with random values at one or two places that are compared."""
    chance = random.Random(f"{subject.name} {seed}")
    definition = subject.definition
    # Only places with a value; operations and tests as a whole are not changed.
    places = {
        one.place: one
        for one in edits(definition)
        if one.operator in ("undefined",) and not one.place.endswith(("min", "max", "]"))
    }
    chosen = chance.sample(sorted(places), k=min(len(places), chance.randint(1, 2)))
    made = []
    for place in chosen:
        path = _path(place)
        try:
            value = _at(definition, path)
        except (KeyError, IndexError):
            continue
        name = _leaf_name(definition, path)
        waits = path[-1] in ("code", "pdu")
        holder = _at(definition, path[:-1])
        is_near = isinstance(holder, dict) and "tolerance" in holder
        is_flag = isinstance(holder, dict) and "bcsmEvents" not in holder and value == 1
        if is_near or is_flag:
            continue
        made.append(Edit(place, "random", _put(path, random_value(name, value, chance)), waits))
    if not made:
        every = [one for one in edits(definition) if one.operator != "end removed"]
        made.append(every[chance.randrange(len(every))])
    return Mutant(f"{subject.name}/random/{seed}", subject, tuple(made))


def _path(place: str) -> tuple[Any, ...]:
    found = re.findall(r"\[(\d+)\]|([^.\[\]]+)", place)
    return tuple(int(number) if number else name for number, name in found)
