"""dummy: its fake that can be killed and come back on its port."""

from typing import ClassVar

from support.fakes import fake_process
from support.mortal import NEVER_S, Mortal, Operations


class Peer(Mortal):
    reason = "PEER: (the service closed the connection|connection lost)"
    quick: ClassVar[Operations] = [
        {"type": "dummy.Ask", "arguments": {"word": "5", "text": "5"}},
    ]
    wait = quick

    @property
    def table(self) -> str:
        return (
            f'module = "dummy"\nremote_host = "127.0.0.1"\nremote_port = {self.port}\n'
            "connections = 8\nreconnect_interval_s = 0.2\nanswer_timeout_s = 60\n"
        )

    def start(self, *, is_silent: bool) -> None:
        delay_s = NEVER_S if is_silent else 0
        self.life.enter_context(fake_process(self.folder, "dummy", self.port, delay_s=delay_s))
