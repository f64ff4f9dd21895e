"""UserInput: ask the caller for digits and store them in a buffer."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, ClassVar

from marshmallow import validates_schema

from tsvc.flow.call import CallFacts, Collect, EnteredDigits, Event
from tsvc.flow.fields import Announced, BufferName, NodeSchema, refuse_min_above_max
from tsvc.flow.node import Node, NodeRun, SchemaClass, Serves, Site, register
from tsvc.schema.fields import Choice, Integer
from tsvc.values import dataclass

KEYS = frozenset("0123456789ABCDEF*#")


class Exit(IntEnum):
    """The exits, in the order of the document."""

    COLLECTED = 0
    NOT_COLLECTED = 1


class UserInputSchema(NodeSchema):
    """The config members and the rule between them."""

    main_announcement = Announced(required=True, help="prompt of the first attempt")
    reprompt_announcement = Announced(required=True, help="prompt of the later attempts")
    max_iterations = Integer(1, default=3, help="number of attempts, the first one included")
    min_digits = Integer(1, 20, required=True, help="shortest entry")
    max_digits = Integer(1, 20, required=True, help="longest entry")
    end_character = Choice(["default", "none"], default="default", help="key that ends the input")
    cancel_character = Choice(
        ["default", "none"], default="default", help="key that restarts the input"
    )
    buffer = BufferName(is_written=True, default="user.input", help="where the entry is kept")

    @validates_schema(skip_on_field_errors=False)
    def digits_in_order(self, values: dict[str, Any], **_: Any) -> None:
        """Refuse min_digits above max_digits."""
        refuse_min_above_max(values)


@register
@dataclass(frozen=True, slots=True)
class UserInput(Node):
    """Prompt and collect until an entry has an acceptable length."""

    main_prompt: Collect
    reprompt: Collect
    max_iterations: int
    buffer: str

    type: ClassVar[str] = "UserInput"
    summary: ClassVar[str] = "Asks the caller for digits and keeps them in a buffer."
    serves: ClassVar[Serves | None] = "calls"
    layouts: ClassVar[tuple[tuple[str, ...], ...]] = (("Collected", "Not Collected"),)
    Config: ClassVar[SchemaClass] = UserInputSchema
    exit_help: ClassVar[Mapping[str, str]] = {
        "Collected": "the entry is in the buffer",
        "Not Collected": "all attempts are used up; the buffer is as it was",
    }
    notes: ClassVar[tuple[str, ...]] = (
        "No entry and an entry of a wrong length both lead to the next attempt. All keys count:"
        " `0`-`9`, `A`-`F`, `*` and `#`, but for those that end or restart the input.",
    )
    example: ClassVar[Mapping[str, object]] = {
        "config": {
            "main_announcement": {"set": "Site Prompts", "entry": "Enter Account"},
            "reprompt_announcement": {"set": "Site Prompts", "entry": "Try Again"},
            "min_digits": 4,
            "max_digits": 8,
            "buffer": "user.account",
        },
        "exits": [3, None],
    }

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "UserInput":
        """Return the node."""

        return cls(
            main_prompt=site.collect(config, "main_announcement"),
            reprompt=site.collect(config, "reprompt_announcement"),
            max_iterations=config["max_iterations"],
            buffer=config["buffer"],
        )

    def run(self, call: CallFacts) -> NodeRun:
        """Attempt until something acceptable is entered."""
        prompt = self.main_prompt
        for _ in range(self.max_iterations):
            entry = self._entry((yield prompt))
            if entry is not None:
                call.buffers[self.buffer] = entry
                return Exit.COLLECTED
            prompt = self.reprompt
        return Exit.NOT_COLLECTED

    def _entry(self, entered: Event) -> str | None:
        """Return a valid entry, otherwise None; a resource may return less after its timer."""
        if not isinstance(entered, EnteredDigits):
            return None
        text = entered.text
        is_in_range = self.main_prompt.min_digits <= len(text) <= self.main_prompt.max_digits
        return text if is_in_range and KEYS.issuperset(text) else None
