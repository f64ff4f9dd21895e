"""Records the refusals again: `PYTHONPATH=tests python -m refusals.record` in the root of the
tree.

It reads every case of definitions/, flows/ and configurations/. The tsvc that the interpreter
finds refuses its document, and the refusal is written into the case. Several processes have
different orders of sets. If only the order of a case's problems differs, the case is marked; if
the problems differ, the case is named and the command ends with 1. To add a case, write its name
and document into a file, and record. If names of files are given, only these are recorded.
Documents that tsvc accepts are named, too, and then the files of the theme stay unchanged.
"""

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from refusals import asking, golden

SEEDS = ("1", "2", "3", "0")  # for the order of sets; the result of the last seed is kept


def refusals(theme: str, cases: Sequence[asking.Case]) -> list[Any]:
    """Return the refusal of each case."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        if theme == "configurations":
            return asking.check_configurations(folder, cases)
        with asking.daemons(folder) as answers:
            ask = answers.definition if theme == "definitions" else answers.flow
            return [ask(case) for case in cases]


def take(case: asking.Case, found: Sequence[Any]) -> str:
    """Write the last of the refusals into a case; return an error text if they are wrong."""
    document = {name: case[name] for name in case if name not in ("refusal", "order")}
    case.clear()
    case.update(document)
    texts = set(map(golden.text, found))
    if len(texts) > 1:
        case["order"] = "any"
        texts = {golden.text(golden.settled(refusal)) for refusal in found}
    case["refusal"] = found[-1]
    if not is_refused(found[-1]):
        return "accepted"
    return "differs from process to process" if len(texts) > 1 else ""


def is_refused(refusal: Any) -> bool:
    """Return True if a refusal refuses something."""
    if isinstance(refusal, list):
        return any("severity" not in problem for problem in refusal)
    return bool(refusal.get("status") or refusal.get("code"))


def record(names: Sequence[str]) -> int:
    """Record the files with these names, or all files without names; return the exit status."""
    is_wrong = False
    with tempfile.TemporaryDirectory() as temporary:
        print("tsvc is", asking.source(Path(temporary)))
    for theme in golden.THEMES:
        paths = [path for path in golden.files(theme) if not names or path.name in names]
        by_path = {path: golden.read(path) for path in paths}
        cases = [case for found in by_path.values() for case in found]
        found: list[list[Any]] = []
        for seed in SEEDS if cases else ():
            os.environ["PYTHONHASHSEED"] = seed
            found.append(refusals(theme, cases))
        for path in paths:
            print(f"{theme}/{path.name}: {len(by_path[path])} cases")
        problems = [
            take(case, one) for case, one in zip(cases, zip(*found, strict=True), strict=True)
        ]
        for case, problem in zip(cases, problems, strict=True):
            if problem:
                print(f"  {case['name']}: {problem}")
        if any(problems):
            is_wrong = True
            continue
        for path in paths:
            golden.write(path, by_path[path])
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(record(sys.argv[1:]))
