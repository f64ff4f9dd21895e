"""smpp in a soak: ESMEs that connect, and answer with the address that they received."""

import contextlib
import random
import socket
import time
from pathlib import Path

from kinds.smpp.soak_esme import Esme
from soak.kind import TOKEN, Operation, SoakKind, Trouble
from soak.peers import GARBAGE
from support.ports import free_port

ESMES = 2
TABLE = """
port = {port}
window = 4
response_timeout_s = 2.{change}
backlog_timeout_s = 4
session_init_s = 2
enquire_link_s = 5
"""


def _deliver(source: str) -> Operation:
    return {
        "type": "smpp.smsc_to_esme.Request",
        "arguments": {"pdu": "deliver_sm", "parameters": {"source_addr": source}},
        "tests": [{"kpath": "parameters.message_id", "value": source}],
    }


DELIVER = _deliver(TOKEN)
_ADDRESS = "{$v->{address}}"
REPLIED: list[Operation] = [
    {"type": "eval", "expression": "$v->{address} = substr(uuid(), 0, 18)"},
    {
        "type": "smpp.smsc_from_esme.Register",
        "arguments": {"pdu": "submit_sm", "destination_addr": _ADDRESS},
    },
    _deliver(_ADDRESS),
    {
        "type": "smpp.smsc_from_esme.Request",
        "arguments": {
            "pdu": "submit_sm",
            "seconds": 4,
            "parameters": {"destination_addr": _ADDRESS},
        },
    },
]


class Esmes:
    """ESMEs that reconnect to the gateway; `port` is the port of the gateway."""

    def __init__(self, folder: Path) -> None:
        self.port = port = free_port()
        self.where = {"port": port}
        self._all = [Esme(port, f"esme{number}") for number in range(ESMES)]
        self.troubles: dict[str, Trouble] = {
            "cut": self._cut,
            "slow": self._slow,
            "garbage": self._garbage,
            "storm": self._storm,
        }

    def close(self) -> None:
        for esme in self._all:
            esme.close()

    def _cut(self, chance: random.Random) -> None:
        chance.choice(self._all).drop()

    def _slow(self, chance: random.Random) -> None:
        esme = chance.choice(self._all)
        esme.delay_s = chance.choice([0.05, 0.5, 3])
        time.sleep(chance.uniform(0.2, 2))
        esme.delay_s = 0.0

    def _garbage(self, chance: random.Random) -> None:
        chance.choice(self._all).send(GARBAGE)

    def _storm(self, chance: random.Random) -> None:
        """Connect and close a hundred times; some connections send a few octets first."""
        for _ in range(100):
            with (
                contextlib.suppress(OSError),
                socket.create_connection(("127.0.0.1", self.port), timeout=10) as sock,
            ):
                sock.sendall(GARBAGE[: chance.randrange(20)])


SOAK = SoakKind(
    held=("registered",),
    start=Esmes,
    table=TABLE,
    asks=[[DELIVER], REPLIED],
    is_ready=lambda counters: counters["bound"] == ESMES,
)
