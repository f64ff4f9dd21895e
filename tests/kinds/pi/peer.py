"""pi, against the fake Provisioning Interface."""

import contextlib
from collections.abc import Iterator
from typing import ClassVar

from support.kind_peers import NOBODY, TOKENS, Address, Members, Texts

from tsvc.kinds.pi.fake import PiFake


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
    application: ClassVar[tuple[str, Members]] = ("PI", NOBODY)

    @contextlib.contextmanager
    def run(self) -> Iterator[Address]:
        subscribers = {token: {"General Cash": int(token)} for token in TOKENS}
        fake = PiFake(username="admin", password="s3cret", subscribers=subscribers)
        fake.start()
        try:
            yield fake.address
        finally:
            fake.stop()

    def members(self, port: int, seconds: float) -> Members:
        return {
            "remote_host": "127.0.0.1",
            "remote_port": port,
            "username": "admin",
            "password": "s3cret",
            "num_client_connections": 2,
            "backlog_timeout_s": seconds,
            "server_timeout_s": seconds,
            "reconnect_interval_s": 0.05,
        }

    def operations(self, token: str, seconds: float) -> list[Members]:
        return [
            {
                "type": "pi.Request",
                "arguments": {
                    "command": "CCSCD1=QRY",
                    "parameters": {"MSISDN": token, "BALANCE_TYPE": "General Cash"},
                },
                "tests": [{"kpath": "fields.BALANCE", "type": "integer", "value": int(token)}],
            }
        ]
