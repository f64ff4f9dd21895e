"""Reads keys as they are pressed, without Enter, for live views.

The terminal's modes are changed for that, and restored whenever the view ends: by an exception,
Ctrl-C, SIGTERM, SIGHUP, and while Ctrl-Z stops the process. Only SIGKILL can't be handled.
"""

import contextlib
import os
import signal
import sys
import termios
import threading
from types import FrameType, TracebackType
from typing import Any

_LOCAL_FLAGS, _CHARACTERS = 3, 6  # in what tcgetattr() returns
_MOST_KEYS = 64  # read at a time


class Keyboard:
    """A context manager: inside, pressed() returns what was typed.

    It returns nothing if stdin is no terminal, if another job has the terminal, or outside the
    main thread, which alone can handle signals.
    """

    def __init__(self) -> None:
        self._fd: int | None = None
        self._modes: list[Any] = []  # of the terminal as it was
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> "Keyboard":
        is_main = threading.current_thread() is threading.main_thread()
        fd = sys.stdin.fileno() if is_main and sys.stdin and sys.stdin.isatty() else None
        if fd is None or not _is_ours(fd):
            return self
        self._fd, self._modes = fd, termios.tcgetattr(fd)
        for number, handler in (
            (signal.SIGTERM, self._end),
            (signal.SIGHUP, self._end),
            (signal.SIGTSTP, self._stop),
            (signal.SIGCONT, self._go_on),
        ):
            # A signal that is ignored, as SIGHUP by nohup, stays ignored.
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._handlers[number] = signal.signal(number, handler)
        self._listen()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._put_back()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers.clear()
        self._fd = None

    @property
    def is_there(self) -> bool:
        """True if keys can be pressed."""
        return self._fd is not None

    def pressed(self) -> str:
        """Return the keys pressed since the last call, in order. Does not block."""
        if self._fd is None or not _is_ours(self._fd):
            return ""
        try:
            return os.read(self._fd, _MOST_KEYS).decode("ascii", "ignore")
        except OSError:  # the terminal is gone
            return ""

    def _listen(self) -> None:
        assert self._fd is not None
        if not _is_ours(self._fd):
            return
        modes: list[Any] = [*self._modes]
        modes[_CHARACTERS] = [*modes[_CHARACTERS]]
        # Read keys at once and without echo; Ctrl-C and Ctrl-Z still send signals.
        modes[_LOCAL_FLAGS] &= ~(termios.ICANON | termios.ECHO)
        modes[_CHARACTERS][termios.VMIN] = 0  # a read never blocks
        modes[_CHARACTERS][termios.VTIME] = 0
        termios.tcsetattr(self._fd, termios.TCSADRAIN, modes)

    def _put_back(self) -> None:
        if self._fd is not None and _is_ours(self._fd):
            with contextlib.suppress(termios.error):  # the terminal is gone
                termios.tcsetattr(self._fd, termios.TCSADRAIN, self._modes)

    def _end(self, number: int, _: FrameType | None) -> None:
        """Restore the terminal, then send the signal again with its former handler."""
        self._put_back()
        signal.signal(number, self._handlers.pop(number) or signal.SIG_DFL)
        os.kill(os.getpid(), number)

    def _stop(self, number: int, _: FrameType | None) -> None:
        self._put_back()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)  # the process stops here until SIGCONT
        signal.signal(number, self._stop)

    def _go_on(self, _: int, __: FrameType | None) -> None:
        self._listen()


def _is_ours(fd: int) -> bool:
    """Return True if our job has the terminal: using the terminal of another job would stop us."""
    try:
        return os.tcgetpgrp(fd) == os.getpgrp()
    except OSError:
        return False
