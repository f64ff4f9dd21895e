"""db, against PostgreSQL; the driver runs in threads, as this process is not patched."""

import contextlib
from collections.abc import Iterator
from typing import ClassVar

from e2e.gateway_contract.kinds import Address, Members, Texts
from support.databases import postgresql


class Db:
    name = "db"
    is_reversed = False
    texts = Texts(
        deadline=r"within 0\.4 s",
        cut=".",
        garbage=".",
        lost=".",
        exhausted="no free connection",
    )
    params: ClassVar[Members] = {}

    @contextlib.contextmanager
    def peer(self) -> Iterator[Address]:
        with postgresql() as server:
            yield "127.0.0.1", server.port

    def members(self, port: int, seconds: float) -> Members:
        return {
            "url": f"postgresql://tsvc:geheim@127.0.0.1:{port}/postgres",
            "pool": 2,
            "blocking": True,
            "backlog_timeout_s": seconds,
            "query_timeout_s": seconds,
            "connect_timeout_s": seconds,
            "reconnect_interval_s": 0.05,
            "statements": {"Say": {"sql": "SELECT CAST(:token AS text) AS token", "shape": "row"}},
        }

    def operations(self, token: str, seconds: float) -> list[Members]:
        return [
            {
                "type": "db.Say",
                "arguments": {"token": token},
                "tests": [{"kpath": "rows.token", "value": token}],
            }
        ]
