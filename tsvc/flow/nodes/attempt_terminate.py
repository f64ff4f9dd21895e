"""AttemptTerminate: try destinations in turn until one answers.

With fewer than three exits, our own definition applies: a single exit takes every failure; of
two exits the second takes only no answer. The failure of the last destination decides.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from marshmallow import ValidationError, validates_schema

from tsvc.flow.call import CallFacts, Event, NoAnswer, RouteSelectFailure, Terminate
from tsvc.flow.fields import Array, Entry, NodeSchema, digits
from tsvc.flow.node import Node, NodeRun, Serves, Site, register
from tsvc.schema.fields import Boolean, Integer


def _exactly_one(original: dict[str, Any], name: str, other: str) -> None:
    """Raise unless exactly one of two spellings of a required member was given."""
    if name in original and other in original:
        raise ValidationError(f'another spelling of "{name}", which is given too', other)
    if name not in original and other not in original:
        raise ValidationError("is required", name)


class DestinationSchema(NodeSchema):
    """One destination."""

    address = digits(help="where to connect to")
    number = digits(help="another spelling of `address`")
    timeout_seconds = Integer(0, default=0, unit="s", help="ring time; 0: the site's default")

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def one_address(self, values: dict[str, Any], original: dict[str, Any], **_: Any) -> None:
        """Refuse none or both of the two spellings."""
        _exactly_one(original, "address", "number")


@register
class AttemptTerminate(Node):
    """Connect the caller to the first of several destinations that answers."""

    type = "AttemptTerminate"
    summary = "Tries destinations in turn; an answer ends the flow."
    serves: ClassVar[Serves | None] = "calls"
    layouts: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("Busy/NoAnswer",),
        ("Busy", "NoAnswer"),
        ("Busy", "NoAnswer", "RouteSelectFailure"),
    )
    exit_help: ClassVar[Mapping[str, str]] = {
        "Busy/NoAnswer": "the last destination did not answer, for whatever reason",
        "Busy": "the last destination was busy, or failed in a way that has no exit of its own",
        "NoAnswer": "the last destination rang until its time was over",
        "RouteSelectFailure": "there was no way to the last destination",
    }
    notes: ClassVar[tuple[str, ...]] = (
        "Exactly one of `destinations` and `rules` is given, and in each entry exactly one of"
        " `address` and `number`.",
        "With nothing attached to any exit, the connect to the last destination ends the flow:"
        " nobody waits for what becomes of it, and its ring time has no effect.",
    )
    example: ClassVar[Mapping[str, object]] = {
        "config": {
            "destinations": [
                {"address": "4329100", "timeout_seconds": 10},
                {"address": "4329101"},
            ],
        },
        "exits": [3, 4],
    }

    class Config(NodeSchema):
        """Destinations, and how closely they are watched."""

        destinations = Array(Entry(DestinationSchema), "destination", help="tried in this order")
        rules = Array(
            Entry(DestinationSchema), "destination", help="another spelling of `destinations`"
        )
        monitor_disconnect = Boolean(
            default=False, help="watch for the end of the conversation and end the call on it"
        )

        @validates_schema(pass_original=True, skip_on_field_errors=False)
        def one_list(self, values: dict[str, Any], original: dict[str, Any], **_: Any) -> None:
            """Refuse none or both of the two spellings."""
            _exactly_one(original, "destinations", "rules")

    def __init__(self, attempts: Sequence[Terminate], exit_count: int) -> None:
        self._attempts = tuple(attempts)
        self._exit_count = exit_count

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "AttemptTerminate":
        """Return the node."""
        member = "destinations" if "destinations" in config else "rules"
        given: Sequence[dict[str, Any]] = config[member]
        is_attached = any(site.has_exit(index) for index in range(len(site.exits)))
        attempts = []
        for index, one in enumerate(given):
            # Only the last attempt needs no failures: those of the others lead to the next
            # attempt.
            wants_failures = is_attached or index < len(given) - 1
            ring = site.ring_seconds(one["timeout_seconds"], f"{member}.{index}.timeout_seconds")
            name = "address" if one.get("address") else "number"
            site.note_digits(len(one[name]), f"{member}.{index}.{name}")
            attempts.append(
                Terminate(
                    one[name],
                    ring if wants_failures else None,
                    wants_failures,
                    config["monitor_disconnect"],
                )
            )
        return cls(attempts, len(site.exits))

    def run(self, call: CallFacts) -> NodeRun:
        """Try the destinations in turn; an answer ends the run in the engine."""
        exit_index = 0
        for attempt in self._attempts:
            exit_index = self._exit_of((yield attempt))
        return exit_index

    def _exit_of(self, failure: Event) -> int:
        if isinstance(failure, NoAnswer) and self._exit_count > 1:
            return 1
        if isinstance(failure, RouteSelectFailure) and self._exit_count > 2:
            return 2
        return 0
