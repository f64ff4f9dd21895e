"""osd, against the fake Open Services Development."""

import contextlib
from collections.abc import Iterator
from typing import ClassVar

from support.kind_peers import NOBODY, TOKENS, Address, Members, Texts

from tsvc.kinds.osd.fake import OsdFake

HTTP_TEXTS = Texts(
    deadline=r"within 0\.4 s",
    cut="closed|ended|lost",
    garbage=".",
    lost="closed|lost|reset",
    exhausted="no free connection",
)


def http_members(port: int, seconds: float) -> Members:
    """Return the configuration of an HTTP client."""
    return {
        "remote_host": "127.0.0.1",
        "remote_port": port,
        "num_client_connections": 2,
        "backlog_timeout_s": seconds,
        "server_timeout_s": seconds,
        "reconnect_interval_s": 0.05,
    }


class Peer:
    is_reversed = False
    texts = HTTP_TEXTS
    params: ClassVar[Members] = {}
    application: ClassVar[tuple[str, Members]] = ("OSD", NOBODY)

    @contextlib.contextmanager
    def run(self) -> Iterator[Address]:
        subscribers = {token: {"balance": int(token)} for token in TOKENS}
        fake = OsdFake(operations={"QueryBalance": {"subscribers": subscribers}})
        fake.start()
        try:
            yield fake.address
        finally:
            fake.stop()

    def members(self, port: int, seconds: float) -> Members:
        return http_members(port, seconds)

    def operations(self, token: str, seconds: float) -> list[Members]:
        base = "http://sms.example/wsdls/Provider/Accounts"
        return [
            {
                "type": "osd.Request",
                "arguments": {
                    "action": f"{base}/QueryBalance",
                    "wsdl_url": f"{base}.wsdl",
                    "operation": "QueryBalance",
                    "parameters": {"msisdn": token},
                },
                "tests": [{"kpath": "returned.balance", "type": "integer", "value": int(token)}],
            }
        ]
