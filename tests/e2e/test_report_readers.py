"""Reports, read by the libraries that others use for them: junitparser, pandas."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from junitparser import Failure, JUnitXml, TestCase
from support.daemons import EXAMPLES, FLOW, HANG_GUARD_S, ROOT

from tsvc.cli.embedded import PrivateDaemon, clean_environment
from tsvc.client import Client
from tsvc.client.results import RunResult

pytestmark = pytest.mark.e2e

SUITE = ("extension_dialing", "extension_dialing_busy", "extension_dialing_no_answer")
LOAD = {"type": "linear", "cps": 40, "total": 60, "backlog": 60}


@dataclass
class Lab:
    """A service, and a folder with a suite of three calls."""

    folder: Path
    port: int
    ids: list[int] = field(default_factory=list)

    def tsvc(self, *words: object, status: int = 0) -> str:
        command = [sys.executable, "-m", "tsvc.cli.main", *map(str, words)]
        place = {"TSVC_PORT": str(self.port), "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=HANG_GUARD_S,
            cwd=self.folder,
            env={**clean_environment(), **place},
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    def write(self, name: str, wrong: str = "", **more: Any) -> None:
        """Write a sample into the suite; `wrong` replaces the number to be called."""
        text = (EXAMPLES / f"{name}.json").read_text("utf-8")
        params = json.loads(text.replace("4329100", wrong) if wrong else text)
        (self.folder / "suite" / f"{name}.json").write_text(json.dumps({**params, **more}))

    def suite(self, name: str, status: int = 0) -> JUnitXml:
        self.tsvc("run", "suite", "--quiet", "--junit", f"{name}.xml", status=status)
        return JUnitXml.fromfile(str(self.folder / f"{name}.xml"))

    def results(self) -> list[RunResult]:
        """Return the two latest results, the older one first."""
        client = Client("127.0.0.1", self.port)
        latest = client.list_results(2)
        self.ids = [one.result_id for one in latest][::-1]
        return [client.get_result(one) for one in self.ids]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("lab")
    (folder / "suite").mkdir()
    with PrivateDaemon(flows=[FLOW]) as daemon:
        made = Lab(folder, daemon.port)
        for name in SUITE:
            made.write(name)
        yield made


def cases(report: JUnitXml) -> dict[tuple[str, str], bool]:
    """Return whether each case failed, by the names with which CI servers identify it."""
    found = {}
    for suite in report:
        for case in suite:
            assert isinstance(case, TestCase)
            failed = any(isinstance(one, Failure) for one in case.result)
            found[str(case.classname), str(case.name)] = failed
    return found


def test_a_test_that_breaks_is_one_new_failure_of_the_same_name(lab: Lab) -> None:
    before = cases(lab.suite("before"))
    lab.write(SUITE[0], wrong="4329199")
    broken = lab.suite("broken", status=1)
    lab.write(SUITE[0])
    mended = cases(lab.suite("mended"))
    assert len(before) == len(SUITE)
    assert [*before] == [*cases(broken)] == [*mended]
    assert not any(before.values())
    assert not any(mended.values())
    assert [name for (_, name), failed in cases(broken).items() if failed] == [SUITE[0]]
    assert (broken.tests, broken.failures, broken.errors) == (3, 1, 0)


@pytest.fixture(scope="module")
def loads(lab: Lab) -> tuple[Lab, Any, list[RunResult]]:
    """Two loads of one definition; some calls of the second load are wrong."""
    lab.write(SUITE[0], distribution=LOAD)
    lab.tsvc("run", f"suite/{SUITE[0]}.json", "--csv", "a.csv", "--quiet")
    numbers = {"$choice": ["4329100", "4329199"]}
    wrong = json.loads((lab.folder / f"suite/{SUITE[0]}.json").read_text())
    for operation in wrong["operations"]:
        arguments = operation.get("arguments", {})
        if arguments.get("destinationRoutingAddress_digits"):
            arguments["destinationRoutingAddress_digits"] = "{$v->{wanted}}"
    wrong["vars"] = {**wrong.get("vars", {}), "wanted": numbers}
    (lab.folder / f"suite/{SUITE[0]}.json").write_text(json.dumps(wrong))
    lab.tsvc("run", f"suite/{SUITE[0]}.json", "--csv", "b.csv", "--quiet", status=1)
    lab.write(SUITE[0])
    import pandas  # takes a second, in each worker that collects tests

    table = pandas.concat([pandas.read_csv(lab.folder / name) for name in ("a.csv", "b.csv")])
    return lab, table, lab.results()


def test_compare_and_pandas_say_the_same(
    loads: tuple[Lab, Any, list[RunResult]],
) -> None:
    lab, table, _ = loads
    (compared,) = json.loads(lab.tsvc("compare", *lab.ids, "--json", status=6))
    metrics = {one["name"]: one for one in compared["metrics"]}
    by_run = table.groupby("run_id", sort=False)
    summed = by_run.sum(numeric_only=True)
    for name, column in (
        ("started", "num_calls_started"),
        ("failed", "failed"),
        ("aborted", "aborted"),
    ):
        a, b = (int(one) for one in summed[column])
        assert (metrics[name]["a"], metrics[name]["b"]) == (a, b), name
        assert metrics[name]["delta"] == b - a
    assert metrics["failed"]["b"] > 0
    highest = [float(one) for one in by_run["max_ms"].max()]
    longest = metrics["service_max_ms"]
    assert [longest["a"], longest["b"]] == pytest.approx(highest)
    change = 100 * (highest[1] - highest[0]) / highest[0]
    assert longest["percent"] == pytest.approx(change)


def test_the_table_has_moments_and_the_frame_is_the_table(
    loads: tuple[Lab, Any, list[RunResult]],
) -> None:
    import pandas

    _, table, results = loads
    for result in results:
        own = table[table["run_id"] == result.run_id]
        moments = pandas.to_datetime(own["time"])
        assert str(moments.dt.tz) == "UTC"
        assert result.time_start is not None
        assert moments.iloc[0].timestamp() == pytest.approx(result.time_start, abs=0.001)
        frame = result.to_frame()
        assert [*frame.index.floor("ms")] == [*moments]
        for column in ("t", "num_calls_started", "num_calls_finished", "failed", "p99_ms"):
            assert [*frame[column]] == [*own[column]], column


def test_a_run_that_has_no_series_is_an_empty_frame() -> None:
    from tsvc.client.results import read_run

    frame = read_run({"run_id": "r"}).to_frame()
    assert (len(frame), frame.index.name) == (0, "time")
