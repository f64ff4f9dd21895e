"""Samples of the guide against the fakes of the same page, exactly as printed there."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from support.daemons import ROOT, running
from support.fakes import fake_process
from support.ports import free_port
from support.waiting import until

from tsvc.commands.fake import read_pair

pytestmark = pytest.mark.e2e


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / f"docs/guide/{page}.md").read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def fake_of(page: str) -> tuple[str, int, dict[str, Any]]:
    """Return kind, port and settings of the only `tsvc fake` of a page."""
    (command,) = (one for one in blocks(page, "sh") if one.startswith("tsvc fake"))
    words = shlex.split(command)
    assert words[:2] == ["tsvc", "fake"]
    pairs = [words[at + 1] for at, word in enumerate(words) if word == "--set"]
    return words[2], int(words[words.index("--port") + 1]), dict(map(read_pair, pairs))


def passes(result: dict[str, Any]) -> None:
    assert result["verdict"] == "pass", result["first_call_summary"]


def test_the_session_with_a_re_authorization(tmp_path: Path) -> None:
    kind, port, settings = fake_of("diameter")
    assert (kind, port) == ("diameter", 3868)
    with fake_process(tmp_path, kind, **settings) as fake:
        table = re.sub(
            r"^remote_hosts = .*$",
            f'remote_hosts = ["127.0.0.1:{fake.port}"]',
            blocks("diameter", "toml")[0],
            flags=re.MULTILINE,
        )
        with running(tmp_path, table) as daemon:
            daemon.until_up(["OCS"])
            result = daemon.run(json.loads(blocks("diameter", "json")[0]))
    passes(result)
    texts = [check["text"] for check in result["first_call_summary"]["check_log"]]
    assert "Received Re-Auth-Request" in texts


def test_the_question_to_open_services_development(tmp_path: Path) -> None:
    kind, port, settings = fake_of("osd")
    table = next(one for one in blocks("osd", "toml") if 'module = "osd"' in one)
    assert f"remote_port = {port}\n" in table
    (tmp_path / "osd.password").write_text("secret\n")
    (tmp_path / "osd.password").chmod(0o600)
    with fake_process(tmp_path, kind, **settings) as fake:
        table = table.replace("slc01.example", "127.0.0.1").replace(str(port), str(fake.port))
        with running(tmp_path, table.replace("/etc/tsvc", str(tmp_path))) as daemon:
            daemon.until_up(["OSD-SLC01"])
            shown = map(json.loads, blocks("osd", "json"))
            operation = next(one for one in shown if "ocncc.osd.Request" in repr(one))
            passes(daemon.run({"operations": [operation]}))


def test_the_balance_over_rest(tmp_path: Path) -> None:
    (command,) = (one for one in blocks("rest", "sh") if one.startswith("tsvc fake"))
    words = shlex.split(command)
    file, port = words[words.index("--settings") + 1], words[words.index("--port") + 1]
    page = (ROOT / "docs/guide/rest.md").read_text("utf-8")
    assert f"`http://127.0.0.1:{port}/api/v1`" in page
    with fake_process(tmp_path, words[2], **json.loads((ROOT / file).read_text())) as fake:
        table = f"""
            [application.BILLING]
            module = "rest"
            base_uri = "http://127.0.0.1:{fake.port}/api/v1"
        """
        with running(tmp_path, table) as daemon:
            daemon.until_up(["BILLING"])
            operations = json.loads(blocks("rest", "json")[0])
            params = {"operations": operations, "vars": {"msisdn": "6421000001"}}
            passes(daemon.run(params))
        assert "POST /api/v1/balance -> 200" in fake.log


def test_both_ways_of_smpp(tmp_path: Path) -> None:
    kind, port, settings = fake_of("smpp")
    (table,) = blocks("smpp", "toml")
    assert f"port = {port}\n" in table
    (tmp_path / "esme.password").write_text(settings["password"] + "\n")
    (tmp_path / "esme.password").chmod(0o600)
    # the next message comes long after the instance that takes one
    settings["per_s"] = 0.1
    own = free_port()
    table = table.replace("/etc/tsvc", str(tmp_path)).replace(f"port = {port}", f"port = {own}")
    with fake_process(tmp_path, kind, own, **settings) as fake, running(tmp_path, table) as daemon:
        daemon.until_up(["SMSC01"])
        send, (register, take) = map(json.loads, blocks("smpp", "json"))
        passes(daemon.run({"operations": [register, take], "strict": 0}))
        passes(daemon.run({"operations": [send], "vars": {"cli": "6421000001"}}))
        until(lambda: "deliver_sm 6421000001 -> 777: balance of 6421000001" in fake.log)


def test_the_balance_of_the_provisioning_interface(tmp_path: Path) -> None:
    kind, port, settings = fake_of("pi")
    (table,) = (one for one in blocks("pi", "toml") if 'module = "pi"' in one)
    assert f"remote_port = {port}\n" in table
    (tmp_path / "pi-smf01.password").write_text(settings["password"] + "\n")
    (tmp_path / "pi-smf01.password").chmod(0o600)
    with fake_process(tmp_path, kind, **settings) as fake:
        table = table.replace(f"remote_port = {port}", f"remote_port = {fake.port}")
        table = table.replace('"pi-smf01.password"', f'"{tmp_path}/pi-smf01.password"')
        with running(tmp_path, table) as daemon:
            daemon.until_up(["PI-SMF01"])
            passes(daemon.run(json.loads(blocks("pi", "json")[0])))
