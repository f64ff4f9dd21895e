"""A refusal by a signalling gateway is reported in the status and in an instance's reason."""

from pathlib import Path

from support.daemons import Daemon, example
from support.waiting import until
from unit.ss7.by_hand import Refusing

from tsvc.protocols.m3ua import messages, params

WORDS = "ERR 0x19 (invalid routing context), routing context 99"


def test_a_wrong_routing_context_is_told_in_the_words_of_the_peer(tmp_path: Path) -> None:
    sgp = Refusing(messages.ASPAC, params.ERROR_CODE.of(0x19), params.ROUTING_CONTEXT.of((99,)))
    text = f"""
    [application.STP]
    module = "sigtran"
    default_scp = {{ dpc = 2, dssn = 146 }}
    connections = [
        {{ name = "sg", type = "m3ua", remote_port = {sgp.port}, routing_context = 99 }},
    ]
    """
    daemon = Daemon.of_toml(tmp_path, text)
    try:

        def detail() -> str:
            return str(daemon.call("DescribeService")["gateways"][0]["detail"])

        until(lambda: WORDS in detail(), what=detail)
        definition = example("extension_dialing")
        refusal = daemon.refusal("ExecuteTest", run_id="refused", **definition)
        assert refusal["data"]["kind"] == "gateway.down"
        assert WORDS in refusal["message"]
    finally:
        daemon.stop()
        sgp.stop()
