"""smpp: an ESME that can be killed and come back on its port."""

import subprocess
import sys
from typing import ClassVar

from support.daemons import HANG_GUARD_S, ROOT
from support.mortal import Mortal, Operations

_ESME = """
import sys, time
from smpplib.client import Client
esme = Client("127.0.0.1", int(sys.argv[1]), timeout=600, allow_unknown_opt_params=True)
while True:
    try:
        esme.connect()
        break
    except Exception:
        time.sleep(0.1)
esme.bind_transceiver(system_id="esme", password="")
time.sleep(600) if sys.argv[2] == "silent" else esme.listen()
"""


class Peer(Mortal):
    """smpplib's client in a process: the client connects to the tester, and connects again."""

    held = "sent"
    reason = r"PEER: deliver_sm to ESME esme at 127\.0\.0\.1:\d+: "
    quick: ClassVar[Operations] = [
        {
            "type": "smpp.smsc_to_esme.Request",
            "arguments": {
                "pdu": "deliver_sm",
                "parameters": {
                    "source_addr": "777",
                    "destination_addr": "64211",
                    "short_message_text": "there?",
                },
            },
            "tests": [{"kpath": "command_status", "type": "integer", "value": 0}],
        }
    ]
    wait = quick

    @property
    def table(self) -> str:
        return f'module = "smpp"\nport = {self.port}\nresponse_timeout_s = 60\n'

    def start(self, *, is_silent: bool) -> None:
        how = "silent" if is_silent else "well"
        process = subprocess.Popen(
            [sys.executable, "-c", _ESME, str(self.port), how],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.life.callback(process.wait, HANG_GUARD_S)
        self.life.callback(process.kill)
