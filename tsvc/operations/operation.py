"""The base of test operations: declared types that compile an entry of a definition to a function.

Types are in this package; those of a gateway are in the part `operations` of its kind. An entry is
compiled once per run: compile() checks the entry, reports every problem by path and returns a
function of the instance, written as plain blocking code. The function returns the index of the
operation to continue with, or None for the next one.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field, replace
from itertools import chain
from types import MappingProxyType
from typing import Any, ClassVar, NoReturn, Protocol, TypeVar, cast

from tsvc import turns
from tsvc.clock import Clock
from tsvc.config.tables import Config
from tsvc.errors import DefinitionError, Problem
from tsvc.expr import Expression, Template, compile_always, compile_template, is_expression
from tsvc.expr.environment import Environment
from tsvc.expr.expression import Uses
from tsvc.gateways.gateway import Gateway
from tsvc.kind import parts
from tsvc.matching.outcome import Outcome
from tsvc.matching.tests import TestList, compile_tests
from tsvc.operations.context import RunContext, Session
from tsvc.operations.eligibility import Eligibility
from tsvc.operations.fast_path.contract import Host
from tsvc.operations.fast_path.recording import PathSource
from tsvc.protocols.tcap.dialogue import Dialogue
from tsvc.registry import Registry, modules_of
from tsvc.results.records import Ends, Tap
from tsvc.schema import fields
from tsvc.schema.describe import describe_members
from tsvc.schema.fields import Members
from tsvc.schema.load import load_params
from tsvc.values import dataclass
from tsvc.words import did_you_mean, shown

MOST_HINTED = 100  # problems of a definition
P = TypeVar("P", bound="RunPart")

LOGIC, OUTBOUND, INBOUND = "logic", "outbound", "inbound"


class InstanceAborted(Exception):
    """Ends an instance; the text is the reason. `is_logged`: a check has logged it already."""

    def __init__(self, reason: str, *, is_logged: bool = False) -> None:
        super().__init__(reason)
        self.is_logged = is_logged


class Watched(Protocol):
    """A TCAP dialogue, as seen by an instance that keeps its messages."""

    role: str
    variant: str
    tcap: Dialogue

    @property
    def is_bare(self) -> bool:
        """True if no link carries the dialogue."""

    def follow(self) -> None:
        """Record its path through the embedded SCP's flow: it belongs to the first instance."""


class Instance(Protocol):
    """The part of a Test Instance that its operations may use."""

    idx: int
    env: Environment
    clock: Clock
    context: RunContext
    dialogues: list[Session[Any]]
    is_checked: bool  # False: matching of arguments is switched off (turbo)
    is_traced: bool
    position: int  # index of the operation that runs
    planned_at: float

    def entry(
        self, ok: bool, text: str, expected: object, got: object, *, abort: bool = False
    ) -> None:
        """Add a check to the check log; a failed one with `abort` ends the instance."""

    def add(self, outcome: Outcome) -> None:
        """Add all findings of a comparison to the check log."""

    def trace(self, level: int, text: str, detail: Callable[[], Any] | None = None) -> None:
        """Add to the trace log if the run traces at this level; `detail` is then called."""

    def sleep(self, seconds: float) -> None:
        """Wait some seconds. Blocks: that long; ends early if the run is cancelled."""

    def halt(self, seconds: float, comment: str | None) -> bool:
        """Halt; return True if ResumeInstance ends it. Blocks: until then, or that long."""

    def note_latency(self, name: str, seconds: float) -> None:
        """Record how long an operation took."""

    def note_malformed(self) -> None:
        """Count something received in a form that it must not have."""

    def note_refusal(self, what: str) -> None:
        """Count and log a peer's refusal that no operation checks; it may fail the instance."""

    def watch(self, dialogue: "Watched", name: str) -> None:
        """Keep the messages of a dialogue for the detail of the instance."""

    @property
    def keeps_messages(self) -> bool:
        """True if note_message() keeps messages; otherwise their octets need not be made."""

    def note_message(
        self,
        protocol: str,
        peer: str,
        is_sent: bool,
        octets: bytes,
        grammar: str = "",
        ends: Ends | None = None,
    ) -> None:
        """Keep a message of a protocol other than TCAP: results.records.ExchangeRecord."""

    def tick(self) -> None:
        """Yield if this instance has worked for long."""


