# ruff: noqa: RUF009 - key() and table() return dataclasses.field()
"""The tables of tsvc.toml: one frozen dataclass each, one declaration per key.

A key's declaration holds its default, its rule and its help; validation, the environment
overrides, the reference and the test of etc/tsvc.toml all derive from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tsvc.schema import rules as rule

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Key:
    """What dataclass metadata says of a key."""

    rule: rule.Rule
    help: str
    is_secret: bool = False


def key(default: Any, check: rule.Rule, help: str, *, is_secret: bool = False) -> Any:
    """Declare a key of a table."""
    metadata = {"key": Key(check, help, is_secret)}
    if isinstance(default, Mapping):
        return field(default_factory=lambda: MappingProxyType(default), metadata=metadata)
    return field(default=default, metadata=metadata, repr=not is_secret)


def table(cls: type, help: str) -> Any:
    """Declare a table inside a table."""
    return field(default_factory=cls, metadata={"table": cls, "help": help})


@dataclass(frozen=True, slots=True)
class Service:
    """[service]: the daemon itself."""

    name: str = key("tsvc", rule.text(1), "name of this daemon in logs and results")
    state_dir: Path = key(
        Path(), rule.path(), "folder of the archive; one daemon per folder, locked"
    )
    drain_s: float = key(
        30.0, rule.number(0, 86400), "seconds that runs get to finish after SIGTERM"
    )
    max_lag_ms: float = key(
        500.0, rule.number(0, 600_000), "an event loop this late is logged as stalled; 0 = never"
    )


@dataclass(frozen=True, slots=True)
class Tls:
    """[rpc.tls]: TLS of the interface; off without cert_file."""

    cert_file: Path | None = key(None, rule.path(), "certificate chain, PEM; switches TLS on")
    key_file: Path | None = key(None, rule.path(), "private key, PEM; absent: in cert_file")
    client_ca_file: Path | None = key(
        None, rule.path(), "authorities, PEM, one of which must have signed a client's certificate"
    )


@dataclass(frozen=True, slots=True)
class Rpc:
    """[rpc]: the JSON-RPC interface."""

    host: str = key("127.0.0.1", rule.text(1), "address to listen on, IPv4, IPv6 or a name")
    port: int = key(9009, rule.integer(0, 65535), "TCP port; 0 = any free one")
    request_timeout_s: float = key(
        30.0, rule.number(0.01, 3600), "a request must be complete this long after connecting"
    )
    max_request_octets: int = key(
        MEBIBYTE,
        rule.integer(1024, 1 << 30),
        "largest request, and so definition; latency bounds hold up to 1 MiB",
    )
    max_connections: int = key(256, rule.integer(1, 65535), "connections served at once")
    client_connections: int = key(
        0, rule.integer(0, 65535), "connections of one client at once; 0 = as many as there are"
    )
    client_rate: float = key(
        2000.0,
        rule.number(0, 1e6),
        "requests (= connections) of one client a second, on average; 0 = no limit",
    )
    client_burst: int = key(
        10_000, rule.integer(1, 1_000_000), "requests of one client that may come at once"
    )
    client_runs: int = key(
        0, rule.integer(0, 1_000_000), "runs of one client in progress at once; 0 = no limit"
    )
    client_instances: int = key(
        0,
        rule.integer(0, 10_000_000),
        "Test Instances of one client in progress at once, all its runs; 0 = no limit",
    )
    id_as_string: bool = key(
        False, rule.boolean(), "answer every id as a string, for clients that expect that"
    )
    unknown_params: str = key(
        "refuse", rule.choice("refuse", "warn"), "what becomes of params this service doesn't know"
    )
    handler_deadline_s: float = key(
        30.0, rule.number(0.01, 3600), "longest time a method may take, unless it names its own"
    )
    allow: tuple[str, ...] = key(
        (), rule.networks(), "networks that may connect (CIDR or addresses); none = all"
    )
    auth_tokens: tuple[str, ...] = key(
        (),
        rule.texts(8),
        "tokens, one a client, of which params.auth_token must name one; none = no check",
        is_secret=True,
    )
    tls: Tls = table(Tls, "TLS of the interface")


@dataclass(frozen=True, slots=True)
class Engine:
    """[engine]: bounds of runs."""

    max_runs: int = key(1000, rule.integer(1, 1_000_000), "runs in progress at once")
    max_instances: int = key(
        200_000, rule.integer(1, 10_000_000), "Test Instances in progress at once, all runs"
    )
    max_backlog: int = key(100_000, rule.integer(1, 10_000_000), "largest distribution.backlog")
    max_operations: int = key(10_000, rule.integer(1, 10_000), "operations of one definition")
    max_steps: int = key(
        100_000, rule.integer(1, 1_000_000_000), "operations an instance may execute"
    )
    max_trace_octets: int = key(
        4 * MEBIBYTE, rule.integer(1024, 1 << 30), "largest trace of one instance"
    )
    tcap_timeout_s: float = key(
        10.0, rule.number(0.001, 86400), "wait for an inbound operation without scp.tcap_timeout"
    )
    cancel_grace_s: float = key(
        5.0, rule.number(0, 3600), "time to end open dialogues after CancelTest"
    )
    start_when_down: bool = key(
        False, rule.boolean(), "start runs although a gateway they need is down"
    )
    max_memory_mib: int = key(
        -1,
        rule.integer(-1, 1 << 24),
        "no run starts from 90 % of this memory, one is ended from 95 %; 0 = never, -1 = 80 % of"
        " what the machine or the control group has",
    )
    late_ms: float = key(5.0, rule.number(0, 60_000), "a start this long after its plan is late")
    data_dir: Path | None = key(
        None, rule.path(), "folder below which $csv files may lie; absent: none may be read"
    )


@dataclass(frozen=True, slots=True)
class Results:
    """[results]: completed runs."""

    url: str = key(
        "",
        rule.text(),
        "archive database (SQLAlchemy URL); empty: SQLite in service.state_dir",
        is_secret=True,
    )
    hold_s: float = key(
        3600.0, rule.number(0, 1e7), "seconds that an uncollected result keeps its run_id"
    )
    hold_runs: int = key(1000, rule.integer(0, 1_000_000), "uncollected results held at most")
    keep_days: int = key(30, rule.integer(1, 36500), "days in the archive")
    keep_runs: int = key(10_000, rule.integer(1, 100_000_000), "runs in the archive")


@dataclass(frozen=True, slots=True)
class Tester:
    """[tester]: defaults of Test Runs. `defaults` holds the keys default_<kind>[_<label>]."""

    defaults: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    ignore_reset_timer: bool = key(True, rule.boolean(), "take ResetTimer without a word")
    auto_activity_result: bool = key(
        True, rule.boolean(), "answer ActivityTest unless the definition expects it"
    )


@dataclass(frozen=True, slots=True)
class Srf:
    """[scp.srf]: the resource function that plays and collects."""

    use_etc: bool = key(
        False, rule.boolean(), "external: EstablishTemporaryConnection, not ConnectToResource"
    )
    routing_address: str = key(
        "", rule.digits(), "assistingSSPIPRoutingAddress of an external one"
    )
    scf_id: str = key("", rule.hexadecimal(), "scfID of EstablishTemporaryConnection, hex")
    correlation_id_location: str = key(
        "standalone",
        rule.choice("standalone", "embedded"),
        "a parameter of its own, or digits after the routing address",
    )
    assist_end: str = key(
        "basic", rule.choice("basic", "prearranged"), "how the assist dialogue is ended"
    )
    end_digit: str = key(
        "#", rule.digit(), "endOfReplyDigit where a flow says default; may be empty"
    )
    cancel_digit: str = key(
        "*", rule.digit(), "cancelDigit where a flow says default; may be empty"
    )
    start_digit: str = key("", rule.digit(), "startDigit; may be empty")
    first_digit_timeout_s: int = key(10, rule.integer(1, 127), "firstDigitTimeOut, seconds")
    inter_digit_timeout_s: int = key(5, rule.integer(1, 127), "interDigitTimeOut, seconds")
    interruptable: bool = key(True, rule.boolean(), "whether digits interrupt the announcement")
    guard_s: float = key(
        120.0, rule.number(1, 3600), "longest wait for the resource before it counts as failed"
    )


@dataclass(frozen=True, slots=True)
class Scp:
    """[scp]: the embedded service control point; off without flows."""

    flows: tuple[Path, ...] = key((), rule.paths(), "flow documents to run")
    listen: tuple[str, ...] = key(
        (), rule.urls("m3ua", "sua"), 'where SSPs may connect, such as "m3ua+tcp://127.0.0.1:2905"'
    )
    default_ac: str = key("camel3", rule.text(1), "application context without a dialogue portion")
    end: str = key(
        "basic", rule.choice("basic", "prearranged"), "how a finished dialogue is ended"
    )
    final_connect: str = key(
        "end", rule.choice("end", "continue"), "message of a Connect nothing follows"
    )
    no_match: str = key(
        "exit", rule.choice("exit", "reprompt"), "ExtensionDialing: what follows a failed pattern"
    )
    no_answer_seconds: int = key(15, rule.integer(1, 2047), "ring time where a flow gives none")
    no_answer_max_seconds: int = key(300, rule.integer(1, 2047), "longest ring time of a flow")
    release_cause: int = key(31, rule.integer(0, 127), "cause of a release that no flow decides")
    resource_failure_cause: int = key(38, rule.integer(0, 127), "cause when a resource fails")
    reset_timer_interval: float = key(
        30.0, rule.number(0, 3600), "seconds between ResetTimers while an SSP waits; 0 = none"
    )
    activity_test_seconds: float = key(
        60.0, rule.number(0, 86400), "silence before an ActivityTest; 0 = none"
    )
    quarantine_s: float = key(
        30.0, rule.number(0, 3600), "time before a transaction id is used again"
    )
    default_message_id: int = key(
        1, rule.integer(0, 2**31 - 1), "announcement without an entry in a table"
    )
    announcements: Mapping[str, Mapping[str, int]] = key(
        {}, rule.announcements(), "set -> entry -> message id"
    )
    srf: Srf = table(Srf, "the resource function")


@dataclass(frozen=True, slots=True)
class Log:
    """[log]: one line per event."""

    level: str = key(
        "info", rule.choice("debug", "info", "warning", "error"), "lowest level that is written"
    )
    format: str = key("text", rule.choice("text", "json"), "form of a line")
    target: str = key("stderr", rule.choice("stderr", "syslog"), "where lines go")


@dataclass(frozen=True, slots=True)
class Http:
    """[http]: read-only metrics and health; off without listen."""

    listen: str = key(
        "", rule.host_port(), 'address of /metrics and /healthz, as "127.0.0.1:9100"'
    )


@dataclass(frozen=True, slots=True)
class Application:
    """[application."NAME"]: a gateway. `members` is what its kind validates, less module."""

    name: str
    module: str
    members: Mapping[str, Any]
    source: str
    """The file it stands in, for messages about its members."""


@dataclass(frozen=True, slots=True)
class Config:
    """Everything tsvc.toml says, checked; what it doesn't say has its default."""

    service: Service = field(default_factory=Service)
    rpc: Rpc = field(default_factory=Rpc)
    engine: Engine = field(default_factory=Engine)
    results: Results = field(default_factory=Results)
    tester: Tester = field(default_factory=Tester)
    scp: Scp = field(default_factory=Scp)
    log: Log = field(default_factory=Log)
    http: Http = field(default_factory=Http)
    applications: Mapping[str, Application] = field(default_factory=lambda: MappingProxyType({}))


TABLES: Mapping[str, type] = MappingProxyType(
    {
        "service": Service,
        "rpc": Rpc,
        "engine": Engine,
        "results": Results,
        "tester": Tester,
        "scp": Scp,
        "log": Log,
        "http": Http,
    }
)
"""The tables of the file by name, in the order of the reference."""
