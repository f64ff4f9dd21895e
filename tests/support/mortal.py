"""Peers of each kind that can be killed and come back on their port: silent first, then well."""

import contextlib
import json
import socket
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from support.daemons import EXAMPLES, FLOW, HANG_GUARD_S, ROOT
from support.databases import postgresql
from support.fakes import fake_process
from support.nginx import running_nginx
from support.ports import free_port
from support.restartable import configure, launch

Operations = list[dict[str, Any]]

CALL: Operations = json.loads((EXAMPLES / "guide/begin_call.json").read_text())["operations"]
# How long a silent peer says nothing: longer than any test takes.
NEVER_S = 600


@dataclass
class Mortal:
    """A peer. `gateway`: the application that talks to it; `held`: the counter of who waits.

    `wait`: operations that a silent peer never lets end; `quick`: those that a well one answers.
    `reason`: what an instance says that waited when it died.
    """

    folder: Path
    port: int = field(default_factory=free_port)
    life: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    gateway: ClassVar[str] = "PEER"
    held: ClassVar[str] = "in_use"
    reason: ClassVar[str]
    wait: ClassVar[Operations]
    quick: ClassVar[Operations]

    def __post_init__(self) -> None:
        self.prepare()

    def prepare(self) -> None:
        """Do what is to be done once, before the first start."""

    @property
    def table(self) -> str:
        """The application's table."""
        raise NotImplementedError

    def start(self, *, is_silent: bool) -> None:
        raise NotImplementedError

    def kill(self) -> None:
        """End it at once."""
        self.life.close()


class Ocs(Mortal):
    held = "pending"
    reason = r"PEER: connection to \S+ at 127\.0\.0\.1:\d+: "
    quick: ClassVar[Operations] = [
        {
            "type": "diameter.Request",
            "arguments": {
                "name": "CCR",
                "avps": [
                    {"name": "Session-Id_auto", "value": 1},
                    {"name": "CC-Request-Type", "value": "EVENT_REQUEST"},
                    {"name": "CC-Request-Number", "value": 0},
                    {"name": "Requested-Action", "value": "CHECK_BALANCE"},
                    {
                        "name": "Subscription-Id",
                        "value": [
                            {"name": "Subscription-Id-Type", "value": "END_USER_E164"},
                            {"name": "Subscription-Id-Data", "value": "6421000001"},
                        ],
                    },
                ],
                "answer": {"result_code": 2001},
            },
        }
    ]
    wait = quick

    @property
    def table(self) -> str:
        return f'module = "diameter"\nremote_port = {self.port}\nreconnect_interval_s = 0.2\n'

    def start(self, *, is_silent: bool) -> None:
        delay_s = NEVER_S if is_silent else 0
        self.life.enter_context(fake_process(self.folder, "diameter", self.port, delay_s=delay_s))


class Pi(Mortal):
    reason = r"PEER: (the server closed the connection|.*reset)"
    quick: ClassVar[Operations] = [
        {
            "type": "ocncc.pi.Request",
            "arguments": {
                "command": "CCSCD1=QRY",
                "parameters": {"MSISDN": "6421000001"},
                "status": "ACK",
            },
        }
    ]
    wait = quick

    @property
    def table(self) -> str:
        return (
            f'module = "pi"\nremote_host = "127.0.0.1"\nremote_port = {self.port}\n'
            "num_client_connections = 8\nreconnect_interval_s = 0.2\nserver_timeout_s = 60\n"
        )

    def start(self, *, is_silent: bool) -> None:
        subscribers = {"6421000001": {"General Cash": 1}}
        delay_s = NEVER_S if is_silent else 0
        settings = {"subscribers": subscribers, "delay_s": delay_s}
        self.life.enter_context(fake_process(self.folder, "pi", self.port, **settings))


class Osd(Mortal):
    reason = r"PEER: POST /wsdls/Provider/Set/Query: connection lost: "
    quick: ClassVar[Operations] = [
        {
            "type": "ocncc.osd.Request",
            "arguments": {
                "action": "http://sms/wsdls/Provider/Set/Query",
                "wsdl_url": "http://sms/wsdls/Provider/Set.wsdl",
                "operation": "Query",
                "parameters": {"msisdn": "6421000001"},
            },
            "tests": [{"kpath": "returned.state", "value": "A"}],
        }
    ]
    wait = quick

    @property
    def table(self) -> str:
        return (
            f'module = "osd"\nremote_host = "127.0.0.1"\nremote_port = {self.port}\n'
            "reconnect_interval_s = 0.2\nserver_timeout_s = 60\n"
        )

    def start(self, *, is_silent: bool) -> None:
        query = {"returns": {"state": "A"}, "delay_s": NEVER_S if is_silent else 0}
        self.life.enter_context(
            fake_process(self.folder, "osd", self.port, operations={"Query": query})
        )


