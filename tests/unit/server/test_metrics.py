"""The page against a strict reading of the text format, and the numbers in it."""

import re

from tsvc.config.tables import Config
from tsvc.engine.service import Service
from tsvc.server.admission import Counters
from tsvc.server.dispatch import Traffic
from tsvc.server.metrics import Process, render

SAMPLE = re.compile(
    r'(\w+)(?:\{(\w+="(?:[^"\\\n]|\\[\\"n])*"(?:,\w+="(?:[^"\\\n]|\\[\\"n])*")*)\})? (\S+)'
)


def parse(text):
    """Return {(name, labels): value}; every family is declared once and before its samples."""
    samples = {}
    declared = []
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name, _, help = line.removeprefix("# HELP ").partition(" ")
            assert name not in declared
            assert help
            declared.append(name)
        elif line.startswith("# TYPE "):
            assert re.fullmatch(rf"# TYPE {declared[-1]} (counter|gauge|untyped)", line), line
            assert declared[-1].endswith("_total") == line.endswith(" counter"), line
        else:
            match = SAMPLE.fullmatch(line)
            assert match, line
            assert match[1] == declared[-1]
            assert (match[1], match[2]) not in samples
            samples[match[1], match[2]] = float(match[3])
    return samples


def page(service=None, connections=None, requests=None):
    about = Service(Config()).describe() if service is None else service
    process = Process(1 << 20, 1.5, 12, 1_700_000_000.25, 0.001, 0.5, 3)
    return parse(render(about, connections or Counters(), 4, 3, requests or Traffic(), process))


def test_an_idle_daemon():
    samples = page()
    assert samples["tsvc_accepts_runs", None] == 1
    assert samples["tsvc_runs_in_progress", None] == 0
    assert samples["tsvc_instances_finished_total", 'state="aborted"'] == 0
    assert samples["tsvc_archive_up", None] == 1
    assert samples["process_resident_memory_bytes", None] == 1 << 20
    assert samples["tsvc_loop_lag_highest_seconds", None] == 0.5
    assert samples["tsvc_loop_stalls_total", None] == 3
    assert samples["tsvc_rpc_connections_open", None] == 4


def test_counts_of_the_interface():
    requests = Traffic()
    requests.requests["QueryTest", 0] = 7
    requests.requests["QueryTest", 2004] = 2
    requests.seconds["QueryTest"] = 0.25
    connections = Counters(accepted=11, evicted=5, surplus_octets=99)
    samples = page(connections=connections, requests=requests)
    assert samples["tsvc_rpc_requests_total", 'method="QueryTest",code="0"'] == 7
    assert samples["tsvc_rpc_requests_total", 'method="QueryTest",code="2004"'] == 2
    assert samples["tsvc_rpc_seconds_total", 'method="QueryTest"'] == 0.25
    assert samples["tsvc_rpc_connections_total", 'what="evicted"'] == 5
    assert samples["tsvc_rpc_surplus_octets_total", None] == 99


def test_gateways_scp_and_labels_with_anything_in_them():
    about = Service(Config()).describe()
    name = 'a "b" \\ c\nd'
    gateway = {"name": name, "kind": "pi", "state": "down", "detail": "", "counters": {"sent": 3}}
    about["gateways"] = [gateway]
    about["scp"] = {
        "calls": 5,
        **dict.fromkeys(("answered", "connected", "abandoned", "failed", "no_trigger"), 0),
        "released": 5,
        "errors": {"timer": 1},
        "messages": {},
        "flows": {"f": {"calls": 5}},
    }
    about["state"] = "draining"
    about["archive"]["state"] = "failing"
    samples = page(about)
    place = 'gateway="a \\"b\\" \\\\ c\\nd",kind="pi"'
    assert samples["tsvc_gateway_state", f'{place},state="down"'] == 1
    assert samples["tsvc_gateway_state", f'{place},state="up"'] == 0
    assert samples["tsvc_gateway_counts", f'{place},what="sent"'] == 3
    assert samples["tsvc_scp_calls_ended_total", 'ending="released"'] == 5
    assert samples["tsvc_scp_errors_total", 'kind="timer"'] == 1
    assert samples["tsvc_scp_flow_calls_total", 'flow="f"'] == 5
    assert samples["tsvc_accepts_runs", None] == 0
    assert samples["tsvc_archive_up", None] == 0
