"""Data files that definitions may name: only files below engine.data_dir."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from tsvc.expr import Value
from tsvc.words import quoted

MAX_FILE_OCTETS = 64 * 1024 * 1024


def data_file(folder: Path | None, name: str) -> Path:
    """Return the path of a file. Errors: ValueError in words. Blocks: on the file system."""
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


def _place_of(column: str, file: str, names: list[str]) -> int:
    if column not in names:
        known = ", ".join(names)
        raise ValueError(f"{file} has no column {quoted(column)} (it has {known})")
    if names.count(column) > 1:
        raise ValueError(f"{file} has two columns {quoted(column)}")
    return names.index(column)


class CsvColumns:
    """Reads columns of CSV files for `$csv`, once per definition.

    `files`: files outside data_dir, by name; `read`: the files that were read.
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
            # Spreadsheets write a byte order mark before the first name.
            with path.open(newline="", encoding="utf-8-sig") as lines:
                rows = csv.reader(lines, strict=True)
                names = next(rows, [])
                at = _place_of(column, file, names)
                found: list[Value] = []
                for cells in rows:
                    if cells and len(cells) != len(names):
                        text = f"{len(cells)} cells under {len(names)} names"
                        raise ValueError(f"{file}, line {rows.line_num}: {text}")
                    if cells:
                        found.append(cells[at])
                return found
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise ValueError(f"{file} can't be read: {error}") from None
