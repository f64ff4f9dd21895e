"""sigtran over M3UA, against an SCP in a process of its own."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from support.daemons import FLOW, configure, launch
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
        port = free_port()
        with tempfile.TemporaryDirectory() as name:
            text = f'[scp]\nflows = ["{FLOW}"]\nlisten = ["m3ua+tcp://127.0.0.1:{port}"]\n'
            daemon = launch(Path(name), configure(Path(name), text))
            try:
                yield "127.0.0.1", port
            finally:
                daemon.stop()

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
