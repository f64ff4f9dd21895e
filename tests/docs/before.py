"""The state before the commands of each page: files, a daemon, runs; and the typed input.

A page's text names these things (`test.json`, `RUN`, `tester`); here they are created, each before
the first command that begins with the given words.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from docs.pages import blocks, page_of
from support.daemons import ROOT
from support.five_gateways import OCS_SETTINGS, PI_PASSWORD, PI_SETTINGS

TESTS = ROOT / "tests"
_SHIPPED = "serve etc/tsvc.toml\n"
_CALL = "cp etc/examples/extension_dialing.json call.json\n"
# Its id is the word that stands for a run id in the pages.
_IN_PROGRESS = """
play RUN etc/examples/extension_dialing.json \\
  '{"distribution": {"type": "linear", "total": 10000, "backlog": 50, "cps": {"target": 20}}}'
"""
_HALTED = """
ask ExecuteTest '{"run_id": "RUN", "operations": [{"type": "halt", "arguments": {"seconds": 99}}]}'
"""
_TRACED = """
play RUN etc/examples/extension_dialing.json
"""


@dataclass(frozen=True, slots=True)
class Before:
    """Shell commands to run before the first command that begins with the key, "" for the page's
    first; and the input typed into commands that begin with the key."""

    commands: Mapping[str, str] = field(default_factory=dict)
    typed: Mapping[str, str] = field(default_factory=dict)


def _file(name: str, text: str) -> str:
    return f"cat > {name} <<'END OF FILE'\n{text}\nEND OF FILE\nchmod 600 {name}\n"


def _toml(page: str) -> str:
    """Return the configuration that a page shows, as a file beside the samples' files."""
    text = "\n".join(one.text for one in blocks(page_of(page)) if one.language == "toml")
    return _file("etc/page.toml", text.replace('"extension', '"examples/flows/extension'))


def _json(page: str, name: str) -> str:
    """Return the first JSON that a page shows, as a file."""
    return _file(name, next(one.text for one in blocks(page_of(page)) if one.language == "json"))


def _readme() -> Before:
    return Before(
        {
            "tsvcd": f"""
cp etc/examples/extension_dialing.json test.json
cp etc/examples/flows/extension_dialing.json flow.json
cp {TESTS}/unit/import_n2/n2svcd.xml .
cp -r {TESTS}/kinds/osd/wsdl/. .
mkdir tests
sed '1a "tags": ["smoke"],' etc/examples/extension_dialing_busy.json > tests/busy.json
""",
            "tsvc run test.json --cps 200 --total 400 --baseline": """
tsvc run test.json --cps 200 --total 400 --json last.json --quiet
slower last.json
""",
            "tsvc watch": _IN_PROGRESS,
            "pytest": "cp test.json call.tsvc.json\n",
        }
    )


def _cluster() -> Before:
    coordinator, agent = (
        one.text
        for one in blocks(page_of("docs/guide/cluster"))
        if one.text.startswith(("# the coor", "# an agent"))
    )
    coordinator = coordinator.replace('"auto"', "0").replace(', "that of lab3"', "")
    coordinator = coordinator.replace("the public key of lab2", "$LAB2")
    agent = agent.replace('"auto"', "2").replace("the public key of the coordinator", "$OURS")
    both = '[scp]\nflows = ["flow.json"]\n[application.SIGTRAN]\nmodule = "sigtran"\n'
    return Before(
        {
            "": "cp etc/examples/extension_dialing.json load.json\n",
            "tsvc cluster status": f"""
mkdir lab2
cp etc/examples/flows/extension_dialing.json lab2/flow.json
cp etc/examples/flows/extension_dialing.json /etc/tsvc/flow.json
LAB2=$(tsvc cluster key lab2/cluster.key)
OURS=$(tsvc cluster key /etc/tsvc/cluster.key)
cat > /etc/tsvc/tsvc.toml <<END
{both + coordinator}
END
cat > lab2/tsvc.toml <<END
{both + agent}
END
serve /etc/tsvc/tsvc.toml
TSVC_RPC_PORT=9008 TSVC_PORT=9008 TSVC_SERVICE_STATE_DIR=$PWD/lab2/state serve lab2/tsvc.toml
until test "$(tsvc cluster status | grep -c lab2/w.*ready)" = 2; do sleep 0.2; done
""",
        }
    )


