"""Results as XML that CI systems collect: JUnit, a case for each check; Google Test, each file."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from tsvc.client.results import Check, RunResult
from tsvc.results.json_values import printable
from tsvc.results.report import (
    Reported,
    Threshold,
    bad_checks,
    counts_line,
    ended_badly,
    failures_of,
    has_values,
    thresholds_of,
)


def element(parent: Element | None, name: str, text: str = "", /, **attributes: object) -> Element:
    """Return a new element below `parent`; what XML has no place for is escaped as \\xNN."""
    cleaned = {key: clean(str(value)) for key, value in attributes.items()}
    made = Element(name, cleaned) if parent is None else SubElement(parent, name, cleaned)
    made.text = clean(text) or None
    return made


def document(root: Element) -> str:
    """Return the whole document, indented, with its declaration."""
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def clean(text: str) -> str:
    """Return text without control characters; its lines stay."""
    return "\n".join(printable(line) for line in text.split("\n"))


FAILURE, ERROR = "failure", "error"


@dataclass(frozen=True, slots=True)
class _Case:
    """A test case: `outcome` is failure, error, or empty if it passed."""

    name: str
    seconds: float = 0.0
    outcome: str = ""
    kind: str = ""
    message: str = ""
    text: str = ""


def junit_xml(runs: Iterable[Reported]) -> str:
    """Return one document of all runs."""
    root = element(None, "testsuites", name="tsvc")
    suites = [_suite(root, run) for run in runs]
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    root.set("time", f"{sum(float(suite.get('time', '0')) for suite in suites):.3f}")
    return document(root)


def _suite(root: Element, run: Reported) -> Element:
    cases = list(_cases(run))
    result = run.result
    suite = element(
        root,
        "testsuite",
        name=run.name,
        tests=len(cases),
        failures=sum(case.outcome == FAILURE for case in cases),
        errors=sum(case.outcome == ERROR for case in cases),
        skipped=0,
        time=f"{(result.duration or 0.0) if result is not None else 0.0:.3f}",
    )
    if result is not None:
        _tell_run(suite, result)
    for case in cases:
        _add(suite, run.name, case)
    return suite


def _tell_run(suite: Element, result: RunResult) -> None:
    if result.time_start is not None:
        started = datetime.fromtimestamp(int(result.time_start), UTC)
        suite.set("timestamp", started.replace(tzinfo=None).isoformat())
    properties = element(suite, "properties")
    facts = {"run_id": result.run_id, "verdict": result.verdict, "seed": result.seed}
    for name, value in facts.items():
        if value is not None:
            element(properties, "property", name=name, value=value)


def _add(suite: Element, classname: str, case: _Case) -> None:
    found = element(
        suite, "testcase", classname=classname, name=case.name, time=f"{case.seconds:.6f}"
    )
    if case.outcome:
        element(found, case.outcome, case.text, message=case.message, type=case.kind)


def _cases(run: Reported) -> Iterator[_Case]:
    result = run.result
    if result is None:
        first, _, _ = run.refusal.partition("\n")
        yield _Case("definition", 0.0, ERROR, "refused", first, run.refusal)
        return
    checks = list(_check_cases(result))
    yield from _told_apart(checks)
    if _needs_instances_case(result, checks):
        yield _instances_case(result)
    yield from map(_threshold_case, thresholds_of(result))


def _check_cases(result: RunResult) -> Iterator[_Case]:
    before = 0.0
    for check in result.first_call.checks if result.first_call is not None else ():
        if check.level == "info":
            continue
        yield _check_case(check, max(0.0, check.t - before))
        before = check.t


def _check_case(check: Check, seconds: float) -> _Case:
    label = f' "{check.label}"' if check.label else ""
    name = f"operations[{check.op}] {check.type}{label}: {check.text}"
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


def _told_apart(cases: Iterable[_Case]) -> Iterator[_Case]:
    """Yield the cases with a number behind names that came before: collectors merge equal ones."""
    seen: dict[str, int] = {}
    for case in cases:
        number = seen[case.name] = seen.get(case.name, 0) + 1
        name = case.name if number == 1 else f"{case.name} #{number}"
        yield _Case(name, case.seconds, case.outcome, case.kind, case.message, case.text)


def _needs_instances_case(result: RunResult, cases: list[_Case]) -> bool:
    first = result.first_call
    if first is None or not cases or result.counts.started != 1:
        return True
    return ended_badly(first) and not any(case.outcome for case in cases)


def _instances_case(result: RunResult) -> _Case:
    counts = result.counts
    name = "instances: all pass"
    summary = counts_line(result)
    seconds = result.duration or 0.0
    lines = [summary]
    for cause, instance in failures_of(result):
        lines.append(f"instance {instance.instance_id} {instance.state}: {cause}")
        lines += [
            f"  operations[{check.op}] {check.type}: {check.text}"
            for check in bad_checks(instance)
        ]
    text = "\n".join(lines)
    if counts.aborted or counts.cancelled or result.verdict in ("abort", "cancelled"):
        kind = "abort" if counts.aborted else "cancelled"
        return _Case(name, seconds, ERROR, kind, summary, text)
    if counts.failed:
        return _Case(name, seconds, FAILURE, "fail", summary, text)
    return _Case(name, seconds)


def _threshold_case(threshold: Threshold) -> _Case:
    name = f"threshold: {threshold.rule}"
    if threshold.is_met:
        return _Case(name)
    got = "nothing measured" if threshold.got is None else f"got {threshold.got:g}"
    message = f"{threshold.rule}: {got}"
    return _Case(name, 0.0, FAILURE, "threshold", message, message)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


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
    """Return what failed in a run: checks of the first instance, else the counts."""
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
    return f"{text}, expected {check.expected!r}, got {check.got!r}"
