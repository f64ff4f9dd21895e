"""The counts of the soak, and its findings. Used by many threads."""

import threading
from collections import Counter
from typing import Any

_MOST = 100  # violations that are kept as texts


class Findings:
    """Counts of what was done, and violations of invariants."""

    def __init__(self) -> None:
        self.done: Counter[str] = Counter()
        self.violations: list[str] = []
        self.violated = 0
        self._lock = threading.Lock()

    def count(self, what: str, number: int = 1) -> None:
        with self._lock:
            self.done[what] += number

    def violation(self, text: str) -> None:
        with self._lock:
            self.violated += 1
            if len(self.violations) < _MOST:
                self.violations.append(text[:1000])

    def check(self, is_so: bool, text: str) -> None:
        if not is_so:
            self.violation(text)

    def check_counts(self, result: dict[str, Any]) -> None:
        """Check the sums in an answer to QueryTest."""
        self.count("answers checked")
        counts, rate = result["counts"], result["rate"]
        ended = sum(counts[name] for name in ("passed", "failed", "aborted", "cancelled"))
        wrong = [
            text
            for text, is_so in (
                ("finished", counts["finished"] == ended),
                ("started", counts["started"] == counts["finished"] + counts["in_progress"]),
                ("halted", 0 <= counts["halted"] <= counts["in_progress"]),
                (
                    "planned",
                    rate["planned"]
                    == rate["started"] + rate["never_started"] + rate["unknown_starts"],
                ),
                ("rate.started", rate["started"] == rate["on_time"] + rate["late"]),
                ("buckets", _bucket_sum(result, "started") == counts["started"]),
                ("buckets.finished", _bucket_sum(result, "finished") == counts["finished"]),
            )
            if not is_so
        ]
        if wrong:
            self.violation(f"{result['run_id']}: {wrong} do not add up: {counts} {rate}")


def _bucket_sum(result: dict[str, Any], what: str) -> int:
    return sum(bucket[f"num_calls_{what}"] for bucket in result["buckets"])
