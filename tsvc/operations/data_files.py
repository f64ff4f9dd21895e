"""Files that definitions may name: those below engine.data_dir, and no others."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from tsvc.expr import Value
from tsvc.words import quoted

MAX_FILE_OCTETS = 64 * 1024 * 1024


def data_file(folder: Path | None, name: str) -> Path:
    """Return the path of a file. Errors: ValueError in words. Blocks: for a look at it."""
    if folder is None:
        raise ValueError("no files may be read: engine.data_dir is not configured")
    folder = folder.resolve()
    path = (folder / name).resolve()
    if not path.is_relative_to(folder):
        raise ValueError(f"{name} is outside engine.data_dir")
    if not path.is_file():
        raise ValueError(f"{name} is no file below engine.data_dir")
    if path.stat().st_size > MAX_FILE_OCTETS:
        raise ValueError(f"{name} is larger than {MAX_FILE_OCTETS} octets")
    return path


class CsvColumns:
    """Reads columns of CSV files for `$csv`, once per definition.

    `files` are elsewhere; `read`: those that were read.
    """

    def __init__(
        self, data_dir: Path | None, files: Mapping[str, Path] = MappingProxyType({})
    ) -> None:
        self._data_dir = data_dir
        self._files = files
        self.read: dict[str, Path] = {}

    def load(self, file: str, column: str) -> Sequence[Value]:
        """Return a column by its heading. Errors: ValueError in words. Blocks: for the file."""
        path = self._files.get(file) or data_file(self._data_dir, file)
        self.read[file] = path
        try:
            with path.open(newline="", encoding="utf-8") as lines:
                rows = csv.DictReader(lines, strict=True)
                if column not in (rows.fieldnames or ()):
                    known = ", ".join(rows.fieldnames or ())
                    raise ValueError(f"{file} has no column {quoted(column)} (it has {known})")
                return [row[column] for row in rows]
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise ValueError(f"{file} can't be read: {error}") from None
