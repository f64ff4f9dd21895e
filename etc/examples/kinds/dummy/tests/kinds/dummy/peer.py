"""dummy, against its fake: what brings it into the contract that all kinds keep."""

import contextlib
from collections.abc import Iterator
from typing import Any, ClassVar

from support.kind_peers import NOBODY, Texts
from tsvc_dummy.fake import DummyFake

Members = dict[str, Any]


class Peer:
    is_reversed = False
    texts = Texts(
        deadline=r"no answer within 0\.4 s",
        cut="in the middle of an answer",
        garbage=".",
        lost="closed the connection|connection lost",
        exhausted="no free connection",
    )
    params: ClassVar[Members] = {}
    application: ClassVar[tuple[str, Members]] = ("DUMMY", NOBODY)

    @contextlib.contextmanager
    def run(self) -> Iterator[tuple[str, int]]:
        fake = DummyFake()
        fake.start()
        try:
            yield fake.address
        finally:
            fake.stop()

    def members(self, port: int, seconds: float) -> Members:
        return {
            "remote_host": "127.0.0.1",
            "remote_port": port,
            "answer_timeout_s": seconds,
            "reconnect_interval_s": 0.05,
        }

    def operations(self, token: str, seconds: float) -> list[Members]:
        return [{"type": "dummy.Ask", "arguments": {"word": token, "text": token}}]
