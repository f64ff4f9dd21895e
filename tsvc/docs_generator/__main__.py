"""Writes the files that are made from declarations: `python -m tsvc.docs_generator FOLDER [STUB]`.

FOLDER gets the pages of the reference, STUB is tsvc/definition/__init__.pyi.
"""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tsvc.docs_generator import (
    configuration,
    definitions,
    diameter,
    errors,
    flows,
    gateways,
    methods,
    operations,
    results,
    stubs,
)

# The functions that return the pages, by file name.
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


def main(arguments: list[str]) -> int:
    """Write the pages into the given folder, and the stub. Return the exit status."""
    if len(arguments) not in (1, 2):
        sys.stderr.write("usage: python -m tsvc.docs_generator FOLDER [STUB]\n")
        return 2
    for name, text in PAGES.items():
        (Path(arguments[0]) / name).write_text(text(), encoding="utf-8")
    for stub in arguments[1:]:
        Path(stub).write_text(stubs.text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
