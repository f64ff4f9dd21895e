"""ExtensionDialing: ask the caller for an extension and connect to prefix + extension."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, ClassVar

from marshmallow import ValidationError, validates_schema

from tsvc.flow.call import CallFacts, Collect, EnteredDigits, Event, Terminate
from tsvc.flow.fields import (
    Announced,
    Array,
    NodeSchema,
    NumberPattern,
    digits,
    refuse_min_above_max,
)
from tsvc.flow.node import Node, NodeRun, SchemaClass, Serves, Site, register
from tsvc.flow.patterns import Pattern
from tsvc.schema.fields import Choice, Integer
from tsvc.values import dataclass

MIN_DESTINATION_DIGITS = 7


class Exit(IntEnum):
    """The exits, in the order of the document."""

    BUSY_NO_ANSWER = 0
    INSUFFICIENT_DIGITS = 1
    NO_MATCH = 2


class ExtensionDialingSchema(NodeSchema):
    """The config members and the rules between them."""

    main_announcement = Announced(required=True, help="prompt of the first attempt")
    reprompt_announcement = Announced(required=True, help="prompt of the later attempts")
    max_iterations = Integer(1, default=3, help="number of attempts, the first one included")
    prefix = digits(required=True, help="what precedes the extension in the Final Destination")
    min_digits = Integer(1, 5, required=True, help="shortest extension")
    max_digits = Integer(1, 5, required=True, help="longest extension")
    timeout_seconds = Integer(
        0,
        default=0,
        unit="s",
        help="how long the Final Destination rings; 0: the site's default; without effect if"
        " nothing is attached to exit 0",
    )
    end_character = Choice(["default", "none"], default="default", help="key that ends the input")
    cancel_character = Choice(
        ["default", "none"], default="default", help="key that restarts the input"
    )
    destination_patterns = Array(
        NumberPattern(),
        "pattern",
        default=None,
        help="the Final Destination has to match one of them; absent: every one is allowed",
    )
    no_match = Choice(
        ["exit", "reprompt"],
        default=None,
        help="what follows a Final Destination that no pattern allows: exit 2 at once, or the next"
        " attempt; absent: as the site decides",
    )

    # Members with an error of their own are not in `values`; each rule needs only its two members.
    @validates_schema(skip_on_field_errors=False)
    def digits_in_order(self, values: dict[str, Any], **_: Any) -> None:
        """Refuse min_digits above max_digits."""
        refuse_min_above_max(values)

    @validates_schema(skip_on_field_errors=False)
    def destination_long_enough(self, values: dict[str, Any], **_: Any) -> None:
        """Refuse a shortest Final Destination of less than seven digits."""
        prefix, low = values.get("prefix"), values.get("min_digits")
        if prefix is None or low is None:
            return
        if len(prefix) + low < MIN_DESTINATION_DIGITS:
            raise ValidationError(
                f"prefix ({len(prefix)} digits) and min_digits ({low}) make a Final Destination"
                f" of {len(prefix) + low} digits; at least {MIN_DESTINATION_DIGITS} are needed",
                "prefix",
            )


@register
@dataclass(frozen=True, slots=True)
class ExtensionDialing(Node):
    """Prompts, collects, checks and connects; `Exit` has the other results."""

    main_prompt: Collect
    reprompt: Collect
    max_iterations: int
    prefix: str
    patterns: tuple[Pattern, ...] | None
    reprompts_no_match: bool
    ring_seconds: int | None
    wants_failures: bool

    type: ClassVar[str] = "ExtensionDialing"
    summary: ClassVar[str] = (
        "Asks the caller for an extension, puts the prefix before it, checks the resulting Final"
        " Destination and connects to it; an answer ends the flow."
    )
    serves: ClassVar[Serves | None] = "calls"
    layouts: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("Busy/NoAnswer", "Insufficient Digits", "No Match"),
    )
    Config: ClassVar[SchemaClass] = ExtensionDialingSchema
    exit_help: ClassVar[Mapping[str, str]] = {
        "Busy/NoAnswer": "the Final Destination was busy, did not answer or had no way to it",
        "Insufficient Digits": "all attempts are used up, the latest one had too few, too many or"
        " non-decimal digits",
        "No Match": "no pattern allows the Final Destination; with `no_match` `reprompt` only when"
        " that was the latest failure of attempts that are all used up",
    }
    notes: ClassVar[tuple[str, ...]] = (
        "Prefix and extension together are the Final Destination. It has at least 7 digits: the"
        " length of `prefix` plus `min_digits` must reach that.",
        "With nothing attached to exit 0, the connect ends the flow: nobody waits for what becomes"
        " of it, and the ring time has no effect.",
    )
    example: ClassVar[Mapping[str, object]] = {
        "config": {
            "main_announcement": {"set": "Site Prompts", "entry": "Enter Extension"},
            "reprompt_announcement": {"set": "Site Prompts", "entry": "Try Again"},
            "prefix": "4329",
            "min_digits": 3,
            "max_digits": 4,
            "timeout_seconds": 20,
            "destination_patterns": ["43291??", "43292[0-4]??"],
        },
        "exits": [3, 4, 5],
    }

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "ExtensionDialing":
        """Return the node; a ring time beyond the site's limit is cut with a warning."""
        ring_seconds = site.ring_seconds(config["timeout_seconds"], "timeout_seconds")
        wants_failures = site.has_exit(Exit.BUSY_NO_ANSWER)
        site.note_digits(len(config["prefix"]) + config["max_digits"], "prefix")

        return cls(
            main_prompt=site.collect(config, "main_announcement"),
            reprompt=site.collect(config, "reprompt_announcement"),
            max_iterations=config["max_iterations"],
            prefix=config["prefix"],
            patterns=config["destination_patterns"],
            reprompts_no_match=(config["no_match"] or site.settings.no_match) == "reprompt",
            ring_seconds=ring_seconds if wants_failures else None,
            wants_failures=wants_failures,
        )

    def run(self, call: CallFacts) -> NodeRun:
        """Attempt until a Final Destination is allowed; the latest failure is the exit."""
        prompt = self.main_prompt
        failure = Exit.INSUFFICIENT_DIGITS
        for _ in range(self.max_iterations):
            extension = self._extension((yield prompt))
            prompt = self.reprompt
            if extension is None:
                failure = Exit.INSUFFICIENT_DIGITS
                continue
            destination = self.prefix + extension
            if self._is_allowed(destination):
                yield Terminate(destination, self.ring_seconds, self.wants_failures)
                return Exit.BUSY_NO_ANSWER  # an answer has ended the run in the engine
            failure = Exit.NO_MATCH
            if not self.reprompts_no_match:
                break
        return failure

    def _extension(self, entered: Event) -> str | None:
        """Return the extension, None if it has too few or too many digits or non-decimal ones.

        The resource has counted already, but may return less after its timer.
        """
        if not isinstance(entered, EnteredDigits):
            return None
        text = entered.text
        is_decimal = text.isascii() and text.isdigit()
        is_in_range = self.main_prompt.min_digits <= len(text) <= self.main_prompt.max_digits
        return text if is_decimal and is_in_range else None

    def _is_allowed(self, destination: str) -> bool:
        if self.patterns is None:
            return True
        return any(pattern.matches(destination) for pattern in self.patterns)
