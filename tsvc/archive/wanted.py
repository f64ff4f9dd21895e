"""The filter of a list of runs, for rows of the database and for waiting results."""

from collections.abc import Mapping
from typing import Any

from tsvc.values import dataclass

# The verdict of a lost run: its results were not complete, so it counts as aborted.
LOST_VERDICT = {"pass": "abort", "fail": "abort"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A page of runs, latest first. Absent members: any."""

    limit: int
    before: int | None = None  # result_ids below this
    run_id: str | None = None
    name: str | None = None  # of the definition, the whole of it
    verdict: str | None = None
    begin: float | None = None  # earliest start of the run, in seconds of the epoch; inclusive
    end: float | None = None  # latest start of the run; exclusive
    text: str | None = None  # contained in run_id, name or client, ignoring case

    def takes(self, result_id: int, summary: Mapping[str, Any]) -> bool:
        """Return True if the run with this summary is wanted."""
        start = seconds(summary["time_start"])
        return (
            (self.before is None or result_id < self.before)
            and self.run_id in (None, summary["run_id"])
            and self.name in (None, summary.get("name", ""))
            and self.verdict in (None, summary["verdict"])
            and (self.begin is None or start >= self.begin)
            and (self.end is None or start < self.end)
            and (self.text is None or self.text.casefold() in words_of(summary))
        )


def words_of(summary: Mapping[str, Any]) -> str:
    """Return the words of a summary in which `text` is searched."""
    words = (summary["run_id"], summary.get("name", ""), summary.get("client", ""))
    return "\n".join(words).casefold()


def seconds(moment: Any) -> float:
    """Return [seconds, microseconds] as a number."""
    return float(moment[0]) + float(moment[1]) / 1e6
