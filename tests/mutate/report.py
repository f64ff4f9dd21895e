"""The outcomes of the mutants: by definition and operator, and unexplained survivors."""

import difflib
import fnmatch
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mutate.play import Outcome

SURVIVORS = Path(__file__).with_name("survivors.txt")
NEED_NOT = "need not"
COLUMNS = ("fail", "abort", "refused", "pass", NEED_NOT)


def explained(path: Path = SURVIVORS) -> dict[str, str]:
    """Return {pattern of names: reason}. Errors: ValueError for a line without a reason."""
    found = {}
    for line in path.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            pattern, blank, reason = line.partition("  ")
            if not blank or len(reason.split()) < 5:
                raise ValueError(f"survivors.txt: no reason in {line!r}")
            found[pattern] = reason
    return found


def is_explained(name: str, patterns: Iterable[str]) -> bool:
    """Return True if a pattern matches this name; brackets stand for themselves."""
    return any(fnmatch.fnmatchcase(name, one.replace("[", "[[]")) for one in patterns)


def unexplained(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return the survivors that are not in the list."""
    patterns = explained()
    return [one for one in outcomes if one.survived and not is_explained(one.name, patterns)]


def table(outcomes: Iterable[Outcome]) -> str:
    """Return the counts by definition and by operator."""
    counts: dict[str, Counter[str]] = {}
    for one in outcomes:
        for key in (f"1 {one.subject}", f"2 {one.operator}", "3 all"):
            of = counts.setdefault(key, Counter())
            of[one.verdict if one.must else NEED_NOT] += 1
    head = f"{'':50}" + "".join(f"{one:>9}" for one in COLUMNS)
    lines = []
    for key in sorted(counts):
        row = "".join(f"{counts[key][one]:9}" for one in COLUMNS)
        lines.append(f"{key[2:]:50}{row}")
    return "\n".join([head, *lines])


def difference(before: Any, after: Any) -> str:
    """Return what differs between two definitions."""
    texts = [json.dumps(one, indent=1).splitlines() for one in (before, after)]
    lines = list(difflib.unified_diff(*texts, lineterm="", n=2))
    return "\n".join(lines[2:])
