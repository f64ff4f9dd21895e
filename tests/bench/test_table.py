"""The speed table judges what was measured, and its plots are right."""

import copy
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from support.waiting import until

from bench.__main__ import stop
from bench.charts import BOTTOM, HEIGHT, TOP, chart
from bench.table import as_markdown, as_text, lines_of, ratios_of

MACHINE = {
    "cpu": "some",
    "cores": 2,
    "memory_gib": 1.0,
    "kernel": "6",
    "python": "3.11",
    "commit": "abc",
    "load_average": [0.0, 0.0, 0.0],
}


def one(median, lowest=None, highest=None):
    return {"median": median, "lowest": lowest or median, "highest": highest or median}


# A part of bench.json, the place of its figure, one that just meets the table, one that doesn't.
CALLS = {
    "loopback": {"calls_per_s": one(3000), "cpu_us": one(200)},
    "m3ua_tcp": {"calls_per_s": one(5000), "cpu_us": one(150), "scp_cpu_us": one(140)},
}
CODEC = {
    "octets": 220,
    "tsvc": {"decode_us": one(25), "encode_us": one(18)},
    "ratio": {"decode": 20.0, "encode": 20.0},
}
INSTANCES = {
    "noop": {"wall_us": one(40), "cpu_us": one(30), "pool_wall_us": one(20)},
    "locust": {"absent": "no locust"},
    "waiting": {"instances": 50_000, "kib_each": 12.0},
    "million": {"instances": 10**6, "growth_mib": 0.5, "result_octets": 2**21, "seconds": 20.0},
}
SCHEDULE = {
    "seconds": 20,
    "rates": {
        "5000": {"off_percent": -0.1, "lateness_ms": {"p50": 0.5, "p99": 2.0, "max": 9.0}},
    },
    "sipp": {},
}
DIAMETER = {
    "tsvc": {"cpu_us": one(60)},
    "ordinary": {"cpu_us": one(240)},
    "python_diameter": {"cpu_us": one(600)},
}
REST = {
    "plain_send_and_expect_us": one(150),
    "plain_request_us": one(60),
    "plain_send_and_expect_ordinary_us": one(170),
    "tls_send_and_expect_us": one(160),
    "requests_us": one(450),
    "locust_us": {"absent": "no locust"},
}
RPC = {
    "cases": {
        "idle": {"halted_run": {"p99_ms": 2.0}},
        "no-ops": {
            "halted_run": {"p99_ms": 20.0},
            "archived_run": {"p99_ms": 10.0},
            "loading_run": {"p99_ms": 3.0},
            "share": 0.8,
        },
        "calls": {
            "halted_run": {"p99_ms": 3.0},
            "archived_run": {"p99_ms": 10.0},
            "loading_run": {"p99_ms": 4.0},
            "share": 0.8,
        },
        "full": {"halted_run": {"p99_ms": 30.0}},
    }
}


def _rates(per_s, cpu_us):
    return {"per_s": one(per_s), "cpu_us": one(cpu_us)}


