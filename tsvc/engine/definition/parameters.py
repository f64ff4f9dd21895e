"""The schema of ExecuteTest's params: shapes and ranges; operations are compiled elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from marshmallow import ValidationError, post_load, pre_load, validates_schema

from tsvc.engine.load.grid import Grid, grid_of, grid_of_stages
from tsvc.kind import kinds, label_prefixes
from tsvc.schema import fields
from tsvc.schema.fields import Members, RunParams
from tsvc.schema.style import float_of
from tsvc.words import kind_of

# Bounds of what is planned: within them a start has its own moment, in double precision.
MAX_CPS = 1_000_000.0  # beyond any processor
MAX_TOTAL = 10**15  # of a linear run; at that rate, thirty years
MAX_SECONDS = 1e8  # three years
MAX_EPOCH = 253_402_300_799.0  # the end of the year 9999

# Bounds of arrays, judged before any item is: a million items are seconds of work.
MAX_OPERATIONS = 10_000
MAX_TESTS = 10_000  # of one operation
MAX_LOCKS = 10_000
MAX_THRESHOLDS = 1000
MAX_STAGES = 1000


class Items(fields.List):
    """An array of so many items at most."""

    def __init__(self, inner: Any, most: int, **kwargs: Any) -> None:
        super().__init__(inner, **kwargs)
        self.most = most

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        _check_length(value, attr, self.most)
        return super()._deserialize(value, attr, data, **kwargs)


def _check_length(items: object, name: str | None, most: int) -> None:
    if isinstance(items, list) and len(items) > most:
        raise ValidationError(f"{len(items)} {name}, at most {most}")


class Operation(fields.Object):
    """One of `operations`: its type judges it, less the number of its tests."""

    def read(self, value: Any) -> dict[str, Any]:
        """Return the entry."""
        entry = super().read(value)
        try:
            _check_length(entry.get("tests"), "tests", MAX_TESTS)
        except ValidationError as error:
            raise ValidationError({"tests": error.messages}) from None
        return entry


class ScpAddress(Members):
    """`scp`: the target of BEGINs."""

    dri = fields.Integer(0, 1)
    dssn = fields.Integer(1, 255)
    dpc = fields.Integer(0, 0xFFFFFF)
    dgt_digits = fields.Digits()
    dgt_noa = fields.Integer(0, 127)
    dgt_np = fields.Integer(0, 7)
    dgt_tt = fields.Integer(0, 255)
    tcap_timeout = fields.Number(0.001, 86400)


class NodeAddress(Members):
    """`ssp`, `hlr`: addressing of the simulated node."""

    opc = fields.Integer(0, 0xFFFFFF)
    ssn = fields.Integer(1, 255)
    gt_digits = fields.Digits()
    gt_noa = fields.Integer(0, 127)
    gt_np = fields.Integer(0, 7)
    gt_tt = fields.Integer(0, 255)


class Stage(Members):
    """One of `cps.stages`: a rate held for some time."""

    target = fields.Number(0, MAX_CPS, required=True)
    seconds = fields.Number(0.001, MAX_SECONDS, required=True)


class Cps(Members):
    """`distribution.cps`."""

    target = fields.Number(0.000001, MAX_CPS)
    initial = fields.Number(0, MAX_CPS)
    ramp_s = fields.Number(0, MAX_SECONDS)
    burst = fields.Integer(1)
    stages = Items(fields.Nested(Stage), MAX_STAGES)

    @validates_schema
    def check_rate(self, data: dict[str, Any], **_: Any) -> None:
        """Exactly one of target and stages, and a rate at the end."""
        if ("target" in data) == ("stages" in data):
            raise ValidationError("needs target or stages, one of them", "target")
        if "stages" in data and ("initial" in data or "ramp_s" in data):
            raise ValidationError("does not go with stages", "initial")
        if "stages" in data and not data["stages"]:
            raise ValidationError("must not be empty", "stages")
        if "stages" in data and data["stages"][-1]["target"] <= 0:
            raise ValidationError("the last stage needs a rate above 0", "stages")


class Rate(fields.Object):
    """`cps`: an object, or a bare number for its target."""

    _schema = Cps()

    def _deserialize(
        self, value: Any, attr: str | None, data: Any, **kwargs: Any
    ) -> dict[str, Any]:
        bare = float_of(value)
        loaded: dict[str, Any] = self._schema.load({"target": bare} if bare is not None else value)
        return loaded


# Members of a distribution that its type does not use.
_UNUSED = {"single": ("total", "backlog", "cps", "max_seconds"), "load": ("cps",)}


class Distribution(Members):
    """`distribution`. What its type does not use is kept as it came, whatever it is."""

    type = fields.Choice(("single", "load", "linear"), required=True)
    total = fields.Integer(1)
    backlog = fields.Integer(1)
    cps = Rate()
    max_seconds = fields.Number(0.001, MAX_SECONDS)

    @pre_load
    def leave_out_unused(self, data: Any, **_: Any) -> Any:
        """Judge only what is used: clients may send all members, those without use empty."""
        unused = _unused(data)
        return {name: data[name] for name in data if name not in unused} if unused else data

    @post_load(pass_original=True)
    def keep_unused(self, data: dict[str, Any], original: Any, **_: Any) -> dict[str, Any]:
        """Put back what was not judged, for the archive and for unused_notes()."""
        return data | {name: original[name] for name in _unused(original)}

    @validates_schema
    def check_needed(self, data: dict[str, Any], **_: Any) -> None:
        """Name what the type needs and does not have."""
        needed = {"load": ("total", "backlog"), "linear": ("total", "backlog", "cps")}
        missing = [name for name in needed.get(data["type"], ()) if name not in data]
        if missing:
            text = f"is required for type {data['type']}"
            raise ValidationError({name: [text] for name in missing})
        if data["type"] == "linear" and data["total"] > MAX_TOTAL:
            raise ValidationError(f"must be at most {MAX_TOTAL}", "total")


def _unused(distribution: Any) -> list[str]:
    """Return the members that are there and that the type does not use."""
    if not isinstance(distribution, dict) or not isinstance(distribution.get("type"), str):
        return []
    return [name for name in _UNUSED.get(distribution["type"], ()) if name in distribution]


class Lock(Members):
    """One of `locks`."""

    key = fields.String(required=True)


class Threshold(Members):
    """One of `thresholds`."""

    metric = fields.String(required=True)
    op = fields.Choice(("<", "<=", ">", ">=", "==", "!="), required=True)
    value = fields.Number(required=True)


class Segment(Members):
    """`segment`: which planned starts this daemon plays."""

    index = fields.Integer(0, required=True)
    of = fields.Integer(1, required=True)

    @validates_schema
    def check_index(self, data: dict[str, Any], **_: Any) -> None:
        """The index counts from 0."""
        if data.get("index", 0) >= data.get("of", 1):
            raise ValidationError("must be below `of`", "index")


class Inap(Members):
    """`inap`."""

    extensions = fields.Object()


class Selections(RunParams):
    """The parameters that select gateways: `pi`, `db`, `db_<label>`, whatever kinds there are."""

    class Meta(RunParams.Meta):
        include: ClassVar = {kind: fields.String(allow_none=True) for kind in kinds()}

    open_prefixes = label_prefixes()

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def check_selections(self, data: Any, original: Any, **_: Any) -> None:
        """A selection names an application, or is null."""
        wrong = {
            name: [f"must be a string, not {kind_of(value)}"]
            for name, value in original.items()
            if name.startswith(self.open_prefixes) and not isinstance(value, str | None)
        }
        if wrong:
            raise ValidationError(wrong)


class TestParameters(Selections):
    """Params of ExecuteTest and ValidateTest."""

    __test__ = False  # not a test class for pytest

    operations = Items(Operation(), MAX_OPERATIONS, required=True)
    vars = fields.Object()
    locks = Items(fields.Nested(Lock), MAX_LOCKS)
    trace_level = fields.Integer(0, 3, load_default=0)
    trace_messages = fields.Boolean(load_default=True)
    turbo = fields.Boolean(load_default=False)
    load_details = fields.Boolean(load_default=True)
    inap = fields.Nested(Inap)
    ssp_ac = fields.String(allow_none=True)
    hlr_ac = fields.String(allow_none=True)
    scp = fields.Nested(ScpAddress)
    ssp = fields.Nested(NodeAddress)
    hlr = fields.Nested(NodeAddress)
    distribution = fields.Nested(Distribution)
    flow = fields.Object()
    thresholds = Items(fields.Nested(Threshold), MAX_THRESHOLDS)
    seed = fields.Integer()
    start_at = fields.Number(0, MAX_EPOCH)
    segment = fields.Nested(Segment)


@dataclass(frozen=True, slots=True)
class Plan:
    """A distribution, ready to run. `grid` is None where no rate is asked for."""

    type: str
    total: int
    backlog: int
    grid: Grid | None = None
    burst: int = 1
    asked_cps: float | None = None
    max_seconds: float | None = None
    # This daemon's share of the planned starts: first, first + stride, …
    first: int = 0
    stride: int = 1
    start_at: float | None = None  # epoch seconds


def plan_of(params: Mapping[str, Any]) -> Plan:
    """Return the plan of checked params: distribution, segment, start_at."""
    plan = _distributed(params.get("distribution"))
    segment = params.get("segment") or {"index": 0, "of": 1}
    return replace(
        plan, first=segment["index"], stride=segment["of"], start_at=params.get("start_at")
    )


def _distributed(distribution: Mapping[str, Any] | None) -> Plan:
    if not distribution or distribution["type"] == "single":
        return Plan("single", 1, 1)
    total, backlog = distribution["total"], distribution["backlog"]
    max_seconds = distribution.get("max_seconds")
    if distribution["type"] == "load":
        return Plan("load", total, backlog, max_seconds=max_seconds)
    pace = pace_of(distribution["cps"])
    burst = 1 if pace.burst is None else pace.burst
    return Plan("linear", total, backlog, pace.grid, burst, pace.asked_cps, max_seconds)


@dataclass(frozen=True, slots=True)
class Pace:
    """What a checked `cps` asks for."""

    grid: Grid
    asked_cps: float
    burst: int | None  # None: not given


def pace_of(cps: Mapping[str, Any], current_cps: float | None = None) -> Pace:
    """Return the pace of a checked `cps`; a ramp without `initial` begins at the current rate."""
    burst = cps.get("burst")
    if "stages" in cps:
        stages = [(stage["target"], stage["seconds"]) for stage in cps["stages"]]
        return Pace(grid_of_stages(stages), max(target for target, _ in stages), burst)
    initial = cps.get("initial", current_cps)
    return Pace(grid_of(cps["target"], initial, cps.get("ramp_s", 0.0)), cps["target"], burst)


def unused_notes(distribution: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Return (path, text) for each field that the type of distribution does not use."""
    if not distribution:
        return []
    text = f"is not used by type {distribution['type']}"
    return [(f"distribution.{name}", text) for name in _unused(distribution)]
