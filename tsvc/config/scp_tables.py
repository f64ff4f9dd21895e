"""The tables [scp] and [scp.srf] of tsvc.toml; tsvc.scp and tsvc.flow use them directly."""

import pathlib
from collections.abc import Mapping
from typing import Literal

from tsvc.config.fields import ConfigTable, Digit, Octets, digits, paths, urls
from tsvc.schema.fields import Boolean, Choice, Integer, List, Named, Nested, Number, String
from tsvc.schema.table import member, table

End = Literal["basic", "prearranged"]
NoMatch = Literal["exit", "reprompt"]


@table
class Srf(ConfigTable):
    """[scp.srf]: the resource function that plays announcements and collects digits."""

    use_etc: bool = member(
        Boolean(
            default=False, help="external: EstablishTemporaryConnection, not ConnectToResource"
        )
    )
    routing_address: str = member(
        digits(default="", help="assistingSSPIPRoutingAddress of an external one")
    )
    scf_id: str = member(Octets(64, default="", help="scfID of EstablishTemporaryConnection, hex"))
    correlation_id_location: Literal["standalone", "embedded"] = member(
        Choice(
            ["standalone", "embedded"],
            default="standalone",
            help="a parameter of its own, or digits after the routing address",
        )
    )
    correlation_id_timeout_s: float = member(
        Number(0.1, 3600, default=1.5, help="longest wait for the assist dialogue")
    )
    assist_end: End = member(
        Choice(["basic", "prearranged"], default="basic", help="how the assist dialogue is ended")
    )
    end_digit: str = member(
        Digit(default="#", help="endOfReplyDigit where a flow says default; may be empty")
    )
    cancel_digit: str = member(
        Digit(default="*", help="cancelDigit where a flow says default; may be empty")
    )
    start_digit: str = member(Digit(default="", help="startDigit; may be empty"))
    first_digit_timeout_s: int = member(
        Integer(1, 127, default=10, help="firstDigitTimeOut, seconds")
    )
    inter_digit_timeout_s: int = member(
        Integer(1, 127, default=5, help="interDigitTimeOut, seconds")
    )
    interruptable: bool = member(
        Boolean(default=True, help="whether digits interrupt the announcement")
    )
    guard_s: float = member(
        Number(
            1, 3600, default=120.0, help="longest wait for the resource before it counts as failed"
        )
    )


@table
class Scp(ConfigTable):
    """[scp]: the embedded service control point; off without flows."""

    flows: tuple[pathlib.Path, ...] = member(paths(help="flow documents to run"))
    listen: tuple[str, ...] = member(
        urls("m3ua", "sua", help='where SSPs may connect, such as "m3ua+tcp://127.0.0.1:2905"')
    )
    connect: tuple[str, ...] = member(
        urls(
            "m3ua",
            "sua",
            help="signalling gateways that it connects to, such as "
            '"m3ua+sctp://stp:2905?rc=22&pc=2": it is their ASP, unless `role` says otherwise',
        )
    )
    ssn: tuple[int, ...] = member(
        List(
            Integer(1, 255),
            default=[106, 146, 147],
            rule="a list of integers from 1 to 255",
            help="its subsystem numbers: INAP, CAP, gsmSCF; messages for others go back",
        )
    )
    default_ac: str | None = member(
        String(1, default="camel3", help="application context without a dialogue portion")
    )
    end: End = member(
        Choice(["basic", "prearranged"], default="basic", help="how a finished dialogue is ended")
    )
    final_connect: Literal["end", "continue"] = member(
        Choice(["end", "continue"], default="end", help="message of a Connect nothing follows")
    )
    no_match: NoMatch = member(
        Choice(
            ["exit", "reprompt"],
            default="exit",
            help="ExtensionDialing: what follows a failed pattern",
        )
    )
    no_answer_seconds: int = member(
        Integer(1, 2047, default=15, help="ring time where a flow gives none")
    )
    no_answer_max_seconds: int = member(
        Integer(1, 2047, default=300, help="longest ring time of a flow")
    )
    release_cause: int = member(
        Integer(0, 127, default=31, help="cause of a release that no flow decides")
    )
    resource_failure_cause: int = member(
        Integer(0, 127, default=38, help="cause when a resource fails")
    )
    reset_timer_interval: float = member(
        Number(
            0, 3600, default=30.0, help="seconds between ResetTimers while an SSP waits; 0 = none"
        )
    )
    activity_test_seconds: float = member(
        Number(0, 86400, default=60.0, help="silence before an ActivityTest; 0 = none")
    )
    quarantine_s: float = member(
        Number(0, 3600, default=30.0, help="time before a transaction id is used again")
    )
    max_dialogues: int = member(
        Integer(1, 10_000_000, default=200_000, help="dialogues open at once")
    )
    ring_margin_s: float = member(
        Number(0, 3600, default=10.0, help="how long after the ring time the SSP may still report")
    )
    call_guard_s: float = member(
        Number(
            1,
            604_800,
            default=14_400.0,
            help="longest time a call is watched after its flow is over",
        )
    )
    connect_noa: int = member(
        Integer(0, 127, default=2, help="nature of address of a destination in a Connect")
    )
    connect_npi: int = member(Integer(0, 7, default=1, help="its numbering plan"))
    default_message_id: int = member(
        Integer(0, 2**31 - 1, default=1, help="announcement without an entry in a table")
    )
    announcements: Mapping[str, Mapping[str, int]] = member(
        Named(
            Named(Integer(0, 2**31 - 1)),
            default=dict,
            rule="tables of integers: a set, its entries, each with a message id",
            help="set -> entry -> message id",
        )
    )
    srf: Srf = member(Nested(Srf.schema, default=Srf, help="the resource function"))
