"""Third-party software that tests talk to or use as a second opinion, and docs/interop.md.

PYTHONPATH=tests python -m support.interop docs/interop.md

writes the page from this table and from the tests that pytest collects.
tests/house/test_interop.py compares them, and asks each installed peer for its version. USES names
a module of tests once for each peer in it; the table has no numbers of tests.
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

TESTS = Path(__file__).parents[1]
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class Software:
    """A peer: the beginning of its version, and the source of the version.

    The source is a command, a Python package, a property of the pom, or a line of the go.mod that
    pins it.
    """

    version: str
    command: tuple[str, ...] = ()
    package: str = ""
    property: str = ""
    module: str = ""

    def asked(self) -> str:
        """Return the version that the software reports; "" if it is not installed."""
        if self.package:
            try:
                return version(self.package)
            except PackageNotFoundError:
                return ""
        if self.property:
            pom = (TESTS / "peers/jss7/pom.xml").read_text()
            found = re.search(rf"<{self.property}>([^<]+)<", pom)
            return found[1] if found else ""
        if self.module:
            pins = (TESTS / "peers/go_diameter/go.mod").read_text()
            found = re.search(rf"^require {self.module} v(\S+)$", pins, re.MULTILINE)
            return found[1] if found else ""
        path = shutil.which(self.command[0], path=PATH) or next(
            (str(one) for one in Path("/usr/lib").glob(f"*/*/bin/{self.command[0]}")), None
        )
        if path is None:
            return ""
        done = subprocess.run(
            [path, *self.command[1:]], capture_output=True, text=True, timeout=60
        )
        found = re.search(r"\d+(\.\d+)+|(?<=/)\d+", done.stdout + done.stderr)
        return found[0] if found else ""


SOFTWARE = {
    "jSS7": Software("8.0.112", property="jss7"),
    "osmo-stp": Software("1.6", ("osmo-stp", "--version")),
    "freeDiameter": Software("1.2", ("freeDiameterd", "--version")),
    "go-diameter": Software("4.0.4", module="github.com/fiorix/go-diameter/v4"),
    "python-diameter": Software("0.9", package="python-diameter"),
    "spyne": Software("2.14", package="spyne"),
    "zeep": Software("4.3", package="zeep"),
    "Authlib": Software("1.9", package="Authlib"),
    "nginx": Software("1.22", ("nginx", "-v")),
    "lighttpd": Software("1.4", ("lighttpd", "-v")),
    "Node": Software("20", ("node", "--version")),
    "tinyproxy": Software("1.11", ("tinyproxy", "-v")),
    "PostgreSQL": Software("15", ("postgres", "--version")),
    "MariaDB": Software("10.11", ("mariadbd", "--version")),
    "smpplib": Software("2.2", package="smpplib"),
    "tshark": Software("4.0", ("tshark", "--version")),
    "pycrate": Software("0.8", package="pycrate"),
    "perl": Software("5.36", ("perl", "-e", "print substr($^V, 1)")),
    "Erlang": Software(
        "25",
        ("erl", "-noshell", "-eval", 'io:format("/~s",[erlang:system_info(otp_release)]),halt().'),
    ),
}


@dataclass(frozen=True)
class Use:
    """The use of a peer in a module: in all tests, or in those that have a fixture, or words.

    `differences`: where its reading of a standard differs from ours, with the deciding clause.
    `is_wrong`: its cases are deliberate deviations; each has a verdict and a reason decided
    before.
    """

    peer: str
    module: str
    protocol: str
    role: str
    fixture: str = ""
    words: str = ""  # a pattern for function and id
    is_wrong: bool = False
    differences: tuple[str, ...] = field(default=())


MAP = "MAP 2, 3 over M3UA/TCP"
USES = (
    Use(
        "jSS7", "peers/jss7/test_scp.py", "CAP 1–4 over M3UA/TCP", "SCP",
        differences=(
            "An AssistRequestInstructions without iPSSPCapabilities is rejected: CAP has them as"
            " mandatory, INAP and our table have not.",
            "jSS7 has generic digits and generic numbers for one type; which it is depends on the"
            " operation (TS 29.078, Digits).",
        ),
    ),
    Use("jSS7", "peers/jss7/test_ssp.py", "CAP 2–4 over M3UA/TCP", "SSP"),
    Use("jSS7", "peers/jss7/test_hlr.py", MAP, "HLR, and its clients"),
    Use("jSS7", "peers/jss7/test_inap.py", "INAP CS-1 over TCAP, M3UA/TCP", "SCP"),
    Use("jSS7", "peers/jss7/test_scp_wrong.py", "CAP 2", "SCP", is_wrong=True),
    Use("jSS7", "peers/jss7/test_ssp_wrong.py", "CAP 2, 4", "SSP", words="wrong|initial_dp|abort",
        is_wrong=True),
    Use("jSS7", "peers/jss7/test_hlr.py", MAP, "HLR that does wrong", is_wrong=True,
        words="without_an_open|does_not_know|by_an_error|refuses|aborts"),
    Use("jSS7", "peers/jss7/test_inap.py", "INAP CS-1", "SCP that does wrong", is_wrong=True,
        words="no_context|another_context|forgotten"),
    Use("osmo-stp", "peers/osmo_stp/test_calls.py", "M3UA/SCTP", "STP that refuses or dies",
        is_wrong=True, words="wrong_routing_context|killed"),
    Use("jSS7", "peers/osmo_stp/test_jss7.py", "CAP 2–4 over M3UA/SCTP", "SCP behind osmo-stp"),
    Use("osmo-stp", "peers/osmo_stp/test_jss7.py", "M3UA/SCTP", "STP without a way on",
        is_wrong=True, words="no_route|is_gone",
        differences=(
            "What is for a point code without a route is dropped in silence; of one whose AS is"
            " gone it says DUNA.",
        )),
    Use("jSS7", "peers/osmo_stp/test_jss7.py", "CAP 2 over M3UA/SCTP", "SCP behind osmo-stp",
        is_wrong=True, words="aborts"),
    Use("osmo-stp", "peers/osmo_stp/test_jss7.py", "M3UA/SCTP", "STP before jSS7"),
    Use(
        "osmo-stp", "peers/osmo_stp/test_calls.py", "M3UA/SCTP", "STP between tester and SCP",
        differences=(
            "A routing key with Service Indicators is refused; RFC 4666 has them as"
            " optional, so ours has none unless given.",
        ),
    ),
    Use(
        "freeDiameter", "kinds/diameter/test_freediameter.py", "Diameter base, Gy, TCP and SCTP",
        "relay, which connects and is connected to",
    ),
    Use(
        "go-diameter", "peers/go_diameter/test_calls.py", "Diameter base, Gy, TCP and SCTP",
        "server and client",
    ),
    Use("python-diameter", "unit/protocols/diameter/test_public.py", "Diameter", "reader"),
    Use("pycrate", "unit/protocols/diameter/test_public.py", "Diameter", "reader of TS 29.230",
        words="second_source"),
    Use("python-diameter", "unit/protocols/diameter/test_second_opinion.py", "Diameter", "reader"),
    Use(
        "spyne", "kinds/osd/test_spyne.py", "SOAP 1.1, 1.2", "server",
        differences=(
            "What its schema does not have is answered in text/plain if the request was SOAP 1.2;"
            " the media type of SOAP 1.2 is application/soap+xml (RFC 3902).",
        ),
    ),
    Use(
        "spyne", "kinds/osd/test_wsdl.py", "WSDL 1.1", "server that describes itself",
        fixture="spyne",
        differences=(
            "A header block whose type is in another namespace than the service is named by a"
            " message that its WSDL does not have; ours is in the service's.",
        ),
    ),
    Use("zeep", "kinds/osd/test_wsdl.py", "WSDL 1.1", "reader"),
    Use(
        "Authlib", "kinds/rest/test_authentication.py", "OAuth 2.0", "token server",
        fixture="tokens",
        differences=(
            "It does not undo the encoding of id and secret that RFC 6749 2.3.1 wants in HTTP"
            " basic; `oauth_client_authentication = \"basic_plain\"` leaves it out.",
        ),
    ),
    Use("Authlib", "kinds/osd/test_authentication.py", "OAuth 2.0", "token server", words="token"),
    Use("lighttpd", "kinds/rest/test_authentication.py", "HTTP digest", "server",
        fixture="lighttpd"),
    Use("lighttpd", "kinds/osd/test_authentication.py", "HTTP digest", "server", words="lighttpd"),
    Use("nginx", "kinds/rest/test_nginx.py", "HTTP/1.1, TLS", "server"),
    Use("nginx", "kinds/rest/test_gateway.py", "HTTP/1.1", "server", fixture="nginx"),
    Use("nginx", "kinds/rest/test_codings.py", "content codings", "server", fixture="nginx"),
    Use("nginx", "kinds/rest/test_http2.py", "HTTP/2", "server", fixture="nginx"),
    Use("Node", "kinds/rest/test_codings.py", "content codings", "server", fixture="node"),
    Use("Node", "kinds/rest/test_http2.py", "HTTP/2", "server", fixture="node"),
    Use("Node", "kinds/rest/test_content.py", "multipart, XML", "server", fixture="node"),
    Use("Node", "kinds/rest/test_cookies_and_retries.py", "cookies", "server", fixture="node"),
    Use("tinyproxy", "kinds/rest/test_cookies_and_retries.py", "HTTP", "forward proxy",
        fixture="tinyproxy"),
    Use("PostgreSQL", "kinds/db/test_servers.py", "SQL", "server", words="postgresql"),
    Use("MariaDB", "kinds/db/test_servers.py", "SQL", "server", words="mariadb"),
    Use("PostgreSQL", "e2e/test_archive_postgresql.py", "SQL", "archive of results"),
    Use("smpplib", "kinds/smpp/test_gateway.py", "SMPP 3.4", "ESME", words="smpplib"),
    Use("smpplib", "kinds/smpp/test_daemon.py", "SMPP 3.4", "ESME", fixture="esme"),
    Use("Erlang", "e2e/daemon/test_reference_example.py", "JSON-RPC", "client", words="erlang"),
    *(
        Use("tshark", f"unit/protocols/{name.lower()}/test_tshark.py", name, "reader")
        for name in ("Diameter", "INAP", "M3UA", "MAP", "SCCP", "SMPP", "SUA", "TCAP")
    ),
    Use("tshark", "e2e/daemon/test_dissection.py", "CAP, INAP over TCAP", "reader of captures"),
    Use("tshark", "kinds/sigtran/test_capture.py", "M3UA, SUA, SCCP", "reader of captures"),
    Use("tshark", "record/test_packets.py", "pcap, pcapng, IP, SCTP, TCP", "writer and reader"),
    Use("tshark", "record/test_streams.py", "SCTP, M3UA", "reader of captures"),
    Use("tshark", "record/test_real_links.py", "M3UA, SUA", "its dumpcap, between processes"),
    Use("tshark", "record/test_diameter.py", "Diameter", "writer and reader"),
    Use("tshark", "record/test_smpp.py", "SMPP", "writer and reader"),
    Use("tshark", "record/test_http.py", "HTTP", "writer and reader"),
    Use("tshark", "record/test_links.py", "M3UA, SUA, SCCP, TCAP", "writer and reader"),
    Use("pycrate", "unit/protocols/inap/test_pycrate.py", "CAP", "reader"),
    Use("pycrate", "unit/protocols/map/test_pycrate.py", "MAP", "reader"),
    Use("perl", "unit/expr/test_against_perl.py", "expressions", "the language they follow"),
    Use("perl", "unit/expr/test_drawn_against_perl.py", "expressions", "the language they follow"),
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A test that pytest has collected."""

    module: str
    function: str
    id: str
    fixtures: frozenset[str]


