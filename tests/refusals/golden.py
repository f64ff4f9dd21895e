"""The golden files: their contents, and how they are read and written.

Each file is a JSON list of cases of one theme. A case has a name, the document that is refused,
and the refusal. If the order of problems differs from process to process, the member `order` is
"any". To keep a long document short, `{"@repeat": COUNT, "item": ITEM}` stands for an array of so
many items, or for a string if the item is a string; `{"@object": COUNT}` for an object of so many
members.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
THEMES = ("definitions", "flows", "configurations")
WIDTH = 99


def files(theme: str) -> list[Path]:
    """Return the golden files of a theme in the order of their names."""
    return sorted((FOLDER / theme).glob("*.json"))


def read(path: Path) -> list[dict[str, Any]]:
    """Return the cases of a file."""
    cases: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return cases


def cases(theme: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (id, case) of all files of a theme; an id is "file: name"."""
    for path in files(theme):
        for case in read(path):
            yield f"{path.stem}: {case['name']}", case


def write(path: Path, found: list[dict[str, Any]]) -> None:
    """Write a file, one case after the other, with lines within WIDTH if possible."""
    items = ",\n".join("  " + text(case, 2) for case in found)
    path.write_text(f"[\n{items}\n]\n", encoding="utf-8")


def text(value: Any, indent: int = 0, used: int = 0) -> str:
    """Return JSON: on one line if it fits in WIDTH, otherwise one line per member or item."""
    short = _flat(value)
    if not isinstance(value, dict | list) or not value or len(short) + indent + used < WIDTH:
        return short
    inside = " " * (indent + 2)
    if isinstance(value, dict):
        heads = [f"{_flat(str(name))}: " for name in value]
        below = zip(heads, value.values(), strict=True)
        lines = [inside + head + text(item, indent + 2, len(head) + 1) for head, item in below]
        return "{\n" + ",\n".join(lines) + "\n" + " " * indent + "}"
    lines = [inside + text(item, indent + 2, 1) for item in value]
    return "[\n" + ",\n".join(lines) + "\n" + " " * indent + "]"


def settled(refusal: Any) -> Any:
    """Return a refusal of any order in a form that is the same in every process."""
    if isinstance(refusal, list):
        return sorted(refusal, key=_flat)
    if "lines" in refusal:
        return {**refusal, "lines": sorted(refusal["lines"])}
    fields = refusal["data"]["fields"]
    places = {path: sorted(fields[path]) for path in sorted(fields)}
    return {"code": refusal["code"], "data": {**refusal["data"], "fields": places}}


def _flat(value: Any) -> str:
    """Return JSON on one line; invisible characters stay escaped."""
    if isinstance(value, dict):
        members = (f"{_flat(str(name))}: {_flat(item)}" for name, item in value.items())
        return "{" + ", ".join(members) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flat, value)) + "]"
    is_seen = isinstance(value, str) and value.replace("\n", "").isprintable()
    return json.dumps(value, ensure_ascii=not is_seen)


def expanded(value: Any) -> Any:
    """Return a document in which the placeholders for long parts are replaced."""
    if isinstance(value, list):
        return [expanded(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "@object" in value:
        return {f"member{number}": 1 for number in range(value["@object"])}
    if "@repeat" in value:
        item = expanded(value["item"])
        count = value["@repeat"]
        return item * count if isinstance(item, str) else [item] * count
    return {name: expanded(item) for name, item in value.items()}