CLUSTER = {
    "workers": 4,
    "cores": 2,
    "noop": {"alone": _rates(100, 20), "workers": _rates(170, 20)}
    | {"apart": _rates(180, 21), "locust": _rates(300, 7)},
    "call": {"alone": _rates(100, 200), "workers": _rates(180, 200)}
    | {"apart": _rates(190, 201), "locust": _rates(90, 300)},
    "killed": {
        "tsvc": {
            "planned": 4000,
            "verdict": "fail",
            "lost": [{"reason": "its process ended", "unknown_starts_max": 100}],
        },
        "locust": {"untold": 2000, "made": 9000, "exit_code": None},
    },
    "idle": {"workers": 10, "share": 0.01, "daemon_share": 0.01},
    "cancel_s": 1.0,
}
PARTS = {
    "cluster": CLUSTER,
    "calls": CALLS,
    "codec": CODEC,
    "instances": INSTANCES,
    "schedule": SCHEDULE,
    "diameter": DIAMETER,
    "rest": REST,
    "rpc": RPC,
}
# Line of the table, the path of a figure that it judges, and a value that is just too bad.
TOO_BAD = [
    (0, ("calls", "loopback", "calls_per_s", "median"), 2999),
    (1, ("calls", "m3ua_tcp", "calls_per_s", "median"), 4999),
    (2, ("codec", "tsvc", "decode_us", "median"), 25.1),
    (2, ("codec", "tsvc", "encode_us", "median"), 18.1),
    (2, ("codec", "ratio", "encode"), 19.9),
    (3, ("instances", "noop", "wall_us", "median"), 40.1),
    (4, ("schedule", "rates", "5000", "off_percent"), 0.101),
    (4, ("schedule", "rates", "5000", "lateness_ms", "p99"), 2.01),
    (5, ("instances", "waiting", "kib_each"), 12.1),
    (6, ("diameter", "tsvc", "cpu_us", "median"), 60.1),
    (7, ("rest", "plain_send_and_expect_us", "median"), 150.1),
    (8, ("rpc", "cases", "calls", "loading_run", "p99_ms"), 20.1),
    (8, ("rpc", "cases", "no-ops", "archived_run", "p99_ms"), 20.1),
    (9, ("instances", "million", "growth_mib"), 1.1),
    (9, ("instances", "million", "result_octets"), 2**21 + 1),
    (10, ("cluster", "noop", "workers", "per_s", "median"), 169),
    (11, ("cluster", "killed", "tsvc", "verdict"), "pass"),
    (12, ("cluster", "idle", "share"), 0.0101),
    (13, ("cluster", "cancel_s"), 1.01),
]


def _of_load(cpu_us, replayed=0.8):
    return {"cpu_us": one(cpu_us), "replayed": one(replayed)}


# The same for the lines that are ratios: each is exactly at its bound.
BESIDE = {
    "calls": {
        "loopback": {"cpu_us": one(120)},
        "m3ua_tcp": {"cpu_us": one(66), "calls_per_s": one(8000)},
        "sipp": {"cpu_us": one(30), "uas_cpu_us": one(30), "calls_per_s": one(10_000)},
    },
    "codec": {"ratio": {"decode": 37.0, "encode": 43.0}},
    "instances": {
        "noop": {"cpu_us": one(10), "pool_cpu_us": one(20)},
        "waiting": {"instances": 50_000, "kib_each": 6.0},
    },
    "schedule": {
        "rates": {"5000": {"lateness_ms": {"p99": 1.0}}},
        "sipp": {"5000": {"off_grid_ms": {"p99": 5.0}}},
    },
    "diameter": {**DIAMETER, "tsvc": {"cpu_us": one(30)}, "python_diameter": {"cpu_us": one(360)}},
    "rest": {"plain_send_and_expect_us": one(80), "locust_us": one(100)},
    "rpc": {
        "cases": {
            "idle": {"halted_run": {"p99_ms": 2.0}},
            **{
                case: {
                    name: {"p99_ms": 6.0} for name in ("halted_run", "archived_run", "loading_run")
                }
                for case in ("no-ops", "calls")
            },
        }
    },
    "start": {"ready_cpu_ms": one(600), "imports_cpu_ms": one(400)},
    "cluster": {"call": {"alone": _rates(100, 200), "workers": _rates(180, 210)}},
    "deviations": {
        "none": one(100),
        "one_in_1000": one(105),
        "deviating": one(1000),
        "deviating_0": one(500),
    },
    "data": {
        "loads": {
            **{
                name: {
                    "alone_1": _of_load(150),
                    "alone_0": _of_load(250, 0.0),
                    "m3ua_1": _of_load(120),
                    "m3ua_0": _of_load(200, 0.0),
                    "sipp": {"cpu_us": one(60), "uas_cpu_us": one(40)},
                }
                for name in ("callers", "extensions_8", "extensions_400", "prepaid")
            },
            **{
                name: {"alone_1": _of_load(fast), "alone_0": _of_load(100, 0.0)}
                for name, fast in (
                    ("equal", 105),
                    ("two_ways", 105),
                    ("ussd", 50),
                    ("diameter", 60),
                    ("rest", 60),
                )
            },
            "ordinary": {
                "alone_0": _of_load(220, 0.0),
                "sipp": {"cpu_us": one(60), "uas_cpu_us": one(40)},
            },
        }
    },
}
# Line, the path of a figure, a value that is just too bad, and a value that meets the aim, if any.
RATIOS = [
    (0, ("calls", "m3ua_tcp", "cpu_us", "median"), 66.1, 39),
    (1, ("calls", "loopback", "cpu_us", "median"), 120.1, 78),
    (2, ("calls", "m3ua_tcp", "calls_per_s", "median"), 7999, 10_000),
    (3, ("instances", "noop", "cpu_us", "median"), 10.1, 6),
    (4, ("rest", "plain_send_and_expect_us", "median"), 80.1, 60),
    (5, ("diameter", "python_diameter", "cpu_us", "median"), 359, 600),
    (6, ("codec", "ratio", "decode"), 36.9, None),
    (7, ("schedule", "rates", "5000", "lateness_ms", "p99"), 1.01, None),
    (8, ("instances", "waiting", "kib_each"), 6.1, 4.5),
    (9, ("rpc", "cases", "calls", "loading_run", "p99_ms"), 6.1, None),
    (10, ("start", "ready_cpu_ms", "median"), 601, None),
    (11, ("cluster", "call", "workers", "cpu_us", "median"), 210.1, None),
    (12, ("deviations", "one_in_1000", "median"), 105.1, None),
    (13, ("deviations", "deviating", "median"), 1001, 750),
    (22, ("data", "loads", "equal", "alone_1", "cpu_us", "median"), 105.1, 40),
    (27, ("data", "loads", "ussd", "alone_1", "cpu_us", "median"), 50.1, 30),
    (28, ("data", "loads", "diameter", "alone_1", "cpu_us", "median"), 60.1, 40),
    (29, ("data", "loads", "rest", "alone_1", "cpu_us", "median"), 60.1, 40),
    (30, ("data", "loads", "two_ways", "alone_1", "cpu_us", "median"), 105.1, 40),
    (31, ("data", "loads", "ordinary", "alone_0", "cpu_us", "median"), 220.1, 180),
    (30, ("data", "loads", "two_ways", "alone_1", "replayed", "median"), 0.79, None),
]
# Calls with data have three lines each: compared with SIPp over two links, and with `track: 0`.
WITH_DATA = [("callers", 14), ("extensions_8", 15), ("extensions_400", 16), ("prepaid", 17)]


