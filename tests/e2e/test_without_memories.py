"""Every shipped definition, unchanged, with `track: 0`, and with all memories off: the same
octets.

Each definition is a load of many instances, so that remembered values are used; they run one after
the other, so that their order is defined. Testers, SCPs and fakes are in this process; random
numbers are seeded, and the time of day stands still.
"""

import json
import os
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from gevent.pywsgi import WSGIServer
from support import transaction
from support.both_ends import configuration
from support.daemons import EXAMPLES, FLOW, HANG_GUARD_S, example
from support.five_gateways import CONFIG, OCS_SETTINGS, PI, PI_PASSWORD, PI_SETTINGS, sqlite
from support.ports import free_port
from support.scripted_scp import ScriptedScp
from support.waiting import until
from support.without_memories import Recorder, Told, compare, keep_dictionary, without_ids

from tsvc.cli.definition_file import read_definition
from tsvc.clock import Clock
from tsvc.config.load import load_config
from tsvc.engine.service import Service
from tsvc.kinds.diameter.fake import OcsFake
from tsvc.kinds.pi.fake import PiFake
from tsvc.server.dispatch import Dispatcher
from tsvc.ss7.scp_node import ScpNode

pytestmark = pytest.mark.e2e

# Remembered values are used from the second instance on.
INSTANCES = int(os.environ.get("TSVC_REMEMBERED", "15"))
NAMES = sorted(file.stem for file in EXAMPLES.glob("extension_dialing*.json"))
SERVED = ("extension_dialing", "prepaid", "ussd", "assist")
SHIPPED = [str(EXAMPLES / f"flows/{name}.json") for name in SERVED]
ANSWERED = (
    "prepaid",
    "prepaid_camel4",
    "prepaid_cs1",
    "ussd",
    "assist",
    "two_calls",
    "loop",
    "locks",
)
GUIDE = [f"guide/{name}" for name in ANSWERED]
LOOP = f'[scp]\nflows = {json.dumps(SHIPPED)}\n[application.LOOP]\nmodule = "sigtran"\n'


class StandingClock(Clock):
    """A clock whose time of day stands still, since it is part of sessions and identifiers."""

    def wall(self) -> float:
        return 1_800_000_000.0


CLOCK = StandingClock()


@contextmanager
def service(folder: Path, text: str, scp: ScriptedScp | None = None) -> Iterator[Service]:
    """Run a service in this process during a block; its gateways are up."""
    folder.mkdir(exist_ok=True)
    path = folder / "tsvc.toml"
    path.write_text(f'[service]\nstate_dir = "{folder}"\n{text}')
    path.chmod(0o600)
    made = Service(load_config(path, {}), CLOCK)
    if scp is not None:
        made.scp.node = ScpNode(scp, CLOCK)
    made.start()
    try:
        until(lambda: all(one["state"] == "up" for one in made.gateways.status()))
        yield made
    finally:
        made.stop()


def play(made: Service, recorder: Recorder, definition: dict[str, Any], backlog: int = 1) -> Told:
    """Return the outcome of a load of the definition."""
    begin(made, "r", definition, backlog)
    return ended(made, recorder, "r")


def ask(made: Service, method: str, **params: Any) -> Any:
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    dispatcher = Dispatcher(made, made.config.rpc)
    return json.loads(dispatcher.dispatch(json.dumps(request).encode()))["result"]


def begin(made: Service, run_id: str, definition: dict[str, Any], backlog: int = 1) -> None:
    """Start a load of the definition."""
    load = {"type": "load", "total": INSTANCES, "backlog": backlog}
    params = {**definition, "distribution": load, "seed": 7, "trace_level": 0}
    assert ask(made, "ExecuteTest", run_id=run_id, **params) == "ok"


def ended(made: Service, recorder: Recorder, run_id: str) -> Told:
    """Return the outcome of a load."""
    result = ask(made, "QueryTest", run_id=run_id, wait_s=HANG_GUARD_S)
    assert result["completed"] == 1, "hangs"
    return recorder.told(run_id, result)


def all_pass(told: Told) -> None:
    first = told["first"]
    assert told["counts"]["passed"] == INSTANCES, (told["counts"], first["check_log"])
    for one in told["instances"]:
        assert one["messages"], "octets are compared"
        assert one["check_log"]


def runs(text: str, recorder: Recorder, folder: Path, scp: Callable[[], Any]) -> Any:
    """Return a function that runs a definition in a new service, with ids from the same seed."""

    def run(definition: dict[str, Any], backlog: int = 1) -> Told:
        random.seed(1)
        with service(folder, text, scp()) as made:
            return play(made, recorder, definition, backlog)

    return run


def nobody() -> None:
    """Return no scripted SCP: the embedded one answers."""


# -- the embedded SCP and scripted ones -----------------------------------------------------------


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", [*NAMES, *GUIDE])
def test_calls_over_the_loopback(recorder: Recorder, tmp_path: Path, name: str) -> None:
    run = runs(LOOP, recorder, tmp_path, nobody)
    definition = read_definition(EXAMPLES / f"{name}.json")
    all_pass(compare(lambda **way: run({**definition, **way})))


