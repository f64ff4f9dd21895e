"""Writes what is made from declarations: `python -m tsvc.reference FOLDER [STUB]`.

FOLDER gets the pages of the reference, STUB is tsvc/definition/__init__.pyi.
"""

import sys
from pathlib import Path

from tsvc.reference import stubs
from tsvc.reference.pages import write


def main(arguments: list[str]) -> int:
    """Write the pages into the folder that is named, and the stub; return the exit status."""
    if len(arguments) not in (1, 2):
        sys.stderr.write("usage: python -m tsvc.reference FOLDER [STUB]\n")
        return 2
    write(Path(arguments[0]))
    for stub in arguments[1:]:
        Path(stub).write_text(stubs.text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
