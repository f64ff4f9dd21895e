"""Files of the state folder: private with any umask, and the id that marks rows as ours."""

import os
import secrets
import stat
from pathlib import Path

from tsvc.errors import reason
from tsvc.log import get_logger

log = get_logger("archive")

PRIVATE = 0o600
_ID_OCTETS = 16


def keep_private(path: str | Path, *others: str | Path) -> None:
    """Make a file that only its user can read, or make an existing one private; and the others.

    Errors: OSError if the file can't be made.
    """
    os.close(open_private(path))
    for other in others:
        tighten(other)


def open_private(path: str | Path) -> int:
    """Return a descriptor of a private file, to read and write; make the file if there is none.

    Errors: OSError.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags | os.O_EXCL, PRIVATE)
    except FileExistsError:
        tighten(path)
        return os.open(path, flags, PRIVATE)
    os.fchmod(descriptor, PRIVATE)  # a umask may have taken our own rights
    return descriptor


def tighten(path: str | Path) -> None:
    """Remove the rights that other users have to a file; ignore a file that does not exist."""
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
        if mode & ~PRIVATE:
            os.chmod(path, PRIVATE)
            log.warning("file was open to others", file=path, mode=f"{mode:04o}", now="0600")
    except FileNotFoundError:
        return
    except OSError as error:
        log.warning("file is open to others", file=path, reason=reason(error))


def identity(folder: Path) -> str:
    """Return the random id of a state folder; the first call makes it.

    Each daemon locks a folder of its own, so the id identifies a daemon even if it is renamed.
    Without a folder (a configuration made in code), each call returns a new id.
    Errors: OSError.
    """
    fresh = secrets.token_hex(_ID_OCTETS)
    if folder == Path():
        return fresh
    descriptor = open_private(folder / "id")
    with os.fdopen(descriptor, "r+b") as file:
        found = file.read().decode("ascii", "replace").strip()
        if len(found) == len(fresh):
            return found
        # The id is not there yet, or a crash cut it off: no row has it as owner.
        file.seek(0)
        file.truncate()
        file.write(f"{fresh}\n".encode())
        file.flush()
        os.fsync(file.fileno())
    return fresh
