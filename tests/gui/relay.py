"""A relay between the GUI and a daemon: it counts calls, and can be slow."""

import contextlib
import json
import socket
import struct
import threading
import time

from support.daemons import HANG_GUARD_S, Params, read_exactly


class Relay:
    """Passes frames on to a daemon. While `passes` is not set, requests wait."""

    def __init__(self, port: int) -> None:
        self.target = port
        self.requests: list[Params] = []
        self.responses: list[bytes] = []
        self.asked_at = time.monotonic()
        self.passes = threading.Event()
        self.passes.set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def count(self, method: str) -> int:
        return sum(one["method"] == method for one in list(self.requests))

    def is_quiet(self, seconds: float) -> bool:
        """Return True if no request has come for so many seconds."""
        return time.monotonic() - self.asked_at > seconds

    def close(self) -> None:
        self.passes.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                accepted, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass_on, args=(accepted,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError, EOFError):
            request = _frame(client)
            self.asked_at = time.monotonic()
            self.requests.append(json.loads(request[4:]))
            self.passes.wait(HANG_GUARD_S)
            with socket.create_connection(("127.0.0.1", self.target)) as daemon:
                daemon.sendall(request)
                response = _frame(daemon)
            self.responses.append(response[4:])
            client.sendall(response)


def _frame(sock: socket.socket) -> bytes:
    header = read_exactly(sock, 4)
    return header + read_exactly(sock, struct.unpack("!I", header)[0])
