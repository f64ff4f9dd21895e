"""The tables of tsvc.toml: one frozen class each, one declaration per key; [scp] is in scp_tables.

A key's declaration holds its default, its rule and its help; validation, the environment
overrides, the reference and the test of etc/tsvc.toml all derive from it.
"""

import pathlib
from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any, Literal

from tsvc.config.fields import (
    ConfigTable,
    HostPort,
    HttpUrl,
    LinkKey,
    Machine,
    Path,
    Workers,
    link_keys,
    networks,
    texts,
)
from tsvc.config.scp_tables import Scp
from tsvc.schema.fields import Boolean, Choice, Integer, Named, Nested, Number, String
from tsvc.schema.table import member, table
from tsvc.values import dataclass

MEBIBYTE = 1 << 20


@table
class Service(ConfigTable):
    """[service]: the daemon itself."""

    name: str = member(String(1, default="tsvc", help="name of this daemon in logs and results"))
    state_dir: pathlib.Path = member(
        Path(default=pathlib.Path(), help="folder of the archive; one daemon per folder, locked")
    )
    drain_s: float = member(
        Number(0, 86400, default=30.0, help="seconds that runs get to finish after SIGTERM")
    )
    max_lag_ms: float = member(
        Number(
            0,
            600_000,
            default=500.0,
            help="an event loop this late is logged as stalled; 0 = never",
        )
    )
    free_ports: bool = member(
        Boolean(
            default=False,
            help="gateways and [scp] listen on any free port, whatever is configured; expressions "
            "find it in `$r->{gateway}{NAME}{port}` and `$r->{scp}{port}`",
        )
    )


@table
class Tls(ConfigTable):
    """[rpc.tls]: TLS of the interface; off without cert_file."""

    cert_file: pathlib.Path | None = member(
        Path(default=None, help="certificate chain, PEM; switches TLS on")
    )
    key_file: pathlib.Path | None = member(
        Path(default=None, help="private key, PEM; absent: in cert_file")
    )
    client_ca_file: pathlib.Path | None = member(
        Path(
            default=None,
            help="authorities, PEM, one of which must have signed a client's certificate",
        )
    )


@table
class Rpc(ConfigTable):
    """[rpc]: the JSON-RPC interface."""

    host: str = member(
        String(1, default="127.0.0.1", help="address to listen on, IPv4, IPv6 or a name")
    )
    port: int = member(Integer(0, 65535, default=9009, help="TCP port; 0 = any free one"))
    request_timeout_s: float = member(
        Number(
            0.01, 3600, default=30.0, help="a request must be complete this long after connecting"
        )
    )
    max_request_octets: int = member(
        Integer(
            1024,
            1 << 30,
            default=MEBIBYTE,
            help="largest request, and so definition; latency bounds hold up to 1 MiB",
        )
    )
    max_connections: int = member(
        Integer(
            1,
            65535,
            default=256,
            help="connections served at once, those not counted whose request waits",
        )
    )
    client_connections: int = member(
        Integer(
            0,
            65535,
            default=64,
            help="connections of one client at once; 0 = as many as there are",
        )
    )
    max_waiting: int = member(
        Integer(
            1,
            65535,
            default=2048,
            help="requests that wait at once (wait_s), half of them for one client",
        )
    )
    client_rate: float = member(
        Number(
            0,
            1e6,
            default=2000.0,
            help="requests (= connections) of one client a second, on average; 0 = no limit",
        )
    )
    client_burst: int = member(
        Integer(1, 1_000_000, default=10_000, help="requests of one client that may come at once")
    )
    client_runs: int = member(
        Integer(
            0, 1_000_000, default=0, help="runs of one client in progress at once; 0 = no limit"
        )
    )
    client_instances: int = member(
        Integer(
            0,
            10_000_000,
            default=0,
            help="Test Instances of one client in progress at once, all its runs; 0 = no limit",
        )
    )
    id_as_string: bool = member(
        Boolean(default=False, help="answer every id as a string, for clients that expect that")
    )
    unknown_params: Literal["refuse", "warn"] = member(
        Choice(
            ["refuse", "warn"],
            default="refuse",
            help="what becomes of params this service doesn't know",
        )
    )
    handler_deadline_s: float = member(
        Number(
            0.01,
            3600,
            default=30.0,
            help="longest time a method may take, unless it names its own",
        )
    )
    allow: tuple[str, ...] = member(
        networks(help="networks that may connect (CIDR or addresses); none = all")
    )
    auth_tokens: tuple[str, ...] = member(
        texts(
            8,
            help="tokens, one a client, of which params.auth_token must name one; none = no check",
            is_secret=True,
        )
    )
    tls: Tls = member(Nested(Tls.schema, default=Tls, help="TLS of the interface"))


