"""Locust as a guest: imported late, restricted, and in one module."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from house.source import ROOT, imports_of, modules

from tsvc.cluster.errors import MISSING

GUESTS = ("locust", "zmq", "msgpack")


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_the_room_is_imported_without_its_extra() -> None:
    program = """
import sys
import tsvc.cluster.curve, tsvc.cluster.lease, tsvc.cluster.link, tsvc.cluster.moments
print({"locust", "zmq", "msgpack", "flask"} & {name.partition(".")[0] for name in sys.modules})
"""
    assert run(program) == "set()\n"


@pytest.mark.parametrize(
    ("missing", "call"),
    [("locust", "hub.start()"), ("zmq", "spoke.start()"), ("msgpack", "load()")],
)
def test_an_installation_without_the_extra_says_what_is_missing(missing: str, call: str) -> None:
    program = f"""
import sys
from tsvc.cluster.link import ClusterUnavailable, Hub, Spoke, load
sys.modules[{missing!r}] = None
hub = Hub("127.0.0.1:0", on_message=print, on_join=print, on_lost=print)
spoke = Spoke("127.0.0.1:1", "w1", on_message=print, on_lost=print)
try:
    {call}
except ClusterUnavailable as error:
    print(error)
"""
    said = f"{MISSING} (no module {missing})\n"
    assert run(program) == said


def test_keys_without_the_extra() -> None:
    program = """
import sys
from tsvc.cluster.curve import new_pair, public_of
from tsvc.cluster.errors import ClusterUnavailable
sys.modules["zmq"] = None
for call in (new_pair, lambda: public_of("0" * 40)):
    try:
        call()
    except ClusterUnavailable as error:
        print(error)
"""
    assert run(program) == f"{MISSING}\n" * 2


def test_what_is_loaded_leaves_the_process_as_it_was() -> None:
    """No patching, no signal handler, no log handler, no output, no environment variable."""
    program = """
import logging, os, signal, sys
from gevent import monkey
from tsvc.cluster.link import Hub, Spoke

def state():
    signals = [signal.getsignal(number) for number in signal.valid_signals()]
    return signals, dict(os.environ), sys.excepthook, logging.root.handlers[:], dict(monkey.saved)

before = state()
hub = Hub("127.0.0.1:0", on_message=print, on_join=lambda *_: None, on_lost=lambda *_: None)
hub.start()
spoke = Spoke(hub.endpoint, "w1", on_message=print, on_lost=print)
spoke.start()
spoke.stop()
hub.stop()
assert state() == before
assert "locust" in sys.modules
"""
    assert run(program) == ""


def test_guests_are_known_behind_the_link_only() -> None:
    """Only the link, which restricts them, imports the modules that know them: in tests, too."""
    guests = re.compile("|".join(GUESTS))
    behind = {"tsvc.cluster.runners", "tsvc.cluster.sockets", "tsvc.cluster.curve"}
    product = set()
    for name, path in modules().items():
        if guests.search(path.read_text("utf-8")) is None:
            continue  # parsing all files takes seconds
        for source, _ in imports_of(path):
            if source.partition(".")[0] in GUESTS:
                product.add(name)
    assert product == behind

    tests = Path(__file__).parents[1]
    late = {"tsvc.cluster.runners", "tsvc.cluster.sockets"}
    places = [*(ROOT / "tsvc").rglob("*.py"), *tests.rglob("*.py")]
    importers = {
        str(path.relative_to(ROOT))
        for path in places
        if "tsvc.cluster" in path.read_text("utf-8")
        for source, name in imports_of(path)
        if source in late or f"{source}.{name}" in late
    }
    assert importers == {"tsvc/cluster/link.py", "tsvc/cluster/runners.py"}
