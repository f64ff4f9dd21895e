"""pi in a soak: a fake Provisioning Interface."""

from pathlib import Path

from soak.kind import TOKEN, Operation, SoakKind
from soak.peers import Server, fake_run
from support.kind_peers import TOKENS

USER, PASSWORD = "tester", "soak-of-pi"
SETTINGS: dict[str, object] = {
    "username": USER,
    "password": PASSWORD,
    "subscribers": {token: {"General Cash": int(token)} for token in TOKENS},
}
TABLE = f"""
remote_host = "127.0.0.1"
remote_port = {{port}}
username = "{USER}"
password = "{PASSWORD}"
num_client_connections = 3
server_timeout_s = 2.{{change}}
backlog_timeout_s = 4
reconnect_interval_s = 0.5
"""
PROVISION: Operation = {
    "type": "pi.Request",
    "arguments": {
        "command": "CCSCD1=QRY",
        "parameters": {"MSISDN": TOKEN, "BALANCE_TYPE": "General Cash"},
    },
    "tests": [{"kpath": "fields.BALANCE", "type": "integer", "value": TOKEN}],
}


def start(folder: Path) -> Server:
    return Server(lambda: fake_run(folder, "pi", SETTINGS))


SOAK = SoakKind(held=("in_use", "waiting"), start=start, table=TABLE, asks=[[PROVISION]])
