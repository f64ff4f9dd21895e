"""The SIGTRAN side of a run: extensions, application contexts, a flow of its own."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from tsvc.config.tables import Config
from tsvc.errors import LocalProtocolError, Problem
from tsvc.flow.document import compile_flow
from tsvc.flow.flow import Flow
from tsvc.flow.node import NODES
from tsvc.gateways.gateway import Gateway
from tsvc.kinds.sigtran.fast_path.paths import DialogueSource
from tsvc.kinds.sigtran.gateway import SigtranGateway
from tsvc.operations.eligibility import Eligibility
from tsvc.operations.fast_path.contract import Host
from tsvc.operations.operation import RunPart, Scope, run_part
from tsvc.protocols.contexts import context_octets
from tsvc.protocols.inap.extensions import ExtensionTypes
from tsvc.protocols.inap.operation import DEFAULT_VARIANT
from tsvc.ss7.scp_host import PathRecorder
from tsvc.ss7.scp_node import ScpNode

_NO_LOOPBACK = Problem("flow", "needs a loopback SIGTRAN instance")


@run_part
class SigtranRun(RunPart):
    """The data that the dialogues of a run share, from its compilation to its end."""

    def __init__(self, params: Mapping[str, Any], config: Config) -> None:
        super().__init__(params, config)
        # Types of INAP extensions that the run declares (inap.extensions).
        self.extensions = ExtensionTypes({})
        # Names of INAP operations that some entry expects.
        self.expected: set[str] = set()
        # Variants of the dialogues that operations open, by role: later operations are checked by
        # them.
        self.variants: dict[str, set[str]] = {}
        # Names of the dialogues that operations open, and of those that must be open already.
        self.opened: set[str] = set()
        self.begins = 0  # operations that open a dialogue
        self._wanted: dict[str, str] = {}  # with the path of the first operation
        # True if an operation waits for a dialogue that a peer begins.
        self.is_called = False
        # Operations of the SCP that are answered automatically: the definition does not expect
        # them.
        self.self_answered: frozenset[str] = frozenset()
        # The flow of the run; it is compiled when the definition is checked.
        self._flow: Flow | None = None
        # The SCP that serves this run alone, if it has a flow.
        self.private_scp: ScpNode | None = None
        self._paths: PathRecorder | None = None
        self._otids: list[bytes] = []  # of dialogues whose paths are stored

    def variants_of(self, role: str) -> list[str]:
        """Return the variants that the dialogues of a role may have."""
        return sorted(self.variants.get(role, ())) or [DEFAULT_VARIANT]

    def existing(self, name: str | None, path: str) -> str | None:
        """Return the dialogue name that an entry gives; some operation must open that dialogue."""
        if name is not None:
            self._wanted.setdefault(name, path)
        return name

    def follow(self, otid: bytes) -> None:
        """Record the path of a call through the flow."""
        if self._paths is not None:
            self._otids.append(otid)
            self._paths.want(otid)

    # -- checks of a definition --------------------------------------------------------------

    def before_operations(self, scope: Scope) -> None:
        declared = (self.params.get("inap") or {}).get("extensions") or {}
        try:
            self.extensions = ExtensionTypes(declared)
        except LocalProtocolError as error:
            scope.refuse(f"inap.extensions.{error.path}", error.text)

    def after_operations(self, scope: Scope) -> None:
        for name, path in self._wanted.items():
            if name not in self.opened:
                text = "no operation opens a dialogue of this name"
                scope.refuse(f"{path}.dialogue", text + scope.hint(name, self.opened))
        for name in ("ssp_ac", "hlr_ac"):
            value = self.params.get(name)
            if value:
                try:
                    context_octets(value)
                except ValueError as error:
                    scope.refuse(name, str(error))

    def problems(self, gateways: Mapping[str, Gateway]) -> list[Problem]:
        flow = self.params.get("flow")
        if flow is None:
            return []
        self._flow, found = compile_flow(flow, self.config.scp)
        return found if "sigtran" in gateways else [*found, _NO_LOOPBACK]

    def alone(self, gateways: Mapping[str, Gateway]) -> tuple[str, str] | None:
        gateway = gateways.get("sigtran")
        if not (self.is_called and isinstance(gateway, SigtranGateway)):
            return None
        why = "what a peer begins names no worker, and all of them have one address"
        return (gateway.name, why) if gateway.shares_address else None

    # -- a run -------------------------------------------------------------------------------

    def begin(self, gateways: Mapping[str, Gateway]) -> None:
        tester = self.config.tester
        switches = {
            "ResetTimer": tester.ignore_reset_timer,
            "ActivityTest": tester.auto_activity_result,
        }
        self.self_answered = frozenset(name for name, is_on in switches.items() if is_on)
        self.self_answered -= self.expected
        gateway = gateways.get("sigtran")
        if not isinstance(gateway, SigtranGateway):
            return
        self._paths = gateway.paths
        if self._flow is not None:
            self.private_scp = gateway.private_scp(self._flow)

    def fast_path(self, host: Host, eligibility: Eligibility) -> DialogueSource | str | None:
        gateway = host.context.gateways.get("sigtran")
        if "sigtran" not in eligibility.kinds:
            return None
        if type(gateway) is not SigtranGateway:
            return "its gateway is none of SS7"
        sent, expected = eligibility.sent_by("sigtran"), eligibility.expected_by("sigtran")
        return DialogueSource(host, gateway, self.private_scp, sent, expected)

    def first_call(self) -> dict[str, Any]:
        # The SCP may still work when the instance is over, so the paths are looked up each time.
        paths = [] if self._paths is None else [self._paths.get(otid) for otid in self._otids]
        return {"flow_paths": [path for path in paths if path]}

    def remarks(self) -> list[Problem]:
        if self._paths is None:
            return []
        reasons = {self._paths.why_unserved(otid): None for otid in self._otids}
        return [
            Problem("first_call_summary", reason, severity="warning")
            for reason in reasons
            if reason
        ]

    def end(self) -> None:
        if self.private_scp is not None:
            self.private_scp.stop()

    def forget(self) -> None:
        if self._paths is not None:
            for otid in self._otids:
                self._paths.drop(otid)


def has_errors(problems: Iterable[Problem]) -> bool:
    """Return True if not all problems are warnings."""
    return any(problem.severity == "error" for problem in problems)


def check_by_variant(
    scope: Scope, variants: list[str], check: Callable[[str, Scope], None]
) -> None:
    """Add the problems that `check` finds, unless one of the variants has no problem.

    Those of a variant with warnings only are preferred.
    """
    trials: list[list[Problem]] = []
    for variant in variants:
        trial = replace(scope, problems=[])
        check(variant, trial)
        trials.append(trial.problems)
    if all(trials):
        scope.problems += min(trials, key=has_errors, default=[])


# A run may bring a flow. Load its nodes on import, because loading would block the event loop.
NODES.load()