def collected() -> list[Case]:
    """Return the cases of all modules in USES. Blocks; needs a process of its own."""
    import pytest

    os.environ.pop("TSVC_SAMPLES", None)  # the page counts all cases, not the sample of a run
    found: list[Case] = []

    class Collector:
        def pytest_collection_finish(self, session: pytest.Session) -> None:
            for item in session.items:
                assert isinstance(item, pytest.Function)
                id_ = item.callspec.id if hasattr(item, "callspec") else ""
                module = str(item.path.relative_to(TESTS))
                found.append(Case(module, item.originalname, id_, frozenset(item.fixturenames)))

    modules = sorted({str(TESTS / use.module) for use in USES})
    options = ["--collect-only", "-p", "no:cacheprovider"]
    with contextlib.redirect_stdout(io.StringIO()) as said:
        code = pytest.main([*options, *modules], plugins=[Collector()])
    assert code == 0, said.getvalue()
    return found


def cases_of(use: Use, cases: list[Case]) -> list[Case]:
    """Return the cases that belong to a use."""
    return [
        case
        for case in cases
        if case.module == use.module
        and (not use.fixture or use.fixture in case.fixtures)
        and re.search(use.words, f"{case.function} {case.id}")
    ]


def behaviours(use: Use, cases: list[Case]) -> list[str]:
    """Return the deviations of a use: ids without phases, and tests without parameters."""
    names = []
    for case in cases_of(use, cases):
        name = re.sub(r"-?\b\d$", "", case.id) if "wrong" in case.function else ""
        name = name or in_words(case.function) + (f": {case.id}" if case.id else "")
        if name not in names:
            names.append(name)
    return names


