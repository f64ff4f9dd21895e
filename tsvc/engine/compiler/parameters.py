"""The schema of ExecuteTest's params: shapes and ranges; operations are compiled elsewhere."""

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any, ClassVar

from marshmallow import ValidationError, post_load, pre_load, validates, validates_schema
from marshmallow.fields import Field

from tsvc.engine.load.arrivals import EVEN, KINDS, POISSON
from tsvc.engine.load.grid import Grid, grid_of, grid_of_stages
from tsvc.engine.load.share import Share
from tsvc.kind import kinds, label_prefixes, parts
from tsvc.schema import fields
from tsvc.schema.fields import Members, RunParams
from tsvc.schema.style import float_of, integer_of
from tsvc.values import dataclass
from tsvc.words import kind_of

# Bounds of plans: within them each start has its own moment, in double precision.
MAX_CPS = 1_000_000.0  # beyond any processor
MAX_TOTAL = 10**15  # of a linear run; at that rate, thirty years
MAX_SECONDS = 1e8  # three years
MAX_LINGER_MS = 60_000
MAX_EPOCH = 253_402_300_799.0  # the end of the year 9999

# Bounds of arrays, checked before any item is: a million items would take seconds.
MAX_OPERATIONS = 10_000
MAX_TESTS = 10_000  # of one operation
MAX_LOCKS = 10_000
MAX_THRESHOLDS = 1000
MAX_STAGES = 1000
MAX_TAGS = 100
LONGEST_TAG = 100


class Items(fields.List):
    """An array of at most `most` items."""

    def __init__(self, inner: Any, most: int, **kwargs: Any) -> None:
        super().__init__(inner, **kwargs)
        self.most = most

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        _check_length(value, attr, self.most)
        return super()._deserialize(value, attr, data, **kwargs)


def _check_length(items: object, name: str | None, most: int) -> None:
    if isinstance(items, list) and len(items) > most:
        raise ValidationError(f"{len(items)} {name}, at most {most}")


class OperationEntry(fields.Object):
    """One of `operations`. Its type checks it, except for the number of its tests."""

    def read(self, value: Any) -> dict[str, Any]:
        """Return the entry."""
        entry = super().read(value)
        try:
            _check_length(entry.get("tests"), "tests", MAX_TESTS)
        except ValidationError as error:
            raise ValidationError({"tests": error.messages}) from None
        return entry


CATCH_UP = 2.0  # times the rate, if `cps` does not set it


class Stage(Members):
    """One of `cps.stages`: a rate that is held for some time, perhaps after a ramp to it."""

    target = fields.Number(
        0,
        MAX_CPS,
        required=True,
        help="rate of the stage; the last one needs more than 0",
        unit="1/s",
    )
    seconds = fields.Number(
        0.001,
        MAX_SECONDS,
        required=True,
        help="how long the stage lasts, its ramp included; the last rate stays for good",
        unit="s",
    )
    ramp_s = fields.Number(
        0,
        MAX_SECONDS,
        help="time at the beginning of the stage in which the rate goes in a straight line from"
        " the rate before it to target, at most `seconds`; before the first stage the rate is 0,"
        " in RateTest the present rate; absent: the rate changes at once",
        unit="s",
    )

    @validates_schema
    def check_ramp(self, data: dict[str, Any], **_: Any) -> None:
        """Raise ValidationError if the ramp is longer than the stage."""
        if data.get("ramp_s", 0) > data["seconds"]:
            text = f"must be at most the {data['seconds']:g} seconds of the stage"
            raise ValidationError(text, "ramp_s")


