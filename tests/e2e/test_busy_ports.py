"""A port that is taken: one line that names the table, the address and the reason."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.daemons import FLOW, HANG_GUARD_S

from tsvc.cli.embedded import clean_environment

pytestmark = pytest.mark.e2e

TABLES = {
    "smpp": '[application.SMSC]\nmodule = "smpp"\nhost = "127.0.0.1"\nport = {port}\n',
    "diameter": '[application.OCS]\nmodule = "diameter"\nmode = "listen"\norigin_host = "a.b"\n'
    'local_host = "127.0.0.1"\nlocal_port = {port}\n',
    "sigtran": '[application.SS7]\nmodule = "sigtran"\nopc = 1\n'
    '[[application.SS7.connections]]\nname = "x"\ntype = "m3ua"\nmode = "listen"\n'
    'local_host = "127.0.0.1"\nlocal_port = {port}\n',
    "scp": '[scp]\nflows = ["{flow}"]\nlisten = ["m3ua+tcp://127.0.0.1:{port}"]\n',
    "http": '[http]\nlisten = "127.0.0.1:{port}"\n',
}
NAMED = {
    "smpp": 'application."SMSC"',
    "diameter": 'application."OCS"',
    "sigtran": 'application."SS7"',
    "scp": "scp.listen",
    "http": "can't listen",
}


@pytest.fixture
def taken() -> Iterator[int]:
    """A port at which something else listens."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


@pytest.mark.parametrize("kind", TABLES)
def test_the_log_names_the_table_and_has_no_traceback(
    kind: str, taken: int, tmp_path: Path
) -> None:
    text = TABLES[kind].format(port=taken, flow=FLOW)
    (tmp_path / "tsvc.toml").write_text(
        f'[service]\nstate_dir = "st"\n[rpc]\nport = 0\n[log]\nformat = "json"\n{text}'
    )
    done = subprocess.run(
        [sys.executable, "-m", "tsvc.cli.tsvcd", "-c", "tsvc.toml"],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S * 2,
        cwd=tmp_path,
    )
    assert done.returncode == 1
    events = [json.loads(line) for line in (done.stdout + done.stderr).splitlines()]
    (event,) = (one for one in events if one["event"] == "not started")
    assert "traceback" not in event
    reason = event["reason"]
    assert reason.startswith(NAMED[kind])
    assert str(taken) in reason
    assert reason.endswith("Address already in use")
