"""diameter: a fake OCS that can be killed and come back on its port."""

from typing import ClassVar

from support.fakes import fake_process
from support.mortal import NEVER_S, Mortal, Operations


class Peer(Mortal):
    held = "pending"
    reason = r"PEER: connection to \S+ at 127\.0\.0\.1:\d+: "
    quick: ClassVar[Operations] = [
        {
            "type": "diameter.Request",
            "arguments": {
                "name": "CCR",
                "avps": [
                    {"name": "Session-Id_auto", "value": 1},
                    {"name": "CC-Request-Type", "value": "EVENT_REQUEST"},
                    {"name": "CC-Request-Number", "value": 0},
                    {"name": "Requested-Action", "value": "CHECK_BALANCE"},
                    {
                        "name": "Subscription-Id",
                        "value": [
                            {"name": "Subscription-Id-Type", "value": "END_USER_E164"},
                            {"name": "Subscription-Id-Data", "value": "6421000001"},
                        ],
                    },
                ],
                "answer": {"result_code": 2001},
            },
        }
    ]
    wait = quick

    @property
    def table(self) -> str:
        return f'module = "diameter"\nremote_port = {self.port}\nreconnect_interval_s = 0.2\n'

    def start(self, *, is_silent: bool) -> None:
        delay_s = NEVER_S if is_silent else 0
        self.life.enter_context(fake_process(self.folder, "diameter", self.port, delay_s=delay_s))
