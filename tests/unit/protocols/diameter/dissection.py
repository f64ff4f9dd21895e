"""Diameter messages as tshark reads them."""

import json
import shutil
import subprocess

from support.daemons import require_peer

from tsvc.results.pcap import write_pcap
from tsvc.results.records import ExchangeRecord


def dissected(tmp_path, *messages):
    """Return tshark's trees of messages, as a list."""
    tshark = require_peer(shutil.which("tshark"), "apt-get install tshark")
    records = [ExchangeRecord(0.0, "diameter", "DIA", True, octets) for octets in messages]
    file = tmp_path / "diameter.pcap"
    file.write_bytes(write_pcap(records))
    command = [tshark, "-r", str(file), "-T", "json", "--no-duplicate-keys"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=120)
    return [packet["_source"]["layers"] for packet in json.loads(done.stdout)]
