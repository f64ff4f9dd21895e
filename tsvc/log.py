"""The log: one line per event, with a time, a level, an area, the event, and fields.

    log = get_logger("sigtran")
    log.info("asp up", asp="ASP1", run_id=run_id)

    2026-11-21T10:00:00.123Z INFO  sigtran asp up asp=ASP1 run_id=tr_9538
    {"time": "2026-11-21T10:00:00.123Z", "level": "info", "area": "sigtran", "event": "asp up", …}

The module uses the standard library's logging, under the logger "tsvc". A program that embeds
tsvc keeps its own set-up: nothing is written until it calls setup() or adds a handler.
A call below the level costs one comparison; its fields are not formatted.
"""

import json
import logging
import logging.handlers
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from tsvc.clock import Clock

_ROOT = "tsvc"
_FIELDS = "tsvc_fields"
_SYSLOG_SOCKET = "/dev/log"
LEVELS: Mapping[str, int] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


class Logger:
    """Writes the events of one area. Blocks: on the target, when the level is enabled."""

    __slots__ = ("_fields", "_logger")

    def __init__(self, logger: logging.Logger, fields: Mapping[str, object]) -> None:
        self._logger = logger
        self._fields = fields

    def bind(self, **fields: object) -> "Logger":
        """Return a logger that adds these fields to each of its events."""
        return Logger(self._logger, {**self._fields, **fields})

    def debug(self, event: str, **fields: object) -> None:
        """Write an event that only developers need."""
        self._write(logging.DEBUG, event, fields)

    def info(self, event: str, **fields: object) -> None:
        """Write an event of normal operation."""
        self._write(logging.INFO, event, fields)

    def warning(self, event: str, **fields: object) -> None:
        """Write an event that somebody should look at some day."""
        self._write(logging.WARNING, event, fields)

    def error(self, event: str, **fields: object) -> None:
        """Write an event that somebody should look at now."""
        self._write(logging.ERROR, event, fields)

    def failure(self, event: str, error: BaseException, **fields: object) -> None:
        """Write an error with the traceback of an exception, on the same line."""
        if self._logger.isEnabledFor(logging.ERROR):
            text = "".join(traceback.format_exception(error))
            self._write(logging.ERROR, event, {**fields, "traceback": text})

    def _write(self, level: int, event: str, fields: Mapping[str, object]) -> None:
        if self._logger.isEnabledFor(level):
            extra = {_FIELDS: {**self._fields, **fields}}
            self._logger.log(level, event, extra=extra)


def get_logger(area: str) -> Logger:
    """Return the logger of an area: one word, or a few with dots."""
    return Logger(logging.getLogger(f"{_ROOT}.{area}"), {})


class _FileHandler(logging.handlers.WatchedFileHandler):
    """Appends to a file, and opens it again when log rotation has replaced it.

    While the new file can't be opened, the old one is used, so that no line is lost.
    """

    def reopenIfNeeded(self) -> None:  # noqa: N802 - the library's name
        try:
            there = os.stat(self.baseFilename)
            if (there.st_dev, there.st_ino) == (self.dev, self.ino):
                return
        except FileNotFoundError:
            pass
        except OSError:
            return
        try:
            stream = self._open()
        except OSError:
            return
        old, self.stream = self.stream, stream
        self._statstream()
        if old is not None:
            old.close()


def setup(
    level: str = "info",
    form: str = "text",
    target: str = "stderr",
    stream: TextIO | None = None,
    *,
    file: Path | None = None,
) -> None:
    """Send events of `level` and above to stderr (or `file`, or `stream`) or syslog.

    A later call replaces the settings of an earlier one.
    Errors: OSError if the target is syslog and there is none, or the file can't be opened.
    """
    root = logging.getLogger(_ROOT)
    handler: logging.Handler
    if target == "syslog":
        handler = logging.handlers.SysLogHandler(_SYSLOG_SOCKET)
        handler.ident = "tsvc: "
    elif file is not None:
        handler = _FileHandler(file, encoding="utf-8", errors="backslashreplace")
    else:
        handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(_JsonFormatter() if form == "json" else _TextFormatter())
    for old in root.handlers[:]:
        root.removeHandler(old)
        old.close()
    root.addHandler(handler)
    root.setLevel(LEVELS[level])
    root.propagate = False


class _TextFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields: Mapping[str, object] = getattr(record, _FIELDS, {})
        parts = [
            _moment(record),
            f"{record.levelname:<5.5}",
            _area(record),
            _bare(record.getMessage()),
        ]
        parts += [f"{name}={_text_value(value)}" for name, value in fields.items()]
        return " ".join(parts)


class _JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields: Mapping[str, object] = getattr(record, _FIELDS, {})
        line = {
            "time": _moment(record),
            "level": record.levelname.lower(),
            "area": _area(record),
            "event": record.getMessage(),
            **fields,
        }
        return json.dumps(line, default=str)


def _moment(record: logging.LogRecord) -> str:
    moment = datetime.fromtimestamp(record.created, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def _area(record: logging.LogRecord) -> str:
    return record.name.removeprefix(f"{_ROOT}.")


def _bare(event: str) -> str:
    return event if event.isprintable() else json.dumps(event)


def _text_value(value: object) -> str:
    """Return the text of a value, quoted unless it is one word.

    So an event stays on one line, whatever a peer has sent.
    """
    text = str(value)
    is_word = text.isprintable() and text and not any(sign in text for sign in ' "=')
    return text if is_word else json.dumps(text)


# -- events that clients and peers can cause: at most one line a second for each reason -------


_EVERY_S = 1.0


class QuietLog:
    """Writes an event at most once a second; `also` counts those left out before it."""

    def __init__(self, log: Logger, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._next_at: dict[str, float] = {}
        self._unsaid: dict[str, int] = {}

    def warning(self, event: str, **fields: Any) -> None:
        """Write an event, or count it. `event` is one of a few constants."""
        self._write(self._log.warning, event, fields)

    def info(self, event: str, **fields: Any) -> None:
        """Write or count an event that is not a warning."""
        self._write(self._log.info, event, fields)

    def _write(self, write: Callable[..., None], event: str, fields: dict[str, Any]) -> None:
        now = self._clock.now()
        if now < self._next_at.get(event, now):
            self._unsaid[event] = self._unsaid.get(event, 0) + 1
            return
        self._next_at[event] = now + _EVERY_S
        unsaid = self._unsaid.pop(event, 0)
        if unsaid:
            fields["also"] = unsaid
        write(event, **fields)
