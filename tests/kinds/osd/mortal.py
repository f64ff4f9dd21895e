"""osd: a fake Open Services Development that can be killed and come back on its port."""

from typing import ClassVar

from support.fakes import fake_process
from support.mortal import NEVER_S, Mortal, Operations


class Peer(Mortal):
    reason = r"PEER: POST /wsdls/Provider/Set/Query: connection lost: "
    quick: ClassVar[Operations] = [
        {
            "type": "ocncc.osd.Request",
            "arguments": {
                "action": "http://sms/wsdls/Provider/Set/Query",
                "wsdl_url": "http://sms/wsdls/Provider/Set.wsdl",
                "operation": "Query",
                "parameters": {"msisdn": "6421000001"},
            },
            "tests": [{"kpath": "returned.state", "value": "A"}],
        }
    ]
    wait = quick

    @property
    def table(self) -> str:
        return (
            f'module = "osd"\nremote_host = "127.0.0.1"\nremote_port = {self.port}\n'
            "reconnect_interval_s = 0.2\nserver_timeout_s = 60\n"
        )

    def start(self, *, is_silent: bool) -> None:
        query = {"returns": {"state": "A"}, "delay_s": NEVER_S if is_silent else 0}
        self.life.enter_context(
            fake_process(self.folder, "osd", self.port, operations={"Query": query})
        )