class Cps(Members):
    """`distribution.cps`."""

    target = fields.Number(0.000001, MAX_CPS, help="the rate; this or stages", unit="1/s")
    initial = fields.Number(
        0, MAX_CPS, help="rate at the beginning, where there is a ramp; absent: target", unit="1/s"
    )
    ramp_s = fields.Number(
        0,
        MAX_SECONDS,
        help="time in which the rate goes in a straight line from initial to target",
        unit="s",
    )
    burst = fields.Integer(
        1, help="depth of the token bucket: overdue starts made at once; absent: 1"
    )
    catch_up = fields.Number(
        0,
        MAX_CPS,
        help="overdue starts are made up to this times as fast as they were planned, 1 or more;"
        " 0: they are not made; absent: 2",
    )
    stages = Items(
        fields.Nested(Stage), MAX_STAGES, help="rates one after the other, instead of target"
    )
    arrivals = fields.Choice(
        KINDS,
        help="`even`: starts are evenly spaced; `poisson`: they come at random, independently of"
        " each other, at the rate as a mean, and the seed of the run repeats them; absent: even,"
        " in RateTest as before",
    )

    @validates_schema
    def check_rate(self, data: dict[str, Any], **_: Any) -> None:
        """Raise ValidationError unless there is a target or stages, and a rate at the end."""
        if ("target" in data) == ("stages" in data):
            raise ValidationError("needs target or stages, one of them", "target")
        if "stages" in data and ("initial" in data or "ramp_s" in data):
            raise ValidationError("does not go with stages", "initial")
        if "stages" in data and not data["stages"]:
            raise ValidationError("must not be empty", "stages")
        if 0 < data.get("catch_up", 0) < 1:
            raise ValidationError("must be 0 or at least 1", "catch_up")
        if "stages" in data and data["stages"][-1]["target"] <= 0:
            raise ValidationError("the last stage needs a rate above 0", "stages")


class Rate(fields.Object):
    """`cps`: an object, or a bare number for its target."""

    members = Cps()

    def _deserialize(
        self, value: Any, attr: str | None, data: Any, **kwargs: Any
    ) -> dict[str, Any]:
        bare = float_of(value)
        loaded: dict[str, Any] = self.members.load({"target": bare} if bare is not None else value)
        return loaded


# Members of a distribution that its type does not use.
_UNUSED = {
    "single": ("total", "backlog", "cps", "max_seconds", "keep_rate", "warm_up_s"),
    "load": ("cps", "keep_rate"),
}


def percent_of(text: str) -> float | None:
    """Return the number of a text such as "99%", None if it is not a number from 0 to 100."""
    found = float_of(text.removesuffix("%").strip()) if text.endswith("%") else None
    return found if found is not None and 0 <= found <= 100 else None


class Distribution(Members):
    """`distribution`. Members that its type does not use are kept unchecked."""

    type = fields.Choice(
        ("single", "load", "linear"),
        required=True,
        help="`single`: one instance; `load`: as many as the backlog allows; `linear`: at a rate",
    )
    total = fields.Integer(1, help="instances to start; not of `single`")
    backlog = fields.Integer(
        1, help="instances in progress at most, up to `engine.max_backlog`; not of `single`"
    )
    cps = Rate(help="the rate of `linear`: starts per second, a number or an object")
    max_seconds = fields.Number(
        0.001, MAX_SECONDS, help="start no more after this time; not of `single`", unit="s"
    )
    keep_rate = fields.String(
        help="how many of the planned starts have to be made on time, such as `99%`; else the run"
        " fails; of `linear`"
    )
    warm_up_s = fields.Number(
        0,
        MAX_SECONDS,
        help="instances that are planned (`load`: started) in the first seconds of the run are"
        " judged and counted as all others, but not measured: latencies, lateness and rates, and"
        " their thresholds, are those of the rest; not of `single`",
        unit="s",
    )

    @validates("keep_rate")
    def check_keep_rate(self, value: str, **_: Any) -> None:
        """Raise ValidationError if the text is not a share."""
        if percent_of(value) is None:
            raise ValidationError("must be a share from 0% to 100%, such as 99%")

    @pre_load
    def leave_out_unused(self, data: Any, **_: Any) -> Any:
        """Remove unused members before the checks: clients may send all, unused ones empty."""
        unused = _unused(data)
        return {name: data[name] for name in data if name not in unused} if unused else data

    @post_load(pass_original=True)
    def keep_unused(self, data: dict[str, Any], original: Any, **_: Any) -> dict[str, Any]:
        """Put back members that were not checked, for the archive and for unused_notes()."""
        return data | {name: original[name] for name in _unused(original)}

    @validates_schema
    def check_needed(self, data: dict[str, Any], **_: Any) -> None:
        """Raise ValidationError if a member that the type needs is missing or out of range."""
        needed = {"load": ("total", "backlog"), "linear": ("total", "backlog", "cps")}
        missing = [name for name in needed.get(data["type"], ()) if name not in data]
        if missing:
            text = f"is required for type {data['type']}"
            raise ValidationError({name: [text] for name in missing})
        if data["type"] == "linear" and data["total"] > MAX_TOTAL:
            raise ValidationError(f"must be at most {MAX_TOTAL}", "total")
        if "max_seconds" in data and data.get("warm_up_s", 0) >= data["max_seconds"]:
            raise ValidationError("must be less than max_seconds", "warm_up_s")


