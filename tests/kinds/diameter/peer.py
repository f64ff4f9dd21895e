"""diameter, against the fake OCS, which grants as many seconds as it is asked for."""

import contextlib
from collections.abc import Iterator
from typing import ClassVar

from kinds.diameter.credit import credit, units
from support.kind_peers import NOBODY, Address, Members, Texts

from tsvc.kinds.diameter.fake import OcsFake

SUBSCRIBER = "6421000001"


class Peer:
    is_reversed = False
    texts = Texts(
        deadline=r"no answer from .* within 0\.4 s",
        cut="closed by peer",
        garbage="connection to",
        lost="closed by peer",
    )
    params: ClassVar[Members] = {}
    application: ClassVar[tuple[str, Members]] = ("OCS", NOBODY)

    @contextlib.contextmanager
    def run(self) -> Iterator[Address]:
        fake = OcsFake(subscribers={SUBSCRIBER: 10**9})
        fake.start()
        try:
            yield fake.address
        finally:
            fake.stop()

    def members(self, port: int, seconds: float) -> Members:
        return {
            "remote_host": "127.0.0.1",
            "remote_port": port,
            "origin_host": "tester.example.net",
            "request_timeout_s": seconds,
            "reconnect_interval_s": 0.05,
        }

    def operations(self, token: str, seconds: float) -> list[Members]:
        asked = units("Requested-Service-Unit", int(token))
        granted = {
            "kpath": "response.avp.Granted-Service-Unit.CC-Time",
            "type": "integer",
            "value": int(token),
        }
        return [{**credit(1, 0, asked, msisdn=SUBSCRIBER), "tests": [granted]}]