@table
class Engine(ConfigTable):
    """[engine]: bounds of runs."""

    max_runs: int = member(Integer(1, 1_000_000, default=1000, help="runs in progress at once"))
    max_instances: int = member(
        Integer(
            1, 10_000_000, default=200_000, help="Test Instances in progress at once, all runs"
        )
    )
    max_backlog: int = member(
        Integer(1, 10_000_000, default=100_000, help="largest distribution.backlog")
    )
    max_operations: int = member(
        Integer(1, 10_000, default=10_000, help="operations of one definition")
    )
    max_steps: int = member(
        Integer(1, 1_000_000_000, default=100_000, help="operations an instance may execute")
    )
    max_trace_octets: int = member(
        Integer(1024, 1 << 30, default=4 * MEBIBYTE, help="largest trace of one instance")
    )
    tcap_timeout_s: float = member(
        Number(
            0.001,
            86400,
            default=10.0,
            help="wait for an inbound operation without scp.tcap_timeout",
        )
    )
    cancel_grace_s: float = member(
        Number(0, 3600, default=5.0, help="time to end open dialogues after CancelTest")
    )
    start_when_down: bool = member(
        Boolean(default=False, help="start runs although a gateway they need is down")
    )
    max_memory_mib: int = member(
        Integer(
            -1,
            1 << 24,
            default=-1,
            help="no run starts from 90 % of this memory, one is ended from 95 %; 0 = never,"
            " -1 = 80 % of what the machine or the control group has",
        )
    )
    late_ms: float = member(
        Number(0, 60_000, default=5.0, help="a start this long after its plan is late")
    )
    data_dir: pathlib.Path | None = member(
        Path(default=None, help="folder below which $csv files may lie; absent: none may be read")
    )


@table
class Results(ConfigTable):
    """[results]: completed runs."""

    url: str = member(
        String(
            default="",
            help="archive database (SQLAlchemy URL); empty: SQLite in service.state_dir",
            is_secret=True,
        )
    )
    deadline_s: float = member(
        Number(
            0.1,
            3600,
            default=5.0,
            help="an archive that has not answered by then is taken as failing",
        )
    )
    hold_s: float = member(
        Number(0, 1e7, default=3600.0, help="seconds that an uncollected result keeps its run_id")
    )
    hold_runs: int = member(
        Integer(0, 1_000_000, default=1000, help="uncollected results held at most")
    )
    keep_days: int = member(Integer(1, 36500, default=30, help="days in the archive"))
    keep_runs: int = member(Integer(1, 100_000_000, default=10_000, help="runs in the archive"))


@table
class Tester(ConfigTable):
    """[tester]: defaults of Test Runs. `defaults` holds the keys default_<kind>[_<label>]."""

    defaults: Mapping[str, str] = field(default_factory=dict)
    ignore_reset_timer: bool = member(Boolean(default=True, help="take ResetTimer without a word"))
    auto_activity_result: bool = member(
        Boolean(default=True, help="answer ActivityTest unless the definition expects it")
    )


@table
class Log(ConfigTable):
    """[log]: one line per event."""

    level: Literal["debug", "info", "warning", "error"] = member(
        Choice(
            ["debug", "info", "warning", "error"],
            default="info",
            help="lowest level that is written",
        )
    )
    format: Literal["text", "json"] = member(
        Choice(["text", "json"], default="text", help="form of a line")
    )
    target: Literal["stderr", "syslog"] = member(
        Choice(["stderr", "syslog"], default="stderr", help="where lines go")
    )
    file: pathlib.Path | None = member(
        Path(
            default=None,
            help="file that lines go to in place of stderr; opened anew when it has been renamed",
        )
    )


@table
class Http(ConfigTable):
    """[http]: read-only metrics and health; off without listen."""

    listen: str = member(
        HostPort(default="", help='address of /metrics and /healthz, as "127.0.0.1:9100"')
    )


