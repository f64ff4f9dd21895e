"""diameter in a soak: a fake OCS, which re-authorizes each session soon."""

from pathlib import Path

from kinds.diameter.credit import credit, units
from soak.kind import TOKEN, Operation, SoakKind
from soak.peers import Server, fake_run

TABLE = """
remote_port = {port}
origin_host = "tester.example.net"
product_name = "soak {change}"
request_timeout_s = 2
watchdog_s = 6
reconnect_interval_s = 0.5
"""
OCS: dict[str, object] = {"default_balance": 10**12, "grant": 100}


def charge(asked: str) -> Operation:
    unit = units("Requested-Service-Unit", asked)
    granted = {
        "kpath": "response.avp.Granted-Service-Unit.CC-Time",
        "type": "integer",
        "value": asked,
    }
    return {**credit("INITIAL_REQUEST", 0, unit, msisdn="6421000001"), "tests": [granted]}


CHARGE = charge(TOKEN)
REAUTHORIZED: list[Operation] = [
    {"type": "diameter.from_server.Register"},
    CHARGE,
    {"type": "diameter.from_server.Request", "arguments": {"code": "RAR", "seconds": 4}},
]


def start(folder: Path) -> Server:
    # Long after the answer: a RAR would be unexpected in an instance that does not wait for it.
    return Server(lambda: fake_run(folder, "diameter", {**OCS, "rar_after_s": 0.2}))


SOAK = SoakKind(
    held=("pending", "sessions"), start=start, table=TABLE, asks=[[CHARGE], REAUTHORIZED]
)