Execute = Callable[[Instance], int | None]
GatewayCheck = Callable[[Gateway], list[Problem]]


class CompiledArguments:
    """An object of arguments: as given, and with its expressions evaluated per instance."""

    __slots__ = ("_template", "given", "is_constant")

    def __init__(self, given: Mapping[str, Any], template: Template) -> None:
        self.given = given
        self._template = template
        self.is_constant = template.is_constant

    def render(self, env: Environment) -> dict[str, Any]:
        """Return the arguments for an instance; constant ones are shared: do not change them."""
        return cast(dict[str, Any], self._template.render(env))

    def constant(self) -> dict[str, Any]:
        """Return the arguments, which are all constant."""
        assert self.is_constant
        return self.render(_NO_ENVIRONMENT)


def _nothing() -> float:
    return 0.0


_NO_ENVIRONMENT = Environment({}, {}, {}, {}, random=_nothing, now=_nothing)


@dataclass
class Scope:
    """The state of the compilation of one definition."""

    params: Mapping[str, Any]
    config: Config
    labels: Mapping[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    # Gateway selections that operations need: "sigtran", "db_<label>" … -> path that needs it.
    needs: dict[str, str] = field(default_factory=dict)
    # Some expression reads $i or __INBOUND: received arguments must be decoded.
    reads_inbound: bool = True
    # Checks of needed gateways, by selection; called when the gateway is known.
    gateway_checks: list[tuple[str, "GatewayCheck"]] = field(default_factory=list)
    # Checks that need all operations compiled.
    later: list[Callable[[], None]] = field(default_factory=list)
    # The kinds' parts of the run, by class: those that are imported, and those asked for.
    parts: "dict[type[RunPart], RunPart]" = field(default_factory=dict)
    attributes: Collection[str] = ()  # names of the members that the entry may have
    variables: "Variables" = field(default_factory=lambda: Variables())
    eligibility: Eligibility = field(default_factory=lambda: Eligibility({}))  # of the fast path

    def __post_init__(self) -> None:
        for class_ in RUN_PARTS.there():
            self.part(class_)

    def part(self, class_: type[P]) -> P:
        """Return a kind's part of the run; the first call makes it."""
        found = self.parts.get(class_)
        if found is None:
            found = self.parts[class_] = class_(self.params, self.config)
            found.before_operations(self)
        return cast(P, found)

    def hint(self, name: str, known: Iterable[str]) -> str:
        """Return the "did you mean" of a name, nothing after many problems: it takes long."""
        return did_you_mean(name, known) if len(self.problems) < MOST_HINTED else ""

    def hint_of_argument(self, name: str, known: Iterable[str]) -> str:
        """Return the hint of an unknown argument, which may belong beside `arguments`."""
        hint = self.hint(name, known)
        is_beside = not hint and name in self.attributes
        return f'; did you mean "{name}" beside "arguments"?' if is_beside else hint

    def refuse(self, path: str, text: str) -> None:
        """Add a problem that keeps the run from being created."""
        self.problems.append(Problem(path, text))

    def need(self, selection: str, path: str) -> None:
        """Note that an operation needs a gateway."""
        self.needs.setdefault(selection, path)

    def check_gateway(self, selection: str, check: "GatewayCheck") -> None:
        """Add a check of a gateway, made before the run is created: check(gateway) -> problems."""
        self.gateway_checks.append((selection, check))

    def template(self, value: Any, path: str) -> Template:
        """Compile a JSON value with its `{…}` expressions."""
        return compile_template(value, path, self.problems, note=self.variables.note)

    def template_to_send(self, value: Any, path: str) -> Template:
        """Compile a JSON value that is sent: an expression without a value is reported."""
        note = self.variables.note
        return compile_template(value, path, self.problems, is_sent=True, note=note)

    def constant(self, template: Template) -> Any:
        """Return the value of a constant template, expressions without variables included."""
        assert template.is_constant
        return template.render(_NO_ENVIRONMENT)

    def arguments(self, given: Mapping[str, Any] | None, path: str) -> CompiledArguments:
        """Compile the `arguments` object of an entry that sends them."""
        given = self._bounded(given, path)
        return CompiledArguments(given, self.template_to_send(given, f"{path}.arguments"))

    def expected(self, given: Mapping[str, Any] | None, path: str) -> CompiledArguments:
        """Compile the `arguments` object of an entry that compares them with a message."""
        given = self._bounded(given, path)
        return CompiledArguments(given, self.expected_template(given, f"{path}.arguments"))

    def _bounded(self, given: Mapping[str, Any] | None, path: str) -> dict[str, Any]:
        """Return the arguments, unless there are too many: protocols iterate in one go."""
        if given and len(given) > fields.MOST_MEMBERS:
            text = f"{len(given)} members, at most {fields.MOST_MEMBERS}"
            self.refuse(f"{path}.arguments", text)
            return {}
        return dict(given or {})

    def expected_template(self, value: Any, path: str) -> Template:
        """Compile a JSON value that is compared: an expression without a value fails."""
        note = self.variables.note
        return compile_template(value, path, self.problems, is_expected=True, note=note)

    def expression(self, source: object, path: str) -> Expression | None:
        """Compile a text that is an expression, with or without braces around."""
        return compile_always(source, path, self.problems, self.variables.note)

    def looks_at(self, entry: Mapping[str, Any], *members: str) -> bool:
        """Return True if a received member may be read: by the kpath of a test of the entry, or by
        any expression of the definition.
        """
        kpaths = [str(test.get("kpath")) for test in entry.get("tests") or () if test]
        return self.reads_inbound or any(
            is_expression(kpath) or any(member in kpath for member in members) for kpath in kpaths
        )

    def tests(self, entry: Mapping[str, Any], path: str) -> TestList | None:
        """Compile the entry's `tests`, None if it has none."""
        tests = entry.get("tests")
        if not tests:
            return None
        return compile_tests(tests, f"{path}.tests", self.problems, self.variables.note)


class Variables:
    """The variables that expressions of a definition read, and those that are set.

    The root i holds what operations received.
    """

    def __init__(self) -> None:
        self.noted: list[tuple[str, Uses]] = []  # of each expression, by its path
        self._read: dict[tuple[str, str], str] = {}  # with the path of its first reader
        self._set: set[tuple[str, str]] = set()
        self._unknown: set[str] = set()

    def note(self, path: str, expression: Expression) -> None:
        """Note the variables that an expression reads and sets."""
        self.noted.append((path, expression.uses))
        for variable in expression.uses.reads:
            self._read.setdefault(variable, path)
        self._set |= expression.uses.sets
        self._unknown |= expression.uses.sets_any

    def receives(self, names: Collection[str] | None) -> None:
        """Note the names in `$i` that an operation may set; None: any."""
        if names is None:
            self._unknown.add("i")
        else:
            self._set.update(("i", name) for name in names)

    @property
    def sets_globals(self) -> bool:
        """True if some expression assigns to $g."""
        return "g" in self._unknown or any(root == "g" for root, _ in self._set)

    def read(self, root: str, name: str, path: str) -> None:
        """Note that a variable is read: `root` is v, g or i."""
        self._read.setdefault((root, name), path)

    def problems(self, given: Collection[str], most: int) -> list[Problem]:
        """Return warnings for variables that nothing sets, at most `most`.

        `given`: the names of `vars`.
        """
        found: list[Problem] = []
        for (root, name), path in self._read.items():
            turns.walked()
            is_given = root == "v" and name in given
            if is_given or (root, name) in self._set or root in self._unknown:
                continue
            if name.startswith("__"):
                continue
            if len(found) == most:
                break
            known = (other for of, other in self._set if of == root)
            hint = did_you_mean(name, chain(known, given if root == "v" else ()))
            reason = "no operation receives" if root == "i" else "nothing sets"
            text = f"reads ${root}->{{{shown(name)[1:-1]}}}, which {reason}{hint}"
            found.append(Problem(path, text, "warning"))
        return found


class RunPart:
    """A kind's part of every run, whatever the operations. The methods are called in this order.

    A subclass is in the part `run` of its kind, marked @run_part. An object of it is made for each
    definition that is checked, and belongs to the run that may be made of it; operations find it
    by scope.part(). Problems have the paths of params; nothing here blocks.
    """

    def __init__(self, params: Mapping[str, Any], config: Config) -> None:
        self.params = params
        self.config = config

    def before_operations(self, scope: Scope) -> None:
        """Check params with which operations are compiled."""

    def after_operations(self, scope: Scope) -> None:
        """Check the remaining params."""

    def problems(self, gateways: Mapping[str, Gateway]) -> list[Problem]:
        """Return further problems of the params. `gateways`: those that exist, by selection."""
        return []

    def alone(self, gateways: Mapping[str, Gateway]) -> tuple[str, str] | None:
        """Return the name of a gateway that workers can't use for the definition, and why."""
        return None

    def begin(self, gateways: Mapping[str, Gateway]) -> None:
        """Start what the run needs. Errors: StartError."""

    def fast_path(self, host: Host, eligibility: Eligibility) -> "PathSource | str | None":
        """Return the kind's source of paths for the fast path of a run that has begun.

        None: it has no operations. A text: why its operations can't be replayed.
        """
        return None

    def first_call(self) -> dict[str, Any]:
        """Return members of the result to add to the detail of the first instance."""
        return {}

    def remarks(self) -> list[Problem]:
        """Return notes about the run, for the `problems` of its result."""
        return []

    def end(self) -> None:
        """Stop what begin() started: the run is over, or could not be made."""

    def forget(self) -> None:
        """Free what is kept elsewhere for the run: its result is archived."""


RUN_PARTS: Registry[type[RunPart]] = Registry("run part", near=parts("run"))


def run_part(class_: type[P]) -> type[P]:
    """Register a kind's part of runs."""
    RUN_PARTS.register(class_.__module__, class_)
    return class_


class Entry(Members):
    """Attributes that every operation has."""

    type = fields.String(required=True, help="the type of the operation")
    label = fields.String(help="a unique name, to which branch may jump")


class OperationType:
    """One type of test operation."""

    name: str
    family: str
    summary: str
    Attributes: ClassVar[type[Members]]
    example: Mapping[str, Any] = MappingProxyType({})
    # The members of `arguments`, which compile() checks: see tsvc.operations.arguments. None: the
    # type takes no arguments, or those of an ASN.1 type, and describe_arguments() is overridden.
    Arguments: ClassVar[type[Members] | None] = None
    # Names that it may set in `$i`, None if they are unknown: then reads of `$i` aren't checked.
    received: Collection[str] | None = None
    # Other names that definitions may use for the type.
    aliases: tuple[str, ...] = ()
    # Whether `Request` may follow its name.
    may_say_request: bool = False
    # Whether names of arguments may be written in any way: capitals, hyphens.
    are_names_free: bool = False

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        """Return the function that performs a checked entry; problems go to the scope."""
        raise NotImplementedError

    def load(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Mapping[str, Any] | None:
        """Check an entry against the schema of its attributes; None if that found problems."""
        scope.attributes = self.Attributes.shared().load_fields.keys()
        try:
            loaded = load_params(
                self.Attributes.shared(),
                dict(entry),
                refuse=DefinitionError,
                are_unknown_refused=scope.config.rpc.unknown_params == "refuse",
            )
        except DefinitionError as error:
            for place, texts in error.fields.items():
                here = path + place.removeprefix("params")
                hint = self._hint(place)
                for text in texts:
                    scope.refuse(here, text if "did you mean" in text else f"{text}{hint}")
            return None
        for warning in loaded.warnings:
            here = path + warning.path.removeprefix("params")
            scope.problems.append(replace(warning, path=here))
        return loaded

    def _hint(self, place: str) -> str:
        """Return where an unknown member belongs, if it is the name of an argument."""
        head, _, name = place.rpartition(".")
        if head != "params" or name in self.Attributes.shared().load_fields:
            return ""
        described = self.describe_arguments()
        is_argument = described is not None and name in described.get("members", {})
        return f'; did you mean "arguments.{name}"?' if is_argument else ""

    def describe(self) -> dict[str, Any]:
        """Return the catalogue entry of this type.

        Shape: {type, family, summary, attributes: description by name, arguments, received,
        example}; `expression` in a description says that the attribute may be one; arguments is
        null or {type, members, …}; received are names in `$i`. docs/reference/operations.md is
        made of this.
        """
        return {
            "type": self.name,
            "family": self.family,
            "summary": self.summary,
            "attributes": _described(self.Attributes.shared()),
            "arguments": self.describe_arguments(),
            "received": sorted(self.received or ()),
            "example": dict(self.example),
        }

    def describe_arguments(self) -> dict[str, Any] | None:
        """Return the description of `arguments`, None if the type takes none."""
        if self.Arguments is None:
            return None
        return {"type": "sequence", "members": describe_members(self.Arguments.shared())}


def _described(schema: Members) -> dict[str, dict[str, Any]]:
    described = describe_members(schema)
    for name, member in schema.load_fields.items():
        if getattr(member, "may_be_expression", False):
            described[name]["expression"] = True
    return described


OPERATION_TYPES: Registry[OperationType] = Registry(
    "operation type", modules_of("tsvc.operations"), near=parts("operations")
)


@dataclass(frozen=True, slots=True)
class Family:
    """Types whose names are made by users: labels and methods of their configuration.

    `resolve` returns the type of a whole name, None if no type can have that name. `sample` is a
    type whose name shows the shape, "db.<label>.<method>": the catalogue describes it.
    """

    prefix: str
    resolve: Callable[[str], OperationType | None]
    sample: OperationType


_FAMILIES: list[Family] = []
_ALIASES: dict[str, str] = {}


def name_of(alias: str) -> str:
    """Return the name of the type that has an alias; any other text is returned unchanged."""
    OPERATION_TYPES.near(alias)
    return _ALIASES.get(alias, alias)


def declare_family(family: Family) -> None:
    """Register a family; its file is imported with those of the other types."""
    _FAMILIES.append(family)


def families() -> list[Family]:
    """Return the families of types, in the order of their prefixes."""
    OPERATION_TYPES.load()
    return sorted(_FAMILIES, key=lambda family: family.prefix)


def type_of(name: str) -> OperationType | None:
    """Return the type of a name in its canonical spelling, those of families included."""
    found = _near(name)
    if found is None:
        OPERATION_TYPES.load()
        found = _near(name)
    return found


def _near(name: str) -> OperationType | None:
    found = OPERATION_TYPES.near(name)
    if found is None:
        for family in _FAMILIES:
            if found is None and name.startswith(family.prefix):
                found = family.resolve(name)
    return found


def catalogue() -> list[OperationType]:
    """Return every type, each family as its sample, in the order of names."""
    known = [*OPERATION_TYPES, *(family.sample for family in families())]
    return sorted(known, key=lambda type_: type_.name)


def declare(type_: OperationType) -> OperationType:
    """Register an operation type under its name and its aliases."""
    _ALIASES.update(dict.fromkeys(type_.aliases, type_.name))
    return OPERATION_TYPES.register(type_.name, type_)


def note_received(instance: Instance, name: str, tree: Any, *aliases: str) -> None:
    """Store a received message for expressions: `$i->{<name>}`, and `__INBOUND` for the last."""
    received = dict.fromkeys((name, *aliases), tree)
    instance.env.i.update(received)
    instance.env.v["__INBOUND"] = received


def tap_of(instance: Instance, protocol: str, gateway: Gateway) -> Tap | None:
    """Return a function that keeps messages for the detail of the instance, None if not kept."""
    if not instance.keeps_messages:
        return None
    return lambda is_sent, octets, ends=None: instance.note_message(
        protocol, gateway.name, is_sent, octets, "", ends
    )


def abort(reason: str) -> NoReturn:
    """Abort the instance with a reason. Equal reasons are counted as one cause."""
    raise InstanceAborted(reason)
