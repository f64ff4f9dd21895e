"""pi: a fake Provisioning Interface that can be killed and come back on its port."""

from typing import ClassVar

from support.fakes import fake_process
from support.mortal import NEVER_S, Mortal, Operations


class Peer(Mortal):
    reason = r"PEER: (the server closed the connection|.*reset)"
    quick: ClassVar[Operations] = [
        {
            "type": "ocncc.pi.Request",
            "arguments": {
                "command": "CCSCD1=QRY",
                "parameters": {"MSISDN": "6421000001"},
                "status": "ACK",
            },
        }
    ]
    wait = quick

    @property
    def table(self) -> str:
        return (
            f'module = "pi"\nremote_host = "127.0.0.1"\nremote_port = {self.port}\n'
            "num_client_connections = 8\nreconnect_interval_s = 0.2\nserver_timeout_s = 60\n"
        )

    def start(self, *, is_silent: bool) -> None:
        subscribers = {"6421000001": {"General Cash": 1}}
        delay_s = NEVER_S if is_silent else 0
        settings = {"subscribers": subscribers, "delay_s": delay_s}
        self.life.enter_context(fake_process(self.folder, "pi", self.port, **settings))
