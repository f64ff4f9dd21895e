"""Results in the XML form of Google Test, for tools that collect it: one case per definition."""

from collections.abc import Iterable

from tsvc.client.results import Check, RunResult
from tsvc.results.junit import document, element
from tsvc.results.report import Reported, bad_checks, has_values

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
