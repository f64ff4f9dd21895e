"""The metrics page, read strictly by the text format, and the numbers in it."""

import re

from tsvc.config.tables import Config
from tsvc.engine.load.histogram import Histogram
from tsvc.engine.service import Service
from tsvc.server.admission import Counters
from tsvc.server.dispatch import Traffic
from tsvc.server.metrics import Process, render

SAMPLE = re.compile(
    r'(\w+)(?:\{(\w+="(?:[^"\\\n]|\\[\\"n])*"(?:,\w+="(?:[^"\\\n]|\\[\\"n])*")*)\})? (\S+)'
)


def parse(text):
    """Return {(name, labels): value}; assert that families are declared once, before samples."""
    samples = {}
    declared = []
    histograms = []
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name, _, help = line.removeprefix("# HELP ").partition(" ")
            assert name not in declared
            assert help
            declared.append(name)
        elif line.startswith("# TYPE "):
            assert re.fullmatch(rf"# TYPE {declared[-1]} (counter|gauge|histogram)", line), line
            assert declared[-1].endswith("_total") == line.endswith(" counter"), line
            if line.endswith(" histogram"):
                histograms.append(declared[-1])
        else:
            match = SAMPLE.fullmatch(line)
            assert match, line
            is_histogram = declared[-1] in histograms
            ends = ("_bucket", "_sum", "_count") if is_histogram else ("",)
            assert match[1].removeprefix(declared[-1]) in ends
            assert (match[1], match[2]) not in samples
            samples[match[1], match[2]] = float(match[3])
    return samples


def page(service=None, connections=None, requests=None, times=None):
    about = Service(Config()).describe() if service is None else service
    process = Process(1 << 20, 1.5, 12, 1_700_000_000.25, 0.001, 0.5, 3)
    times = times or Histogram()
    text = render(about, times, connections or Counters(), 4, 3, requests or Traffic(), process)
    return parse(text)


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


def test_service_times_are_a_histogram():
    times = Histogram()
    for seconds in (0.00004, 0.003, 0.003, 0.7, 1000.0):
        times.add(seconds)
    samples = page(times=times)
    name = "tsvc_instance_service_seconds"
    found = [
        (match[1], count)
        for (key, labels), count in samples.items()
        if key == f"{name}_bucket" and (match := re.fullmatch('le="(.+)"', labels))
    ]
    counts = dict(found)
    assert counts["0.0001"] == 1
    assert (counts["0.0025"], counts["0.005"]) == (1, 3)
    assert (counts["0.5"], counts["1.0"], counts["300.0"]) == (3, 4, 4)
    assert found[-1] == ("+Inf", 5)
    assert [count for _, count in found] == sorted(counts.values()), "each has those before it"
    assert samples[f"{name}_count", None] == 5
    assert samples[f"{name}_sum", None] == 1000.70604


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
    counters = {"sent": 3, "waiting": 2}
    gateway = {"name": name, "kind": "pi", "state": "down", "detail": "", "counters": counters}
    about["gateways"] = [{**gateway, "levels": ["waiting"]}]
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
    assert samples["tsvc_gateway_events_total", f'{place},what="sent"'] == 3
    assert samples["tsvc_gateway_level", f'{place},what="waiting"'] == 2
    assert ("tsvc_gateway_level", f'{place},what="sent"') not in samples
    assert samples["tsvc_scp_calls_ended_total", 'ending="released"'] == 5
    assert samples["tsvc_scp_errors_total", 'kind="timer"'] == 1
    assert samples["tsvc_scp_flow_calls_total", 'flow="f"'] == 5
    assert samples["tsvc_accepts_runs", None] == 0
    assert samples["tsvc_archive_up", None] == 0
