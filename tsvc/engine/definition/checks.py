"""Everything that is checked of a definition before a run is made of it: all problems at once."""

from collections.abc import Callable
from typing import Any

from tsvc.clock import Clock
from tsvc.config.tables import Config
from tsvc.engine.definition.compile import (
    MAX_PROBLEMS,
    CompiledTest,
    Limits,
    bounded,
    compile_test,
    in_params,
)
from tsvc.engine.definition.thresholds import threshold_problems
from tsvc.engine.gateways import GatewayTable
from tsvc.engine.give_way import give_way
from tsvc.engine.instance import SLICE_S
from tsvc.engine.scp_host import ScpHost
from tsvc.errors import Problem
from tsvc.gateways.gateway import Gateway
from tsvc.kind import is_selection
from tsvc.operations.operation import OperationSettings

Checked = tuple[CompiledTest, dict[str, Gateway], list[Problem]]


def check_definition(
    params: Any, config: Config, clock: Clock, table: GatewayTable, scp: ScpHost
) -> Checked:
    """Compile checked params and resolve their gateways; problems are all that is wrong.

    Blocks: lets others run between operations.
    """
    limits = Limits(config.engine.max_backlog, data_dir=config.engine.data_dir)
    compiled, problems = compile_test(params, operation_settings(config), limits, _slices(clock))
    problems = [*getattr(params, "warnings", []), *problems]
    gateways: dict[str, Gateway] = {}
    for selection, path in compiled.needs.items():
        found = table.resolve(selection, params, config.tester)
        if isinstance(found, str):
            problems.append(Problem(selection, f"{found} (needed by {path})"))
        else:
            gateways[selection] = found
    for selection, check in compiled.gateway_checks:
        if selection in gateways:
            problems += check(gateways[selection])
    problems += _unused_selections(params, compiled, config, table)
    for gateway in gateways.values():
        problems += gateway.problems(params)
    if params.get("flow") is not None:
        problems += scp.compile(params["flow"])[1]
        if "sigtran" not in gateways:
            problems.append(Problem("flow", "needs a loopback SIGTRAN instance"))
    # One more than is shown, so that the last line says there are more.
    problems += threshold_problems(params, MAX_PROBLEMS + 1)
    return compiled, gateways, in_params(bounded(problems))


def operation_settings(config: Config) -> OperationSettings:
    """Return the settings of the daemon that operations obey."""
    tester = config.tester
    return OperationSettings(
        config.engine.tcap_timeout_s,
        tester.ignore_reset_timer,
        tester.auto_activity_result,
        config.rpc.unknown_params == "refuse",
    )


def _unused_selections(
    params: Any, compiled: CompiledTest, config: Config, table: GatewayTable
) -> list[Problem]:
    """Note names of gateways that no operation needs and that do not exist."""
    found = []
    for name, value in params.items():
        if is_selection(name) and name not in compiled.needs and value and value != "default":
            resolved = table.resolve(name, params, config.tester)
            if isinstance(resolved, str):
                found.append(Problem(name, f"{resolved}; no operation needs it", "warning"))
    return found


def _slices(clock: Clock) -> Callable[[], None]:
    """Return a function for long work to call: it lets others run when its slice is over."""
    began_at = clock.now()

    def tick() -> None:
        nonlocal began_at
        if clock.now() - began_at > SLICE_S:
            give_way()
            began_at = clock.now()

    return tick
