"""sigtran: a control point that can be killed and come back on its port."""

import json
from typing import ClassVar

from support.daemons import EXAMPLES, FLOW, HANG_GUARD_S, configure, launch
from support.mortal import Mortal, Operations

CALL: Operations = json.loads((EXAMPLES / "guide/begin_call.json").read_text())["operations"]


class Peer(Mortal):
    """A control point over M3UA: a daemon of its own. It asks for digits and waits for them."""

    held = "dialogues"
    reason = r"expected .*, got PEER: connection scp to 127\.0\.0\.1:\d+: "
    wait: ClassVar[Operations] = [*CALL, {"type": "inap.ssp_from_scp.Connect"}]
    quick: ClassVar[Operations] = [
        *CALL,
        {
            "type": "inap.ssp_to_scp.EventReportBCSM",
            "arguments": {
                "eventTypeBCSM_name": "oAbandon",
                "miscCallInfo": {"messageType": "notification"},
            },
        },
        {"type": "tcap.ssp_from_scp.End"},
    ]

    @property
    def table(self) -> str:
        return (
            'module = "sigtran"\nopc = 1\ndefault_scp = { dpc = 2, dssn = 146 }\n'
            f'connections = [{{ name = "scp", type = "m3ua", remote_port = {self.port} }}]\n'
        )

    def start(self, *, is_silent: bool) -> None:
        home = self.folder / "scp"
        listens = f'listen = ["m3ua+tcp://127.0.0.1:{self.port}"]'
        daemon = launch(home, configure(home, f'[scp]\nflows = ["{FLOW}"]\n{listens}\n'))
        self.life.callback(daemon.process.wait, HANG_GUARD_S)
        self.life.callback(daemon.process.kill)
