"""What both listeners need: a listening socket, a bound on the time a client may take, and what
is done without descriptors."""

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

_SPARE = 8  # descriptors kept for clients that come when there is no other
_PAUSE_S = 0.05  # until the next look when these are in use, too
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
    """A StreamServer with some descriptors in reserve: without any left, clients are still heard.

    gevent's own would write a traceback and leave them in silence.
    """

    def __init__(
        self,
        sock: socket.socket,
        handle: Handler,
        handle_short: Handler,
        make_room: Callable[[], None],
        spawn: Pool,
    ) -> None:
        """`handle_short` serves a connection that took one of the reserve; `make_room` has
        somebody close one, without switching.
        """
        self._make_room = make_room
        self._spare: list[FileIO] = []
        self._handle_short = handle_short
        self._born = spawn.spawn
        self._quiet = QuietLog(log, SYSTEM_CLOCK)
        super().__init__(sock, handle, spawn=spawn)
        self._refill()

    def do_read(self) -> Any:
        """Accept; None if there is nothing to accept, or somebody else takes care of it."""
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
        # All of them are in use, too: the kernel keeps who comes for now.
        self._make_room()
        self.stop_accepting()
        self._timer: Any = self.loop.timer(_PAUSE_S)
        self._timer.start(self.start_accepting)
        return None

    def close(self) -> None:
        """Accept no more."""
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
    """Raise the limit of open files to what so many connections need, or warn if that can't be."""
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