def _unused(distribution: Any) -> list[str]:
    """Return the members that are there and that the type does not use."""
    if not isinstance(distribution, dict) or not isinstance(distribution.get("type"), str):
        return []
    return [name for name in _UNUSED.get(distribution["type"], ()) if name in distribution]


class Lock(Members):
    """One of `locks`."""

    key = fields.String(
        required=True,
        help="what no two runs may hold at once; `{…}` is an expression over the initial "
        "vars, `$v`",
    )


class Threshold(Members):
    """One of `thresholds`."""

    metric = fields.String(
        required=True,
        help="what is compared, at the end of the run: of the run, or"
        " `operations[N].METRIC` of an operation, by number or label",
    )
    op = fields.Choice(
        ("<", "<=", ">", ">=", "==", "!="), required=True, help="how it has to compare with value"
    )
    value = fields.Number(required=True, help="the limit")
    abort_after_s = fields.Number(
        0,
        MAX_SECONDS,
        help="ends the run, in which nothing more is started then, once this was missed for so"
        " long; looked at each second",
        unit="s",
    )


class Allow(Members):
    """`allow`: how many instances of a load may fail or abort."""

    failed = fields.String(help="of the instances that ended, such as `1%`; or a number: `5`")
    aborted = fields.String(help="the same of those that were aborted")

    @validates_schema
    def check_amounts(self, data: dict[str, Any], **_: Any) -> None:
        """Raise ValidationError if a text is neither a share nor a number."""
        for name, text in data.items():
            if percent_of(text) is None and not (text.isascii() and text.isdigit()):
                raise ValidationError("must be a share such as 1%, or a number", name)


class Segment(Members):
    """`segment`: which planned starts this daemon makes."""

    index = fields.Integer(0, required=True, help="which part this service plays, from 0")
    of = fields.Integer(
        1, required=True, help="number of parts: planned starts index, index + of, … are played"
    )

    @validates_schema
    def check_index(self, data: dict[str, Any], **_: Any) -> None:
        """Raise ValidationError if the index, which counts from 0, is not below `of`."""
        if data.get("index", 0) >= data.get("of", 1):
            raise ValidationError("must be below `of`", "index")


