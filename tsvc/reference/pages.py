"""The pages of docs/reference that are made from declarations, by the names of their files."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tsvc.reference import (
    configuration,
    definitions,
    diameter,
    errors,
    flows,
    gateways,
    methods,
    operations,
    results,
)

PAGES: Mapping[str, Callable[[], str]] = {
    "methods.md": methods.text,
    "errors.md": errors.text,
    "results.md": results.text,
    "definitions.md": definitions.text,
    "operations.md": operations.text,
    **{part.file: partial(operations.part_text, part) for part in operations.PARTS},
    "gateways.md": gateways.text,
    "diameter.md": diameter.text,
    "flows.md": flows.text,
    "configuration.md": configuration.text,
}


def write(folder: Path) -> None:
    """Write all pages into a folder. Errors: OSError. Blocks: for its files."""
    for name, text in PAGES.items():
        (folder / name).write_text(text(), encoding="utf-8")
