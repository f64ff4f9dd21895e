"""Writes every page of the reference: `python -m tsvc.reference FOLDER`."""

import sys
from pathlib import Path

from tsvc.reference.pages import write


def main(arguments: list[str]) -> int:
    """Write the pages into the folder that is named; return the exit status."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m tsvc.reference FOLDER\n")
        return 2
    write(Path(arguments[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
