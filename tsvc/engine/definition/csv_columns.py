"""Columns of CSV files for the `$csv` generator; only files below engine.data_dir are read."""

import csv
from collections.abc import Sequence
from pathlib import Path

from tsvc.expr import Value

MAX_FILE_OCTETS = 64 * 1024 * 1024


class CsvColumns:
    """Reads columns, once per definition."""

    def __init__(self, data_dir: Path | None) -> None:
        self._data_dir = data_dir

    def load(self, file: str, column: str) -> Sequence[Value]:
        """Return a column by its heading. Errors: ValueError in words. Blocks: for the file."""
        path = self._path(file)
        try:
            with path.open(newline="", encoding="utf-8") as lines:
                rows = csv.DictReader(lines, strict=True)
                if column not in (rows.fieldnames or ()):
                    known = ", ".join(rows.fieldnames or ())
                    raise ValueError(f"{file} has no column {column!r} (it has {known})")
                return [row[column] for row in rows]
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise ValueError(f"{file} can't be read: {error}") from None

    def _path(self, file: str) -> Path:
        if self._data_dir is None:
            raise ValueError("no files may be read: engine.data_dir is not configured")
        folder = self._data_dir.resolve()
        path = (folder / file).resolve()
        if not path.is_relative_to(folder):
            raise ValueError(f"{file} is outside engine.data_dir")
        if not path.is_file():
            raise ValueError(f"{file} is no file below engine.data_dir")
        if path.stat().st_size > MAX_FILE_OCTETS:
            raise ValueError(f"{file} is larger than {MAX_FILE_OCTETS} octets")
        return path
