"""Files of the workspace read and written, so that nobody's work is lost.

A save names the content that it was made from. If the file is another by now it is not touched,
and both are shown. What is written is whole or not at all, whenever the process dies: a hidden
file beside it takes the octets first. Functions here block on the disk.
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

_NEW_MODE = 0o666  # less the umask


class Files:
    """Reads and writes in a workspace. Errors of all: Refusal, with what the disk says."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def read(self, path: str) -> dict[str, Any]:
        """Return {path, text, etag}."""
        with _in_words(path):
            octets = read_octets(self._workspace.place(path))
        return {"path": path, "text": _text(path, octets), "etag": etag_of(octets)}

    def save(self, path: str, text: str, etag: str | None) -> dict[str, Any]:
        """Write a file that is still of that etag, or None: a new one. Return {etag}.

        Errors: Refusal 412 with text and etag of what is there instead.
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
                # Looked at once more, when all that takes time is done.
                _write(real, octets, mode, lambda new: _replace(path, new, real, etag))
        return {"etag": etag_of(octets)}

    def move(self, path: str, to: str) -> dict[str, Any]:
        """Give a file or folder another name, which nothing has yet. Return {}."""
        with _in_words(path):
            here, target = self._workspace.entry(path), self._workspace.entry(to)
            here.lstat()
            if os.path.lexists(target):
                raise Refusal(409, f"{to}: is there already")
            if here.is_dir() or here.is_symlink():
                here.rename(target)
            else:
                os.link(here, target)  # fails if there is one by now, as rename would not
                here.unlink()
        return {}

    def delete(self, path: str, etag: str | None) -> dict[str, Any]:
        """Remove a file that is still of that etag, or a folder that is empty. Return {}."""
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
    """Turn what the disk refuses into words for the one who asked."""
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
    """Return the mode of a file that is of an etag. Errors: Refusal 412 with what is there."""
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
    """Give a new file its name, unless there is one. Errors: Refusal 412."""
    try:
        os.link(new, real)
    except FileExistsError:
        raise _other(path, read_octets(real)) from None
    new.unlink()


def _replace(path: str, new: Path, real: Path, etag: str) -> None:
    _unchanged(path, real, etag)
    new.replace(real)


def _write(real: Path, octets: bytes, mode: int | None, put: Callable[[Path], object]) -> None:
    """Write octets beside a file, let put() bring them to its place, and all onto the disk."""
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
