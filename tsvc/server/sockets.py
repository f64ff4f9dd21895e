"""What both listeners need: a listening socket, and a bound on the time a client may take."""

from collections.abc import Iterator
from contextlib import contextmanager

import gevent
from gevent import socket


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Leave the block after that time, silently."""
    timeout = gevent.Timeout(seconds)
    try:
        with timeout:
            yield
    except gevent.Timeout as expired:
        if expired is not timeout:
            raise


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
        text = f"can't listen on {host} port {port}: {error.strerror}"
        raise OSError(error.errno, text) from None
    return sock
