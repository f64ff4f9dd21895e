"""A dummy service, for `tsvc fake dummy` and for tests."""

from typing import Any, cast

import gevent
from gevent.server import StreamServer

from tsvc.gateways.fake import Observer, load_settings
from tsvc.schema.fields import Number
from tsvc.schema.table import TableMembers


class DummySettings(TableMembers):
    """The settings of the fake."""

    delay_s = Number(default=0.0, help="wait before each answer")


class DummyFake:
    """Answers what it is asked."""

    Settings = DummySettings

    def __init__(self, host: str = "127.0.0.1", port: int = 0, **settings: Any) -> None:
        self._delay_s = load_settings(DummySettings, settings)["delay_s"]
        self.on_request: Observer = lambda line: None
        self._server = StreamServer((host, port), self._serve)

    @property
    def address(self) -> tuple[str, int]:
        return cast("tuple[str, int]", self._server.address[:2])

    def start(self) -> None:
        self._server.start()

    def stop(self) -> None:
        self._server.stop(1)

    def _serve(self, sock: Any, _: Any) -> None:
        lines = sock.makefile("rb")
        while line := lines.readline():
            words = line.decode("utf-8", "replace").split(maxsplit=1)
            self.on_request(" ".join(words))
            gevent.sleep(self._delay_s)
            answer = f"OK {words[1].strip()}" if len(words) > 1 else "NO nothing was asked"
            sock.sendall(f"{answer}\n".encode())
