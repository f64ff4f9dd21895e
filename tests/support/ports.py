"""Ports for servers of tests."""

import os
import random
import socket

# Below what the system gives to connections (from 32,768), so that nobody has a port of ours
# while its server is down, not even a client that tries to connect and would else meet itself.
_FIRST, _EACH = 10_000, 2_500
_WORKERS = 8

_chance = random.SystemRandom()  # hypothesis seeds the other one: two workers would meet
_taken: set[int] = set()


def free_port() -> int:
    """Return a port that nobody listens on, another one each time and in each pytest worker."""
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
    """Return whether somebody takes connections on a port of this machine."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