def changed(parts, path, value):
    found = copy.deepcopy(parts)
    place = found
    for folder in path[:-1]:
        place = place[folder]
    place[path[-1]] = value
    return found


def result_of(parts):
    return {
        "machine": MACHINE,
        "began": "2026",
        "is_quick": False,
        "load_average_end": [0.0],
        "parts": parts,
    }


def test_figures_on_the_edge_meet_the_table():
    assert [line.is_met for line in lines_of(PARTS)] == [True] * 14


@pytest.mark.parametrize(("number", "path", "value"), TOO_BAD)
def test_a_figure_beyond_the_edge_does_not(number, path, value):
    parts = changed(PARTS, path, value)
    assert [at for at, line in enumerate(lines_of(parts)) if not line.is_met] == [number]


def test_ratios_on_the_edge_are_met():
    assert [line.is_met for line in ratios_of(BESIDE)] == [True] * 32


@pytest.mark.parametrize(("number", "path", "too_bad", "aimed_at"), RATIOS)
def test_a_ratio_beyond_the_edge_is_not(number, path, too_bad, aimed_at):
    lines = ratios_of(changed(BESIDE, path, too_bad))
    assert [at for at, line in enumerate(lines) if not line.is_met] == [number]
    if aimed_at is not None:
        assert not ratios_of(BESIDE)[number].aim
        assert ratios_of(changed(BESIDE, path, aimed_at))[number].aim


