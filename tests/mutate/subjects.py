"""The subjects of mutation: the definitions of etc/examples and of the guide, and their daemons.

A subject passes if it is unchanged. All daemons and peers are in this process: a run costs some 20
ms.
"""

import contextlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gevent
from gevent.pywsgi import WSGIServer
from support.daemons import EXAMPLES, Applications, Daemon, example
from support.esme import PlainEsme
from support.five_gateways import OCS_SETTINGS, PI_PASSWORD, PI_SETTINGS, sqlite
from support.ports import free_port

from tsvc.cli.definition_file import read_definition
from tsvc.config.scp_tables import Scp
from tsvc.config.tables import Application, Config, Results
from tsvc.config.tables import Service as ServiceConfig
from tsvc.kinds.diameter.fake import OcsFake
from tsvc.kinds.osd.fake import OsdFake
from tsvc.kinds.pi.fake import PiFake
from tsvc.protocols.smpp.commands import RESPONSE, Command

Definition = dict[str, Any]

VARIANTS = ("cs1", "camel2", "camel3", "camel4")
LOOPBACK = {"connections": [{"name": "L", "type": "loopback"}], "quarantine_s": 0}
FLOWS = tuple(
    EXAMPLES / f"flows/{name}.json" for name in ("extension_dialing", "prepaid", "ussd", "assist")
)
OWN = Path(__file__).parent / "definitions"
SUBSCRIBER = "6421000001"


@dataclass(frozen=True)
class Subject:
    """A definition that passes, and the name of the daemon that runs it."""

    name: str
    world: str
    definition: Definition


def _dialling() -> Iterator[Subject]:
    for path in sorted(EXAMPLES.glob("*.json")):
        definition = example(path.stem)
        for variant in VARIANTS:
            yield Subject(f"{path.stem}@{variant}", "switch", {**definition, "ssp_ac": variant})


def subjects() -> list[Subject]:
    """Return all subjects; each name is unique."""
    guide = EXAMPLES / "guide"
    charged = read_definition(guide / "five_gateways.json")
    made = list(_dialling())
    made += [
        Subject(name, "switch", read_definition(guide / f"{name}.json"))
        for name in ("assist", "two_calls", "loop", "locks")
    ]
    made.append(Subject("five_gateways", "switch", {**charged, "diameter": "OCS"}))
    made.append(Subject("ussd", "switch", read_definition(guide / "ussd.json")))
    prepaid = read_definition(guide / "prepaid.json")
    made += [
        Subject(f"prepaid@{variant}", "switch", {**prepaid, "ssp_ac": variant})
        for variant in ("camel2", "camel3")
    ]
    made += [
        Subject(path.stem, "switch", json.loads(path.read_text()))
        for path in sorted(OWN.glob("*.json"))
    ]
    for one in made:
        one.definition.pop("locks", None)  # mutants run at the same time
    return made


# -- peers -----------------------------------------------------------------------------------


def _answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    """Act as an HTTP server: routes of the worked definition, and an account."""
    query = dict(one.split("=") for one in environ["QUERY_STRING"].split("&") if one)
    path = environ["PATH_INFO"]
    status = "200 OK"
    if path == "/api/route":
        found: Any = {
            "account": query["account"],
            "granted": int(query["granted"]),
            "extension": "100",
        }
    elif path == "/api/account":
        found = {
            "owner": "Ana",
            "balance": 1450,
            "rate": 12.5,
            "is_active": True,
            "closed": None,
            "tags": ["gold", "roaming"],
            "since": "2026-01-02T03:04:05Z",
            "plan": {"name": "basic", "minutes": 300},
        }
    else:
        status, found = "404 Not Found", {"error": "no such account"}
    body = json.dumps(found).encode()
    fields = [
        ("Content-Type", "application/json"),
        ("Content-Length", str(len(body))),
        ("X-Served-By", "node-7"),
        ("Date", "Thu, 01 Jan 1970 00:00:00 GMT"),
    ]
    start_response(status, fields)
    return [body]


