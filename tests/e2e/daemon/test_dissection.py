"""The octets of real calls, as tshark reads them: nothing malformed, no expert remark."""

import base64
import os
import shutil
import subprocess
import uuid
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from support.daemons import EXAMPLES, HANG_GUARD_S, DaemonProcess, example, require_peer


def dissect(tshark: str, pcap: Path, folder: Path) -> ElementTree.Element:
    environ = {**os.environ, "WIRESHARK_CONFIG_DIR": str(folder)}
    done = subprocess.run(
        [tshark, "-r", str(pcap), "-T", "pdml"],
        capture_output=True,
        env=environ,
        timeout=HANG_GUARD_S,
        check=True,
    )
    return ElementTree.fromstring(done.stdout)


@pytest.mark.parametrize("variant", ["cs1", "camel2", "camel3", "camel4"])
@pytest.mark.parametrize("name", sorted(file.stem for file in EXAMPLES.glob("*.json")))
def test_calls_dissect(daemon: DaemonProcess, tmp_path: Path, name: str, variant: str) -> None:
    tshark = require_peer(shutil.which("tshark"), "apt-get install tshark")
    definition = example(name)
    run_id = uuid.uuid4().hex
    result = daemon.run(definition, ssp_ac=variant, run_id=run_id)
    trace = daemon.result("GetTrace", {"run_id": run_id, "format": "pcap"})
    pcap = tmp_path / "call.pcap"
    pcap.write_bytes(base64.b64decode(trace["content"]))
    pdml = dissect(tshark, pcap, tmp_path)
    packets = pdml.findall("packet")
    assert len(packets) == len(result["first_call_summary"]["messages"])
    top = "inap" if variant == "cs1" else "camel"
    for packet, message in zip(packets, result["first_call_summary"]["messages"], strict=True):
        names = [proto.get("name") for proto in packet.findall("proto")]
        assert "tcap" in names, names
        if message["components"]:
            assert top in names, names
        problems = [
            field.get("show")
            for field in packet.iter("field")
            if field.get("name") in ("_ws.expert.message", "_ws.malformed")
        ]
        assert problems == []
        assert "_ws.malformed" not in [proto.get("name") for proto in packet.iter("proto")]
