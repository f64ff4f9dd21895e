"""Ports for servers of tests."""

import os
import random
import socket

# Below the range from which the system chooses ports of connections (from 32,768). So a port
# stays free while its server is down, and a connecting client can't connect to itself.
_FIRST, _EACH = 10_000, 2_500
_WORKERS = 8

_chance = random.SystemRandom()  # hypothesis seeds the other generator equally in all workers
_taken: set[int] = set()


def free_port() -> int:
    """Return a port that is free; it differs for each call and for each pytest worker."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % _WORKERS
    first = _FIRST + worker * _EACH
    for port in _chance.sample(range(first, first + _EACH), _EACH):
        if port in _taken:
            continue
        with socket.socket() as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                sock.bind(("127.0.0.1", port))
            except OSError:
                continue
        _taken.add(port)
        return port
    raise OSError("no free port")


def listens(port: int) -> bool:
    """Return True if a server accepts connections on a port of this machine."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
