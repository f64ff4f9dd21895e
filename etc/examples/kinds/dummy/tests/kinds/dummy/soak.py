"""dummy in a soak: its fake."""

from pathlib import Path

from soak.kind import TOKEN, Operation, SoakKind
from soak.peers import Server, fake_run

TABLE = """
remote_host = "127.0.0.1"
remote_port = {port}
connections = 3
answer_timeout_s = 2.{change}
reconnect_interval_s = 0.5
"""
ASK: Operation = {"type": "dummy.Ask", "arguments": {"word": TOKEN, "text": TOKEN}}


def start(folder: Path) -> Server:
    return Server(lambda: fake_run(folder, "dummy", {}))


SOAK = SoakKind(held=("in_use", "waiting"), start=start, table=TABLE, asks=[[ASK]])