class Rest(Mortal):
    """nginx; a request that it hands on to a server which accepts nobody gets no answer."""

    reason = r"PEER: GET /silent: connection lost: "
    quick: ClassVar[Operations] = [
        {
            "type": "rest.Request",
            "arguments": {"path": "/quick", "method": "GET"},
            "tests": [{"kpath": "rest.code", "type": "integer", "value": 200}],
        }
    ]
    wait: ClassVar[Operations] = [
        {"type": "rest.Request", "arguments": {"path": "/silent", "method": "GET"}}
    ]

    def prepare(self) -> None:
        deaf = self.life.enter_context(socket.create_server(("127.0.0.1", 0)))
        locations = f"""
            location = /quick {{ return 200 '{{}}'; }}
            location = /silent {{
              proxy_pass http://127.0.0.1:{deaf.getsockname()[1]};
              proxy_read_timeout {NEVER_S};
            }}
        """
        self.nginx = self.life.enter_context(running_nginx(self.folder / "nginx", locations))
        self.port = self.nginx.http
        self.nginx.kill()

    @property
    def table(self) -> str:
        return (
            f'module = "rest"\nbase_uri = "http://127.0.0.1:{self.port}"\n'
            "reconnect_interval_s = 0.2\nserver_timeout_s = 60\n"
        )

    def start(self, *, is_silent: bool) -> None:
        self.nginx.start()

    def kill(self) -> None:
        self.nginx.kill()


class Database(Mortal):
    """PostgreSQL, shut down at once: the sessions are cut."""

    reason = r"PEER: Nap: connection lost: "
    quick: ClassVar[Operations] = [{"type": "db.Nap", "arguments": {"s": 0}}]
    wait: ClassVar[Operations] = [{"type": "db.Nap", "arguments": {"s": NEVER_S}}]

    def prepare(self) -> None:
        self.server = self.life.enter_context(postgresql())
        self.server.stop()

    @property
    def table(self) -> str:
        return (
            f"module = \"db\"\nurl = '{self.server.url}'\npool = 8\n"
            "reconnect_interval_s = 0.2\nquery_timeout_s = 60\n"
            '[application.PEER.statements.Nap]\nshape = "row"\n'
            'sql = "SELECT 1 AS slept FROM pg_sleep(:s)"\nbind = { s = "number" }\n'
        )

    def start(self, *, is_silent: bool) -> None:
        self.server.start()

    def kill(self) -> None:
        self.server.stop()


class Scp(Mortal):
    """A control point over M3UA: a daemon of its own. It asks for digits and waits for them."""

    held = "dialogues"
    reason = r"expected .*, got PEER: connection scp to 127\.0\.0\.1:\d+: "
    wait: ClassVar[Operations] = [*CALL, {"type": "inap.ssp_from_scp.Connect"}]
    quick: ClassVar[Operations] = [
        *CALL,
        {
            "type": "inap.ssp_to_scp.EventReportBCSM",
            "arguments": {
                "eventTypeBCSM_name": "oAbandon",
                "miscCallInfo": {"messageType": "notification"},
            },
        },
        {"type": "tcap.ssp_from_scp.End"},
    ]

    @property
    def table(self) -> str:
        return (
            'module = "sigtran"\nopc = 1\ndefault_scp = { dpc = 2, dssn = 146 }\n'
            f'connections = [{{ name = "scp", type = "m3ua", remote_port = {self.port} }}]\n'
        )

    def start(self, *, is_silent: bool) -> None:
        home = self.folder / "scp"
        listens = f'listen = ["m3ua+tcp://127.0.0.1:{self.port}"]'
        daemon = launch(home, configure(home, f'[scp]\nflows = ["{FLOW}"]\n{listens}\n'))
        self.life.callback(daemon.process.wait, HANG_GUARD_S)
        self.life.callback(daemon.process.kill)


_ESME = """
import sys, time
from smpplib.client import Client
esme = Client("127.0.0.1", int(sys.argv[1]), timeout=600, allow_unknown_opt_params=True)
while True:
    try:
        esme.connect()
        break
    except Exception:
        time.sleep(0.1)
esme.bind_transceiver(system_id="esme", password="")
time.sleep(600) if sys.argv[2] == "silent" else esme.listen()
"""


class Esme(Mortal):
    """smpplib's client in a process: it is who connects, and comes back."""

    held = "sent"
    reason = r"PEER: deliver_sm to ESME esme at 127\.0\.0\.1:\d+: "
    quick: ClassVar[Operations] = [
        {
            "type": "smpp.smsc_to_esme.Request",
            "arguments": {
                "pdu": "deliver_sm",
                "parameters": {
                    "source_addr": "777",
                    "destination_addr": "64211",
                    "short_message_text": "there?",
                },
            },
            "tests": [{"kpath": "command_status", "type": "integer", "value": 0}],
        }
    ]
    wait = quick

    @property
    def table(self) -> str:
        return f'module = "smpp"\nport = {self.port}\nresponse_timeout_s = 60\n'

    def start(self, *, is_silent: bool) -> None:
        how = "silent" if is_silent else "well"
        process = subprocess.Popen(
            [sys.executable, "-c", _ESME, str(self.port), how],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.life.callback(process.wait, HANG_GUARD_S)
        self.life.callback(process.kill)


KINDS: dict[str, type[Mortal]] = {
    "sigtran": Scp,
    "diameter": Ocs,
    "db": Database,
    "rest": Rest,
    "pi": Pi,
    "osd": Osd,
    "smpp": Esme,
}