def in_words(function: str) -> str:
    """Return the name of a test as words."""
    return function.removeprefix("test_").replace("_", " ")


def page(cases: list[Case]) -> str:
    """Return the text of docs/interop.md."""
    return "\n".join([*_page(cases), ""])


def _page(cases: list[Case]) -> Iterator[str]:
    wrong = {use: behaviours(use, cases) for use in USES if use.is_wrong}
    yield "# Software of others that the tests talk to"
    yield ""
    yield "Generated from the tests by `make docs`: versions are asked of the peers, cases counted"
    yield "as pytest collects them, and `.ci/run` runs them all. A case is a test with its values."
    yield ""
    yield "| Peer | Version | Protocol | Plays | Cases | Tests |"
    yield "|---|---|---|---|---|---|"
    for use in USES:
        count = len(cases_of(use, cases))
        assert count, f"{use.peer} has no case in {use.module}"
        place = f"[{use.module}](../tests/{use.module})"
        known = SOFTWARE[use.peer].version
        yield f"| {use.peer} | {known} | {use.protocol} | {use.role} | {count} | {place} |"
    yield ""
    yield "## Differences"
    yield ""
    for use in USES:
        for text in use.differences:
            yield f"* **{use.peer}** ({use.module}): {text}"
    yield ""
    yield "Where tshark, pycrate and our codecs read differently, the tables of waivers beside"
    yield "their tests have a row each."
    yield ""
    yield "## Wrong behaviours on command"
    yield ""
    count = sum(map(len, wrong.values()))
    yield f"{count} deviations; verdict and reason of each are decided before."
    for use, names in wrong.items():
        yield ""
        yield f"### {use.peer} as {use.role}, {use.protocol}: {len(names)}"
        yield ""
        yield from (f"* {name}" for name in names)
    yield ""
    yield "## Cases"
    for module in dict.fromkeys(use.module for use in USES):
        its = [use for use in USES if use.module == module]
        yield ""
        yield f"### {module}: {', '.join(dict.fromkeys(use.peer for use in its))}"
        yield ""
        counts: dict[str, int] = {}
        for use in its:
            for case in cases_of(use, cases):
                counts.setdefault(case.function, 0)
        for function in counts:
            count = sum(case.module == module and case.function == function for case in cases)
            yield f"* {in_words(function)}" + (f" ({count})" if count > 1 else "")


if __name__ == "__main__":
    text_ = page(collected())
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text_, "utf-8")
    else:
        sys.stdout.write(text_)
