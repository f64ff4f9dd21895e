"""Reports the state of the daemon to systemd, by the datagrams of sd_notify.

Without NOTIFY_SOCKET in the environment every call does nothing.
"""

import os
from collections.abc import Mapping

from gevent import socket

from tsvc.errors import reason
from tsvc.log import get_logger

log = get_logger("daemon")


class Notifier:
    """Sends states to the socket that the environment names. No call blocks or raises."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        name = environ.get("NOTIFY_SOCKET", "")
        # A leading @ stands for the zero octet of Linux's abstract names.
        self._address = "\0" + name[1:] if name.startswith("@") else name
        self.watchdog_s = _watchdog_s(environ)
        self._is_reached = True

    def ready(self) -> None:
        """Report that the start or a reload is complete."""
        self._send("READY=1")

    def reloading(self, now: float) -> None:
        """Report that a reload begins; `now` in monotonic seconds."""
        self._send(f"RELOADING=1\nMONOTONIC_USEC={round(now * 1_000_000)}")

    def stopping(self, within_s: float) -> None:
        """Report that the drain begins. The daemon ends within that time; kill it only later."""
        self._send(f"STOPPING=1\nEXTEND_TIMEOUT_USEC={round(within_s * 1_000_000)}")

    def watchdog(self) -> None:
        """Report that the daemon is alive; due every watchdog_s, better twice as often."""
        self._send("WATCHDOG=1")

    def _send(self, state: str) -> None:
        if not self._address:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
                sock.setblocking(False)
                sock.sendto(state.encode(), self._address)
        except OSError as error:
            # start-stop-daemon listens only until the daemon is ready: log it once, no warning.
            if self._is_reached:
                log.info("service manager not reached", state=state, reason=reason(error))
            self._is_reached = False
        else:
            self._is_reached = True


def _watchdog_s(environ: Mapping[str, str]) -> float | None:
    """Return the longest time between two watchdog messages, None if nobody waits for them."""
    microseconds = environ.get("WATCHDOG_USEC", "")
    if not microseconds.isdecimal() or int(microseconds) == 0:
        return None
    if environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return None
    return int(microseconds) / 1_000_000
