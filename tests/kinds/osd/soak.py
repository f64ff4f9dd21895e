"""osd in a soak: a fake Open Services Development, whose answers identify the subscriber."""

from pathlib import Path

from soak.kind import TOKEN, Operation, SoakKind
from soak.peers import Server, fake_run
from support.kind_peers import TOKENS

SETTINGS: dict[str, object] = {
    "operations": {
        "QueryBalance": {"subscribers": {token: {"balance": int(token)} for token in TOKENS}}
    }
}
TABLE = """
remote_host = "127.0.0.1"
remote_port = {port}
num_client_connections = 4
server_timeout_s = 2.{change}
backlog_timeout_s = 4
reconnect_interval_s = 0.5
"""
CALL: Operation = {
    "type": "osd.Request",
    "arguments": {
        "action": "http://sms.example/wsdls/Provider/Accounts/QueryBalance",
        "wsdl_url": "http://sms.example/wsdls/Provider/Accounts.wsdl",
        "operation": "QueryBalance",
        "parameters": {"msisdn": TOKEN},
    },
    "tests": [{"kpath": "returned.balance", "type": "integer", "value": TOKEN}],
}


def start(folder: Path) -> Server:
    return Server(lambda: fake_run(folder, "osd", SETTINGS))


SOAK = SoakKind(held=("in_use", "waiting"), start=start, table=TABLE, asks=[[CALL]])
