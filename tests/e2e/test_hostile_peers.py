"""Hostile peers against a whole daemon: each run gets its own reason, a normal client is served.

The peers are real ones behind a proxy that changes their answers. A normal client runs the sample
during each test; all its calls must pass. Memory is checked, and at the end everything works again
and holds no resources.
"""

import contextlib
import os
import re
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from e2e.hostile_peers import GREETINGS, PROTOCOLS, Hostile, deaf, storm
from kinds.db.soak import QUERY
from kinds.diameter.soak import CHARGE, OCS
from kinds.osd.soak import CALL
from kinds.osd.soak import SETTINGS as OSD
from kinds.pi.soak import PASSWORD as PI_PASSWORD
from kinds.pi.soak import PROVISION
from kinds.pi.soak import SETTINGS as PI
from kinds.pi.soak import USER as PI_USER
from kinds.rest.soak import FETCH, web_run, write_pages
from kinds.smpp.soak import DELIVER
from kinds.smpp.soak_esme import Esme
from soak.kind import VARS
from soak.peers import Server, fake_run
from soak.proxy import Proxy, pass_on
from soak.world import resident_mib, threads
from support.daemons import FLOW, HANG_GUARD_S, configure, example, launch, require_peer
from support.databases import postgresql
from support.normal_client import NormalClient
from support.ports import free_port
from support.waiting import until

pytestmark = pytest.mark.e2e

STRANGERS_COUNT = int(os.environ.get("TSVC_STRANGERS", "1000"))
ASKING = 4  # instances of a run against a hostile peer
MOST_GROWTH_MIB = 200.0
MOST_THREADS = 40
CONFIG = f"""
[engine]
tcap_timeout_s = 1
[scp]
flows = ["{FLOW}"]
listen = ["m3ua+tcp://127.0.0.1:{{scp}}"]
[log]
level = "warning"
[application.LOOP]
module = "sigtran"
[application.LAB]
module = "sigtran"
opc = 1
default_scp = {{{{ dpc = 2, dssn = 146 }}}}
quarantine_s = 1
connections = [{{{{ name = "scp", type = "m3ua", role = "asp", remote_port = {{m3ua}} }}}}]
[application.OCS]
module = "diameter"
remote_port = {{diameter}}
request_timeout_s = 1
reconnect_interval_s = 0.2
[application.LISTENING]
module = "diameter"
mode = "listen"
local_port = {{listening}}
[application.pi]
module = "pi"
remote_host = "127.0.0.1"
remote_port = {{pi}}
username = "{PI_USER}"
password = "{PI_PASSWORD}"
num_client_connections = {ASKING}
server_timeout_s = 1
reconnect_interval_s = 0.2
[application.rest]
module = "rest"
base_uri = "http://127.0.0.1:{{rest}}"
num_client_connections = {ASKING}
server_timeout_s = 1
reconnect_interval_s = 0.2
[application.osd]
module = "osd"
remote_host = "127.0.0.1"
remote_port = {{osd}}
num_client_connections = {ASKING}
server_timeout_s = 1
reconnect_interval_s = 0.2
[application.smpp]
module = "smpp"
port = {{smpp}}
response_timeout_s = 1
session_init_s = 1
"""
DB = """
[application.db]
module = "db"
url = "postgresql://tsvc:geheim@127.0.0.1:{db}/postgres"
pool = 4
query_timeout_s = 1
connect_timeout_s = 1
reconnect_interval_s = 0.2
[application.db.statements.Say]
sql = "SELECT CAST(:token AS text) AS token"
shape = "row"
"""
ASKS: dict[str, dict[str, Any]] = {
    "diameter": {"operations": [CHARGE], "diameter": "OCS"},
    "pi": {"operations": [PROVISION]},
    "rest": {"operations": [FETCH]},
    "osd": {"operations": [CALL]},
    "smpp": {"operations": [DELIVER]},
    "db": {"operations": [QUERY]},
    "m3ua": {**example("extension_dialing"), "sigtran": "LAB"},
}
LATE = r"within 1(\.5)? s|no answer|nothing came"
# The reason of each instance; "pass": the octets can't hurt it; "fail": HTTP can't detect it.
OUTCOMES: dict[str, dict[str, str]] = {
    "diameter": {
        "nothing": LATE,
        "trickle": LATE,
        "endless": LATE,
        "huge": "does not speak Diameter",
        "garbage": "connection to|malformed|within 1 s",
        "flood": "pass|within 1 s",
        "wrong": f"{LATE}|fail: identity",
        "half_closed": "closed by peer",
        "closed": "closed by peer",
    },
    "pi": {
        "nothing": LATE,
        "trickle": LATE,
        "endless": "longer than",
        "garbage": ".",
        "flood": ".",
        "wrong": "CCSCD1",
        "half_closed": "in the middle of an answer",
        "closed": "closed the connection|lost",
        "blanks": "pass|no answer within 1 s",
    },
    "rest": {
        "nothing": LATE,
        "trickle": LATE,
        "endless": "larger than",
        "interim": "longer than|within 1 s",
        "huge": "within 1 s|larger than",
        "garbage": ".",
        "flood": "fail",
        "half_closed": "closed|ended",
        "closed": "closed|lost",
    },
    "osd": {
        "nothing": LATE,
        "trickle": LATE,
        "endless": "larger than",
        "interim": "longer than|within 1 s",
        "huge": "within 1 s|larger than",
        "garbage": ".",
        "flood": "fail",
        "half_closed": "closed|ended",
        "closed": "closed|lost",
    },
    "smpp": {
        "nothing": LATE,
        "trickle": LATE,
        "endless": LATE,
        "huge": "framing lost",
        "garbage": ".",
        "flood": "pass|within 1 s",
        "wrong": LATE,
        "half_closed": "closed by peer",
        "closed": "closed by peer",
    },
    "db": {
        "nothing": f"{LATE}|login",
        "trickle": f"{LATE}|login",
        "endless": f"{LATE}|login",
        "huge": ".",
        "garbage": ".",
        "flood": "pass|within 1|login",
        "half_closed": "lost|closed|login",
        "closed": "lost|closed|login",
    },
    "m3ua": {
        "nothing": LATE,
        "trickle": LATE,
        "endless": LATE,
        "huge": "framing lost",
        "garbage": "framing lost|nothing came|not active|unreadable message",
        "flood": "pass|nothing came",
        "half_closed": "closed by peer|not active",
        "closed": "closed by peer",
    },
}


