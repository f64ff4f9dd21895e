"""`tests[]` of an operation: compiled once with the definition, run against each answer."""

from collections.abc import Callable, Iterable, Mapping
from typing import cast

from tsvc import turns
from tsvc.errors import ExpressionFailed, ExpressionSyntaxError, Problem
from tsvc.expr.environment import Environment
from tsvc.expr.expression import Note, no_note
from tsvc.expr.kpath import KPath, compile_kpath
from tsvc.expr.regex import compile_user_pattern
from tsvc.expr.template import Template, compile_template
from tsvc.expr.values import Value, truth
from tsvc.matching.arguments import first_undefined
from tsvc.matching.comparisons import TYPES, TestType
from tsvc.matching.equality import ABSENT, number_of
from tsvc.matching.outcome import Check
from tsvc.words import did_you_mean, quoted

COMMON = ("kpath", "type", "abort_on_fail")
_MOST_HINTED = 100  # problems with hints; to find similar words takes long
_NOTES = ("comment", "name", "description")
_TOLERANCES = frozenset({"tolerance", "tolerance_s"})

_KPathOf = Callable[[Environment], KPath]


class TestList:
    """The compiled tests of one operation. Holds no state; it is false if there are no tests."""

    __test__ = False  # not a test of pytest
    __slots__ = ("_tests",)

    def __init__(self, tests: tuple["_Test", ...]) -> None:
        self._tests = tests

    def __len__(self) -> int:
        return len(self._tests)

    def run(self, tree: Value, env: Environment, check: Check) -> None:
        """Make one entry per test about elements of a tree.

        Errors: ExpressionFailed from an attribute that is an expression, beginning with its path.
        """
        for test in self._tests:
            test.run(tree, env, check)


class _Test:
    """One test: the element to check, and how."""

    __slots__ = ("_abort", "_kpath", "_members", "_path", "_type", "_type_name")

    def __init__(
        self,
        type_name: str,
        kpath: _KPathOf,
        members: Template,
        abort: Template,
        path: str,
    ) -> None:
        self._type_name = type_name
        self._type: TestType = TYPES[type_name]
        self._kpath = kpath
        self._members = members
        self._abort = abort
        self._path = path

    def run(self, tree: Value, env: Environment, check: Check) -> None:
        kpath = self._kpath(env)
        members = cast("Mapping[str, object]", self._members.render(env))
        found: object = kpath.find(tree) if kpath.has(tree) else ABSENT
        text = f"{kpath.text} ({self._type_name})"
        undefined = [value for value in map(first_undefined, members.values()) if value]
        if undefined:
            shown = None if found is ABSENT else found
            abort = truth(self._abort.render(env))
            check.entry(False, f"{text}: {undefined[0]}", None, shown, abort=abort)
            return
        now = env.now() if self._type_name == "timestamp" else 0.0
        try:
            ok, expected, got = self._type.compare(found, members, now)
        except ExpressionSyntaxError as error:
            raise ExpressionFailed(f"{self._path}.pattern: {error}") from None
        abort = not ok and truth(self._abort.render(env))
        if not ok:
            text += " is absent" if found is ABSENT else " differs"
        check.entry(ok, text, expected, None if got is ABSENT else got, abort=abort)


def compile_tests(
    tests: object, path: str, problems: list[Problem], note: Note = no_note
) -> TestList:
    """Compile `tests[]`; add problems to `problems`, with paths below `path`.

    note: is called with each expression.
    """
    if tests is None:
        return TestList(())
    if not isinstance(tests, list):
        problems.append(Problem(path, "expected a list of tests"))
        return TestList(())
    compiled = [
        _compiled(test, f"{path}[{position}]", problems, note)
        for position, test in enumerate(turns.over(tests))
    ]
    turns.hold(compiled)
    return TestList(tuple(test for test in compiled if test is not None))


def _compiled(test: object, path: str, problems: list[Problem], note: Note) -> _Test | None:
    before = len(problems)
    result = None
    if isinstance(test, dict):
        result = _of_members(test, path, problems, note)
    else:
        problems.append(Problem(path, "expected an object"))
    return None if len(problems) > before else result


