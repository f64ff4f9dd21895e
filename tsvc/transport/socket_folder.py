"""A folder of sockets that only the same user can open, for as long as a process holds it.

A killed process leaves its folder behind. A lock shows whether a process still holds a folder,
also across containers that share the folder of temporary files. The next process removes unlocked
ones.
"""

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

_TRIES = 10  # another process may remove a new folder before it is locked


class SocketFolder:
    """Errors: OSError if no folder can be created or locked."""

    def __init__(self, purpose: str) -> None:
        """`purpose`: one word, in its name. Blocks: for some calls of the file system."""
        prefix = f"tsvc-{purpose}-"
        for _ in range(_TRIES):
            self.path = Path(tempfile.mkdtemp(prefix=prefix))
            self._lock = _locked(self.path)
            if self._lock is not None:
                break
        else:
            raise OSError(f"{self.path}: can't be locked")
        for other in self.path.parent.glob(f"{prefix}*"):
            _remove(other)

    def remove(self) -> None:
        """Remove the folder with its contents; never raises."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _locked(folder: Path) -> int | None:
    """Return a descriptor that holds the lock of a folder of the same user.

    None: another process holds it, or the folder does not exist any more.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    with suppress(OSError):
        opened = os.fstat(descriptor)
        if opened.st_uid == os.geteuid():
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(opened, os.lstat(folder)):
                return descriptor
    os.close(descriptor)
    return None


def _remove(folder: Path) -> None:
    """Remove a folder that no process holds any more."""
    descriptor = _locked(folder)
    if descriptor is not None:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)