class Lab:
    """A daemon, and a proxy before each of its peers. `ports`: where the daemon itself listens."""

    def __init__(self, folder: Path, life: contextlib.ExitStack) -> None:
        self.ports = {name: free_port() for name in ("scp", "listening", "smpp")}
        servers = {
            "diameter": Server(lambda: fake_run(folder, "diameter", OCS)),
            "pi": Server(lambda: fake_run(folder, "pi", PI)),
            "rest": Server(lambda: web_run(folder / "pages")),
            "osd": Server(lambda: fake_run(folder, "osd", OSD)),
        }
        self.proxies = {kind: server.proxy for kind, server in servers.items()}
        self.proxies["m3ua"] = Proxy(self.ports["scp"])
        self.proxies["smpp"] = Proxy(self.ports["smpp"], is_reversed=True)
        text = CONFIG
        with contextlib.suppress(pytest.skip.Exception):
            self.proxies["db"] = Proxy(life.enter_context(postgresql()).port)
            text += DB
        for server in servers.values():
            life.callback(server.close)
        for proxy in self.proxies.values():
            life.callback(proxy.close)
        esme = Esme(self.proxies["smpp"].port, "esme")
        life.callback(esme.close)
        peers = {kind: proxy.port for kind, proxy in self.proxies.items()}
        values = {**peers, **self.ports}
        port = configure(folder, text.format(**values), port=free_port())
        self.daemon = launch(folder, port)
        life.callback(self._end)

    def _end(self) -> None:
        if self.daemon.process.poll() is None:
            self.daemon.kill()

    def gateways(self) -> dict[str, dict[str, Any]]:
        found = self.daemon.result("DescribeService")["gateways"]
        return {gateway["name"]: gateway for gateway in found}

    def wait_until_up(self) -> None:
        """Wait until all are up but the gateway that listens for a peer which never comes."""

        def late() -> list[str]:
            return [name for name, one in self.gateways().items() if one["state"] != "up"]

        until(lambda: late() == ["LISTENING"], what=late)

    def wait_until_well(self, kind: str) -> None:
        """Wait until a run of this kind passes again: its peer behaves, and the gateway is up."""
        deadline = time.monotonic() + 4 * HANG_GUARD_S
        while True:
            self.wait_until_up()
            params = {"run_id": uuid.uuid4().hex, "vars": VARS, **ASKS[kind]}
            error = self.daemon.call("ExecuteTest", params).get("error")
            found: Any = error
            if error is None:
                query = {"run_id": params["run_id"], "wait_s": HANG_GUARD_S}
                found = self.daemon.result("QueryTest", query)
                if found["verdict"] == "pass":
                    break
            assert time.monotonic() < deadline, found
        # An ESME that has come back is bound twice until everything that its first connection had
        # sent has been read, its end included.
        until(lambda: self.gateways()["smpp"]["counters"]["bound"] == 1, what=self.gateways)

    def ask(self, kind: str) -> dict[str, Any]:
        load = {"type": "load", "total": ASKING, "backlog": ASKING}
        return self.daemon.run({"vars": VARS, **ASKS[kind]}, distribution=load)

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Serve a normal client during a block; check memory and threads afterwards."""
        before = resident_mib(self.daemon)
        with NormalClient(self.daemon, sigtran="LOOP") as normal:
            yield
        assert normal.failures == []
        assert normal.passed > 0
        assert self.daemon.process.poll() is None, (self.daemon.folder / "log").read_text()
        grown = resident_mib(self.daemon) - before
        assert grown < MOST_GROWTH_MIB, f"{grown:.0f} MiB"
        assert threads(self.daemon) <= MOST_THREADS


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("peers")
    write_pages(folder / "pages")
    with contextlib.ExitStack() as life:
        made = Lab(folder, life)
        yield made
        assert_nothing_is_held(made)
        assert made.daemon.stop() == 0
        log = (folder / "log").read_text()
        assert "incident" not in log
        assert "Traceback" not in log


def assert_nothing_is_held(lab: Lab) -> None:
    keys = ("pending", "sessions", "in_use", "waiting", "threads", "registered", "dialogues")
    lab.wait_until_up()

    def held() -> dict[str, list[str]]:
        found = {name: gateway["counters"] for name, gateway in lab.gateways().items()}
        kept = {name: [key for key in keys if counts.get(key)] for name, counts in found.items()}
        return {name: keys for name, keys in kept.items() if keys}

    until(lambda: not held(), what=held)


@contextlib.contextmanager
def hostile(lab: Lab, kind: str, behaviour: str) -> Iterator[None]:
    """Make the peer of a kind behave in this way during a block."""
    proxy, made = lab.proxies[kind], Hostile(PROTOCOLS[kind])
    proxy.become = made.become(behaviour)
    try:
        yield
    finally:
        proxy.become = pass_on
        made.over()
        proxy.drop()


# The reason of an instance that asks after another one has already lost the only connection.
LOST = {
    "diameter": "no connection is open",
    "m3ua": "is not active|no connection is active",
    "smpp": "no ESME is bound",
}
CASES = [(kind, behaviour) for kind, outcomes in OUTCOMES.items() for behaviour in outcomes]


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("kind", "behaviour"), CASES)
def test_an_answer(lab: Lab, kind: str, behaviour: str) -> None:
    if kind not in lab.proxies:
        require_peer(None, "apt-get install postgresql")
    lab.wait_until_up()
    expected = OUTCOMES[kind][behaviour]

    def is_told() -> bool:
        """Return True if an instance gave the reason; False if all ran out of time before."""
        with hostile(lab, kind, behaviour):
            result = lab.ask(kind)
        assert result["counts"]["finished"] == ASKING
        reasons = reasons_of(result) or {result["verdict"]}
        for reason in reasons:
            assert re.search(f"{expected}|{LOST.get(kind, expected)}|{LATE}", reason), reason
            assert "internal" not in reason
        lab.wait_until_well(kind)
        return any(re.search(expected, reason) for reason in reasons)

    def passes() -> bool:
        """Return True if all pass; False if an instance ran out of time."""
        result = lab.ask(kind)
        assert all(re.search(LATE, reason) for reason in reasons_of(result)), reasons_of(result)
        return bool(result["verdict"] == "pass")

    with lab.watched():
        until(is_told, 4 * HANG_GUARD_S)
    until(passes)


def reasons_of(result: dict[str, Any]) -> set[str]:
    """Return the reasons why instances were aborted or failed."""
    reasons = {one["reason"] for one in result["first_aborts"]}
    return reasons | {f"fail: {one['cause']}" for one in result["first_fails"]}


# The first octets of a stranger, and the octets that make us answer.
STRANGERS: dict[str, tuple[bytes, bytes]] = {
    "smpp": (GREETINGS["smpp"], PROTOCOLS["smpp"].unsolicited),
    "listening": (GREETINGS["listening"], PROTOCOLS["diameter"].unsolicited),
    "scp": (GREETINGS["scp"], PROTOCOLS["m3ua"].unsolicited),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("where", STRANGERS)
def test_connect_and_close(lab: Lab, where: str) -> None:
    lab.wait_until_up()
    greeting, octets = STRANGERS[where]
    with lab.watched():
        storm(lab.ports[where], greeting + octets, STRANGERS_COUNT)
    assert_nothing_is_held(lab)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("where", STRANGERS)
def test_who_asks_and_never_reads(lab: Lab, where: str) -> None:
    lab.wait_until_up()
    greeting, octets = STRANGERS[where]
    with lab.watched():
        assert deaf(lab.ports[where], greeting, octets, HANG_GUARD_S), "is still served"
    lab.wait_until_up()
    if where == "listening":
        assert "the peer does not read" in lab.gateways()["LISTENING"]["detail"]
