"""Replaces values in a JSON text and leaves the rest of the text as the user wrote it."""

import json
from collections.abc import Mapping
from typing import Any

from tsvc.cli.definition_file.positions import Steps, json_positions

_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"


def replaced(text: str, changes: Mapping[Steps, Any]) -> str:
    """Return a valid JSON text with other values at some paths, none of which is inside another.

    A new member is added after the others of its object. Errors: KeyError for a path whose object
    or array is not there.
    """
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    positions = json_positions(text)

    def start_of(steps: Steps) -> int:
        line, column = positions[steps]
        at = starts[line - 1] + column - 1
        if steps and isinstance(steps[-1], str):  # the position of a member is that of its name
            _, at = _DECODER.raw_decode(text, at)
            at = _past_space(text, text.index(":", at) + 1)
        return at

    edits = []
    for steps, value in changes.items():
        if steps in positions:
            start = start_of(steps)
            _, end = _DECODER.raw_decode(text, start)
            edits.append((start, end, _written(value, text, start)))
        else:
            edits.append(_addition(text, start_of(steps[:-1]), str(steps[-1]), value))
    for start, end, written in sorted(edits, reverse=True):
        text = text[:start] + written + text[end:]
    return text


def _addition(text: str, start: int, name: str, value: Any) -> tuple[int, int, str]:
    """Return the edit that adds a member to the object at `start`."""
    found, end = _DECODER.raw_decode(text, start)
    last = len(text[: end - 1].rstrip(_SPACE))
    space = text[last : end - 1]
    comma, before = "", ""
    if found:
        comma = ","
        before = _margin(text, last - 1) if "\n" in space else " "
        before = "\n" + before if "\n" in space else before
    written = json.dumps({name: value}, ensure_ascii=False)[1:-1]
    return last, last, f"{comma}{before}{written}"


def _written(value: Any, text: str, start: int) -> str:
    """Return a value as text that begins in the line of `start`, indented like that line."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or "\n" not in text[start : _end(text, start)]:
        return flat
    lines = json.dumps(value, ensure_ascii=False, indent=_step(text)).split("\n")
    return ("\n" + _margin(text, start)).join(lines)


def _end(text: str, start: int) -> int:
    return int(_DECODER.raw_decode(text, start)[1])


def _margin(text: str, at: int) -> str:
    """Return the white space at the beginning of the line that contains `at`."""
    line = text[text.rfind("\n", 0, at) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _step(text: str) -> int | str:
    """Return the indentation of a text: that of its first indented line; 2 if there is none."""
    for line in text.split("\n"):
        space = line[: len(line) - len(line.lstrip(" \t"))]
        if space and line.strip():
            return "\t" if "\t" in space else len(space)
    return 2


def _past_space(text: str, at: int) -> int:
    while text[at] in _SPACE:
        at += 1
    return at
