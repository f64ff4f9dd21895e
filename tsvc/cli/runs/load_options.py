"""Turns the options of tsvc run and run_test for load, vars and thresholds into params."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any

import click

from tsvc.cli.definition_file.cases import with_vars
from tsvc.cli.definition_file.load import read_definition, read_document
from tsvc.errors import RequestError
from tsvc.rpc import strict_json
from tsvc.values import dataclass
from tsvc.words import did_you_mean

LARGEST_DEFAULT_BACKLOG = 10_000

_NUMBER = r"[0-9.]+(?:[eE][-+]?[0-9]+)?"
_SECONDS = re.compile(rf"({_NUMBER})\s*s?")
_STAGE = re.compile(rf"({_NUMBER})\s*/\s*({_NUMBER})\s*s?")
_THRESHOLD = re.compile(
    rf"\s*(operations\[[^\]]*\]\.[\w.]+|[\w.]+)\s*(<=|>=|==|!=|<|>)\s*(-?{_NUMBER})\s*(%?)"
    rf"\s*(?:abort\s+({_NUMBER})\s*)?"
)


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """The values of the options of a load, such as --cps and --keep-rate; None = not given."""

    cps: float | None = None
    backlog: int | None = None
    ramp_s: float | None = None
    total: int | None = None
    max_seconds: float | None = None
    stages: tuple[str, ...] = ()
    keep_rate: str | None = None
    warm_up_s: float | None = None


def params_of(
    path: Path,
    *,
    cps: float | None = None,
    backlog: int | None = None,
    ramp: float | None = None,
    total: int | None = None,
    max_seconds: float | None = None,
    stage: Sequence[str] = (),
    keep_rate: str | None = None,
    warm_up: float | None = None,
    workers: str | None = None,
    seed: int | None = None,
    trace: int | None = None,
    settings: Sequence[str] = (),
    flow: Path | None = None,
    force_flow: bool = False,
    threshold: Sequence[str] = (),
    allow_failed: str | None = None,
    allow_aborted: str | None = None,
    strict: bool | None = None,
    given: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the params of ExecuteTest: the file, or `given` instead of the file, overridden by
    the options.
    """
    params = read_definition(path) if given is None else given
    load = LoadOptions(cps, backlog, ramp, total, max_seconds, tuple(stage), keep_rate, warm_up)
    distribution = distribution_of(load, params.get("distribution"))
    members = {
        "distribution": distribution,
        "workers": None if workers is None else workers_of(workers),
        "seed": seed,
        "trace_level": trace,
        "flow": read_document(flow) if flow and (force_flow or "flow" not in params) else None,
    }
    params |= {name: value for name, value in members.items() if value is not None}
    if strict is not None or "strict" not in params:
        params["strict"] = int(strict is not False)
    if settings:
        given = params.get("vars")
        params["vars"] = with_vars(given if isinstance(given, dict) else {}, vars_of(settings))
    for name, amount in (("failed", allow_failed), ("aborted", allow_aborted)):
        if amount is not None:
            given = params.get("allow")
            params["allow"] = {**(given if isinstance(given, dict) else {}), name: amount}
    if threshold:
        given = params.get("thresholds")
        params["thresholds"] = [
            *(given if isinstance(given, list) else []),
            *thresholds_of(threshold),
        ]
    return params


def workers_of(text: str) -> str | int | list[str]:
    """Return the value of `--workers`: "all", a number, or names."""
    if text == "all":
        return text
    return int(text) if text.isdecimal() else [name.strip() for name in text.split(",")]