def _of_members(
    test: dict[str, Value], path: str, problems: list[Problem], note: Note
) -> _Test | None:
    type_name = test.get("type", "string")
    if not isinstance(type_name, str) or type_name not in TYPES:
        hint = _hint(str(type_name), TYPES, problems)
        problems.append(Problem(f"{path}.type", f"unknown type {quoted(type_name)}{hint}"))
        return None
    kind = TYPES[type_name]
    _check_members(test, type_name, kind, path, problems)
    members = {name: test[name] for name in kind.members if name in test}
    given = cast("Value", members)
    template = compile_template(given, path, problems, is_expected=True, note=note)
    _check_constants(template, kind, path, problems)
    kpath = _kpath(test.get("kpath"), f"{path}.kpath", problems, note)
    given = test.get("abort_on_fail", 0)
    abort = compile_template(given, f"{path}.abort_on_fail", problems, note=note)
    _check_flag(abort, f"{path}.abort_on_fail", problems)
    return None if kpath is None else _Test(type_name, kpath, template, abort, path)


def _hint(word: str, known: Iterable[str], problems: list[Problem]) -> str:
    return did_you_mean(word, known) if len(problems) < _MOST_HINTED else ""


def _check_members(
    test: Mapping[str, object],
    type_name: str,
    kind: TestType,
    path: str,
    problems: list[Problem],
) -> None:
    known = (*COMMON, *kind.members)
    for name in turns.over(test):
        if name in known or name in _NOTES or name.startswith("x_"):
            continue
        hint = _hint(name, known, problems)
        text = f"unknown member of a test of type {type_name}{hint}"
        problems.append(Problem(f"{path}.{name}", text))
    if kind.required and not any(name in test for name in kind.required):
        wanted = " or ".join(kind.required)
        problems.append(Problem(path, f"a test of type {type_name} needs {wanted}"))


def _check_constants(
    template: Template, kind: TestType, path: str, problems: list[Problem]
) -> None:
    """Report problems now that a test without expressions would only show while it runs."""
    if not template.is_constant:
        return
    members = cast("Mapping[str, Value]", template.render(_UNUSED))
    for name, value in members.items():
        undefined = first_undefined(value)
        if undefined is not None:
            problems.append(Problem(f"{path}.{name}", str(undefined)))
            return
    if "pattern" in members:
        _check_pattern(members["pattern"], f"{path}.pattern", problems)
    is_list_wanted = kind.compare in (TYPES["in"].compare, TYPES["ordered_str_array"].compare)
    if is_list_wanted and "value" in members:
        value = members["value"]
        if not isinstance(value, list) and value is not None:
            problems.append(Problem(f"{path}.value", "expected a list"))
    for name in _TOLERANCES.intersection(members):
        value = members[name]
        if value is not None and (isinstance(value, bool) or number_of(value) is None):
            problems.append(Problem(f"{path}.{name}", "expected a number"))


def _check_flag(template: Template, path: str, problems: list[Problem]) -> None:
    """Report a value that is no flag: a text like "false" would be true."""
    if template.is_constant and template.render(_UNUSED) not in (None, False, True, "", "0", "1"):
        problems.append(Problem(path, "expected true, false, 0 or 1"))


def _check_pattern(pattern: Value, path: str, problems: list[Problem]) -> None:
    if not isinstance(pattern, str):
        problems.append(Problem(path, "expected a text"))
        return
    try:
        compile_user_pattern(pattern)
    except ExpressionSyntaxError as error:
        problems.append(Problem(path, str(error)))


def _kpath(value: Value, path: str, problems: list[Problem], note: Note) -> _KPathOf | None:
    """Compile a kpath now, or at each run if it is an expression."""
    if not isinstance(value, str):
        problems.append(Problem(path, "a test needs a kpath, a text"))
        return None
    template = compile_template(value, path, problems, note=note)
    if not template.is_constant:
        return lambda env: _rendered_kpath(template.render(env), path)
    text = template.render(_UNUSED)
    try:
        kpath = compile_kpath(str(text))
    except ExpressionSyntaxError as error:
        problems.append(Problem(path, str(error)))
        return None
    return lambda env: kpath


def _rendered_kpath(value: Value, path: str) -> KPath:
    if not isinstance(value, str):
        raise ExpressionFailed(f"{path}: the kpath is not a text")
    try:
        return compile_kpath(value)
    except ExpressionSyntaxError as error:
        raise ExpressionFailed(f"{path}: {error}") from None


def _zero() -> float:
    return 0.0


# A constant template reads nothing of its environment.
_UNUSED = Environment({}, {}, {}, {}, random=_zero, now=_zero)
