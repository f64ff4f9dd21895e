"""docs/reference/results.md: every member of a result, of the metrics page, of the CSV table."""

import re
from collections.abc import Iterator
from typing import Any

from marshmallow import Schema

from tsvc.config.tables import Config
from tsvc.docs_generator.markdown import anchor, answers, sections, table
from tsvc.engine.load.histogram import Histogram
from tsvc.engine.result.result_schema import (
    ArchivedResult,
    Bucket,
    CancelledResult,
    ListedResult,
    RunResult,
    Summary,
    TracedInstance,
)
from tsvc.engine.service import Service
from tsvc.methods.list_workers import ListWorkers
from tsvc.results.csv_buckets import buckets_csv
from tsvc.scp.statistics import Statistics
from tsvc.server.admission import Counters
from tsvc.server.dispatch import Traffic
from tsvc.server.metrics import Process, render

_BARE = re.compile(r"(One of )?`\w+`\.")  # a docstring with no more information than the heading
PAGE = "results.md"
WHOLE = "The result of a run"
SHORT = "A run in short"
TRACED = "An instance as JSON"

_OPENING = f"""\
# Results

Made from the declarations of the members: change those, not this file. QueryTest, CancelTest and
GetResult answer with the result of a run; [methods](methods.md) has all methods. A member without
*sometimes* is always there.

Wall times are `[s, us]`: seconds since 1970 and microseconds; durations are of the monotonic
clock. A run is `starting`, `running`, perhaps `cancelling`, then `completed`. An instance
is `running`, now and then `halted`, and ends:

| State | It ended so |
|---|---|
| `passed` | it came to its end, and every check passed |
| `failed` | it came to its end, and a check failed |
| `aborted` | it stopped early: an unexpected message, a timeout, trouble with a peer, an `abort` |
| `cancelled` | the run was cancelled |

The verdict of a run is `pass`, `fail`, `abort` or `cancelled`; it only worsens, in this order. A
threshold that is missed and a leak make it `fail`.

* [{WHOLE}](#{anchor(WHOLE)})
* [{SHORT}](#{anchor(SHORT)})
* [{TRACED}](#{anchor(TRACED)})
* [The metrics page](#the-metrics-page)
* [The CSV table](#the-csv-table)
"""


def links() -> dict[type[Schema], str]:
    """Return the page and anchor at which the members of each class are described."""
    found = {type(schema): f"{PAGE}#{anchor(place)}" for place, schema in sections(RunResult())}
    return {**found, RunResult: f"{PAGE}#{anchor(WHOLE)}", Summary: f"{PAGE}#{anchor(SHORT)}"}


def text() -> str:
    """Return the whole page."""
    return "\n\n".join([_OPENING.rstrip(), *_parts()]) + "\n"


def _parts() -> Iterator[str]:
    here = {class_: link.removeprefix(PAGE) for class_, link in links().items()}
    yield f"## {WHOLE}"
    yield _words(RunResult).partition("\n\n")[2]
    yield answers(RunResult(), here)
    for class_ in (CancelledResult, ArchivedResult):
        yield f"{_words(class_)[:-1]} has this too:"
        yield answers(class_(only=_own(class_, RunResult)))
    for place, schema in sections(RunResult()):
        yield f"### {place}"
        words = _words(type(schema))
        if not _BARE.fullmatch(words):
            yield words
        yield answers(schema, here)
    yield f"## {SHORT}"
    yield (
        "QueryAllTests and ListResults answer with these members of results. ListResults has "
        "`result_id` too."
    )
    yield answers(ListedResult(), here)
    yield f"## {TRACED}"
    yield _words(TracedInstance)
    yield answers(TracedInstance(), here)
    yield "## The metrics page"
    yield (
        "`/metrics` of the port `http.listen`, for Prometheus. `tsvc_scp_…` are there where the "
        "embedded SCP has flows."
    )
    yield table(("Metric", "Type", "Labels", "Meaning"), _metrics())
    yield "## The CSV table"
    yield "`tsvc run --csv` writes a row for each bucket of a run."
    yield table(("Column", "Meaning"), _columns())


def _own(class_: type[Schema], base: type[Schema]) -> list[str]:
    return [name for name in class_().fields if name not in base().fields]


def _words(class_: type[Schema]) -> str:
    """Return the docstring of a class, with the lines of each paragraph joined."""
    paragraphs = (class_.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(part.split()) for part in paragraphs)


def _metrics() -> Iterator[tuple[str, str, str, str]]:
    """Yield the metric families on the page of a service that has all parts."""
    about = Service(Config()).describe()
    gateway: dict[str, Any] = {"name": "", "kind": "", "state": "up"}
    gateway |= {"counters": {"": 0, "now": 0}, "levels": ["now"]}
    statistics = Statistics()
    statistics.flow("")
    statistics.errors[""] = statistics.messages[""] = 0
    requests = Traffic()
    requests.requests["", 0] = 0
    requests.seconds[""] = 0.0
    page = render(
        {**about, "gateways": [gateway], "scp": statistics.as_dict()},
        Histogram(),
        Counters(),
        0,
        0,
        requests,
        Process(
            resident_octets=0,
            cpu_s=0.0,
            open_files=0,
            started_at_wall=0.0,
            lag_s=0.0,
            highest_lag_s=0.0,
            stalls=0,
        ),
        [ListWorkers.example.result["workers"][0]],
    )
    lines = page.splitlines()
    for position, line in enumerate(lines):
        if line.startswith("# HELP "):
            _, _, name, help = line.split(" ", 3)
            kind = lines[position + 1].split(" ")[3]
            yield f"`{name}`", kind, _labels(lines[position + 2]), help


def _labels(sample: str) -> str:
    if "{" not in sample:
        return ""
    inner = sample[sample.index("{") + 1 : sample.rindex("}")]
    return ", ".join(f"`{label.partition('=')[0]}`" for label in inner.split(","))


def _columns() -> Iterator[tuple[str, str]]:
    helps = {name: field.metadata["help"] for name, field in Bucket().fields.items()}
    units = {name: field.metadata.get("unit") for name, field in Bucket().fields.items()}
    helps["name"] = "name of the definition"
    helps["run_id"] = "the run"
    helps["time"] = "wall time at which the bucket begins, ISO 8601 in UTC"
    helps["bucket_s"] = "how long a bucket is, in s"
    for name in buckets_csv([]).strip().split(","):
        unit = f", in {units[name]}" if units.get(name) else ""
        yield f"`{name}`", f"{helps[name]}{unit}"
