"""Sockets of both listeners, with a server that still answers when descriptors run out."""

import errno
import os
import resource
from collections.abc import Callable
from contextlib import suppress
from io import FileIO
from typing import Any

from gevent import socket
from gevent.pool import Pool
from gevent.server import StreamServer

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import reason
from tsvc.log import QuietLog, get_logger

log = get_logger("rpc")

_SPARE = 8  # descriptors reserved for clients that come when there are no others
_PAUSE_S = 0.05  # until the next attempt when these are in use too
_OTHERS = 1024  # gateways, links, the archive, the log


def listening_socket(host: str, port: int, backlog: int) -> socket.socket:
    """Bind and listen on the first address of a host. Errors: OSError naming host and port."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        sock = socket.socket(family, kind, protocol)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(address)
            sock.listen(backlog)
        except OSError:
            sock.close()
            raise
    except OSError as error:
        text = f"can't listen on {host} port {port}: {reason(error)}"
        raise OSError(error.errno, text) from None
    return sock


Handler = Callable[[socket.socket, tuple[Any, ...]], None]


class AcceptingServer(StreamServer):
    """A StreamServer with some descriptors in reserve: without others, clients still get answers.

    gevent's own server would write a traceback and leave clients without an answer.
    """

    def __init__(
        self,
        sock: socket.socket,
        handle: Handler,
        handle_short: Handler,
        make_room: Callable[[], None],
        spawn: Pool,
    ) -> None:
        """`handle_short` serves a connection that uses a reserved descriptor; `make_room` makes
        another connection close, without switching.
        """
        self._make_room = make_room
        self._spare: list[FileIO] = []
        self._handle_short = handle_short
        self._born = spawn.spawn
        self._quiet = QuietLog(log, SYSTEM_CLOCK)
        super().__init__(sock, handle, spawn=spawn)
        self._refill()

    def do_read(self) -> Any:
        """Accept a connection; None if there is none, or if it is handled elsewhere."""
        self._refill()
        if len(self._spare) == _SPARE:
            try:
                return super().do_read()
            except OSError as error:
                if error.errno not in (errno.EMFILE, errno.ENFILE):
                    raise
        self._quiet.warning("out of file descriptors", reason=os.strerror(errno.EMFILE))
        if self._spare:
            self._spare.pop().close()
            accepted: Any = None
            with suppress(OSError):  # somebody else took it
                accepted = super().do_read()
            if accepted is not None:
                self._born(self._serve_short, *accepted)
            return None
        # All reserved ones are in use too: the kernel queues new connections for now.
        self._make_room()
        self.stop_accepting()
        self._timer: Any = self.loop.timer(_PAUSE_S)
        self._timer.start(self.start_accepting)
        return None

    def close(self) -> None:
        """Accept no more connections."""
        super().close()
        while self._spare:
            self._spare.pop().close()

    def _serve_short(self, sock: socket.socket, address: tuple[Any, ...]) -> None:
        try:
            self._handle_short(sock, address)
        finally:
            sock.close()
            self._refill()

    def _refill(self) -> None:
        with suppress(OSError):
            while not self.closed and len(self._spare) < _SPARE:
                self._spare.append(FileIO(os.devnull))  # os.close() is put off by gevent


def provide_descriptors(connections: int) -> None:
    """Raise the limit of open files for so many connections, or warn if that is not possible."""
    needed = connections + _OTHERS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    if allowed < needed:
        log.warning(
            "file descriptors may run out: raise their limit, or lower rpc.max_connections and"
            " rpc.max_waiting",
            limit=allowed,
            needed=needed,
        )
