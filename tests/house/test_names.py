"""One word has one meaning in each package, and no name is a bare participle."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

from house.source import modules, tree_of

# Classes with the same name in one package, with the reason.
ANSWER = "a shape of an answer, named as its member is; the other is what it is made from"
SHARED = {
    ("tsvc.cluster", "Worker"): "a worker's life, and Locust's runner in it",
    ("tsvc.cluster", "Player"): "a player as it plays, and as the run that deals knows it",
    ("tsvc.engine", "Bucket"): ANSWER,
    ("tsvc.engine", "Limits"): ANSWER,
    ("tsvc.engine", "Rate"): ANSWER,
    ("tsvc.engine", "Stage"): "a member of a definition, and the stretch of time that it becomes",
    ("tsvc.flow", "Exit"): "each type of node has exits of its own",
}
# A name describes a thing; these only tell that something was done to it.
PARTICIPLES = frozenset({"gone", "kept", "left", "made", "met", "said", "sent", "taken", "told"})
ALLOWED = {
    "tsvc.record.capture:left": "octets that are left: a noun",
}


def room_of(module: str) -> str:
    """Return the package that a newcomer reads as a unit: tsvc.engine, tsvc.kinds.smpp."""
    steps = module.split(".")
    return ".".join(steps[: 3 if steps[1] in ("kinds", "protocols") else 2])


@cache
def shared() -> set[tuple[str, str]]:
    """Return the packages and the names of public classes that exist twice."""
    homes: dict[tuple[str, str], list[str]] = defaultdict(list)
    for module, path in modules().items():
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef) and module != "tsvc" and node.name[0] != "_":
                homes[room_of(module), node.name].append(module)
    return {place for place, found in homes.items() if len(found) > 1}


def renamed() -> Iterator[str]:
    """Yield where a class of ours is imported under another name because two names collide."""
    for module, path in modules().items():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tsvc."):
                for one in node.names:
                    is_class = one.name[0].isupper() and not one.name.isupper()
                    if is_class and one.asname not in (None, one.name):
                        yield f"{module}: {one.name} as {one.asname}"


def participles() -> Iterator[str]:
    """Yield public functions, methods and classes whose name is only a participle."""
    for module, path in modules().items():
        for node in ast.walk(tree_of(path)):
            is_named = isinstance(node, ast.FunctionDef | ast.ClassDef)
            if is_named and node.name.lower() in PARTICIPLES:
                yield f"{module}:{node.name}"


def test_one_name_is_one_class_in_a_room() -> None:
    assert sorted(shared() - SHARED.keys()) == []


def test_every_name_that_may_be_shared_is() -> None:
    assert sorted(SHARED.keys() - shared()) == []


def test_no_class_has_another_name_where_it_is_used() -> None:
    assert list(renamed()) == []


def test_no_public_name_is_a_participle() -> None:
    found = set(participles())
    assert sorted(found - ALLOWED.keys()) == []
    assert sorted(ALLOWED.keys() - found) == []
