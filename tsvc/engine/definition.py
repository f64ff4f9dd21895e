"""A Test Definition, compiled once per run: everything that can be known before it starts.

Checks collect all problems; only what has none can be made into a run.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tsvc.engine.csv_columns import CsvColumns
from tsvc.engine.parameters import Plan, plan_of, unused_notes
from tsvc.errors import DefinitionError, ExpressionError, Problem, StartError
from tsvc.expr import Environment, Vars, compile_vars
from tsvc.expr.values import to_text
from tsvc.operations._base import Execute, OperationSettings, OperationType, Scope
from tsvc.operations._names import find, unknown
from tsvc.protocols.inap.contexts import context_octets
from tsvc.rpc.paths import shown


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of a definition, ready to execute."""

    type: str
    label: str | None
    execute: Execute


@dataclass(frozen=True)
class CompiledTest:
    """What a run executes."""

    steps: tuple[Step, ...]
    vars: Vars
    plan: Plan
    needs: Mapping[str, str]
    params: Mapping[str, Any]
    problems: tuple[Problem, ...]  # warnings only
    expected: frozenset[str] = frozenset()  # INAP operations that some entry expects


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that a definition is checked against."""

    max_backlog: int = 100_000
    max_operations: int = 10_000
    data_dir: Path | None = None


class _Compilation:
    def __init__(
        self, params: Mapping[str, Any], settings: OperationSettings, limits: Limits
    ) -> None:
        self.params = params
        self.limits = limits
        text = json.dumps(params.get("operations", []))
        self.scope = Scope(params, settings, reads_inbound="$i" in text or "__INBOUND" in text)

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
        types = [self._type(entry, index) for index, entry in enumerate(entries)]
        steps = [
            self._step(type_, entry, index)
            for index, (type_, entry) in enumerate(zip(types, entries, strict=True))
            if type_ is not None
        ]
        for check in self.scope.later:
            check()
        return [step for step in steps if step is not None]

    def _labels(self, entries: list[dict[str, Any]]) -> dict[str, int]:
        labels: dict[str, int] = {}
        for index, entry in enumerate(entries):
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

    def _step(self, type_: OperationType, entry: dict[str, Any], index: int) -> Step | None:
        path = f"operations[{index}]"
        loaded = type_.load(entry, path, self.scope)
        if loaded is None:
            return None
        execute = type_.compile(loaded, path, self.scope)
        return Step(type_.name, entry.get("label"), execute)

    def vars(self) -> Vars:
        load = CsvColumns(self.limits.data_dir).load
        return compile_vars(self.params.get("vars") or {}, "vars", self.scope.problems, load)

    def plan(self) -> Plan:
        distribution = self.params.get("distribution")
        plan = plan_of(self.params)
        if plan.backlog > self.limits.max_backlog:
            self.scope.refuse("distribution.backlog", f"must be at most {self.limits.max_backlog}")
        for path, text in unused_notes(distribution):
            self.scope.problems.append(Problem(path, text, "warning"))
        return plan

    def contexts(self) -> None:
        for name in ("ssp_ac", "hlr_ac"):
            value = self.params.get(name)
            if value:
                try:
                    context_octets(value)
                except ValueError as error:
                    self.scope.refuse(name, str(error))


def compile_test(
    params: Mapping[str, Any], settings: OperationSettings, limits: Limits
) -> tuple[CompiledTest, list[Problem]]:
    """Return the compiled test and every problem, errors and warnings, in the user's paths."""
    compilation = _Compilation(params, settings, limits)
    steps = compilation.steps()
    vars_ = compilation.vars()
    plan = compilation.plan()
    compilation.contexts()
    problems = _unique(compilation.scope.problems)
    warnings = tuple(problem for problem in problems if problem.severity != "error")
    scope = compilation.scope
    compiled = CompiledTest(
        tuple(steps), vars_, plan, scope.needs, params, warnings, frozenset(scope.expected)
    )
    return compiled, problems


def _unique(problems: list[Problem]) -> list[Problem]:
    return list(dict.fromkeys(problems))


def _no_chance() -> float:
    return 0.0


def lock_keys(params: Mapping[str, Any], vars_: Vars) -> list[str]:
    """Return the keys of the run's locks; expressions see the initial vars as $v.

    Errors: DefinitionError for a generator among what a key needs, StartError (kind
    lock.expression) if a key's expression fails.
    """
    locks = params.get("locks") or []
    if not locks:
        return []
    problems: list[Problem] = []
    scope = Scope(params, OperationSettings(), problems=problems)
    templates = [
        scope.template(lock["key"], f"locks[{index}].key") for index, lock in enumerate(locks)
    ]
    is_expression = any(not template.is_constant for template in templates)
    if is_expression and vars_.generators:
        names = ", ".join(sorted(vars_.generators))
        problems.append(Problem("locks", f"a key can't see vars that a generator makes ({names})"))
    if problems:
        raise DefinitionError.of(problems)
    env = Environment({}, {}, {}, {}, random=_no_chance, now=_no_chance)
    try:
        if is_expression:
            vars_.fill(env, 0)
        return [to_text(template.render(env)) for template in templates]
    except ExpressionError as error:
        raise StartError(f"lock key: {error}", kind="lock.expression") from None
