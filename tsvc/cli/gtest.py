"""Results in the XML form of Google Test, for tools that collect it: one case per definition."""

from collections.abc import Iterable
from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

from tsvc.cli.report import status_of
from tsvc.client import Check, RunResult

SUITE = "run_test"


def write(path: Path, results: Iterable[tuple[Path, RunResult | None, str]]) -> None:
    """Write (file, result or None, why there is none) of each run. Blocks: on the file."""
    suites = Element("testsuites", name="AllTests")
    suite = SubElement(suites, "testsuite", name=SUITE)
    seconds = 0.0
    failures = 0
    for file, result, refusal in results:
        took = (result.duration or 0.0) if result is not None else 0.0
        case = SubElement(
            suite, "testcase", name=file.stem, classname=SUITE, status="run", time=f"{took:.3f}"
        )
        texts = [refusal] if result is None else _failures(result)
        for text in texts:
            SubElement(case, "failure", message=text, type="")
        seconds += took
        failures += bool(texts)
    for element in (suites, suite):
        element.set("tests", str(len(suite)))
        element.set("failures", str(failures))
        element.set("disabled", "0")
        element.set("errors", "0")
        element.set("time", f"{seconds:.3f}")
    indent(suites)
    ElementTree(suites).write(path, encoding="utf-8", xml_declaration=True)


def _failures(result: RunResult) -> list[str]:
    """Return what failed in a run: checks of the first instance, else the counts."""
    if not status_of(result):
        return []
    checks = result.first_call.checks if result.first_call is not None else ()
    texts = [_failure(check) for check in checks if check.level in ("fail", "abort")]
    counts = result.counts
    total = f"{counts.failed} failed, {counts.aborted} aborted, {counts.cancelled} cancelled"
    return texts or [f"{result.verdict}: {total} of {counts.started} instances"]


def _failure(check: Check) -> str:
    return f"operations[{check.op}] {check.type}: {check.text}" + (
        f", expected {check.expected!r}, got {check.got!r}" if "got" in check.raw else ""
    )
