"""What a site decides about its service control point; member names are those of `[scp]`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tsvc.flow.settings import FlowSettings, NoMatch

End = Literal["basic", "prearranged"]


@dataclass(frozen=True, slots=True)
class SrfSettings:
    """The resource that plays and collects.

    use_etc:                  external: EstablishTemporaryConnection, not ConnectToResource.
    routing_address:          digits of assistingSSPIPRoutingAddress.
    scf_id:                   octets of scfID in hex, "" = not sent.
    correlation_id_location:  a parameter of its own, or digits after the routing address.
    correlation_id_timeout_s: how long the assist dialogue may keep us waiting.
    assist_end:               how the assist dialogue is ended.
    end_digit, cancel_digit, start_digit: 0-9 A-F * #, "" = none; where a flow says "default".
    first_digit_timeout_s, inter_digit_timeout_s: seconds, 1 to 127.
    guard_s:                  longest wait for an answer to a prompt or announcement.
    """

    use_etc: bool = False
    routing_address: str = ""
    scf_id: str = ""
    correlation_id_location: Literal["standalone", "embedded"] = "standalone"
    correlation_id_timeout_s: float = 1.5
    assist_end: End = "basic"
    end_digit: str = "#"
    cancel_digit: str = "*"
    start_digit: str = ""
    first_digit_timeout_s: int = 10
    inter_digit_timeout_s: int = 5
    interruptable: bool = True
    guard_s: float = 120.0


@dataclass(frozen=True, slots=True)
class ScpSettings:
    """The service control point; causes are Q.850 values, times are seconds.

    default_ac:            alias or OID that decides the variant of a dialogue that has no dialogue
                           portion; None: such a dialogue is aborted.
    end:                   how a dialogue with nothing left to say is ended.
    final_connect:         the message of a Connect after which the flow is over.
    reset_timer_interval:  between two ResetTimers while the SSP waits; 0 = none are sent.
    activity_test_seconds: silence of the SSP before an ActivityTest; 0 = none are sent.
    ring_margin_s:         how long after the ring time the SSP may still report.
    call_guard_s:          longest time a call is watched after its flow is over.
    connect_noa, connect_npi: nature of address and numbering plan of a destination.
    """

    no_answer_seconds: int = 15
    no_answer_max_seconds: int = 300
    no_match: NoMatch = "exit"
    default_message_id: int = 1
    announcements: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    default_ac: str | None = "camel3"
    end: End = "basic"
    final_connect: Literal["end", "continue"] = "end"
    release_cause: int = 31
    resource_failure_cause: int = 38
    reset_timer_interval: float = 30.0
    activity_test_seconds: float = 60.0
    quarantine_s: float = 30.0
    max_dialogues: int = 200_000
    ring_margin_s: float = 10.0
    call_guard_s: float = 14_400.0
    connect_noa: int = 2
    connect_npi: int = 1
    srf: SrfSettings = field(default_factory=SrfSettings)


def flow_settings(settings: ScpSettings) -> FlowSettings:
    """Return the part that compiling a flow needs."""
    return FlowSettings(
        announcements=settings.announcements,
        default_message_id=settings.default_message_id,
        no_answer_seconds=settings.no_answer_seconds,
        no_answer_max_seconds=settings.no_answer_max_seconds,
        no_match=settings.no_match,
    )
