"""The embedded SCP as an ASP: it connects to a gateway, and calls reach it from there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemons import FLOW, Daemon, Params, example
from support.ports import free_port
from support.waiting import until
from unit.ss7.by_hand import Refusing

from tsvc.cli.embedded import config_text
from tsvc.protocols.m3ua import messages, params

# The tester is the gateway: the SCP's ASPs come up at its port.
TESTER = """
[scp]
flows = ["{flow}"]
connect = [{urls}]
[application.SG]
module = "sigtran"
default_scp = {{ dpc = 5, dssn = 146 }}
[[application.SG.connections]]
name = "sg"
type = "{kind}"
mode = "listen"
role = "sgp"
local_port = {port}
"""
KINDS = [("m3ua", "routing_context = 22", "rc=22"), ("sua", "routing_context = 22", "rc=22")]
KINDS += [("m3ua", "may_register = true", "register=1")]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Any]:
    made: list[Daemon] = []

    def make(text: str) -> Daemon:
        made.append(Daemon.of_toml(tmp_path, text))
        return made[-1]

    yield make
    for daemon in made:
        daemon.stop()


def scp_of(daemon: Daemon) -> Params:
    return dict(daemon.call("DescribeService")["scp"])


def calls(daemon: Daemon, total: int) -> Params:
    definition = example("extension_dialing")
    operations = definition.pop("operations")
    distribution = {"type": "load", "total": total, "backlog": total}
    return daemon.run(*operations, **definition, distribution=distribution)["counts"]


@pytest.mark.parametrize(("kind", "member", "query"), KINDS)
def test_calls_reach_an_scp_that_connects(make: Any, kind: str, member: str, query: str) -> None:
    port = free_port()
    url = f"{kind}+tcp://127.0.0.1:{port}?pc=5&{query}"
    urls = f'"{url}&traffic=loadshare", "{url}&traffic=loadshare&heartbeat=10"'
    text = TESTER.format(flow=FLOW, urls=urls, kind=kind, port=port)
    daemon = make(f'{text}traffic_mode = "loadshare"\n{member}\n')
    until(lambda: scp_of(daemon)["links_active"] == 2, what=lambda: scp_of(daemon))
    daemon.until_up()
    assert calls(daemon, 20)["passed"] == 20
    assert scp_of(daemon)["problems"] == []
    assert scp_of(daemon)["calls"] == 20


def test_what_the_gateway_says_against_it_is_in_its_status(make: Any) -> None:
    sg = Refusing(messages.ASPAC, params.ERROR_CODE.of(0x1A))
    try:
        text = f'[scp]\nflows = ["{FLOW}"]\nconnect = ["m3ua+tcp://127.0.0.1:{sg.port}?rc=9"]\n'
        daemon = make(text)
        words = "ERR 0x1a (no configured as for asp)"
        until(lambda: words in str(scp_of(daemon)["problems"]), what=lambda: scp_of(daemon))
        assert scp_of(daemon)["links_active"] == 0
    finally:
        sg.stop()


@pytest.mark.parametrize(
    ("connect", "text"),
    [
        ('["m3ua+tcp://127.0.0.1:1?rc=x"]', "rc: "),
        ('["m3ua+tcp://127.0.0.1:1", "m3ua+tcp://127.0.0.1:1"]', "is there twice"),
    ],
)
def test_urls_that_are_wrong(make: Any, connect: str, text: str) -> None:
    with pytest.raises(Exception, match=text):
        make(f'[scp]\nflows = ["{FLOW}"]\nconnect = {connect}\n')


def test_without_flows_nothing_connects(make: Any) -> None:
    with pytest.raises(Exception, match="no flows to serve"):
        make('[scp]\nconnect = ["m3ua+tcp://127.0.0.1:1"]\n')


def test_a_reload_moves_it(make: Any, tmp_path: Path) -> None:
    first, second = (Refusing((0xFF, 0xFF), params.ERROR_CODE.of(0)) for _ in range(2))
    try:
        text = f'[scp]\nflows = ["{FLOW}"]\nconnect = ["m3ua+tcp://127.0.0.1:%d"]\n'
        daemon = make(text % first.port)
        until(lambda: scp_of(daemon)["links_active"] == 1)
        other = Daemon.of_toml(tmp_path, text % second.port, is_started=False)
        daemon.service.reload(other.config)
        until(lambda: second.live, what=lambda: scp_of(daemon))
        until(lambda: scp_of(daemon)["links_active"] == 1)
    finally:
        first.stop()
        second.stop()


def test_the_configuration_of_the_command() -> None:
    text = config_text(flows=[FLOW], listen=(), connect=("sua+tcp://a:1",), port=0, level="info")
    assert 'connect = ["sua+tcp://a:1"]' in text
