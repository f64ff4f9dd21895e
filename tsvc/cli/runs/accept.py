"""tsvc run --accept: writes received values into the definition's files as expected values."""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tsvc.cli.definition_file.document import FileProblem
from tsvc.cli.definition_file.json_edit import replaced
from tsvc.cli.definition_file.load import load_definition
from tsvc.cli.definition_file.positions import Steps
from tsvc.client import Instance, RunResult
from tsvc.errors import reason
from tsvc.record.accept import Edit, accept
from tsvc.words import member_path

_SHORT = 100  # characters of a value in a line


def accept_result(path: Path, result: RunResult) -> tuple[bool, list[str]]:
    """Change the files of a definition so that they expect the values received by the first
    instance that failed. Return True if the files changed, and the lines to print.

    Blocks: on the files. Errors: FileProblem.
    """
    instance = _failed(result)
    if instance is None:
        return False, ["  not accepted: no instance was kept that failed"]
    definition = load_definition(path)
    found = accept(
        definition.params.get("operations", []), [check.raw for check in instance.checks]
    )
    left = [f"  not accepted: {text}" for text in found.left]
    lines: list[str] = []
    changes: dict[Path, dict[Steps, Any]] = {}
    for edit in found.edits:
        document, base = definition.origins[edit.steps[:2]]
        steps = (*base, *edit.steps[2:])
        if document.path.suffix != ".json":
            left.append(f"  not accepted: {document.place(steps)}: only JSON can be changed")
            continue
        of_file = changes.setdefault(document.path.resolve(), {})
        if of_file.setdefault(steps, edit.now) != edit.now:
            left.append(f"  not accepted: {document.place(steps)}: twice, and with two values")
        else:
            lines.append(f"  accepted   {document.place(steps)}: {_said(edit)}")
    for file, of_file in changes.items():
        _rewrite(file, of_file)
    return bool(lines), [*lines, *left]


def _failed(result: RunResult) -> Instance | None:
    first = result.first_call
    known = [*([first] if first is not None else []), *result.first_fails, *result.first_aborts]
    return next((one for one in known if one.state in ("failed", "aborted")), None)


def _said(edit: Edit) -> str:
    path = ""
    for step in edit.steps:
        path = member_path(path, step)
    return f"{path}: {_shown(edit.was)} became {_shown(edit.now)}"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"


def _rewrite(path: Path, changes: Mapping[Steps, Any]) -> None:
    """Change a file atomically. Errors: FileProblem."""
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        text = replaced(path.read_bytes().decode("utf-8"), changes)
        new.write_bytes(text.encode("utf-8"))
        shutil.copymode(path, new)
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise FileProblem(f"{path}: {reason(error)}") from None
