"""diameter in a soak: a fake OCS, which re-authorizes each session soon."""

from pathlib import Path

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
    return {
        "type": "diameter.Request",
        "arguments": {
            "name": "Credit-Control-Request",
            "avps": [
                {"name": "Session-Id_auto", "value": 1},
                {"name": "Service-Context-Id", "value": "32251@3gpp.org"},
                {"name": "CC-Request-Type", "value": "INITIAL_REQUEST"},
                {"name": "CC-Request-Number", "value": 0},
                {
                    "name": "Subscription-Id",
                    "value": [
                        {"name": "Subscription-Id-Type", "value": "END_USER_E164"},
                        {"name": "Subscription-Id-Data", "value": "6421000001"},
                    ],
                },
                {"name": "Requested-Service-Unit", "value": [{"name": "CC-Time", "value": asked}]},
            ],
        },
        "tests": [
            {
                "kpath": "response.avp.Granted-Service-Unit.CC-Time",
                "type": "integer",
                "value": asked,
            }
        ],
    }


CHARGE = charge(TOKEN)
REAUTHORIZED: list[Operation] = [
    {"type": "diameter.from_server.Register"},
    CHARGE,
    {"type": "diameter.from_server.Request", "arguments": {"code": "RAR", "seconds": 4}},
]


def start(folder: Path) -> Server:
    # Later than the answer by far: in an instance that asks for none, it would be unexpected.
    return Server(lambda: fake_run(folder, "diameter", {**OCS, "rar_after_s": 0.2}))


SOAK = SoakKind(
    held=("pending", "sessions"), start=start, table=TABLE, asks=[[CHARGE], REAUTHORIZED]
)
