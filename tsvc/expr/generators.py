"""`vars` of a definition: literals, expressions, and generators, evaluated once per instance.

{"$random": {"min": 1, "max": 6}}       integer from min to max, both included; a fraction
                                        below max if one of them is a fraction
{"$choice": ["a", "b"]}                 one of the values
{"$sequence": {"start": 1, "step": 1, "width": 10}}   start + index * step; with a width, digits
{"$csv": {"file": f, "column": c, "order": "sequential"}}   sequential, random or unique
"""

from collections.abc import Callable, Iterable, Sequence

from tsvc import turns
from tsvc.errors import ExpressionFailed, Problem
from tsvc.expr.environment import Environment
from tsvc.expr.expression import Expression, Note, no_note
from tsvc.expr.template import compile_template
from tsvc.expr.values import Value, plain
from tsvc.values import dataclass

# (file, column) -> the column's values. Raises ValueError with a text for the user.
ColumnLoader = Callable[[str, str], Sequence[Value]]
Make = Callable[[Environment, int], Value]
_Report = Callable[[str, str], None]

_WIDTH_MAX = 64
_ORDERS = ("sequential", "random", "unique")


@dataclass(frozen=True, slots=True)
class Vars:
    """The compiled `vars`; `generators`: the names of those that a generator makes."""

    makers: Iterable[tuple[str, Make]]  # a list if there may be many: turns.let_go() takes parts
    generators: frozenset[str]

    def fill(self, env: Environment, idx: int) -> None:
        """Set env.v in the order of the definition; each variable sees those before it.

        idx: the index of the Test Instance within its run, from 0.
        Errors: ExpressionFailed, also when a `unique` column has no row left.
        """
        for name, make in self.makers:
            env.v[name] = make(env, idx)


def compile_vars(
    definitions: dict[str, Value],
    path: str,
    problems: list[Problem],
    load_column: ColumnLoader | None = None,
    note: Note = no_note,
) -> Vars:
    """Compile `vars`; add problems to `problems`. Without a loader $csv is refused.

    note: is called with each expression.
    """
    makers: list[tuple[str, Make]] = []
    generators: set[str] = set()
    later = set(definitions)  # variables that are not set yet

    def note_order(place: str, expression: Expression) -> None:
        note(place, expression)
        uses = expression.uses
        later.difference_update(name for root, name in uses.sets if root == "v")
        early = sorted(name for root, name in uses.reads if root == "v" and name in later)
        if early and "v" not in uses.sets_any:
            text = f"reads $v->{{{early[0]}}}, which is set after it: vars are made in their order"
            problems.append(Problem(place, text, "warning"))

    for name, value in turns.over(definitions.items()):
        here = f"{path}.{name}"
        kind = _generator_kind(value)
        if kind is None or not isinstance(value, dict):
            makers.append((name, _template_maker(value, here, problems, note_order)))
            later.discard(name)
            continue
        generators.add(name)
        later.discard(name)
        make = _generator(kind, value[kind], f"{here}.{kind}", problems, load_column)
        if make is not None:
            makers.append((name, make))
    return Vars(makers, frozenset(generators))


def _generator_kind(value: Value) -> str | None:
    if isinstance(value, dict) and len(value) == 1:
        kind = next(iter(value))
        return kind if kind.startswith("$") else None
    return None


def _template_maker(value: Value, path: str, problems: list[Problem], note: Note) -> Make:
    template = compile_template(value, path, problems, note=note)
    if isinstance(value, (list, dict)):
        # The instance may change its variables, so each gets its own.
        return lambda env, idx: plain(template.render(env), tick=env.tick)
    return lambda env, idx: template.render(env)


