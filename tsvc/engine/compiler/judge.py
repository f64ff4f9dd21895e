"""Checks a whole definition and compiles it: judge() is the only entry point.

Problems are listed in the order of the checks: the shape of the members, the operations with all
that they need, gateways, checks of the kinds, thresholds. The keys of locks are checked if all
else is good. Members of the wrong shape do not hide problems of the others.
"""

from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tsvc import turns
from tsvc.config.tables import Config
from tsvc.engine.compiler.compile import (
    MAX_PROBLEMS,
    CompiledTest,
    Limits,
    bounded,
    compile_test,
    in_params,
)
from tsvc.engine.compiler.lock_keys import lock_keys
from tsvc.engine.compiler.parameters import TestParameters
from tsvc.engine.compiler.thresholds import threshold_problems
from tsvc.engine.gateway_table import GatewayTable
from tsvc.engine.give_way import slices
from tsvc.errors import DefinitionError, Problem, StartError, fields_of
from tsvc.gateways.gateway import Gateway
from tsvc.kind import is_selection
from tsvc.schema.fields import MOST_MEMBERS, Params
from tsvc.schema.load import LoadedParams, load_params
from tsvc.values import dataclass
from tsvc.words import member_path

NO_FILES: Mapping[str, Path] = MappingProxyType({})
_SCHEMA = TestParameters()
_OPEN = TestParameters.open_prefixes


class AnyMembers(Params):
    """Params that hold a definition. They are not checked here, but by judge()."""

    open_prefixes = ("",)

    def load(self, data: Any, **kwargs: Any) -> Any:
        """Return the params unchanged. Errors: ValidationError if they are no object, or have
        more members than a definition can have.
        """
        if isinstance(data, Mapping) and len(data) > MOST_MEMBERS:
            return _SCHEMA.load(data)  # which raises the ValidationError
        return dict(data) if isinstance(data, Mapping) else super().load(data, **kwargs)


@dataclass(frozen=True, slots=True)
class Judged:
    """A definition that was checked. `problems` has all problems, with the user's paths."""

    problems: tuple[Problem, ...]
    params: LoadedParams | None = None  # None: members of the wrong shape
    compiled: CompiledTest | None = None  # None: the wrong shape, or too many operations
    gateways: Mapping[str, Gateway] = field(default_factory=dict)  # by selection, those found
    lock_keys: tuple[str, ...] = ()
    # The expression of a lock's key failed: a warning among the problems, but no run can start.
    lock_failure: str | None = None

    @property
    def is_good(self) -> bool:
        """True if a run can be made of it, that is, if it has no errors; warnings are allowed."""
        return all(problem.severity != "error" for problem in self.problems)

    @property
    def operations(self) -> list[str]:
        """The canonical types of the operations that could be compiled, in order."""
        return [step.type for step in self.compiled.steps] if self.compiled else []


def judge(
    params: Mapping[str, Any],
    config: Config,
    gateways: GatewayTable,
    files: Mapping[str, Path] = NO_FILES,
) -> Judged:
    """Check the params of a request that hold a definition. Starts nothing, raises nothing.

    `files`: CSV files outside engine.data_dir, by name.

    Blocks: for turns of others, all along.
    """
    with turns.given(slices()):
        return _judge(params, _Room(config, gateways, files))


def _judge(params: Mapping[str, Any], room: "_Room") -> Judged:
    try:
        return room.judge(room.load(params))
    except DefinitionError as error:
        named = error.fields
    problems = _problems_of(named)
    known = [name for name in params if name in _SCHEMA.fields or name.startswith(_OPEN)]
    rest = {name: params[name] for name in known if not _is_named(name, named)}
    if "operations" in rest:
        try:
            problems += room.judge(room.load(rest)).problems
        except DefinitionError as error:
            # Members are compared with each other only once each of them is right by itself.
            problems += [one for one in _problems_of(error.fields) if one not in problems]
    return Judged(tuple(problems))


@dataclass(frozen=True, slots=True)
class _Room:
    """The daemon in which a definition would run, and by which it is checked."""

    config: Config
    table: GatewayTable
    files: Mapping[str, Path]

    def load(self, params: Mapping[str, Any]) -> LoadedParams:
        """Return the params as their schema loads them. Errors: DefinitionError."""
        refuses_unknown = self.config.rpc.unknown_params == "refuse"
        return load_params(
            _SCHEMA, dict(params), refuse=DefinitionError, are_unknown_refused=refuses_unknown
        )

    def judge(self, params: LoadedParams) -> Judged:
        """Check params of the right shape."""
        count, most = len(params["operations"]), self.config.engine.max_operations
        if count > most:
            text = f"{count} operations, at most {most}"
            return Judged((Problem("params.operations", text),), params)
        engine = self.config.engine
        limits = Limits(engine.max_backlog, data_dir=engine.data_dir, files=self.files)
        compiled, problems = compile_test(params, self.config, limits)
        turns.hold(params, compiled, problems)
        gateways, found = self.resolve(params, compiled)
        problems = [*params.warnings, *problems, *found]
        for part in compiled.parts:
            problems += part.problems(gateways)
        # One more than is shown, so that the last line says there are more.
        problems += threshold_problems(params, MAX_PROBLEMS + 1)
        if params["strict"]:
            problems = [replace(problem, severity="error") for problem in turns.over(problems)]
        judged = Judged(tuple(in_params(bounded(problems))), params, compiled, gateways)
        return _with_lock_keys(judged, params, compiled) if judged.is_good else judged

    def resolve(
        self, params: LoadedParams, compiled: CompiledTest
    ) -> tuple[dict[str, Gateway], list[Problem]]:
        """Return the gateways that operations need, and their problems."""
        problems: list[Problem] = []
        gateways: dict[str, Gateway] = {}
        for selection, path in compiled.needs.items():
            found = self.table.resolve(selection, params, self.config.tester)
            if isinstance(found, str):
                problems.append(Problem(selection, f"{found} (needed by {path})"))
            else:
                gateways[selection] = found
        for selection, check in compiled.gateway_checks:
            if selection in gateways:
                problems += check(gateways[selection])
        problems += self.unused_selections(params, compiled)
        for gateway in gateways.values():
            problems += gateway.problems(params)
        return gateways, problems

    def unused_selections(self, params: LoadedParams, compiled: CompiledTest) -> list[Problem]:
        """Return warnings for selected gateways that do not exist and that no operation needs."""
        found = []
        for name, value in params.items():
            if is_selection(name) and name not in compiled.needs and value and value != "default":
                resolved = self.table.resolve(name, params, self.config.tester)
                if isinstance(resolved, str):
                    found.append(Problem(name, f"{resolved}; no operation needs it", "warning"))
        return found


def _with_lock_keys(judged: Judged, params: LoadedParams, compiled: CompiledTest) -> Judged:
    try:
        keys, problems = lock_keys(params, compiled.vars)
    except StartError as failure:
        warning = Problem("params.locks", failure.message, "warning")
        return replace(judged, problems=(*judged.problems, warning), lock_failure=failure.message)
    found = _problems_of(fields_of(in_params(bounded(problems))))
    return replace(judged, problems=(*judged.problems, *found), lock_keys=tuple(keys))


def _problems_of(fields: Mapping[str, list[str]]) -> list[Problem]:
    return [Problem(path, text) for path, texts in fields.items() for text in texts]


def _is_named(name: str, paths: Mapping[str, Any]) -> bool:
    """Return True if a problem lies in the member of that name."""
    place = member_path("params", name)
    return any(path == place or path.startswith((f"{place}.", f"{place}[")) for path in paths)
