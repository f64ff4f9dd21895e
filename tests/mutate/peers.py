"""Runs mutants of the messages of peers other than TCAP, several lanes at once, and judges them.

A lane is an application of the daemon with a separate proxy and connections. So the outcome of a
run depends only on its changed message.
"""

import contextlib
import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gevent
from gevent.pywsgi import WSGIServer
from gevent.queue import Empty, Queue
from support.daemons import Daemon
from support.esme import PlainEsme
from support.five_gateways import OCS_SETTINGS, PI_PASSWORD, PI_SETTINGS
from support.ports import free_port
from support.waiting import until

from mutate import report
from mutate.judges import JUDGES
from mutate.play import end, shuffled, start
from mutate.protocols import DIAMETER, HTTP, PI, SMPP, SOAP, SOAP_1_2
from mutate.wire import WAIT_S, Change, Lane, Pair, Protocol, changes
from tsvc.kinds.diameter.fake import OcsFake
from tsvc.kinds.osd.fake import OsdFake
from tsvc.kinds.pi.fake import PiFake
from tsvc.protocols.smpp.commands import RESPONSE, Command, Tlv

LANES = 16
_OWN = Path(__file__).parent / "peers_definitions"
_TRIED_EVERY = 20  # changes: an unchanged run in between has to pass


@dataclass(frozen=True)
class Played:
    """A changed message: before and after, the verdict, and why a test must notice it.

    `must` is empty if a test need not notice it.
    """

    change: Change
    pair: Pair
    verdict: str
    must: str = ""

    @property
    def name(self) -> str:
        return self.change.name

    @property
    def survived(self) -> bool:
        return bool(self.must) and self.verdict == "pass"


@dataclass(repr=False)
class Peer:
    """A protocol, the definition that names all that its peer sends, and the lanes to the peer."""

    protocol: Protocol
    definition: str
    """JSON; LANE stands for the number of the lane."""
    lanes: dict[str, Lane]
    has_connection: bool
    """True if the gateway keeps one connection, which has to be up before a run."""


