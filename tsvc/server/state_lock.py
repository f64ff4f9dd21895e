"""One daemon per state folder: a lock that the kernel drops with the process."""

import fcntl
import os
from pathlib import Path


class StateLock:
    """Holds the lock of a state folder from construction to release()."""

    def __init__(self, folder: Path) -> None:
        """Make the folder if need be, and lock it.

        Errors: OSError naming the folder and, if it is in use, the process that holds it.
        """
        folder.mkdir(mode=0o750, parents=True, exist_ok=True)
        path = folder / "lock"
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(self._descriptor, 32).decode("ascii", "replace").strip()
            os.close(self._descriptor)
            text = f"state folder {folder} is in use by process {holder or '(unknown)'}"
            raise OSError(error.errno, text) from None
        os.ftruncate(self._descriptor, 0)
        os.write(self._descriptor, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Let the next daemon have the folder; the file stays, so that nobody locks a ghost."""
        os.close(self._descriptor)