_FAKES = {"diameter": 3868, "rest": 80, "pi": 4999}
REST_SETTINGS = {
    "routes": [
        {
            "path": "/api/route",
            "json": {
                "account": "{$v->{query}{account}}",
                "granted": "{$v->{query}{granted}}",
                "extension": "100",
            },
        }
    ]
}
_SETTINGS = {"diameter": OCS_SETTINGS, "pi": PI_SETTINGS, "rest": REST_SETTINGS}


def _five_gateways() -> Before:
    page = "docs/guide/five-gateways"
    # A file instead of a PostgreSQL server: another test covers both.
    table = re.sub(
        r'(module = "db"\n).*?\n\n',
        r'\1url = "sqlite:///crm.sqlite"\n\n',
        _toml(page),
        flags=re.DOTALL,
    )
    fakes = "\n".join(
        f"fake {kind} --port {port} --settings fakes.{kind}.json" for kind, port in _FAKES.items()
    )
    files = "".join(_file(f"fakes.{kind}.json", json.dumps(_SETTINGS[kind])) for kind in _FAKES)
    return Before(
        {
            "": f"""
cp etc/examples/guide/*.json .
{files}{fakes}
python -c 'from pathlib import Path; from support.five_gateways import sqlite; sqlite(Path("."))'
python -c 'import sqlite3
sqlite3.connect("crm.sqlite").execute("ALTER TABLE subscriber RENAME key TO service_key")'
echo {PI_PASSWORD} > etc/pi.password
chmod 600 etc/pi.password
{table}serve etc/page.toml
""",
            "tsvc trace": "play RUN five_gateways.json\n",
        }
    )


BEFORE: dict[str, Before] = {
    "README": _readme(),
    "docs/guide/both-ends": Before({"": f"{_toml('docs/guide/both-ends')}serve etc/page.toml\n"}),
    "docs/guide/cluster": _cluster(),
    "docs/guide/command-line": Before(
        {
            "tsvcd": "printf '[cluster]\\nworkers = 1\\n' >> tsvc.toml\n",
            "tsvc watch": _HALTED,
        }
    ),
    "docs/guide/definitions": Before(
        {"": _json("docs/guide/definitions", "call.json") + _SHIPPED}
    ),
    "docs/guide/five-gateways": _five_gateways(),
    "docs/guide/gallery": Before({"": f"{_toml('docs/guide/both-ends')}serve etc/page.toml\n"}),
    "docs/guide/gui": Before(
        {
            "": f"mkdir tests\n{_SHIPPED}",
            "tsvc gui --users users --bind": "openssl req -x509 -newkey rsa:2048 -nodes -days 2 "
            "-subj /CN=lab.example -keyout key.pem -out cert.pem 2>/dev/null\nchmod 600 key.pem\n",
        },
        {"tsvc gui --users users --add-user": "a password\na password\n"},
    ),
    "docs/guide/import-n2": Before(
        {"": f"mkdir /etc/n2svcd\ncp {TESTS}/unit/import_n2/n2svcd.xml /etc/n2svcd\n"}
    ),
    "docs/guide/load": Before({"": _CALL + _SHIPPED, "tsvc trace": _TRACED}),
    "docs/guide/osd": Before(
        {
            "tsvc osd": f"cp -r {TESTS}/kinds/osd/wsdl/. .\n"
            "sed -i s/NewPort/BillingPort/ billing.wsdl\n"
        }
    ),
    "docs/guide/record": Before(
        {
            "": f"{_SHIPPED}tsvc run etc/examples/guide/two_calls.json --pcap call.pcap --quiet\n",
            "tsvc trace": _TRACED,
        }
    ),
    "docs/guide/sigtran": Before({"": "cp etc/examples/flows/extension_dialing.json flow.json\n"}),
}