@table
class Telemetry(ConfigTable):
    """[telemetry]: traces of runs and instances, by OpenTelemetry; off without traces."""

    traces: str = member(
        HttpUrl(
            default="",
            help='receiver of OTLP over HTTP, as "http://127.0.0.1:4318/v1/traces"; empty = none',
        )
    )
    token: str = member(String(default="", help="bearer token that it asks for", is_secret=True))
    ca_file: pathlib.Path | None = member(
        Path(default=None, help="authorities to believe, PEM; absent: the system's")
    )


@table
class Cluster(ConfigTable):
    """[cluster]: runs that are shared by several processes."""

    workers: int = member(
        Workers(
            256,
            default=0,
            help='processes beside the daemon that play large runs; 0 = none, "auto" = one per'
            " core less one, all of them if there are two",
        )
    )
    weight: int = member(
        Integer(1, 16, default=1, help="how much its workers play beside those of weight 1")
    )
    single_max: float = member(
        Number(
            0,
            1e6,
            default=2000.0,
            help="starts a second up to which a run is played by the daemon alone, unless it says"
            " `workers`",
        )
    )
    lost_after_s: float = member(
        Number(0.5, 3600, default=3.0, help="a worker that is silent for so long is lost")
    )
    lease_s: float = member(
        Number(
            0.1,
            3600,
            default=2.0,
            help="a worker that hears nothing for so long starts nothing more; below lost_after_s",
        )
    )
    listen: str = member(
        HostPort(
            default="",
            help='where agents of other machines join, as "0.0.0.0:5557"; empty = this machine'
            " alone",
        )
    )
    coordinator: str = member(
        HostPort(
            default="",
            help="where the coordinator listens, whose runs this daemon's workers then play: it"
            " is an agent; empty = it is none",
        )
    )
    coordinator_key: str = member(
        LinkKey(default="", help="the coordinator's public key; an agent needs it")
    )
    key_file: pathlib.Path | None = member(
        Path(
            default=None,
            help="file with the daemon's secret key, made by `tsvc cluster key`; `listen` and"
            " `coordinator` need it",
        )
    )
    allow: tuple[str, ...] = member(
        link_keys(help="public keys of the agents that may join; none = nobody may")
    )
    machine: str = member(
        Machine(
            default="",
            help='what an agent calls itself: its workers are "MACHINE/w1" and so on; empty = the'
            " host's name",
        )
    )
    max_clock_error_ms: float = member(
        Number(
            0.01, 60_000, default=5.0, help="a worker whose clock may be further off plays no run"
        )
    )
    pools: Mapping[str, str] = member(
        Named(
            String(1, 4096),
            default=dict,
            help='a value for each process, by name: "1001-1004" or "a, b, c"; {name} stands for'
            " it in texts of gateways, the daemon's own is the first one",
        )
    )


@dataclass(frozen=True, slots=True)
class Application:
    """[application."NAME"]: a gateway. `members`, which its kind validates, has no `module`."""

    name: str
    module: str
    members: Mapping[str, Any]
    source: str
    """The file that defines it, for messages about its members."""


@dataclass(frozen=True, slots=True)
class Config:
    """The checked content of tsvc.toml; missing keys have their defaults."""

    service: Service = field(default_factory=Service)
    rpc: Rpc = field(default_factory=Rpc)
    engine: Engine = field(default_factory=Engine)
    results: Results = field(default_factory=Results)
    tester: Tester = field(default_factory=Tester)
    scp: Scp = field(default_factory=Scp)
    log: Log = field(default_factory=Log)
    http: Http = field(default_factory=Http)
    telemetry: Telemetry = field(default_factory=Telemetry)
    cluster: Cluster = field(default_factory=Cluster)
    applications: Mapping[str, Application] = field(default_factory=lambda: MappingProxyType({}))


TABLES: Mapping[str, type[ConfigTable]] = MappingProxyType(
    {
        "service": Service,
        "rpc": Rpc,
        "engine": Engine,
        "results": Results,
        "tester": Tester,
        "scp": Scp,
        "log": Log,
        "http": Http,
        "telemetry": Telemetry,
        "cluster": Cluster,
    }
)
"""The tables of the file by name, in the order of the reference."""