@pytest.mark.parametrize(("load", "first"), WITH_DATA)
@pytest.mark.parametrize(
    ("side", "figure", "value", "lines"),
    [
        ("alone_1", "cpu_us", 150.1, (0, 9)),
        ("m3ua_1", "cpu_us", 120.1, (4, 9)),
        ("alone_0", "cpu_us", 249, (9,)),
        ("m3ua_0", "cpu_us", 199, (9,)),
        ("sipp", "cpu_us", 59, (0, 4)),
        ("sipp", "uas_cpu_us", 39, (0,)),
        ("alone_1", "replayed", 0.79, (0, 9)),
        ("m3ua_1", "replayed", 0.79, (4, 9)),
    ],
)
def test_calls_with_data_have_three_lines(load, first, side, figure, value, lines):
    found = ratios_of(changed(BESIDE, ("data", "loads", load, side, figure, "median"), value))
    assert [at for at, one in enumerate(found) if not one.is_met] == [first + at for at in lines]


def test_a_load_that_was_not_replayed_says_so():
    path = ("data", "loads", "ussd", "alone_1", "replayed", "median")
    line = ratios_of(changed(BESIDE, path, 0.0))[27]
    assert (line.met, line.beside.partition(";")[0]) == ("no", "only 0% replayed")


def test_a_ratio_to_what_is_not_there_is_not_measured():
    parts = copy.deepcopy(BESIDE)
    del parts["calls"]["sipp"], parts["codec"]["ratio"]
    parts["schedule"]["sipp"] = {}
    for load in parts["data"]["loads"].values():
        load.pop("sipp", None)
    parts["rest"]["locust_us"] = {"absent": "no locust"}
    met = [line.is_met for line in ratios_of(parts)]
    assert met == [
        None,
        None,
        None,
        True,
        None,
        True,
        None,
        None,
        True,
        True,
        True,
        True,
        True,
        True,
        *[None] * 8,
        *[True] * 9,
        None,
    ]


def test_a_quick_look_says_that_it_proves_nothing():
    for write in (as_text, as_markdown):
        told = write({**result_of({}), "is_quick": True, "left_out": ["growth", "db"]})
        assert "proves no line" in told
        assert "Not looked at: growth, db." in told
        assert "proves no line" not in write(result_of({}))


def test_a_part_that_failed_is_not_measured_and_the_others_are():
    parts = {**PARTS, "diameter": {"failed": "no peer"}}
    assert [line.met for line in lines_of(parts)].count("not measured") == 1
    assert "not measured" in as_text(result_of(parts))
    assert "not measured" in as_markdown(result_of(parts))


def test_aims_are_told_apart_from_what_is_to_be_reached():
    parts = copy.deepcopy(PARTS)
    assert lines_of(parts)[0].met == "yes, the aim not"
    parts["calls"]["loopback"]["calls_per_s"] = one(5000)
    assert lines_of(parts)[0].met == "yes, the aim too"


def test_ratios_say_how_many_times_ours_the_others_take():
    lines = lines_of(PARTS)
    assert "10.00 times" in lines[6].beside
    assert lines[7].beside == "requests 450 µs (450 to 450): 3.00 times ours"


def test_a_plot_has_its_points_where_the_values_are():
    points = {"1": one(0.001), "100": one(50), "10000": one(100)}
    tree = ET.fromstring(chart("t < u", "size", {"a": points}))
    dots = list(tree.iter("{http://www.w3.org/2000/svg}circle"))
    x = [float(dot.get("cx")) for dot in dots]
    y = [float(dot.get("cy")) for dot in dots]
    assert x[1] - x[0] == pytest.approx(x[2] - x[1], abs=0.2)
    assert y == pytest.approx([HEIGHT - BOTTOM, (HEIGHT - BOTTOM + TOP) / 2, TOP], abs=0.1)


def test_a_part_that_is_stopped_is_ended_with_what_it_started(tmp_path):
    told = tmp_path / "child"
    code = (
        "import pathlib, subprocess, sys, time\n"
        "wait = [sys.executable, '-c', 'import time; time.sleep(600)']\n"
        f"pathlib.Path({str(told)!r}).write_text(str(subprocess.Popen(wait).pid))\n"
        "time.sleep(600)\n"
    )
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", code], start_new_session=True, **pipes)
    until(lambda: told.exists() and told.read_text())
    child = int(told.read_text())
    stop(process)
    assert process.returncode is not None
    until(lambda: not is_running(child))


def is_running(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"  # a zombie has ended; its parent may be gone and never wait for it
