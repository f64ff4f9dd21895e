"""A Test Definition, compiled once per run: everything that can be known before it starts.

Checks collect all problems; a definition with errors can't become a run.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeVar

from tsvc import turns
from tsvc.config.tables import Config
from tsvc.engine.compiler.parameters import Plan, kinds_of, plan_of, unused_notes
from tsvc.errors import Problem
from tsvc.expr import Vars, compile_vars
from tsvc.operations.data_files import CsvColumns
from tsvc.operations.eligibility import Eligibility
from tsvc.operations.names import find, unknown
from tsvc.operations.operation import (
    RUN_PARTS,
    Execute,
    GatewayCheck,
    OperationType,
    RunPart,
    Scope,
)
from tsvc.schema.load import LoadedParams
from tsvc.values import dataclass
from tsvc.words import shown

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of a definition, ready to execute."""

    type: str
    label: str | None
    execute: Execute


@dataclass(frozen=True)
class CompiledTest:
    """A compiled definition: everything that a run executes."""

    steps: tuple[Step, ...]
    vars: Vars
    plan: Plan
    needs: Mapping[str, str]
    params: LoadedParams
    problems: tuple[Problem, ...]  # warnings only
    eligibility: Eligibility  # which operations may be on the fast path
    gateway_checks: tuple[tuple[str, GatewayCheck], ...] = ()  # by selection
    parts: tuple[RunPart, ...] = ()  # the kinds' parts of the run
    sets_globals: bool = False  # some expression assigns to $g
    files: Mapping[str, Path] = field(default_factory=dict)  # CSV files that were read, by name


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that a definition is checked against."""

    max_backlog: int = 100_000
    max_operations: int = 10_000
    data_dir: Path | None = None
    files: Mapping[str, Path] = field(default_factory=dict)  # CSV files outside data_dir


MAX_PROBLEMS = 100  # errors that are listed, and as many warnings; there may be 10,000s

# `$i`, `${i}`, `$v->{__INBOUND}`, and kpaths of eval that begin with i or v.__INBOUND.
_INBOUND = re.compile(r"\$\s*+(?:\{\s*+)?i\b")
_INBOUND_PATH = re.compile(r"!?i(?:[.\[]|\Z)")


class _Compilation:
    def __init__(
        self,
        params: LoadedParams,
        config: Config,
        limits: Limits,
    ) -> None:
        self.params = params
        self._looked_at = self._errors = 0
        self.columns = CsvColumns(limits.data_dir, limits.files)
        self.limits = limits
        for kind in kinds_of(params):
            RUN_PARTS.near(kind)
        self.scope = Scope(
            params,
            config,
            reads_inbound=_reads_inbound(params.get("operations")),
            eligibility=Eligibility(params.get("vars") or {}),
        )

    def steps(self) -> list[Step]:
        entries: list[dict[str, Any]] = self.params["operations"]
        if not entries:
            self.scope.refuse("operations", "must not be empty")
        if len(entries) > self.limits.max_operations:
            self.scope.refuse(
                "operations", f"{len(entries)} operations, at most {self.limits.max_operations}"
            )
            return []
        self.scope.labels = self._labels(entries)
        types = list(self._each(entries, self._type))
        steps = list(self._each([*zip(types, entries, strict=False)], self._step))
        for check in self.scope.later:
            check()
        self.scope.later.clear()  # break the reference cycle: the checks refer to the scope
        return [step for step in steps if step is not None]

    def _each(self, items: Sequence[T], check: Callable[[T, int], R]) -> Iterator[R]:
        """Yield check(item, index) until there are too many problems; lets others run."""
        for index, item in enumerate(items):
            if self._has_too_many_errors():
                return
            turns.walked(turns.PORTION)
            yield check(item, index)

    def _has_too_many_errors(self) -> bool:
        """Return True after too many errors. A definition with warnings only is compiled whole."""
        problems = self.scope.problems
        for one in turns.over(islice(problems, self._looked_at, None)):
            self._errors += one.severity == "error"
        self._looked_at = len(problems)
        return self._errors > MAX_PROBLEMS

    def _labels(self, entries: list[dict[str, Any]]) -> dict[str, int]:
        labels: dict[str, int] = {}
        for index, entry in enumerate(turns.over(entries)):
            label = entry.get("label")
            if not isinstance(label, str):
                continue
            if label in labels:
                path = f"operations[{index}].label"
                self.scope.refuse(
                    path, f"{shown(label)} is the label of operations[{labels[label]}] already"
                )
            else:
                labels[label] = index
        return labels

    def _type(self, entry: Mapping[str, Any], index: int) -> OperationType | None:
        path = f"operations[{index}].type"
        name = entry.get("type")
        if not isinstance(name, str):
            self.scope.refuse(path, "is missing" if name is None else "must be a string")
            return None
        type_ = find(name)
        if type_ is None:
            self.scope.refuse(path, unknown(name))
        return type_

    def _step(self, typed: tuple[OperationType | None, dict[str, Any]], index: int) -> Step | None:
        type_, entry = typed
        if type_ is None:
            self.scope.variables.receives(None)
            return None
        path = f"operations[{index}]"
        loaded = type_.load(entry, path, self.scope)
        if loaded is None:
            return None
        execute = type_.compile(loaded, path, self.scope)
        self.scope.variables.receives(type_.received)
        return Step(type_.name, entry.get("label"), execute)

    def vars(self) -> Vars:
        load = self.columns.load
        given = self.params.get("vars") or {}
        scope = self.scope
        compiled = compile_vars(given, "vars", scope.problems, load, scope.variables.note)
        if not self._has_too_many_errors():
            scope.problems += scope.variables.problems(given, MAX_PROBLEMS + 1)
        return compiled

    def plan(self) -> Plan:
        plan = plan_of(self.params)
        if plan.backlog > self.limits.max_backlog:
            self.scope.refuse("distribution.backlog", f"must be at most {self.limits.max_backlog}")
        for path, text in unused_notes(self.params):
            self.scope.problems.append(Problem(path, text, "warning"))
        return plan


def compile_test(
    params: LoadedParams, config: Config, limits: Limits
) -> tuple[CompiledTest, list[Problem]]:
    """Return the compiled test and the problems, errors and warnings, in the user's paths.

    A large definition takes a second, in which others run if yielding is enabled.
    After MAX_PROBLEMS errors the rest of the operations is not checked.
    """
    compilation = _Compilation(params, config, limits)
    steps = compilation.steps()
    vars_ = compilation.vars()
    plan = compilation.plan()
    scope = compilation.scope
    types = [str(entry.get("type")) for entry in turns.over(params["operations"])]
    scope.eligibility.finish(types, scope.variables.noted)
    parts = tuple(scope.parts.values())
    for part in parts:
        part.after_operations(scope)
    problems = _unique(scope.problems)
    warnings = tuple(problem for problem in turns.over(problems) if problem.severity != "error")
    compiled = CompiledTest(
        tuple(steps),
        vars_,
        plan,
        scope.needs,
        params,
        warnings,
        scope.eligibility,
        tuple(scope.gateway_checks),
        parts,
        scope.variables.sets_globals,
        compilation.columns.read,
    )
    return compiled, problems


def _reads_inbound(operations: object) -> bool:
    """Return True if an expression, a kpath or a name in the operations may read `$i`."""
    return _has(operations, _names_inbound)


def _names_inbound(value: Any) -> bool:
    if isinstance(value, str):
        names = _INBOUND.search(value) or _INBOUND_PATH.match(value) or "__INBOUND" in value
        return bool(names)
    kpath = value.get("kpath")
    return isinstance(kpath, str) and _may_be_any(kpath)


def _may_be_any(kpath: str) -> bool:
    return kpath.startswith("{") or "\\" in kpath


def _has(given: object, says: Callable[[Any], bool]) -> bool:
    """Return True if says() returns True for a text or an object in a value."""
    waiting: list[Iterator[Any]] = [iter((given,))]
    while waiting:
        for value in waiting[-1]:
            turns.walked()
            if isinstance(value, str | dict) and says(value):
                return True
            if isinstance(value, list):
                waiting.append(iter(value))
                break
            if isinstance(value, dict):
                waiting.append(chain(value, value.values()))
                break
        else:
            waiting.pop()
    return False


def in_params(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems with their paths as the request spells them, from `params` on."""
    return [
        problem
        if problem.path.startswith("params.") or problem.path == "params"
        else replace(problem, path=f"params.{problem.path}")
        for problem in problems
    ]


def bounded(problems: Iterable[Problem]) -> list[Problem]:
    """Return the first MAX_PROBLEMS errors, and as many warnings; more are only mentioned."""
    kept: list[Problem] = []
    counts: Counter[str] = Counter()
    for problem in turns.over(problems):
        counts[problem.severity] += 1
        if counts[problem.severity] <= MAX_PROBLEMS:
            kept.append(problem)
        elif counts[problem.severity] == MAX_PROBLEMS + 1:
            text = f"has more than {MAX_PROBLEMS} {problem.severity}s"
            kept.append(Problem("params", text, problem.severity))
    return kept


def _unique(problems: list[Problem]) -> list[Problem]:
    return list(dict.fromkeys(turns.over(problems)))