def test_many_calls_at_once(recorder: Recorder, tmp_path: Path) -> None:
    """The assignment of transaction ids to calls is not guaranteed."""
    run = runs(LOOP, recorder, tmp_path, nobody)
    definition = read_definition(EXAMPLES / "extension_dialing.json")
    all_pass(compare(lambda **way: without_ids(run({**definition, **way}, backlog=10))))


def test_a_transaction(recorder: Recorder, tmp_path: Path) -> None:
    run = runs(transaction.database(tmp_path), recorder, tmp_path, nobody)
    definition = read_definition(EXAMPLES / "guide/transaction.json")
    all_pass(compare(lambda **way: run({**definition, "db_smf": "SMF01", **way})))


def test_every_example_is_run_here() -> None:
    here = Path(__file__).read_text("utf-8")
    for path in (EXAMPLES / "guide").glob("*.json"):
        # It is only included by other definitions.
        if path.stem != "begin_call":
            assert f"guide/{path.stem}" in here or f'"{path.stem}"' in here, path.stem


# -- over links -----------------------------------------------------------------------------------


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", ["m3ua", "sua"])
@pytest.mark.parametrize("name", [name for name in NAMES if "flow" not in example(name)])
def test_calls_over_a_link(recorder: Recorder, tmp_path: Path, kind: str, name: str) -> None:
    port = free_port()
    listening = f'[scp]\nflows = ["{FLOW}"]\nlisten = ["{kind}+tcp://127.0.0.1:{port}"]\n'
    calling = (
        '[application.LAB]\nmodule = "sigtran"\nopc = 1\n'
        "default_scp = { dpc = 2, dssn = 146 }\nconnections = "
        f'[{{ name = "link", type = "{kind}", transport = "tcp", remote_port = {port} }}]\n'
    )

    def run(**way: int) -> Told:
        random.seed(1)
        with service(tmp_path / "scp", listening), service(tmp_path / "tester", calling) as tester:
            return play(tester, recorder, {**example(name), **way})

    all_pass(compare(run))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("asks", "answers"),
    [
        ("guide/asks", "guide/answers"),
        ("guide/location_asks", "guide/location_answers"),
        ("guide/message_asks", "guide/message_answers"),
        ("guide/route_asks", "guide/route_answers"),
    ],
)
def test_both_ends(recorder: Recorder, tmp_path: Path, asks: str, answers: str) -> None:
    """Two definitions, one of which answers the other; each is a separate load."""
    text = configuration()
    asking, answering = (read_definition(EXAMPLES / f"{name}.json") for name in (asks, answers))

    def run(**way: int) -> list[Told]:
        random.seed(1)
        with service(tmp_path / "both", text) as made:
            begin(made, "answers", {**answering, **way})
            look = {"run_id": "answers", "collect": 0}
            until(lambda: ask(made, "QueryTest", **look)["counts"]["in_progress"] == 1)
            begin(made, "asks", {**asking, **way})
            return [ended(made, recorder, run_id) for run_id in ("asks", "answers")]

    for told in compare(run):
        all_pass(told)


# -- all gateways ---------------------------------------------------------------------------------


def _route(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    """Answer like nginx in the guide; the time of day stands still."""
    asked = dict(pair.split("=") for pair in environ["QUERY_STRING"].split("&"))
    body = json.dumps({**asked, "extension": "100"}).encode()
    fields = [("Content-Type", "application/json"), ("Date", "Thu, 01 Jan 1970 00:00:00 GMT")]
    start_response("200 OK", [*fields, ("Content-Length", str(len(body)))])
    return [body]


def test_five_gateways(
    recorder: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_dictionary(monkeypatch)
    definition = read_definition(EXAMPLES / "guide/five_gateways.json")
    database = sqlite(tmp_path)
    ocs_port, pi_port = free_port(), free_port()
    routes = WSGIServer(("127.0.0.1", 0), _route, log=None, error_log=None)
    routes.start()
    text = LOOP + CONFIG.format(database=database, ocs=ocs_port, rest=routes.server_port)
    text += PI.format(port=pi_port, password=PI_PASSWORD)

    def run(**way: int) -> Told:
        random.seed(1)
        with ExitStack() as stack:
            for fake in (
                OcsFake("127.0.0.1", ocs_port, **OCS_SETTINGS),
                PiFake("127.0.0.1", pi_port, **PI_SETTINGS),
            ):
                fake.start()
                stack.callback(fake.stop)
            made = stack.enter_context(service(tmp_path / "tester", text))
            return play(made, recorder, {**definition, **way})

    with closing(routes):
        told = compare(run)
    all_pass(told)
    kinds = {message["protocol"] for message in told["instances"][-1]["messages"]}
    assert kinds >= {"diameter", "db", "rest", "pi"}
