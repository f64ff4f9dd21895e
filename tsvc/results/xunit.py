"""Results as XML for CI systems: JUnit and Google Test, with a case for each definition."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from tsvc.client.results import Check, RunResult
from tsvc.printable import printable
from tsvc.results.report import (
    Reported,
    Threshold,
    bad_checks,
    counts_line,
    ended_badly,
    failures_of,
    has_values,
    leaks_of,
    thresholds_of,
    undecided,
    verdict_of,
)
from tsvc.values import dataclass
from tsvc.words import quoted


def element(parent: Element | None, name: str, text: str = "", /, **attributes: object) -> Element:
    """Return a new element below `parent`; characters that XML forbids are escaped as \\xNN."""
    cleaned = {key: clean(str(value)) for key, value in attributes.items()}
    element = Element(name, cleaned) if parent is None else SubElement(parent, name, cleaned)
    element.text = clean(text) or None
    return element


def document(root: Element) -> str:
    """Return the whole document, indented, with its declaration."""
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def clean(text: str) -> str:
    """Return text with control characters escaped, but with its line ends."""
    return "\n".join(printable(line) for line in text.split("\n"))


FAILURE, ERROR, SKIPPED = "failure", "error", "skipped"


@dataclass(frozen=True, slots=True)
class _Case:
    """A test case: `outcome` is failure, error, skipped, or empty if it passed."""

    name: str
    seconds: float = 0.0
    outcome: str = ""
    kind: str = ""
    message: str = ""
    text: str = ""


def junit_xml(runs: Iterable[Reported], *, has_checks: bool = False) -> str:
    """Return one document of all runs: a case for each definition, a suite for each folder.

    `has_checks`: a suite for each definition, a case for each check and threshold. Names depend
    only on definitions, so that CI finds the same case in the next build, whatever its outcome.
    """
    root = element(None, "testsuites", name="tsvc")
    suites = _check_suites(root, runs) if has_checks else _folder_suites(root, runs)
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    root.set("time", f"{sum(float(suite.get('time', '0')) for suite in suites):.3f}")
    return document(root)


# -- a case for each definition ------------------------------------------------------------------


def _folder_suites(root: Element, runs: Iterable[Reported]) -> list[Element]:
    folders: dict[str, list[Reported]] = {}
    for run in runs:
        folders.setdefault(run.source.rpartition("/")[0] or "tsvc", []).append(run)
    return [_folder_suite(root, folder, found) for folder, found in folders.items()]


def _folder_suite(root: Element, folder: str, runs: list[Reported]) -> Element:
    cases = [_definition_case(run) for run in runs]
    suite = _suite(root, folder, cases, sum(case.seconds for case in cases))
    starts = [run.result.time_start for run in runs if run.result and run.result.time_start]
    if starts:
        suite.set("timestamp", _iso(min(starts)))
    for run, case in zip(runs, cases, strict=True):
        found = _add(suite, folder.strip("./").replace("/", ".") or "tsvc", case)
        if run.source:
            found.set("file", clean(run.source))
        if run.result is not None:
            element(found, "system-out", "\n".join(_story(run.result)))
    return suite


def _definition_case(run: Reported) -> _Case:
    result = run.result
    if result is None:
        return _refused_case(run.name, run.refusal)
    seconds = result.duration or 0.0
    if run.has_passed:
        return _Case(run.name, seconds)
    lines = list(_what_failed(result))
    message = lines[0] if lines else counts_line(result)
    is_missed = any(not one.is_met for one in thresholds_of(result))
    is_threshold = is_missed and not undecided(result)
    outcome = FAILURE if is_threshold or run.verdict == "fail" else ERROR
    kind = "threshold" if is_threshold else run.verdict
    return _Case(run.name, seconds, outcome, kind, message, "\n".join(lines))


def _what_failed(result: RunResult) -> Iterator[str]:
    """Yield lines about failures: checks of the first instance, all causes, thresholds, leaks."""
    first = result.first_call
    if first is not None:
        for check in bad_checks(first):
            yield f"operations[{check.op}] {check.type}: {check.text}"
            if has_values(check):
                yield f"  expected: {_shown(check.expected)}"
                yield f"       got: {_shown(check.got)}"
        if ended_badly(first) and not bad_checks(first):
            yield f"{first.state}: {first.reason}"
    if result.counts.started > 1:
        yield counts_line(result)
        yield from _causes(result)
    for threshold in thresholds_of(result):
        if not threshold.is_met:
            yield _missed(threshold)
    for leak in leaks_of(result):
        yield f"left behind: {leak}"


def _story(result: RunResult) -> Iterator[str]:
    """Yield lines for readers of a build: the outcome, the seed to repeat the run, the ladder."""
    seed = "" if result.seed is None else f", seed {result.seed}"
    yield f"run {result.run_id}{seed}: {verdict_of(result)}, {counts_line(result)}"
    if result.first_call is not None and result.first_call.ladder:
        yield from ("", *result.first_call.ladder.splitlines())


# -- a case for each check -----------------------------------------------------------------------


def _check_suites(root: Element, runs: Iterable[Reported]) -> list[Element]:
    return [_check_suite(root, run) for run in runs]


def _check_suite(root: Element, run: Reported) -> Element:
    cases = list(_cases(run))
    result = run.result
    suite = _suite(root, run.name, cases, (result.duration or 0.0) if result is not None else 0.0)
    if result is not None:
        _tell_run(suite, result)
    for case in cases:
        _add(suite, run.name, case)
    return suite


def _suite(root: Element, name: str, cases: list[_Case], seconds: float) -> Element:
    return element(
        root,
        "testsuite",
        name=name,
        tests=len(cases),
        failures=sum(case.outcome == FAILURE for case in cases),
        errors=sum(case.outcome == ERROR for case in cases),
        skipped=sum(case.outcome == SKIPPED for case in cases),
        time=f"{seconds:.3f}",
    )


def _tell_run(suite: Element, result: RunResult) -> None:
    if result.time_start is not None:
        suite.set("timestamp", _iso(result.time_start))
    properties = element(suite, "properties")
    facts = {"run_id": result.run_id, "verdict": result.verdict, "seed": result.seed}
    for name, value in facts.items():
        if value is not None:
            element(properties, "property", name=name, value=value)


def _iso(wall: float) -> str:
    return datetime.fromtimestamp(int(wall), UTC).replace(tzinfo=None).isoformat()


def _add(suite: Element, classname: str, case: _Case) -> Element:
    found = element(
        suite, "testcase", classname=classname, name=case.name, time=f"{case.seconds:.6f}"
    )
    if case.outcome == SKIPPED:
        element(found, SKIPPED, message=case.message)
    elif case.outcome:
        element(found, case.outcome, case.text, message=case.message, type=case.kind)
    return found


def _refused_case(name: str, refusal: str) -> _Case:
    # Servers show the message in their lists: the first problem belongs to it.
    message = " ".join(line.strip() for line in refusal.split("\n")[:2])
    return _Case(name, 0.0, ERROR, "refused", message, refusal)


def _cases(run: Reported) -> Iterator[_Case]:
    result = run.result
    if result is None:
        yield _refused_case("definition", run.refusal)
        return
    yield from _check_cases(result)
    yield from _unreached_cases(run, result)
    yield _instances_case(result)
    yield from map(_threshold_case, thresholds_of(result))


def _check_cases(result: RunResult) -> Iterator[_Case]:
    """Yield the checks of the first instance, named by operation and number."""
    before = 0.0
    numbers: Counter[str] = Counter()
    for check in result.first_call.checks if result.first_call is not None else ():
        if check.level == "info":
            continue
        label = f' "{check.label}"' if check.label else ""
        place = f"operations[{check.op}] {check.type}{label}"
        numbers[place] += 1
        yield _check_case(f"{place}: check {numbers[place]}", check, max(0.0, check.t - before))
        before = check.t


def _check_case(name: str, check: Check, seconds: float) -> _Case:
    if check.level == "pass":
        return _Case(name, seconds)
    outcome = ERROR if check.level == "abort" else FAILURE
    if not has_values(check):
        return _Case(name, seconds, outcome, check.level, check.text, check.text)
    expected, got = _shown(check.expected), _shown(check.got)
    message = f"{check.text}: expected {expected}, got {got}"
    return _Case(
        name, seconds, outcome, check.level, message, f"expected: {expected}\n     got: {got}"
    )


def _unreached_cases(run: Reported, result: RunResult) -> Iterator[_Case]:
    """Yield skipped cases for the operations after the one at which the first instance ended."""
    first = result.first_call
    operations = (run.definition or {}).get("operations")
    if first is None or not ended_badly(first) or not isinstance(operations, list):
        return
    reached = max((check.op or 0 for check in first.checks), default=-1)
    for position in range(reached + 1, len(operations)):
        entry = operations[position]
        type_ = entry.get("type", "") if isinstance(entry, dict) else ""
        text = f"the first instance was {first.state} before"
        yield _Case(f"operations[{position}] {type_}: check 1", 0.0, SKIPPED, "", text)


def _causes(result: RunResult) -> Iterator[str]:
    for cause, instance in failures_of(result):
        yield f"instance {instance.instance_id} {instance.state}: {cause}"
        for check in bad_checks(instance):
            yield f"  operations[{check.op}] {check.type}: {check.text}"


def _instances_case(result: RunResult) -> _Case:
    counts = undecided(result)
    name = "instances: all pass"
    summary = counts_line(result)
    seconds = result.duration or 0.0
    text = "\n".join([summary, *_causes(result)])
    if {"aborted", "cancelled"} & counts.keys() or result.verdict in ("abort", "cancelled"):
        kind = "abort" if "aborted" in counts else "cancelled"
        return _Case(name, seconds, ERROR, kind, summary, text)
    if "failed" in counts:
        return _Case(name, seconds, FAILURE, "fail", summary, text)
    return _Case(name, seconds)


def _missed(threshold: Threshold) -> str:
    got = "nothing measured" if threshold.got is None else f"got {threshold.got:g}"
    return f"threshold {threshold.rule}: {got}"


def _threshold_case(threshold: Threshold) -> _Case:
    name = f"threshold: {threshold.rule}"
    if threshold.is_met:
        return _Case(name)
    message = _missed(threshold)
    return _Case(name, 0.0, FAILURE, "threshold", message, message)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


# -- Google Test ---------------------------------------------------------------------------------

SUITE = "run_test"


def gtest_xml(runs: Iterable[Reported]) -> str:
    """Return one document of all runs."""
    suites = element(None, "testsuites", name="AllTests")
    suite = element(suites, "testsuite", name=SUITE)
    seconds = 0.0
    failures = 0
    for run in runs:
        took = (run.result.duration or 0.0) if run.result is not None else 0.0
        attributes = {"classname": SUITE, "status": "run", "time": f"{took:.3f}"}
        case = element(suite, "testcase", name=run.name, **attributes)
        texts = _failures(run)
        for text in texts:
            element(case, "failure", message=text, type="")
        seconds += took
        failures += bool(texts)
    for one in (suites, suite):
        one.set("tests", str(len(suite)))
        one.set("failures", str(failures))
        one.set("disabled", "0")
        one.set("errors", "0")
        one.set("time", f"{seconds:.3f}")
    return document(suites)


def _failures(run: Reported) -> list[str]:
    """Return the failures of a run: failed checks of the first instance, otherwise the counts."""
    if run.result is None:
        return [run.refusal]
    if run.has_passed:
        return []
    first = run.result.first_call
    texts = [_failure(check) for check in bad_checks(first)] if first is not None else []
    return texts or [_total(run.result)]


def _total(result: RunResult) -> str:
    counts = result.counts
    total = f"{counts.failed} failed, {counts.aborted} aborted, {counts.cancelled} cancelled"
    return f"{result.verdict}: {total} of {counts.started} instances"


def _failure(check: Check) -> str:
    text = f"operations[{check.op}] {check.type}: {check.text}"
    if not has_values(check):
        return text
    return f"{text}, expected {quoted(check.expected)}, got {quoted(check.got)}"
