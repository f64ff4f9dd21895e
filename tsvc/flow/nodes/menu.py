"""Menu: let the caller choose an exit with one key."""

from collections.abc import Mapping
from typing import Any, ClassVar

from marshmallow import validates_schema

from tsvc.flow.announcements import Announcement
from tsvc.flow.call import CallFacts, Collect, EnteredDigits, Play
from tsvc.flow.fields import Announced, Array, Entry, ExitIndex, NodeSchema, refuse_repeated
from tsvc.flow.node import NodeRun, OpenNode, SchemaClass, Serves, Site, register
from tsvc.schema.fields import Integer, String
from tsvc.values import dataclass

NONE_EXIT = 0
FAST_TIMEOUT = "T"


class ChoiceSchema(NodeSchema):
    """One choice of the menu."""

    digit = String(
        1,
        pattern=rf"[0-9*#{FAST_TIMEOUT}]\Z",
        says="one of 0-9, * and #, or T",
        rule="one of `0`-`9`, `*`, `#` and `T`",
        required=True,
        help="the key; `T`: no key was pressed in time",
    )
    exit_idx = ExitIndex(required=True, help="the exit that the key takes")


class MenuSchema(NodeSchema):
    """The announcements and the choices."""

    main_announcement = Announced(required=True, help="prompt of the first attempt")
    timeout_announcement = Announced(required=True, help="prompt after an attempt without a key")
    bad_digit_announcement = Announced(required=True, help="prompt after a key that is no choice")
    max_iterations = Integer(1, default=3, help="number of attempts, the first one included")
    repeat_main = Integer(
        0,
        1,
        default=0,
        help="1: the main announcement is played again before each of the other two",
    )
    first_digit_timeout = Integer(
        1,
        127,
        default=None,
        unit="s",
        help="how long to wait for a key; absent: the site's time; without effect if nothing is"
        " attached to the exit of `T`",
    )
    digits = Array(Entry(ChoiceSchema), "choice", required=True, help="the choices")

    @validates_schema(skip_on_field_errors=False)
    def keys_differ(self, values: dict[str, Any], **_: Any) -> None:
        """Refuse a key that is given twice."""
        refuse_repeated(values, "digits", "digit")


@register
@dataclass(frozen=True, slots=True)
class Menu(OpenNode):
    """Prompts for one key until it is a choice; `repeated` is played before later prompts."""

    main_prompt: Collect
    timeout_prompt: Collect
    bad_digit_prompt: Collect
    repeated: Play | None
    max_iterations: int
    choices: Mapping[str, int]  # exit index by key; without keys of unattached exits

    type: ClassVar[str] = "Menu"
    summary: ClassVar[str] = "Lets the caller choose the way on with one key."
    first_exit: ClassVar[str] = "None"
    Config: ClassVar[SchemaClass] = MenuSchema
    serves: ClassVar[Serves | None] = "calls"
    exit_help: ClassVar[Mapping[str, str]] = {
        "None": "all attempts are used up",
        "Exit n": "a choice that names this exit was made",
    }
    notes: ClassVar[tuple[str, ...]] = (
        "Only a key whose exit has an operation attached is a choice: every other key is a bad"
        " one and leads to the next attempt.",
        "Without a choice for `T`, an attempt without a key leads to the next attempt. With one,"
        " it takes that exit at once.",
        "Input is one key: no key ends or restarts it, so `*` and `#` can be choices.",
    )
    example: ClassVar[Mapping[str, object]] = {
        "config": {
            "main_announcement": {"set": "Site Prompts", "entry": "Main Menu"},
            "timeout_announcement": {"set": "Site Prompts", "entry": "No Key"},
            "bad_digit_announcement": {"set": "Site Prompts", "entry": "Wrong Key"},
            "digits": [
                {"digit": "1", "exit_idx": 1},
                {"digit": "2", "exit_idx": 2},
                {"digit": "#", "exit_idx": 2},
            ],
        },
        "exits": [5, 3, 4],
    }

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "Menu":
        """Return the node."""
        given = ((choice["digit"], choice["exit_idx"]) for choice in config["digits"])
        choices = {key: index for key, index in given if site.has_exit(index)}
        timeout_s: int | None = config["first_digit_timeout"]
        if timeout_s is not None and FAST_TIMEOUT not in choices:
            site.warn("first_digit_timeout", "without effect: T has no exit with an operation")
            timeout_s = None

        def announced(member: str) -> Announcement:
            return site.announcement(config[member], member)

        def collect(announcement: Announcement) -> Collect:
            return Collect(announcement, 1, 1, "none", "none", timeout_s)

        main = announced("main_announcement")
        return cls(
            main_prompt=collect(main),
            timeout_prompt=collect(announced("timeout_announcement")),
            bad_digit_prompt=collect(announced("bad_digit_announcement")),
            repeated=Play(main) if config["repeat_main"] else None,
            max_iterations=config["max_iterations"],
            choices=choices,
        )

    def run(self, call: CallFacts) -> NodeRun:
        """Attempt until a key is a choice."""
        prompt = self.main_prompt
        for attempt in range(self.max_iterations):
            if attempt and self.repeated:
                yield self.repeated
            entered = yield prompt
            key = entered.text if isinstance(entered, EnteredDigits) else ""
            exit_index = self.choices.get(key or FAST_TIMEOUT)
            if exit_index is not None and key != FAST_TIMEOUT:
                return exit_index
            prompt = self.bad_digit_prompt if key else self.timeout_prompt
        return NONE_EXIT
