"""The file in the state folder for results that can't be archived now, to survive a crash.

    8 octets: length and CRC-32 of a record │ the record │ … │ a length of 0

Its room is reserved when the daemon starts, so that the disk may fill up later. One thread writes
it; each record is on the disk when add() returns. The file may still hold records that the archive
has by now: to finish a run twice changes nothing.
"""

import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from struct import Struct

from tsvc.archive.state import open_private
from tsvc.errors import reason
from tsvc.log import get_logger

log = get_logger("archive")

ROOM_OCTETS = 2 * 1024 * 1024  # reserved; a result is some ten kilobytes, seldom 200
_HEAD = Struct("!II")
_END = _HEAD.pack(0, 0)


class Spill:
    """Records that are appended one by one, and removed all at once."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "waiting"
        self._file = -1
        self._at = 0

    def open(self) -> Iterator[bytes]:
        """Make the file, or yield the records that an earlier daemon left. Errors: OSError."""
        self._file = open_private(self._path)
        try:
            os.posix_fallocate(self._file, 0, ROOM_OCTETS)
        except OSError as error:
            log.warning("no room is reserved for results that wait", reason=reason(error))
        while (record := self._read()) is not None:
            yield record

    def close(self) -> None:
        """Close the file; records stay."""
        file, self._file = self._file, -1  # first: the number is soon used for another file
        if file >= 0:
            os.close(file)

    def add(self, record: bytes) -> None:
        """Append a record. Errors: OSError, without an appended record. Blocks: for the disk."""
        if self._file < 0:
            raise OSError("the file could not be opened")
        octets = _HEAD.pack(len(record), zlib.crc32(record)) + record + _END
        done = 0
        while done < len(octets):
            done += os.pwrite(self._file, octets[done:], self._at + done)
        os.fdatasync(self._file)
        self._at += len(octets) - len(_END)

    def clear(self) -> None:
        """Remove all records. Errors: OSError."""
        if self._file >= 0 and self._at:
            os.pwrite(self._file, _END, 0)
            self._at = 0
            if os.fstat(self._file).st_size > ROOM_OCTETS:
                os.ftruncate(self._file, ROOM_OCTETS)

    def _read(self) -> bytes | None:
        head = os.pread(self._file, _HEAD.size, self._at)
        length, check = _HEAD.unpack(head) if len(head) == _HEAD.size else (0, 0)
        record = os.pread(self._file, length, self._at + _HEAD.size) if length else b""
        if not record or len(record) != length or zlib.crc32(record) != check:
            return None  # the end, or a record that a crash cut off
        self._at += _HEAD.size + length
        return record
