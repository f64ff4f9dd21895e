"""db, against PostgreSQL; the driver runs in threads, as this process is not patched."""

import contextlib
from collections.abc import Iterator
from typing import ClassVar

from support.databases import postgresql
from support.kind_peers import Address, Members, Texts

# A statement for each name that published definitions, or our own examples, perform.
STATEMENTS = {
    "CcsAcctExists": {
        "sql": "SELECT 1 AS \"Exists\" WHERE :be_acct_id <> ''",
        "bind": ["be_acct_id"],
    },
    "CcsEdrsForCli": {"sql": "SELECT :cli AS cli", "bind": ["cli"], "shape": "rows"},
    "CcsWalletAccountsForCli": {"sql": "SELECT :cli AS cli", "bind": ["cli"], "shape": "rows"},
}


class Peer:
    is_reversed = False
    texts = Texts(
        deadline=r"within 0\.4 s",
        cut=".",
        garbage=".",
        lost=".",
        exhausted="no free connection",
    )
    params: ClassVar[Members] = {}
    application: ClassVar[tuple[str, Members]] = (
        "SMF",
        {"url": "sqlite://", "allow_sql": True, "statements": STATEMENTS},
    )

    @contextlib.contextmanager
    def run(self) -> Iterator[Address]:
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
