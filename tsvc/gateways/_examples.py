"""A table for each kind of gateway, for docs/reference/gateways.md and etc/tsvc.toml."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Example:
    """What a kind is for, its page in docs/guide, and a table, TOML, for one of it."""

    purpose: str
    guide: str
    toml: str


OUTSIDE = "package.module:Class"

EXAMPLES: Mapping[str, Example] = MappingProxyType(
    {
        "sigtran": Example(
            "INAP, CAP and MAP over TCAP: to a peer over M3UA or SUA, or to the embedded SCP.",
            "definitions",
            """\
[application."SCP-LINK"]
module = "sigtran"
opc = 1
default_scp = { dpc = 2, dssn = 106 }

[[application."SCP-LINK".connections]]
name = "scp1"
type = "m3ua"
remote_host = "10.1.2.3"
remote_port = 2905
routing_context = 100
""",
        ),
        "diameter": Example(
            "Diameter peers such as a charging system, as a client, a server or both.",
            "diameter",
            """\
[application."OCS"]
module = "diameter"
remote_hosts = ["ocs1.example.net:3868", "ocs2.example.net:3868"]
origin_host = "tester.example.net"
destination_realm = "example.net"
vendor_id = 10415
applications = [{ id = 4 }]
avps = [{ name = "My-Bonus", code = 4711, vendor_id = 9999, type = "Unsigned32" }]
""",
        ),
        "db": Example(
            "A database: SQLite, PostgreSQL, MySQL or MariaDB, Oracle.",
            "database",
            """\
[application."SUBSCRIBERS"]
module = "db"
driver = "sqlite"
database = "/var/lib/tsvc/subscribers.db"

[application."SUBSCRIBERS".statements.Balance]
sql = "SELECT balance FROM account WHERE msisdn = :msisdn"
bind = { msisdn = "text" }
shape = "row"
types = { balance = "integer" }
""",
        ),
        "rest": Example(
            "An HTTP interface.",
            "rest",
            """\
[application."BILLING"]
module = "rest"
base_uri = "https://billing.example.net:8443/api/v1"
bearer_token_file = "/etc/tsvc/billing.token"
ping_path = "/health"
""",
        ),
        "osd": Example(
            "Open Services Development: operations in SOAP over HTTP.",
            "rest",
            """\
[application."OSD-SLC01"]
module = "osd"
remote_host = "slc01.example.net"
remote_port = 7777
security = "inline"
username = "tester"
password_file = "/etc/tsvc/osd.password"
""",
        ),
        "pi": Example(
            "A Provisioning Interface: commands in lines of text over TCP.",
            "pi",
            """\
[application."PI-SMF01"]
module = "pi"
remote_host = "smf01.example.net"
remote_port = 4999
username = "tester"
password_file = "/etc/tsvc/pi.password"
""",
        ),
        "smpp": Example(
            "An SMSC to which ESMEs bind, SMPP 3.4.",
            "smpp",
            """\
[application."SMSC01"]
module = "smpp"
host = "0.0.0.0"
port = 2775
accounts = [{ system_id = "esme1" }]
password_file = "/etc/tsvc/esme.password"
""",
        ),
        OUTSIDE: Example(
            "A class of your own in place of pi, db, rest or osd.",
            "legacy-gateway",
            """\
[application."PI-OLD"]
module = "site_pi:PiClient"
host = "10.0.0.5"
port = 4999
username = "tester"
password_file = "/etc/tsvc/pi-old.password"
call_timeout_s = 5
""",
        ),
    }
)
