"""Random ExtensionDialing operations with the site they run at, and their flow documents.

Everything is valid: other tests cover refusals. The same generator state gives the same
configuration again.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

SERVICE_KEY = 45
CAUSES = (17, 28, 1)  # of the ReleaseCall behind exits 0, 1 and 2
MAIN, REPROMPT = ("Site Prompts", "Enter Extension"), ("Site Prompts", "Try Again")
TERMINATING_EVENTS = {"camel4": (12, 13, 14)}

# The owners of an entry of the announcement table: the flow overrides the site.
TABLES = ("flow", "site", "both", "neither")


@dataclass(frozen=True, slots=True)
class Site:
    """The `[scp]` table of the site, as far as it affects a call. Times in seconds."""

    end: str = "basic"
    final_connect: str = "end"
    no_match: str = "exit"
    no_answer_seconds: int = 15
    no_answer_max_seconds: int = 300
    release_cause: int = 31
    resource_failure_cause: int = 38
    default_message_id: int = 1
    end_digit: str = "#"
    cancel_digit: str = "*"
    start_digit: str = ""
    first_digit_timeout_s: int = 10
    inter_digit_timeout_s: int = 5
    interruptable: bool = True
    reset_timer_interval: float = 30.0
    activity_test_seconds: float = 60.0
    srf_guard_s: float = 120.0
    ring_margin_s: float = 10.0
    call_guard_s: float = 14400.0


@dataclass(frozen=True, slots=True)
class Announcement:
    """A prompt: its entry, its repetitions, and the message ids that the tables assign to it."""

    set: str
    entry: str
    repetition: int | None
    flow_id: int | None
    site_id: int | None

    @property
    def document(self) -> dict[str, Any]:
        """The announcement object of the operation."""
        found: dict[str, Any] = {"set": self.set, "entry": self.entry}
        if self.repetition is not None:
            found["repetition"] = self.repetition
        return found


@dataclass(frozen=True, slots=True)
class Configuration:
    """One ExtensionDialing operation; a member that is None is not in the document."""

    site: Site
    variant: str
    has_aarq: bool
    trigger_event: int | None
    capabilities_hex: str | None
    main: Announcement
    reprompt: Announcement
    max_iterations: int | None
    prefix: str
    min_digits: int
    max_digits: int
    timeout_seconds: int | None
    end_character: str | None
    cancel_character: str | None
    patterns: tuple[str, ...] | None
    pattern_syntax: str | None
    no_match: str | None
    is_attached: tuple[bool, bool, bool]

    @property
    def is_terminating(self) -> bool:
        """True for a call triggered by the terminating half."""
        return self.trigger_event in TERMINATING_EVENTS.get(self.variant, (12,))

    def document(self) -> dict[str, Any]:
        """Return the flow document."""
        operations: dict[str, Any] = {
            "1": {"id": 1, "type": "Start", "base_node": 1, "exits": [2]},
            "2": {
                "id": 2,
                "type": "ExtensionDialing",
                "base_node": 2,
                "config": self._operation_config(),
                "exits": [3 + at if self.is_attached[at] else None for at in range(3)],
            },
        }
        for at, cause in enumerate(CAUSES):
            if self.is_attached[at]:
                operations[str(3 + at)] = {
                    "id": 3 + at,
                    "type": "ReleaseCall",
                    "base_node": 3 + at,
                    "config": {"cause": cause},
                    "exits": [],
                }
        document = {
            "name": "model",
            "triggers": [{"service_key": SERVICE_KEY}],
            "announcements": self.announcements("flow_id"),
            "operations": operations,
        }
        if self.pattern_syntax is not None:
            document["pattern_syntax"] = self.pattern_syntax
        return document

    def announcements(self, whose: str) -> dict[str, dict[str, int]]:
        """Return the announcement table of the flow or the site (`flow_id`, `site_id`)."""
        table: dict[str, dict[str, int]] = {}
        for prompt in (self.main, self.reprompt):
            message_id = getattr(prompt, whose)
            if message_id is not None:
                table.setdefault(prompt.set, {})[prompt.entry] = message_id
        return table

    def _operation_config(self) -> dict[str, Any]:
        config: dict[str, Any] = {
            "main_announcement": self.main.document,
            "reprompt_announcement": self.reprompt.document,
            "prefix": self.prefix,
            "min_digits": self.min_digits,
            "max_digits": self.max_digits,
        }
        optional: Mapping[str, Any] = {
            "max_iterations": self.max_iterations,
            "timeout_seconds": self.timeout_seconds,
            "end_character": self.end_character,
            "cancel_character": self.cancel_character,
            "destination_patterns": None if self.patterns is None else list(self.patterns),
            "no_match": self.no_match,
        }
        config.update({name: value for name, value in optional.items() if value is not None})
        return config


def random_configuration(random: Random) -> Configuration:
    """Return a valid configuration, which obeys every rule of the operation."""
    variant = random.choices(("cs1", "camel2", "camel3", "camel4", "camel1"), (5, 5, 5, 5, 1))[0]
    min_digits = random.randint(1, 5)
    prefix_length = random.randint(7 - min_digits, 11)
    prefix = "".join(random.choices("0123456789", k=prefix_length))
    max_digits = random.randint(min_digits, 5)
    syntax = random.choices((None, "regex"), (9, 1))[0]
    patterns = None
    if random.random() < 0.7:
        make = _random_pattern if syntax is None else _random_regex
        patterns = tuple(
            make(random, prefix, min_digits, max_digits) for _ in range(random.randint(1, 4))
        )
    return Configuration(
        site=_random_site(random),
        variant=variant,
        has_aarq=random.random() < 0.8,
        trigger_event=_random_trigger(random, variant),
        capabilities_hex=random.choice((None, "00", "0180", "ff")),
        main=_random_announcement(random, MAIN, 101),
        reprompt=_random_announcement(random, REPROMPT, 102),
        max_iterations=random.choice((None, 1, 2, 3, 4, 5)),
        prefix=prefix,
        min_digits=min_digits,
        max_digits=max_digits,
        timeout_seconds=random.choice((None, 0, 1, 7, 20, 45, 300, 301, 999)),
        end_character=random.choice((None, "default", "none")),
        cancel_character=random.choice((None, "default", "none")),
        patterns=patterns,
        pattern_syntax=syntax,
        no_match=random.choice((None, "exit", "reprompt")),
        is_attached=(random.random() < 0.8, random.random() < 0.85, random.random() < 0.85),
    )


def _random_trigger(random: Random, variant: str) -> int | None:
    if random.random() < 0.35:
        return random.choice(TERMINATING_EVENTS.get(variant, (12,)))
    return random.choice((None, 2, 3))


def _random_site(random: Random) -> Site:
    end_digit, cancel_digit, start_digit = random.choices(
        (("#", "*", ""), ("*", "#", ""), ("#", "", "*")), (6, 2, 2)
    )[0]
    return Site(
        end=random.choice(("basic", "basic", "prearranged")),
        final_connect=random.choice(("end", "continue")),
        no_match=random.choice(("exit", "reprompt")),
        no_answer_seconds=random.choice((15, 8)),
        no_answer_max_seconds=random.choice((300, 40)),
        release_cause=random.choice((31, 41)),
        resource_failure_cause=random.choice((38, 47)),
        default_message_id=random.choice((1, 900)),
        end_digit=end_digit,
        cancel_digit=cancel_digit,
        start_digit=start_digit,
        first_digit_timeout_s=random.choice((10, 4)),
        inter_digit_timeout_s=random.choice((5, 3)),
        interruptable=random.random() < 0.5,
        # No two of these, nor multiples of them, expire at once, since no rule orders two timers.
        # All are sums of powers of two, so that times add up exactly.
        reset_timer_interval=random.choice((30.0, 50.0, 0.0)),
        activity_test_seconds=random.choice((61.25, 20.75, 0.0)),
        srf_guard_s=random.choice((121.5, 75.5)),
        ring_margin_s=random.choice((10.5, 25.5)),
        call_guard_s=random.choice((1800.5, 600.5)),
    )


def _random_announcement(random: Random, name: tuple[str, str], number: int) -> Announcement:
    table = random.choice(TABLES)
    return Announcement(
        *name,
        repetition=random.choice((None, 1, 2, 5)),
        flow_id=number if table in ("flow", "both") else None,
        site_id=number + 100 if table in ("site", "both") else None,
    )


# -- destination patterns ---------------------------------------------------------------------

# Pieces for one digit of an extension, as a pattern and as a regular expression.
_PIECES = (
    ("?", "."),
    (".", "."),
    ("[1-5]", "[1-5]"),
    ("[^09]", "[^09]"),
    ("[2468]", "[2468]"),
    ("(7)", "(?:7)"),
    ("[0-9*#]", "[0-9*#]"),
    ("3", "3"),
    ("A", "A"),
)
_TAILS = ((".%", ".*"), ("[0-6]%", "[0-6]*"), ("?<1:5>", ".{1,5}"), ("", ""), ("(12)%", "(?:12)*"))


def _random_pattern(random: Random, prefix: str, min_digits: int, max_digits: int) -> str:
    head = prefix if random.random() < 0.8 else f"?<{len(prefix)}>"
    return head + "".join(_random_pieces(random, min_digits, max_digits, 0))


def _random_regex(random: Random, prefix: str, min_digits: int, max_digits: int) -> str:
    return prefix + "".join(_random_pieces(random, min_digits, max_digits, 1))


def _random_pieces(random: Random, min_digits: int, max_digits: int, form: int) -> list[str]:
    """Return pieces for about as many digits as a caller may dial."""
    if random.random() < 0.5:
        count = random.randint(0, min_digits - 1)
        return [random.choice(_PIECES)[form] for _ in range(count)] + [random.choice(_TAILS)[form]]
    weights = (6, 6, 4, 4, 2, 1, 4, 1, 1)
    return [
        piece[form]
        for piece in random.choices(_PIECES, weights, k=random.randint(min_digits, max_digits))
    ]


def is_matched(destination: str, patterns: tuple[str, ...], syntax: str | None) -> bool:
    """Return True if one of the patterns matches the whole Final Destination."""
    translate = _as_regex if syntax is None else str
    return any(re.fullmatch(translate(pattern), destination) for pattern in patterns)


_REPETITION = re.compile(r"<(\d+)(?::(\d+))?>")


def _as_regex(pattern: str) -> str:
    """Return the regular expression for a pattern of the document."""
    found = _REPETITION.sub(
        lambda m: f"{{{m[1]}}}" if m[2] is None else f"{{{m[1]},{m[2]}}}", pattern
    )
    at_class = False
    out = []
    for character in found:
        at_class = character == "[" or (at_class and character != "]")
        out.append(character if at_class else _PLAIN.get(character, character))
    return "".join(out)


_PLAIN = {"?": ".", "%": "*", "*": r"\*", "(": "(?:"}