class WorkersWanted(fields.List):
    """`workers`: "all", a number, or names."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(fields.String(1, LONGEST_TAG), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if value == "all":
            return value
        number = integer_of(value) if isinstance(value, str | int) else None
        if number is not None:
            if number < 1:
                raise ValidationError("must be at least 1")
            return number
        if not isinstance(value, list):
            raise ValidationError('must be "all", a number, or an array of names')
        _check_length(value, attr, MAX_TAGS)
        return super()._deserialize(value, attr, data, **kwargs)


_KINDS: dict[str, str] = {}  # the kind of each param that a kind adds to runs


def _of_kinds() -> dict[str, Field[Any]]:
    """Return the members that kinds add to runs: the gateway selections, and their params."""
    found: dict[str, Field[Any]] = {
        name: fields.String(
            allow_none=True, help=f"{kind.title} instance of the service's configuration"
        )
        for name, kind in kinds().items()
    }
    for name, kind in kinds().items():
        for module in parts("params")(name):
            own = import_module(module).Params().fields
            _KINDS.update(dict.fromkeys(own, kind.name))
            found |= own
    return found


def kinds_of(params: Mapping[str, Any]) -> set[str]:
    """Return the kinds of which a run has params other than a gateway selection."""
    return {kind for name, kind in _KINDS.items() if params.get(name) is not None}


class TestParameters(RunParams):
    """Params of ExecuteTest and ValidateTest: first those of every run, then those of kinds."""

    __test__ = False  # not a test class for pytest

    class Meta(RunParams.Meta):
        include: ClassVar = _of_kinds()

    open_prefixes = label_prefixes()

    operations = Items(
        OperationEntry(),
        MAX_OPERATIONS,
        required=True,
        help="what an instance does, in this order",
    )
    vars = fields.Object(help="variables of each instance, `$v`: values, expressions, generators")
    locks = Items(
        fields.Nested(Lock),
        MAX_LOCKS,
        help="what no two runs may hold at once; the run starts when it has all of them",
    )
    strict = fields.Boolean(
        load_default=False, help="whether a warning keeps the run from being created, as an error"
    )
    trace_level = fields.Integer(
        0, 3, load_default=0, help="of the first instance: 0 none, 1 debug, 2 dump, 3 spam"
    )
    trace_messages = fields.Boolean(
        load_default=True, help="keep the messages of instances that are shown in detail"
    )
    turbo = fields.Boolean(load_default=False, help="compare nothing after the first instance")
    track = fields.Boolean(
        load_default=True,
        help="use the fast path: an instance that sends and receives the octets of one that has"
        " passed, except for its own data, is replayed; where an octet differs, the ordinary"
        " instance goes on. The result is the same, except for times. 0: no fast path",
    )
    load_details = fields.Boolean(
        load_default=True, help="keep the detail of failed instances of a load"
    )
    refusals = fields.Choice(
        ("note", "fail"),
        load_default="note",
        help="what a refusal by a peer is that nothing looks at: told, or a failed check",
    )
    linger_ms = fields.Number(
        0,
        MAX_LINGER_MS,
        help="how long an instance waits at its end, while something of it is open, for what it"
        " does not expect; absent: 20 of the first one, 0 of others",
        unit="ms",
    )
    distribution = fields.Nested(
        Distribution, help="how many instances, and how fast; absent: one"
    )
    tags = Items(
        fields.String(1, LONGEST_TAG),
        MAX_TAGS,
        help="words by which `tsvc run --tag` chooses definitions; no meaning to a service",
    )
    thresholds = Items(
        fields.Nested(Threshold), MAX_THRESHOLDS, help="what the whole run must keep to"
    )
    allow = fields.Nested(
        Allow, help="how many instances of a load may fail or abort: thresholds in short"
    )
    seed = fields.Integer(help="of all chance: the same seed gives the same values")
    start_at = fields.Number(0, MAX_EPOCH, help="when to start, seconds since 1970")
    segment = fields.Nested(Segment, help="which of the planned starts this service makes")
    workers = WorkersWanted(
        help='which worker processes play the run, of a service that has some: `"all"`, so many,'
        " or those named; absent: all, above `cluster.single_max` starts a second, else none"
    )
    globals = fields.Choice(
        ("shared", "per_worker"),
        load_default="shared",
        help="what `$g` is of a run that several workers play: what all instances share, so that"
        " none may assign to it, or one of each worker",
    )
    on_lost = fields.Choice(
        ("takeover", "shrink", "cancel"),
        load_default="takeover",
        help="when a worker is lost: the others make its starts, nobody does, or the run ends",
    )
    allow_lost = fields.Boolean(
        load_default=False, help="whether a run that lost a worker may pass"
    )

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def check_selections(self, data: Any, original: Any, **_: Any) -> None:
        """Raise ValidationError if a selection is neither a name nor null."""
        wrong = {
            name: [f"must be a string, not {kind_of(value)}"]
            for name, value in original.items()
            if name.startswith(self.open_prefixes) and not isinstance(value, str | None)
        }
        if wrong:
            raise ValidationError(wrong)

    @validates_schema
    def check_seed(self, data: dict[str, Any], **_: Any) -> None:
        """Raise ValidationError if the services of a segmented run would plan other starts."""
        distribution = data.get("distribution") or {}
        is_linear = distribution.get("type") == "linear"
        is_part = (data.get("segment") or {"of": 1})["of"] > 1
        if not is_part or not is_linear or data.get("seed") is not None:
            return
        if distribution["cps"].get("arrivals") == POISSON:
            text = "needs `seed`, the same for all segments: the arrivals are poisson"
            raise ValidationError(text, "segment")


@dataclass(frozen=True, slots=True)
class Plan:
    """A distribution, ready to run. `grid` is None where no rate is asked for."""

    type: str
    total: int
    backlog: int
    grid: Grid | None = None
    burst: int = 1
    catch_up: float = CATCH_UP
    asked_cps: float | None = None
    max_seconds: float | None = None
    # The planned starts that are made here: those in `stripes`, of `modulus` stripes.
    modulus: int = 1
    stripes: tuple[int, ...] = (0,)
    start_at: float | None = None  # epoch seconds
    arrivals: str = EVEN
    warm_up_s: float = 0.0

    def share(self) -> Share:
        """Return the share of the starts that is made here."""
        return Share(self.total, self.modulus, self.stripes)


def plan_of(params: Mapping[str, Any]) -> Plan:
    """Return the plan of checked params: distribution, segment, start_at."""
    plan = _distributed(params.get("distribution"))
    segment = params.get("segment") or {"index": 0, "of": 1}
    return replace(
        plan,
        modulus=segment["of"],
        stripes=(segment["index"],),
        start_at=params.get("start_at"),
    )


def _distributed(distribution: Mapping[str, Any] | None) -> Plan:
    if not distribution or distribution["type"] == "single":
        return Plan("single", 1, 1)
    total, backlog = distribution["total"], distribution["backlog"]
    max_seconds = distribution.get("max_seconds")
    warm_up_s = distribution.get("warm_up_s", 0.0)
    if distribution["type"] == "load":
        return Plan("load", total, backlog, max_seconds=max_seconds, warm_up_s=warm_up_s)
    pace = pace_of(distribution["cps"])
    burst = 1 if pace.burst is None else pace.burst
    catch_up = CATCH_UP if pace.catch_up is None else pace.catch_up
    return Plan(
        "linear",
        total,
        backlog,
        pace.grid,
        burst,
        catch_up,
        pace.asked_cps,
        max_seconds,
        arrivals=EVEN if pace.arrivals is None else pace.arrivals,
        warm_up_s=warm_up_s,
    )


@dataclass(frozen=True, slots=True)
class Pace:
    """The rate that a checked `cps` asks for."""

    grid: Grid
    asked_cps: float
    burst: int | None  # None: not given
    catch_up: float | None
    arrivals: str | None


def pace_of(cps: Mapping[str, Any], current_cps: float | None = None) -> Pace:
    """Return the pace of a checked `cps`.

    A ramp without `initial`, and the ramp of a first stage, begin at `current_cps`.
    """
    rest = cps.get("burst"), cps.get("catch_up"), cps.get("arrivals")
    if "stages" in cps:
        stages = [
            (stage["target"], stage["seconds"], stage.get("ramp_s", 0.0))
            for stage in cps["stages"]
        ]
        highest = max(target for target, *_ in stages)
        return Pace(grid_of_stages(stages, current_cps or 0.0), highest, *rest)
    initial = cps.get("initial", current_cps)
    grid = grid_of(cps["target"], initial, cps.get("ramp_s", 0.0))
    return Pace(grid, cps["target"], *rest)


def all_thresholds(params: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the thresholds that are given, and those that `keep_rate` and `allow` stand for."""
    found = [*(params.get("thresholds") or [])]
    kind = _type_of(params)
    keep_rate = (params.get("distribution") or {}).get("keep_rate")
    if keep_rate is not None and kind == "linear":
        value = percent_of(keep_rate)
        found.append({"metric": "on_time_percent", "op": ">=", "value": value})
    for name, text in (params.get("allow") or {}).items() if kind != "single" else ():
        share = percent_of(text)
        metric, most = (name, int(text)) if share is None else (f"{name}_percent", share)
        found.append({"metric": metric, "op": "<=", "value": most})
    return found