def _generator(
    kind: str,
    options: Value,
    path: str,
    problems: list[Problem],
    load_column: ColumnLoader | None,
) -> Make | None:
    found: list[Problem] = []

    def report(member: str, text: str) -> None:
        found.append(Problem(f"{path}.{member}" if member else path, text))

    make: Make | None = None
    if kind == "$random":
        make = _random(_members(options, ("min", "max"), report), report)
    elif kind == "$choice":
        make = _choice(options, report)
    elif kind == "$sequence":
        make = _sequence(_members(options, ("start", "step", "width"), report), report)
    elif kind == "$csv":
        make = _csv(_members(options, ("file", "column", "order"), report), report, load_column)
    else:
        report("", "unknown generator: there are $random, $choice, $sequence and $csv")
    problems.extend(found)
    return None if found else make


def _members(options: Value, known: tuple[str, ...], report: _Report) -> dict[str, Value]:
    if not isinstance(options, dict):
        report("", "expected an object")
        return {}
    for name in turns.over(options):
        if name not in known:
            report(name, f"unknown member: there are {', '.join(known)}")
    return options


def _is_number(value: Value) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) < 1 << 64  # not NaN, which JSON does not have, and not infinite


def _random(options: dict[str, Value], report: _Report) -> Make | None:
    low, high = options.get("min", 0), options.get("max")
    for name, value in (("min", low), ("max", high)):
        if not _is_number(value):
            report(name, "expected a number")
            return None
    assert isinstance(low, (int, float))  # checked just now
    assert isinstance(high, (int, float))
    if low > high:
        report("max", "below min")
        return None
    if isinstance(low, int) and isinstance(high, int):
        first, count = low, high - low + 1
        # Two numbers of 53 bits: one would leave out values of a wide range.
        return lambda env, idx: first + _whole_below(env, count)
    start, width = low, high - low
    return lambda env, idx: start + env.random() * width


def _whole_below(env: Environment, count: int) -> int:
    if count < 1 << 53:
        return int(env.random() * count)
    bits = (int(env.random() * (1 << 53)) << 53) | int(env.random() * (1 << 53))
    return bits * count >> 106


def _choice(options: Value, report: _Report) -> Make | None:
    if not isinstance(options, list) or not options:
        report("", "expected a list of at least one value")
        return None
    values = options
    return lambda env, idx: plain(values[int(env.random() * len(values))])


def _sequence(options: dict[str, Value], report: _Report) -> Make | None:
    numbers: list[int] = []
    for name, default in (("start", 1), ("step", 1), ("width", 0)):
        value = options.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int):
            report(name, "expected an integer")
        elif name == "width" and not 0 <= value <= _WIDTH_MAX:
            report(name, f"expected 0 to {_WIDTH_MAX}")
        else:
            numbers.append(value)
    if len(numbers) < 3:
        return None
    start, step, width = numbers
    if width == 0:
        return lambda env, idx: start + idx * step
    return lambda env, idx: str(start + idx * step).zfill(width)


def _csv(
    options: dict[str, Value], report: _Report, load_column: ColumnLoader | None
) -> Make | None:
    file, column = options.get("file"), options.get("column")
    order = options.get("order", "sequential")
    if not isinstance(file, str) or not file:
        report("file", "expected the name of a file")
    if not isinstance(column, str) or not column:
        report("column", "expected the name of a column")
    if order not in _ORDERS:
        report("order", f"expected one of {', '.join(_ORDERS)}")
    if load_column is None:
        report("", "files are not available here")
        return None
    if not isinstance(file, str) or not isinstance(column, str):
        return None
    try:
        values = load_column(file, column)
    except ValueError as failure:
        report("file", str(failure))
        return None
    if not values:
        report("file", f"{file} has no rows")
        return None
    return _row_maker(values, str(order), file)


def _row_maker(values: Sequence[Value], order: str, file: str) -> Make:
    if order == "random":
        return lambda env, idx: values[int(env.random() * len(values))]
    if order == "sequential":
        return lambda env, idx: values[idx % len(values)]

    def unique(env: Environment, idx: int) -> Value:
        if idx >= len(values):
            raise ExpressionFailed(f"{file} has {len(values)} rows, none left for instance {idx}")
        return values[idx]

    return unique
