"""db: PostgreSQL that can be killed and come back on its port."""

from typing import ClassVar

from support.databases import postgresql
from support.mortal import NEVER_S, Mortal, Operations


class Peer(Mortal):
    """PostgreSQL, shut down at once: the sessions are cut."""

    reason = r"PEER: Nap: connection lost: "
    quick: ClassVar[Operations] = [{"type": "db.Nap", "arguments": {"s": 0}}]
    wait: ClassVar[Operations] = [{"type": "db.Nap", "arguments": {"s": NEVER_S}}]

    def prepare(self) -> None:
        self.server = self.life.enter_context(postgresql())
        self.server.stop()

    @property
    def table(self) -> str:
        return (
            f"module = \"db\"\nurl = '{self.server.url}'\npool = 8\n"
            "reconnect_interval_s = 0.2\nquery_timeout_s = 60\n"
            '[application.PEER.statements.Nap]\nshape = "row"\n'
            'sql = "SELECT 1 AS slept FROM pg_sleep(:s)"\nbind = { s = "number" }\n'
        )

    def start(self, *, is_silent: bool) -> None:
        self.server.start()

    def kill(self) -> None:
        self.server.stop()
