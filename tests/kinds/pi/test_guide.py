"""The worked example of the guide, as it stands there."""

import json
import re
import shlex
from pathlib import Path

import pytest
from support.daemons import ROOT, running
from support.fakes import fake_process

from tsvc.commands.fake import read_pair

pytestmark = pytest.mark.e2e

TEXT = (ROOT / "docs/guide/pi.md").read_text("utf-8")


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def test_the_guide(tmp_path: Path) -> None:
    words = shlex.split(block("sh"))
    assert words[:5] == ["tsvc", "fake", "pi", "--port", "4999"]
    pairs = [words[at + 1] for at, word in enumerate(words) if word == "--set"]
    settings = dict(map(read_pair, pairs))
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "conf.d/pi-smf01.password").write_text("secret\n")
    (tmp_path / "conf.d/pi-smf01.password").chmod(0o600)
    with fake_process(tmp_path, "pi", **settings) as fake:
        local = block("toml").replace("4999", str(fake.port))
        with running(tmp_path, local) as daemon:
            daemon.wait_for("connected gateway=PI-SMF01")
            result = daemon.run(json.loads(block("json")))
    assert result["verdict"] == "pass", result["first_call_summary"]
    checks = result["first_call_summary"]["check_log"]
    assert [check["text"] for check in checks].count("Received NACK") == 1
