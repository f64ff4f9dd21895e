"""The folder of tests: the paths in it, its files, and the kind of each file.

Files outside the folder are never shown, read or written, wherever `..` or a link may lead; nor
are hidden files and folders, whose names begin with a dot, such as `.git`.
Functions here block on the disk and are called off the loop.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ujson

from tsvc.cli.definition_file.document import SUFFIXES, FileProblem, parse
from tsvc.gui.asked import Refusal
from tsvc.values import dataclass

MOST_ENTRIES = 10_000
LONGEST_FILE = 4 << 20
_LONGEST_PATH = 1024


@dataclass(frozen=True, slots=True)
class _Seen:
    """The etag and kind of a file, valid while its stamp stays the same."""

    stamp: tuple[int, int, int]
    etag: str
    kind: str


class Workspace:
    """A folder; paths in it are texts with `/`, relative to it."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._seen: dict[str, _Seen] = {}

    def place(self, path: str) -> Path:
        """Return the real path of a path, with links resolved; the file need not exist.

        Errors: Refusal 400 if it is not a path in a workspace, 403 for a link that leads out.
        """
        parts = path.split("/")
        is_odd = "\0" in path or not path or len(path.encode("utf-8", "replace")) > _LONGEST_PATH
        if is_odd or any(not part or part.startswith(".") for part in parts):
            raise Refusal(400, "a path is relative to the workspace, with nothing hidden in it")
        try:
            real = self.root.joinpath(*parts).resolve()
        except (OSError, RuntimeError, ValueError):  # a cycle of links, or not UTF-8
            raise Refusal(403, f"{path}: can't be followed") from None
        if not self.holds(real):
            raise Refusal(403, f"{path}: leads out of the workspace")
        return real

    def entry(self, path: str) -> Path:
        """Return the real path of a path, but do not resolve its last step if it is a link.

        Errors: as those of place().
        """
        self.place(path)
        folder, _, name = path.rpartition("/")
        return (self.place(folder) if folder else self.root) / name

    def holds(self, real: Path) -> bool:
        """Return True if a path without links is in the workspace, and not hidden."""
        if not real.is_relative_to(self.root):
            return False
        return not any(part.startswith(".") for part in real.relative_to(self.root).parts)

    def listing(self) -> dict[str, Any]:
        """Return {root, entries, truncated}: at most MOST_ENTRIES, in the order of paths."""
        entries: list[dict[str, Any]] = []
        is_cut = False
        for entry in self._walk(self.root, ""):
            if len(entries) == MOST_ENTRIES:
                is_cut = True
                break
            entries.append(entry)
        entries.sort(key=lambda one: one["path"].split("/"))
        kept = {one["path"] for one in entries}
        self._seen = {path: seen for path, seen in self._seen.items() if path in kept}
        return {"root": str(self.root), "entries": entries, "truncated": is_cut}

    def _walk(self, folder: Path, prefix: str) -> Iterator[dict[str, Any]]:
        try:
            found = sorted(os.scandir(folder), key=lambda one: one.name)
        except OSError:
            return  # removed by now, or not readable
        for one in found:
            if one.name.startswith(".") or not _is_text(one.name):
                continue
            path = f"{prefix}{one.name}"
            if one.is_dir(follow_symlinks=False):
                yield {"path": path, "kind": "folder", "size": 0, "etag": None}
                yield from self._walk(folder / one.name, f"{path}/")
            elif (entry := self._file_entry(path)) is not None:
                yield entry

    def _file_entry(self, path: str) -> dict[str, Any] | None:
        """Return the entry of a file; None if it is not a file, or leads out."""
        try:
            real = self.place(path)
            status = real.stat()
        except (OSError, Refusal):
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        entry = {"path": path, "kind": "other", "size": status.st_size, "etag": None}
        if status.st_size > LONGEST_FILE:
            return entry
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        seen = self._seen.get(path)
        if seen is None or seen.stamp != stamp:
            try:
                octets = read_octets(real)
            except (OSError, Refusal):
                return entry
            seen = self._seen[path] = _Seen(stamp, etag_of(octets), kind_of(path, octets))
        return {**entry, "kind": seen.kind, "etag": seen.etag}


def read_octets(real: Path) -> bytes:
    """Return the octets of a regular file. Errors: OSError; Refusal 413 for one too long."""
    # Non-blocking, because a special file, such as a pipe, must not block the open.
    handle = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise Refusal(400, f"{real.name}: is not a file")
        octets = stream.read(LONGEST_FILE + 1)
    if len(octets) > LONGEST_FILE:
        raise Refusal(413, f"{real.name}: is longer than {LONGEST_FILE} octets")
    return octets


def etag_of(octets: bytes) -> str:
    """Return the etag of a content: a hash that differs for every other content."""
    return hashlib.sha256(octets).hexdigest()[:32]


def kind_of(path: str, octets: bytes) -> str:
    """Return the kind of a file: definition, flow, environment or other.

    A file that can't be parsed by its suffix counts as a definition that somebody is writing.
    """
    if path.endswith(".env.json"):
        return "environment"
    if not path.endswith(SUFFIXES):
        return "other"
    try:
        # Any JSON is accepted here; its problems are reported when it is opened.
        value = ujson.loads(octets) if path.endswith(".json") else parse(Path(path), octets).value
    except (ValueError, FileProblem):
        return "definition"
    operations = value.get("operations") if isinstance(value, dict) else None
    if isinstance(operations, dict) or (isinstance(operations, list) and _are_nodes(operations)):
        return "flow"
    is_definition = isinstance(operations, list) or (
        isinstance(value, dict) and "include" in value
    )
    return "definition" if is_definition else "other"


def _are_nodes(operations: list[Any]) -> bool:
    """Return True if these are operations of a flow, which have ids and exits."""
    return any(isinstance(one, dict) and "id" in one and "exits" in one for one in operations)


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
