"""CSV files of runs: all workers of a run read the same files as its coordinator.

A run names its files with their SHA-256. If a worker has the same file under that name, it reads
its own. Otherwise it looks in its daemon's state folder, where all workers of a machine keep
received files by their SHA-256. Otherwise it requests the file, piece by piece, while the other
workers of its machine wait. So a file is normally sent only once to each machine.

    want  {run, sha, at}  -> piece {run, sha, at, octets, size}; size -1: it can't be read any more
"""

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import gevent
from gevent.event import AsyncResult

from tsvc.errors import StartError
from tsvc.operations.data_files import data_file
from tsvc.words import quoted

PIECE_OCTETS = 1 << 20
_ANSWER_S, _ATTEMPTS = 5.0, 4  # a message may be lost with a connection
_LOOK_S = 0.02
_MOST_KEPT = 32  # files


def digest(path: Path) -> str:
    """Return the SHA-256 of a file. Blocks: other greenlets run. Errors: OSError."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while octets := file.read(PIECE_OCTETS):
            found.update(octets)
            gevent.sleep(0)
    return found.hexdigest()


def piece_of(path: Path | None, at: int) -> dict[str, Any]:
    """Return the members octets and size of a `piece` that begins at an octet of a file."""
    try:
        assert path is not None
        with path.open("rb") as file:
            file.seek(at)
            return {"octets": file.read(PIECE_OCTETS), "size": os.fstat(file.fileno()).st_size}
    except (OSError, AssertionError):
        return {"octets": b"", "size": -1}


class Files:
    """The files of a worker. `ask(run, sha, at)` sends a `want`; answers are given to take()."""

    def __init__(
        self, folder: Path, data_dir: Path | None, ask: Callable[[int, str, int], object]
    ) -> None:
        self._folder, self._data_dir, self._ask = folder, data_dir, ask
        self._awaited: dict[tuple[str, int], AsyncResult[Mapping[str, Any]]] = {}

    def take(self, piece: Mapping[str, Any]) -> None:
        """Handle a piece; ignore it if it is no longer awaited."""
        awaited = self._awaited.pop((piece["sha"], piece["at"]), None)
        if awaited is not None:
            awaited.set(piece)

    def of_run(self, run: int, wanted: Mapping[str, str]) -> dict[str, Path]:
        """Return the paths of the files of a run, by name. Blocks: until all are here.

        Errors: StartError, if a file does not come.
        """
        return {name: self._find(run, name, sha) for name, sha in wanted.items()}

    def _find(self, run: int, name: str, sha: str) -> Path:
        with suppress(ValueError, OSError):
            own = data_file(self._data_dir, name)
            if digest(own) == sha:
                return own
        if len(sha) != 64 or set(sha) - set("0123456789abcdef"):
            raise StartError(f"{name}: {quoted(sha)} is no SHA-256", kind="cluster.worker")
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / sha
        with self._one_of_all():
            if not path.exists():
                self._fetch(run, name, sha, path)
                self._drop_oldest()
            os.utime(path)
        return path

    @contextmanager
    def _one_of_all(self) -> Iterator[None]:
        """Hold the lock by which only one worker of this machine requests files."""
        with (self._folder / "lock").open("wb") as lock:
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    gevent.sleep(_LOOK_S)
            yield

    def _fetch(self, run: int, name: str, sha: str, path: Path) -> None:
        partly = path.with_suffix(".part")
        found, at, size = hashlib.sha256(), 0, 0
        with partly.open("wb") as file:
            while at == 0 or at < size:
                piece = self._piece(run, name, sha, at)
                size = piece["size"]
                found.update(piece["octets"])
                file.write(piece["octets"])
                at += len(piece["octets"])
                if not piece["octets"]:
                    break
        if found.hexdigest() != sha:
            partly.unlink()
            raise StartError(f"{name} has changed while it was sent", kind="cluster.worker")
        partly.replace(path)

    def _piece(self, run: int, name: str, sha: str, at: int) -> Mapping[str, Any]:
        for _ in range(_ATTEMPTS):
            awaited = self._awaited[sha, at] = AsyncResult()
            self._ask(run, sha, at)
            piece = awaited.wait(_ANSWER_S)
            if piece is not None:
                return piece
        self._awaited.pop((sha, at), None)
        raise StartError(f"{name} was not sent", kind="cluster.worker")

    def _drop_oldest(self) -> None:
        """Remove the oldest files above a limit; a removed file is sent again if needed."""
        kept = [one for one in self._folder.iterdir() if len(one.name) == 64]
        for one in sorted(kept, key=lambda one: -one.stat().st_mtime)[_MOST_KEPT:]:
            one.unlink()
