"""The kinds of raised errors are the declared kinds, with the declared codes."""

import ast
from pathlib import Path

import pytest
from house.source import parsed

import tsvc.errors
from tsvc.errors import CODES, KINDS, TsvcError

ROOT = Path(tsvc.errors.__file__).parent
CLASSES = {
    name: found
    for name, found in vars(tsvc.errors).items()
    if isinstance(found, type) and issubclass(found, TsvcError)
}
# Functions that make an error of a given kind: (class, position of the kind's argument).
MAKERS = {("rpc/strict_json.py", "_refusal"): ("RequestError", 1)}


@pytest.fixture(scope="module")
def calls():
    """The calls in those files of tsvc/ that make errors: (file, node)."""
    names = [*CLASSES, *(name for _, name in MAKERS)]
    return [
        (path.relative_to(ROOT).as_posix(), node)
        for path in sorted(ROOT.rglob("*.py"))
        if any(f"{name}(" in path.read_text("utf-8") for name in names)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]


@pytest.fixture(scope="module")
def raised(calls):
    """(kind, code, position) of each error that is made in tsvc/."""
    found = [(class_.default_kind, class_.code, name) for name, class_ in CLASSES.items()]
    for file, node in calls:
        found += [(*one, f"{file}:{node.lineno}") for one in _of_call(node, file)]
    return found


def _of_call(node, file):
    name = getattr(node.func, "id", None)
    kinds = [one.value for one in node.keywords if one.arg == "kind"]
    if (file, name) in MAKERS:
        name, position = MAKERS[file, name]
        kinds = node.args[position : position + 1]
    if name not in CLASSES:
        return []
    texts = [one.value for one in kinds if isinstance(one, ast.Constant)]
    return [(text, CLASSES[name].code) for text in texts]


def test_every_kind_that_is_raised_is_declared_with_its_code(raised):
    wrong = [
        f"{kind} ({code}) at {place}"
        for kind, code, place in raised
        if kind not in KINDS or code not in KINDS[kind].codes
    ]
    assert wrong == []


def test_every_kind_that_is_declared_is_raised_with_each_of_its_codes(raised):
    known = {(kind, code) for kind, code, _ in raised}
    declared = {(kind, code) for kind in KINDS for code in KINDS[kind].codes}
    assert sorted(declared - known) == []


def test_a_kind_in_a_variable_comes_from_one_of_the_makers(calls):
    """Otherwise the tests above would not see the kind."""
    unseen = []
    for file, node in calls:
        kinds = [one.value for one in node.keywords if one.arg == "kind"]
        is_error = node.func.id in CLASSES
        if is_error and any(not isinstance(kind, ast.Constant) for kind in kinds):
            unseen.append(file)
    assert unseen == [file for file, _ in MAKERS]


def test_every_code_has_a_meaning():
    assert {class_.code for class_ in CLASSES.values()} == CODES.keys()
