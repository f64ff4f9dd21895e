"""Files that definitions may name: those below engine.data_dir, and no others."""

from pathlib import Path

MAX_FILE_OCTETS = 64 * 1024 * 1024


def data_file(folder: Path | None, name: str) -> Path:
    """Return the path of a file. Errors: ValueError in words. Blocks: for a look at it."""
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
