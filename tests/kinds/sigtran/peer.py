"""sigtran over M3UA, against an SCP in a process of its own."""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from support.daemons import FLOW, HANG_GUARD_S, ROOT, Daemon, wait_until_ready
from support.kind_peers import Address, Members, Texts
from support.ports import free_port


class Peer:
    is_reversed = False
    texts = Texts(
        deadline=r"expected RequestReportBCSMEvent, nothing came within 0\.4 s",
        cut="connection SCP to .*closed by peer",
        garbage="connection SCP to .*framing lost",
        lost="connection SCP to .*closed by peer",
    )
    params: ClassVar[Members] = {"ssp_ac": "camel2"}
    application = None  # the loopback

    @contextlib.contextmanager
    def run(self) -> Iterator[Address]:
        ports = free_port(), free_port()
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            file = folder / "tsvc.toml"
            file.write_text(
                f'[service]\nstate_dir = "{folder}"\n[rpc]\nport = {ports[0]}\n'
                f'[scp]\nflows = ["{FLOW}"]\nlisten = ["m3ua+tcp://127.0.0.1:{ports[1]}"]\n'
            )
            environ = {k: v for k, v in os.environ.items() if not k.startswith("TSVC_")}
            with (folder / "log").open("wb") as log:
                process = subprocess.Popen(
                    [sys.executable, "-m", "tsvc.cli.tsvcd", "-c", str(file)],
                    cwd=ROOT,
                    env=environ,
                    stderr=log,
                )
            try:
                wait_until_ready(Daemon(process, ports[0], folder))
                yield "127.0.0.1", ports[1]
            finally:
                process.terminate()
                process.wait(HANG_GUARD_S)

    def members(self, port: int, seconds: float) -> Members:
        return {
            "default_scp": {"dpc": 2, "dssn": 146},
            "connections": [{"name": "SCP", "type": "m3ua", "remote_port": port}],
        }

    def operations(self, token: str, seconds: float) -> list[Members]:
        return [
            {"type": "inap.ssp_to_scp.InitialDP", "arguments": {"serviceKey": 45}},
            {"type": "inap.ssp_from_scp.RequestReportBCSMEvent", "seconds": seconds},
            {"type": "inap.ssp_from_scp.ConnectToResource", "seconds": seconds},
            {"type": "inap.ssp_from_scp.PromptAndCollectUserInformation", "seconds": seconds},
        ]