def distribution_of(options: LoadOptions, given: Any) -> Any:
    """Return the distribution: that of the file, overridden by the options.

    With --cps or --stage its type is linear; with --backlog alone it is load.
    Errors: click.UsageError if options contradict each other, or an option needs another one.
    """
    if options == LoadOptions():
        return given
    if options.stages:
        return _staged(options, given)
    base: dict[str, Any] = dict(given) if isinstance(given, dict) else {}
    kind = base.get("type")
    if options.cps is not None:
        kind = "linear"
    elif options.backlog is not None and kind != "linear":
        kind = "load"
    if kind not in ("linear", "load"):
        given_alone = "--total, --ramp, --max-seconds and --warm-up"
        raise click.UsageError(f"{given_alone} need --cps or --backlog")
    base["type"] = kind
    for name in ("backlog", "total", "max_seconds", "warm_up_s"):
        value = getattr(options, name)
        if value is not None:
            base[name] = value
    if kind == "linear":
        base["cps"] = _cps(options, base.get("cps"))
    elif options.ramp_s is not None or options.keep_rate is not None:
        needs = "--ramp" if options.ramp_s is not None else "--keep-rate"
        raise click.UsageError(f"{needs} needs --cps")
    if options.keep_rate is not None:
        base["keep_rate"] = options.keep_rate
    _fill_total_and_backlog(base)
    return base


def _staged(options: LoadOptions, given: Any) -> dict[str, Any]:
    """Return the distribution of --stage.

    The total and max_seconds of the file belong to its own rate and are left out.
    """
    if options.cps is not None or options.ramp_s is not None:
        raise click.UsageError("--stage does not go with --cps or --ramp")
    base: dict[str, Any] = dict(given) if isinstance(given, dict) else {}
    stages = stages_of(options.stages)
    base |= {"type": "linear", "cps": {"stages": stages}}
    for name in ("total", "max_seconds"):
        base.pop(name, None)
        if (value := getattr(options, name)) is not None:
            base[name] = value
    for name in ("backlog", "warm_up_s", "keep_rate"):
        if (value := getattr(options, name)) is not None:
            base[name] = value
    if "total" not in base:
        base["total"] = _total_of_stages(stages, options.max_seconds)
    _fill_total_and_backlog(base)
    return base


def stages_of(texts: Sequence[str]) -> list[dict[str, float]]:
    """Return the stages of --stage: 100/30s, 200/60s:ramp, 200/60s:ramp=10s.

    Errors: click.UsageError.
    """
    return [_stage_of(text) for text in texts]


def _stage_of(text: str) -> dict[str, float]:
    held, colon, ramp = text.partition(":")
    match = _STAGE.fullmatch(held.strip())
    if match is None:
        raise click.UsageError(f"--stage {text}: write RATE/SECONDS, such as 100/30s")
    try:
        stage = {"target": float(match[1]), "seconds": float(match[2])}
        if colon:
            stage["ramp_s"] = _ramp_of(text, ramp.strip(), stage["seconds"])
    except ValueError as error:
        raise click.UsageError(f"--stage {text}: {error}") from None
    return stage


def _ramp_of(text: str, ramp: str, seconds: float) -> float:
    word, equals, length = map(str.strip, ramp.partition("="))
    if word != "ramp":
        hint = did_you_mean(word, ["ramp"])
        raise click.UsageError(f"--stage {text}: {word!r} is not known{hint}")
    if not equals:
        return seconds
    match = _SECONDS.fullmatch(length)
    if match is None:
        raise click.UsageError(f"--stage {text}: {length!r} is not a number of seconds")
    ramp_s = float(match[1])
    if ramp_s > seconds:
        raise click.UsageError(f"--stage {text}: the ramp is longer than the stage")
    return ramp_s


def _total_of_stages(stages: Sequence[Mapping[str, float]], until: float | None) -> int:
    """Return the number of starts that the stages plan before `until`, or before their end."""
    end = sum(stage["seconds"] for stage in stages) if until is None else until
    at = before = total = 0.0
    for number, stage in enumerate(stages):
        target, ramp_s = stage["target"], stage.get("ramp_s", 0.0)
        # The rate of the last stage stays until the end.
        is_last = number == len(stages) - 1
        seconds = max(end - at, 0.0) if is_last else min(stage["seconds"], max(end - at, 0.0))
        on_ramp = min(seconds, ramp_s)
        if on_ramp > 0:
            reached = before + (target - before) * on_ramp / ramp_s
            total += (before + reached) / 2 * on_ramp
        total += target * (seconds - on_ramp)
        at, before = at + stage["seconds"], target
    # Remove the rounding error of floats first: 0.1/30s is 3 starts, not 4.
    return max(1, ceil(round(total, 6)))


