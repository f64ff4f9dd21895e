"""Columns of CSV files for the `$csv` generator; only files below engine.data_dir are read."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from tsvc.expr import Value
from tsvc.operations.data_files import data_file


class CsvColumns:
    """Reads columns, once per definition. `files` are elsewhere; `read`: those that were read."""

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
                    raise ValueError(f"{file} has no column {column!r} (it has {known})")
                return [row[column] for row in rows]
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise ValueError(f"{file} can't be read: {error}") from None