@dataclass(repr=False)
class Peers:
    """The daemon with all lanes."""

    daemon: Daemon
    peers: list[Peer]

    def unchanged(self, peer: Peer) -> list[bytes]:
        """Run a definition unchanged and return the received messages."""
        name, lane = next(iter(peer.lanes.items()))
        lane.arm(None)
        result = self.daemon.finish(start(self.daemon, _through(peer, name)))
        assert result["verdict"] == "pass", json.dumps(result, indent=1)
        return lane.seen

    def changes(self, count: int, seed: int) -> list[Change]:
        """Return so many changes, as far as possible the same share for each peer."""
        every = [shuffled(self._all(one), seed) for one in self.peers]
        found: list[Change] = []
        for at, some in enumerate(sorted(every, key=len)):
            found += some[: (count - len(found)) // (len(every) - at)]
        return found

    def named(self, name: str) -> Change:
        """Return the change with a name. Errors: KeyError."""
        owner = name.partition("/")[0]
        found = [
            one for peer in self.peers if peer.protocol.name == owner for one in self._all(peer)
        ]
        return {one.name: one for one in found}[name]

    def _all(self, peer: Peer) -> list[Change]:
        return list(changes(peer.protocol, self.unchanged(peer)))

    def play(self, wanted: Iterable[Change]) -> list[Played]:
        """Run and judge the changes."""
        wanted = list(wanted)
        played: list[Played] = []
        for peer in self.peers:
            queue: Queue[Change] = Queue()
            for one in wanted:
                if one.protocol is peer.protocol:
                    queue.put(one)
            made: list[Played] = []
            lanes = list(peer.lanes)[: queue.qsize()]
            tasks = [gevent.spawn(self._lane, peer, name, queue, made) for name in lanes]
            gevent.joinall(tasks, raise_error=True)
            played += _judged(made)
        return played

    def _lane(self, peer: Peer, name: str, queue: "Queue[Change]", made: list[Played]) -> None:
        lane = peer.lanes[name]
        for number in itertools.count():
            self._wait_for(peer, name)
            if number % _TRIED_EVERY == 0:  # the first message is also used by "message of before"
                lane.arm(None)
                verdict = end(self.daemon, start(self.daemon, _through(peer, name)))
                assert verdict == "pass", (
                    f"{name}, unchanged, after {made[-1].name if made else '-'}"
                )
            try:
                change = queue.get_nowait()
            except Empty:
                return
            lane.arm(change)
            verdict = end(self.daemon, start(self.daemon, _through(peer, name)))
            lane.change = None
            if lane.pair is not None:
                if not lane.has_stalled:
                    made.append(Played(change, lane.pair, verdict))
                self._renew(peer, name)

    def _renew(self, peer: Peer, name: str) -> None:
        """Give the next run a new connection, so that nothing is left in it."""
        lane = peer.lanes[name]
        lane.cut()
        if peer.has_connection:
            until(lambda: lane.greeted > lane.used, what=lambda: name)

    def _wait_for(self, peer: Peer, name: str) -> None:
        """Wait until a connection is up again that this process kept waiting while it computed."""
        if peer.has_connection:
            until(lambda: self._is_up(name), what=lambda: name)

    def _is_up(self, name: str) -> bool:
        status = self.daemon.service.gateways.status()
        return any(one["name"] == name and one["state"] == "up" for one in status)


def _through(peer: Peer, name: str) -> dict[str, Any]:
    definition = json.loads(peer.definition.replace("LANE", name.rpartition(" ")[2]))
    return {**definition, peer.protocol.kind: name}


def _judged(made: Sequence[Played]) -> list[Played]:
    if not made:
        return []
    judge = JUDGES[made[0].change.protocol.name]
    reasons = judge([(one.change.operator, one.pair) for one in made])
    return [
        Played(one.change, one.pair, one.verdict, reason)
        for one, reason in zip(made, reasons, strict=True)
    ]


def unexplained(played: Iterable[Played]) -> list[Played]:
    """Return the survivors that are not in the list."""
    patterns = report.explained()
    return [one for one in played if one.survived and not report.is_explained(one.name, patterns)]


def needless(played: Iterable[Played]) -> list[Played]:
    """Return the changes that a test need not notice, but noticed."""
    return [one for one in played if not one.must and one.verdict != "pass"]


def table(played: Iterable[Played]) -> str:
    """Return the score by protocol and kind of change, and separately what need not be noticed."""
    counts: dict[str, Counter[str]] = {}
    for one in played:
        protocol = one.change.protocol.name
        outcome = "noticed" if one.verdict != "pass" else "passed"
        for key in (f"{protocol} {_kind(one.change)}", f"{protocol} all"):
            counts.setdefault(key, Counter())[
                f"{'must' if one.must else 'need not'} {outcome}"
            ] += 1
    lines = [f"{'':34}{'must':>7}{'noticed':>9}{'score':>10}{'need not':>10}{'passed':>9}"]
    for key, of in counts.items():
        must = of["must noticed"] + of["must passed"]
        score = f"{100 * of['must noticed'] / must:.2f} %" if must else "-"
        need_not = of["need not noticed"] + of["need not passed"]
        lines.append(
            f"{key:34}{must:7}{of['must noticed']:9}{score:>10}{need_not:10}"
            f"{of['need not passed']:9}"
        )
    return "\n".join(lines)


def _kind(change: Change) -> str:
    kind = change.operator
    return "bit" if kind.startswith("bit") else kind


# -- the peers ------------------------------------------------------------------------------------

_ACCOUNT = {
    "owner": "Ana",
    "balance": 1450,
    "rate": 12.5,
    "is_active": True,
    "closed": None,
    "tags": ["gold", "roaming"],
    "plan": {"name": "basic", "minutes": 300},
}

_BALANCE = {
    "balance": 1450,
    "state": "A",
    "bucket": ["gold", "roaming"],
    "plan": {"name": "basic", "minutes": 300},
}


def _answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    """Act as an HTTP server: an account, and a missing resource; one line per member of JSON."""
    if environ["PATH_INFO"].endswith("/account"):
        status, found = "200 OK", dict(_ACCOUNT)
    else:
        status, found = "404 Not Found", {"error": "no such account"}
    body = json.dumps(found, indent=0).encode()
    fields = [
        ("Content-Type", "application/json"),
        ("Content-Length", str(len(body))),
        ("X-Served-By", "node-7"),
    ]
    start_response(status, fields)
    return [body]


def _esme(port: int) -> None:
    """Stay bound; acknowledge a deliver_sm to 778 and submit a message, refuse one to 779."""
    while True:
        with contextlib.suppress(OSError, EOFError), PlainEsme(port) as esme:
            esme.bind()
            while True:
                request = esme.receive()
                if request.command_id & RESPONSE:
                    continue
                if request.command_id != Command.DELIVER_SM:
                    esme.answer(request)
                elif request.parameters["destination_addr"] == "779":
                    esme.answer(request, status=8)
                else:
                    told = {"message_id": f"m-{request.parameters['source_addr']}"}
                    number = request.sequence_number
                    esme.send(Command.DELIVER_SM | RESPONSE, told, number=number)
                    esme.send(Command.SUBMIT_SM, _SUBMITTED, tlvs=_TLVS)
        gevent.sleep(0.01)


_SUBMITTED = {
    "service_type": "CMT",
    "source_addr_ton": 1,
    "source_addr_npi": 1,
    "source_addr": "64219",
    "dest_addr_ton": 2,
    "dest_addr_npi": 8,
    "destination_addr": "777",
    "priority_flag": 1,
    "validity_period": "000002000000000R",
    "registered_delivery": 1,
    "data_coding": 4,
    "short_message": b"balance?",
}
# user_message_reference, source_port, privacy_indicator, receipted_message_id
_TLVS = tuple(
    Tlv(tag, value)
    for tag, value in (
        (0x0204, b"\x12\x67"),
        (0x020A, b"\x00\x50"),
        (0x0201, b"\x02"),
        (0x001E, b"m17\0"),
    )
)


@contextlib.contextmanager
def peers(folder: Path) -> Iterator[Peers]:
    """Run the peers, the lanes to them and a daemon, for the duration of a block."""
    with contextlib.ExitStack() as stack:
        made: list[Peer] = []
        applications: dict[str, tuple[str, dict[str, Any]]] = {}

        def add(protocol: Protocol, target: tuple[str, int], members: Any, kept: bool) -> None:
            lanes = {}
            for at in range(LANES):
                where = ("127.0.0.1", free_port()) if protocol.is_peer_client else target
                lane = Lane(protocol, where)
                stack.callback(lane.stop)
                name = f"{protocol.name} {at}"
                lanes[name] = lane
                port = where[1] if protocol.is_peer_client else lane.port
                applications[name] = (protocol.kind, members(port, at))
                if protocol.is_peer_client:
                    stack.callback(gevent.spawn(_esme, lane.port).kill)
            text = (_OWN / f"{protocol.name}.json").read_text("utf-8")
            made.append(Peer(protocol, text, lanes, kept))

        ocs = OcsFake(**OCS_SETTINGS, rar_after_s=0.005)
        osd = OsdFake(operations={"QueryBalance": {"subscribers": {"6421000001": _BALANCE}}})
        pi = PiFake(**PI_SETTINGS)
        for fake in (ocs, osd, pi):
            fake.start()
            stack.callback(fake.stop)
        server = WSGIServer(("127.0.0.1", 0), _answer, log=None, error_log=None)
        server.start()
        stack.callback(server.stop, timeout=0)
        add(DIAMETER, ocs.address, _diameter_members, kept=True)
        add(HTTP, ("127.0.0.1", server.server_port), _rest_members, kept=False)
        add(SOAP, osd.address, _osd_members, kept=False)
        add(SOAP_1_2, osd.address, _osd_1_2_members, kept=False)
        add(PI, pi.address, _pi_members, kept=True)
        add(SMPP, ("127.0.0.1", 0), _smpp_members, kept=True)
        daemon = Daemon(folder, applications, results={"url": "sqlite://"})
        stack.callback(daemon.stop)
        daemon.until_up()
        yield Peers(daemon, made)


def _diameter_members(port: int, at: int) -> Mapping[str, Any]:
    return {
        "remote_host": "127.0.0.1",
        "remote_port": port,
        "origin_host": f"tester{at}.example.net",
        "request_timeout_s": WAIT_S,
        "reconnect_interval_s": 0.01,
    }


def _rest_members(port: int, at: int) -> Mapping[str, Any]:
    return {
        "base_uri": f"http://127.0.0.1:{port}",
        "server_timeout_s": WAIT_S,
        "reconnect_interval_s": 0.01,
    }


def _osd_members(port: int, at: int) -> Mapping[str, Any]:
    return {"remote_host": "127.0.0.1", "remote_port": port, "server_timeout_s": WAIT_S}


def _osd_1_2_members(port: int, at: int) -> Mapping[str, Any]:
    return {**_osd_members(port, at), "soap_version": "1.2"}


def _pi_members(port: int, at: int) -> Mapping[str, Any]:
    return {
        "remote_host": "127.0.0.1",
        "remote_port": port,
        "username": "tester",
        "password": PI_PASSWORD,
        "num_client_connections": 1,
        "server_timeout_s": WAIT_S,
        "reconnect_interval_s": 0.01,
    }


def _smpp_members(port: int, at: int) -> Mapping[str, Any]:
    return {"port": port, "response_timeout_s": WAIT_S}
