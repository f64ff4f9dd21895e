"""Reading and writing of files of the workspace, so that no user's work is lost.

A save names the etag of the content that it is based on. If the file has changed since then, it is
not overwritten, and the user sees both contents. A file is written completely or not at all, even
if the process dies: the octets first go to a hidden file beside it. Functions here block on the
disk.
"""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tsvc.errors import reason
from tsvc.gui.asked import Refusal
from tsvc.gui.workspace import LONGEST_FILE, Workspace, etag_of, read_octets

_NEW_MODE = 0o666  # without the bits of the umask


class Files:
    """Reads and writes in a workspace. Errors of all methods: Refusal, with the disk's reason."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def read(self, path: str) -> dict[str, Any]:
        """Return {path, text, etag}."""
        with _in_words(path):
            octets = read_octets(self._workspace.place(path))
        return {"path": path, "text": _text(path, octets), "etag": etag_of(octets)}

    def save(self, path: str, text: str, etag: str | None) -> dict[str, Any]:
        """Write a file that still has this etag; None: a new file. Return {etag}.

        Errors: Refusal 412 with the text and etag of the file that is there instead.
        """
        octets = text.encode("utf-8")
        if len(octets) > LONGEST_FILE:
            raise Refusal(413, f"{path}: is longer than {LONGEST_FILE} octets")
        with _in_words(path):
            real = self._workspace.place(path)
            if etag is None:
                _write(real, octets, None, lambda new: _put(path, new, real))
            else:
                mode = _unchanged(path, real, etag)
                # The etag is checked again at the end, when all slow work is done.
                _write(real, octets, mode, lambda new: _replace(path, new, real, etag))
        return {"etag": etag_of(octets)}

    def move(self, path: str, to: str) -> dict[str, Any]:
        """Rename a file or folder; the new name must be free. Return {}."""
        with _in_words(path):
            here, target = self._workspace.entry(path), self._workspace.entry(to)
            here.lstat()
            if os.path.lexists(target):
                raise Refusal(409, f"{to}: is there already")
            if here.is_dir() or here.is_symlink():
                here.rename(target)
            else:
                os.link(here, target)  # unlike rename(), it fails if the target exists by now
                here.unlink()
        return {}

    def delete(self, path: str, etag: str | None) -> dict[str, Any]:
        """Remove a file that still has this etag, or an empty folder. Return {}."""
        with _in_words(path):
            here = self._workspace.entry(path)
            if here.is_dir() and not here.is_symlink():
                here.rmdir()
            else:
                _unchanged(path, self._workspace.place(path), etag)
                here.unlink()
        return {}

    def make_folder(self, path: str) -> dict[str, Any]:
        """Make a folder. Return {}."""
        with _in_words(path):
            self._workspace.place(path).mkdir()
        return {}


@contextmanager
def _in_words(path: str) -> Iterator[None]:
    """Turn errors of the disk into refusals."""
    try:
        yield
    except FileNotFoundError:
        raise Refusal(404, f"{path}: there is no such file or folder") from None
    except FileExistsError:
        raise Refusal(409, f"{path}: is there already") from None
    except OSError as error:
        raise Refusal(409, f"{path}: {reason(error)}") from None


def _text(path: str, octets: bytes) -> str:
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError:
        raise Refusal(415, f"{path}: is not a text in UTF-8") from None


def _unchanged(path: str, real: Path, etag: str | None) -> int:
    """Return the mode of a file with an etag. Errors: Refusal 412 if it has another etag."""
    mode = real.stat().st_mode & 0o7777
    octets = read_octets(real)
    if etag_of(octets) != etag:
        raise _other(path, octets)
    return mode


def _other(path: str, octets: bytes) -> Refusal:
    text = octets.decode("utf-8", "replace")
    problem = f"{path}: is another on the disk than the one that was opened"
    return Refusal(412, problem, text=text, etag=etag_of(octets))


def _put(path: str, new: Path, real: Path) -> None:
    """Give a new file its name, unless the name is taken. Errors: Refusal 412."""
    try:
        os.link(new, real)
    except FileExistsError:
        raise _other(path, read_octets(real)) from None
    new.unlink()


def _replace(path: str, new: Path, real: Path, etag: str) -> None:
    _unchanged(path, real, etag)
    new.replace(real)


def _write(real: Path, octets: bytes, mode: int | None, put: Callable[[Path], object]) -> None:
    """Write octets to a file beside `real`, call put() to move it there, and sync the disk."""
    new = real.with_name(f".{real.name[:200]}.{secrets.token_hex(6)}")
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _NEW_MODE)
    try:
        with open(handle, "wb") as stream:
            if mode is not None:
                os.fchmod(handle, mode)
            stream.write(octets)
            stream.flush()
            os.fsync(handle)
        put(new)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    folder = os.open(real.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
