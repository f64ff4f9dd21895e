"""M3UA links under a run: a link that is lost, several links, messages too long for a UDT."""

import uuid

from support.daemons import FLOW, HANG_GUARD_S, DaemonProcess, StartDaemon, example
from support.ports import free_port
from support.waiting import until

WAITING = {
    "ssp_ac": "camel2",
    "operations": [
        {"type": "inap.ssp_to_scp.InitialDP", "arguments": {"serviceKey": 45}},
        {"type": "inap.ssp_from_scp.RequestReportBCSMEvent"},
        {"type": "inap.ssp_from_scp.ConnectToResource"},
        {"type": "inap.ssp_from_scp.PromptAndCollectUserInformation"},
        {"type": "inap.ssp_from_scp.ReleaseCall", "seconds": 600},
    ],
}


def scp_config(port: int) -> str:
    return f'[scp]\nflows = ["{FLOW}"]\nlisten = ["m3ua+tcp://127.0.0.1:{port}"]\n'


def _tester_config(*ports: int) -> str:
    links = ", ".join(
        f'{{ name = "link {port}", type = "m3ua", remote_port = {port} }}' for port in ports
    )
    return f"""
[application.LAB]
module = "sigtran"
default_scp = {{ dpc = 2, dssn = 146 }}
connections = [{links}]
"""


def test_a_lost_link_aborts_what_waits_on_it_and_new_calls_pass(start_daemon: StartDaemon) -> None:
    port = free_port()
    scp = start_daemon(scp_config(port), loopback=False)
    tester = start_daemon(_tester_config(port), loopback=False)
    tester.until_up()
    run_id = uuid.uuid4().hex
    distribution = {"type": "load", "total": 20, "backlog": 20}
    params = {**WAITING, "run_id": run_id, "distribution": distribution}
    assert tester.result("ExecuteTest", params) == "ok"
    until(lambda: scp.result("DescribeService")["scp"]["calls"] == 20)
    scp.process.kill()
    scp.process.wait(HANG_GUARD_S)
    result = tester.result("QueryTest", {"run_id": run_id, "wait_s": 60})
    assert result["completed"] == 1, "not after the ten minutes of the operation"
    assert result["counts"]["aborted"] == 20
    reason = result["first_call_summary"]["reason"]
    assert f"connection link {port}" in reason, reason
    start_daemon(scp_config(port), loopback=False)
    tester.until_up()
    assert tester.run(example("extension_dialing"))["verdict"] == "pass"


def test_two_links_share_the_calls(start_daemon: StartDaemon) -> None:
    ports = [free_port(), free_port()]
    scps = [start_daemon(scp_config(port), loopback=False) for port in ports]
    tester = start_daemon(_tester_config(*ports), loopback=False)
    until(lambda: tester.gateways()["LAB"]["counters"]["links_active"] == 2)
    distribution = {"type": "load", "total": 100, "backlog": 10}
    result = tester.run(example("extension_dialing"), distribution=distribution)
    assert result["counts"]["passed"] == 100
    calls = [scp.result("DescribeService")["scp"]["calls"] for scp in scps]
    assert sum(calls) == 100
    assert min(calls) > 0


def test_an_initial_dp_too_long_for_a_udt(
    daemon: DaemonProcess, m3ua_pair: tuple[DaemonProcess, DaemonProcess]
) -> None:
    """The Q.1218 members make it longer than 255 octets: both transports send it in segments."""
    definition = example("extension_dialing")
    definition["ssp_ac"] = "cs1"
    definition["operations"][0]["arguments"] |= {
        "serviceInteractionIndicators_hex": "00" * 120,
        "callingPartyBusinessGroupID_hex": "01" * 20,
        "callingPartySubaddress_hex": "80" * 21,
        "serviceProfileIdentifier_hex": "31" * 20,
        "iPSSPCapabilities_hex": "01" * 10,
        "iPAvailable_hex": "01" * 10,
    }
    for where in (daemon, m3ua_pair[0]):
        result = where.run(definition)
        first = result["first_call_summary"]
        assert result["verdict"] == "pass", first["check_log"]
        assert len(first["messages"][0]["hex"]) > 2 * 255