def _esme(port: int) -> None:
    """Stay bound; acknowledge a message by its sender, and submit one to it if it was to 778."""
    while True:
        with contextlib.suppress(OSError, EOFError), PlainEsme(port) as esme:
            esme.bind()
            while True:
                request = esme.receive()
                if request.command_id != Command.DELIVER_SM:
                    if not request.command_id & RESPONSE:
                        esme.answer(request)
                    continue
                sender = str(request.parameters["source_addr"])
                number = request.sequence_number
                esme.send(request.command_id | RESPONSE, {"message_id": sender}, number=number)
                if request.parameters.get("destination_addr") == "778":
                    esme.send(
                        Command.SUBMIT_SM,
                        {
                            "source_addr": "777",
                            "destination_addr": sender,
                            "short_message": b"balance?",
                        },
                    )
        gevent.sleep(0.02)


@contextlib.contextmanager
def _peers(folder: Path) -> Iterator[Applications]:
    """Run a peer of each kind; yield the applications that talk to the peers."""
    with contextlib.ExitStack() as stack:
        ocs = OcsFake(**OCS_SETTINGS)
        authorizing = OcsFake(**OCS_SETTINGS, rar_after_s=0.01)
        pi = PiFake(**PI_SETTINGS)
        accounts = {SUBSCRIBER: {"balance": 1450}}
        osd = OsdFake(operations={"QueryBalance": {"subscribers": accounts}})
        for fake in (ocs, authorizing, pi, osd):
            fake.start()
            stack.callback(fake.stop)
        server = WSGIServer(("127.0.0.1", 0), _answer, log=None, error_log=None)
        server.start()
        stack.callback(server.stop, timeout=0)
        smsc = free_port()
        stack.callback(gevent.spawn(_esme, smsc).kill)
        statement = {
            "sql": "SELECT account, key AS service_key FROM subscriber WHERE msisdn = :msisdn",
            "bind": {"msisdn": "text"},
            "shape": "row",
            "types": {"account": "text", "service_key": "integer"},
        }
        diameter = {"remote_host": "127.0.0.1", "origin_host": "tester.example.net"}
        osd_at = {"remote_host": "127.0.0.1", "remote_port": osd.address[1]}
        base = f"http://127.0.0.1:{server.server_port}/api"
        yield {
            "SIGTRAN": ("sigtran", LOOPBACK),
            "crm": ("db", {"url": sqlite(folder), "statements": {"Subscriber": statement}}),
            "OCS": ("diameter", {**diameter, "remote_port": ocs.address[1]}),
            "RAR": ("diameter", {**diameter, "remote_port": authorizing.address[1]}),
            "routes": ("rest", {"base_uri": base}),
            "OSD": ("osd", osd_at),
            "SMSC": ("smpp", {"port": smsc, "window": 20}),
            "PI": (
                "pi",
                {
                    "remote_host": "127.0.0.1",
                    "remote_port": pi.address[1],
                    "username": "tester",
                    "password": PI_PASSWORD,
                },
            ),
        }


def _configuration(folder: Path, applications: Applications) -> Config:
    return Config(
        service=ServiceConfig(state_dir=folder),
        results=Results(url="sqlite://"),
        scp=Scp(flows=FLOWS),
        applications={
            name: Application(name, kind, members, "mutate")
            for name, (kind, members) in applications.items()
        },
    )


@contextlib.contextmanager
def worlds(folder: Path, names: Iterable[str]) -> Iterator[dict[str, Daemon]]:
    """Run the daemons of these names, with their peers, for the duration of a block."""
    made: dict[str, Daemon] = {}
    wanted = set(names)
    with contextlib.ExitStack() as stack:
        for name in sorted(wanted):
            home = folder / name
            home.mkdir()
            applications = stack.enter_context(_peers(home))
            daemon = Daemon(home, config=_configuration(home, applications))
            stack.callback(daemon.stop)
            made[name] = daemon
        for daemon in made.values():
            daemon.until_up()
        yield made
