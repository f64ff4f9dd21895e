"""diameter, against the fake OCS, which grants as many seconds as it is asked for."""

import contextlib
from collections.abc import Iterator
from typing import ClassVar

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
        subscriber = [
            {"name": "Subscription-Id-Type", "value": "END_USER_E164"},
            {"name": "Subscription-Id-Data", "value": SUBSCRIBER},
        ]
        asked = [{"name": "CC-Time", "value": int(token)}]
        return [
            {
                "type": "diameter.Request",
                "arguments": {
                    "name": "Credit-Control-Request",
                    "avps": [
                        {"name": "Session-Id_auto", "value": 1},
                        {"name": "Service-Context-Id", "value": "32251@3gpp.org"},
                        {"name": "CC-Request-Type", "value": 1},
                        {"name": "CC-Request-Number", "value": 0},
                        {"name": "Subscription-Id", "value": subscriber},
                        {"name": "Requested-Service-Unit", "value": asked},
                    ],
                },
                "tests": [
                    {
                        "kpath": "response.avp.Granted-Service-Unit.CC-Time",
                        "type": "integer",
                        "value": int(token),
                    }
                ],
            }
        ]