def _cps(options: LoadOptions, given: Any) -> Any:
    cps = {"target": options.cps} if options.cps is not None else given
    if options.ramp_s is None:
        return cps
    target = cps["target"] if isinstance(cps, dict) and "target" in cps else cps
    if not isinstance(target, int | float):
        raise click.UsageError("--ramp needs --cps")
    return {"target": target, "initial": 0, "ramp_s": options.ramp_s}


def _fill_total_and_backlog(base: dict[str, Any]) -> None:
    if "total" not in base:
        base["total"] = _total_of(base)
    if "backlog" not in base and isinstance(base["total"], int):
        base["backlog"] = min(base["total"], LARGEST_DEFAULT_BACKLOG)


def _total_of(base: Mapping[str, Any]) -> int:
    """Return the total: rate times duration, or the backlog of a load without a rate."""
    if base["type"] == "load" and "backlog" in base:
        return int(base["backlog"])
    cps = base.get("cps")
    target = cps.get("target") if isinstance(cps, dict) else cps
    if "max_seconds" not in base or not isinstance(target, int | float):
        raise click.UsageError("--cps needs --total or --max-seconds")
    seconds: float = base["max_seconds"]
    return max(1, ceil(target * seconds))


def vars_of(settings: Sequence[str]) -> dict[str, Any]:
    """Return the vars of --var: NAME=TEXT is a string, NAME:=JSON is any value."""
    found: dict[str, Any] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        is_json = name.endswith(":")
        name = name.removesuffix(":") if is_json else name
        if not equals or not name:
            raise click.UsageError(f"--var {setting}: write NAME=TEXT or NAME:=JSON")
        found[name] = _json_value(setting, value) if is_json else value
    return found


_READ = re.compile(r"""\$v->\{\s*['"]?([^\s'"{}$]+)['"]?\s*\}""")
_COMPUTED = re.compile(r"\$v->\{\s*[^\s'\"{}]*\$|%\{?\s*\$v|keys\b|each\b")


def check_vars(settings: Sequence[str], definitions: Iterable[dict[str, Any]]) -> None:
    """Raise click.UsageError if --var sets a variable that no definition has or reads: it is
    misspelt.

    `definitions`: as in their files. A definition that computes the names of variables may read
    any variable.
    """
    names = vars_of(settings)
    known: set[str] = set()
    for params in definitions:
        given = params.get("vars")
        known |= set(given) if isinstance(given, dict) else set()
        text = json.dumps(params, ensure_ascii=False).replace('\\"', '"')
        if _COMPUTED.search(text):
            return
        known |= set(_READ.findall(text))
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            raise click.UsageError(f"--var {name}: no file has a variable of that name{hint}")


def _json_value(setting: str, text: str) -> object:
    try:
        return strict_json.parse(text.encode("utf-8", "surrogateescape"))
    except RequestError as error:
        raise click.UsageError(f"--var {setting}: {error}") from None


def thresholds_of(texts: Sequence[str]) -> list[dict[str, Any]]:
    """Return the thresholds of --threshold: service_p99_ms<=50, failed<=1%, failed<=1% abort 3."""
    found: list[dict[str, Any]] = []
    for text in texts:
        match = _THRESHOLD.fullmatch(text)
        if match is None:
            form = "METRIC<=NUMBER, METRIC<=NUMBER% or, behind that, abort SECONDS"
            raise click.UsageError(f"--threshold {text}: write {form}")
        metric, op, value, percent, patience = match.groups()
        try:
            one = {"metric": _metric(metric, percent), "op": op, "value": float(value)}
            if patience is not None:
                one["abort_after_s"] = float(patience)
        except ValueError as error:
            raise click.UsageError(f"--threshold {text}: {error}") from None
        found.append(one)
    return found


def _metric(name: str, percent: str) -> str:
    return f"{name}_percent" if percent and not name.endswith("_percent") else name