def decided_counts(params: Mapping[str, Any]) -> frozenset[str]:
    """Return the counts, failed and aborted, about which thresholds of a load decide.

    Instances of these states do not worsen the verdict by themselves.
    """
    if _type_of(params) == "single":
        return frozenset()
    names = {one["metric"].removesuffix("_percent") for one in all_thresholds(params)}
    both = {"failed", "aborted"}
    return frozenset(both if "passed" in names else names & both)


def _type_of(params: Mapping[str, Any]) -> str:
    return str((params.get("distribution") or {"type": "single"})["type"])


def unused_notes(params: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (path, text) for each field that the type of distribution does not use."""
    if params.get("allow") and _type_of(params) == "single":
        return [("allow", "is not used by a single run: it passes only if its instance passes")]
    distribution = params.get("distribution")
    if not distribution:
        return []
    text = f"is not used by type {distribution['type']}"
    notes = [(f"distribution.{name}", text) for name in _unused(distribution)]
    cps = distribution.get("cps") if distribution["type"] == "linear" else None
    if isinstance(cps, Mapping) and cps.get("ramp_s") and not {"initial", "stages"} & cps.keys():
        text = "has no effect without `initial`: the rate is `target` from the beginning"
        notes.append(("distribution.cps.ramp_s", text))
    return notes
