"""tshark reads the octets of real calls: nothing is malformed, and it has no expert remark."""

import base64
import os
import shutil
import subprocess
import uuid
import xml.etree.ElementTree as ElementTree
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest
from support.daemons import EXAMPLES, HANG_GUARD_S, DaemonProcess, example, require_peer

Packets = list[ElementTree.Element]
NAMES = sorted(file.stem for file in EXAMPLES.glob("*.json"))
VARIANTS = ("cs1", "camel2", "camel3", "camel4")
PCAP_HEAD = 24


def dissect(tshark: str, pcap: Path, folder: Path) -> Packets:
    environ = {**os.environ, "WIRESHARK_CONFIG_DIR": str(folder)}
    done = subprocess.run(
        [tshark, "-r", str(pcap), "-T", "pdml"],
        capture_output=True,
        env=environ,
        timeout=HANG_GUARD_S,
        check=True,
    )
    return ElementTree.fromstring(done.stdout).findall("packet")


@pytest.fixture(scope="module")
def calls(
    daemon: DaemonProcess, tmp_path_factory: pytest.TempPathFactory
) -> dict[tuple[str, str], tuple[list[Any], Packets]]:
    """The messages of each call, and what tshark prints for them. tshark reads all calls at once,
    since its start takes longer than a call."""
    tshark = require_peer(shutil.which("tshark"), "apt-get install tshark")
    folder = tmp_path_factory.mktemp("calls")
    captured, messages = b"", {}
    for name, variant in product(NAMES, VARIANTS):
        run_id = uuid.uuid4().hex
        result = daemon.run(example(name), ssp_ac=variant, run_id=run_id)
        trace = daemon.result("GetTrace", {"run_id": run_id, "format": "pcap"})
        octets = base64.b64decode(trace["content"])
        captured += octets[PCAP_HEAD if captured else 0 :]
        messages[name, variant] = result["first_call_summary"]["messages"]
    (folder / "calls.pcap").write_bytes(captured)
    packets = iter(dissect(tshark, folder / "calls.pcap", folder))
    found = {key: (sent, list(islice(packets, len(sent)))) for key, sent in messages.items()}
    assert next(packets, None) is None, "more packets than messages"
    return found


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", NAMES)
def test_calls_dissect(calls: Any, name: str, variant: str) -> None:
    messages, packets = calls[name, variant]
    assert len(packets) == len(messages)
    top = "inap" if variant == "cs1" else "camel"
    for packet, message in zip(packets, messages, strict=True):
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
