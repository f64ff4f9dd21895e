"""Files of the state folder: private whatever the umask is, and the id by which rows are ours."""

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
    """Make a file that only its user can read, if there is none; tighten it and others if not.

    Errors: OSError if it can't be made.
    """
    os.close(open_private(path))
    for other in others:
        tighten(other)


def open_private(path: str | Path) -> int:
    """Return a descriptor of a private file, to read and write; it is made if there is none.

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
    """Take from others what they may do with a file; a file that is not there is well."""
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
    """Return the random id of a state folder, made when it is first asked for.

    Two daemons have two folders, each locked, so it names one of them whatever it is called. A
    folder that does not exist (a configuration made in code) has another id each time.
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
        # Not there yet, or a crash came between: nothing was owned by it.
        file.seek(0)
        file.truncate()
        file.write(f"{fresh}\n".encode())
        file.flush()
        os.fsync(file.fileno())
    return fresh
