"""The base of flow operation types; each type is one class in one module of `tsvc.flow.nodes`.

A type declares its name, its config schema, its exits and how to build a node from a config. The
validation of documents, the reference and the engine use only that declaration.

A node is shared by all calls of its flow: it stores nothing of a call. Its `run` is a generator
that yields actions and gets events, so that it reads like blocking code. A caller who hangs up
ends it where it waits.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping
from typing import Any, ClassVar, Literal

from tsvc.config.scp_tables import Scp
from tsvc.flow.announcements import (
    Announcement,
    AnnouncementName,
    AnnouncementTable,
    VariableMessage,
    find_message,
)
from tsvc.flow.call import Action, CallFacts, Collect, Event
from tsvc.flow.fields import NodeSchema
from tsvc.registry import Registry, modules_of

NodeRun = Generator[Action, Event, int]
Serves = Literal["calls", "USSD sessions"]
SchemaClass = type[NodeSchema]  # defined here: inside a Node, `type` is the operation type


# TS 29.078 7.1: maxCalledPartyNumberLength 18, of which two octets contain no digits.
_MOST_DIGITS = 32


class Site:
    """The environment in which a node is built: its exits, tables and limits, and warnings."""

    def __init__(
        self,
        settings: Scp,
        announcements: AnnouncementTable,
        exits: tuple[int | None, ...],
    ) -> None:
        self.settings = settings
        self.exits = exits
        self.warnings: list[tuple[str, str]] = []  # member, text
        self._announcements = announcements

    def warn(self, member: str, text: str) -> None:
        """Report a problem that does not refuse the flow."""
        self.warnings.append((member, text))

    def has_exit(self, index: int) -> bool:
        """Return True if an operation is attached to the exit."""
        return self.exits[index] is not None

    def announcement(self, name: AnnouncementName, member: str) -> Announcement:
        """Return the playable form: with the message id of the flow, the site or the default."""
        for key in name.further:
            self.warn(f"{member}.{key}", "kept, but has no effect here")
        message = find_message(name, self._announcements, self.settings.announcements)
        if message is None:
            message = self.settings.default_message_id
            self.warn(
                member,
                f'no message id for "{name.entry}" of set "{name.set}";'
                f" message {message} is played",
            )
        if isinstance(message, VariableMessage):
            return Announcement(message.message_id, name.repetition, name, message.parts)
        return Announcement(message, name.repetition, name)

    def collect(self, config: Mapping[str, Any], member: str) -> Collect:
        """Return the prompt with a member's announcement and the limits of the entry."""
        return Collect(
            self.announcement(config[member], member),
            config["min_digits"],
            config["max_digits"],
            config["end_character"],
            config["cancel_character"],
        )

    def note_digits(self, count: int, member: str) -> None:
        """Warn about a number to connect to that is longer than CAP allows."""
        if count > _MOST_DIGITS:
            self.warn(member, f"{count} digits to connect to; CAP has {_MOST_DIGITS} at most")

    def ring_seconds(self, wanted: int, member: str) -> int:
        """Return the ring time in seconds: for 0 the site's default, at most the site's limit."""
        longest = self.settings.no_answer_max_seconds
        if wanted > longest:
            self.warn(member, f"{wanted} s is longer than this site allows; {longest} s is used")
            return longest
        return wanted or self.settings.no_answer_seconds


class Node(ABC):
    """One operation of a flow, ready to run; its class is the operation type.

    type:     the name in documents.
    summary:  one sentence for the reference.
    Config:   the schema of `config`.
    layouts:  the exit names, one tuple per allowed number of exits.
    serves:   calls or USSD sessions, None for both.

    Only for the reference: `exit_help` describes when an exit is taken, by its name; `notes` are
    paragraphs of Markdown; `example` has the `config` and `exits` of an operation.
    """

    type: ClassVar[str]
    summary: ClassVar[str]
    Config: ClassVar[SchemaClass]
    layouts: ClassVar[tuple[tuple[str, ...], ...]]
    serves: ClassVar[Serves | None] = None
    exit_help: ClassVar[Mapping[str, str]]
    notes: ClassVar[tuple[str, ...]] = ()
    example: ClassVar[Mapping[str, object]]

    @classmethod
    def exit_names(cls, count: int) -> tuple[str, ...] | None:
        """Return the names of that many exits, None if the type can't have so many.

        A type without a fixed number of exits overrides this and exit_rule.
        """
        return next((names for names in cls.layouts if len(names) == count), None)

    @classmethod
    def exit_rule(cls) -> str:
        """Return the number of exits of the type as text, to complete "<type> has …"."""
        if len(cls.layouts) == 1:
            names = cls.layouts[0]
            if not names:
                return "no exits"
            listed = ", ".join(f"{index} {name}" for index, name in enumerate(names))
            return f"exactly {len(names)} exit{'s' if len(names) > 1 else ''} ({listed})"
        return " or ".join(str(len(names)) for names in cls.layouts) + " exits"

    @classmethod
    @abstractmethod
    def build(cls, config: dict[str, Any], site: Site) -> "Node":
        """Return the node for a config that its schema has loaded; may warn, can't refuse."""

    @abstractmethod
    def run(self, call: CallFacts) -> NodeRun:
        """Serve one call and return the exit index."""


class OpenNode(Node):
    """A type that has as many exits as its config names, and at least one."""

    layouts = ()
    first_exit: ClassVar[str] = "Exit 0"

    @classmethod
    def exit_names(cls, count: int) -> tuple[str, ...] | None:
        """Return the names of that many exits, None if there are none."""
        if count < 1:
            return None
        return (cls.first_exit, *(f"Exit {index}" for index in range(1, count)))

    @classmethod
    def exit_rule(cls) -> str:
        """Return the number of exits of the type as text, to complete "<type> has …"."""
        return "at least 1 exit"


NODES: Registry[type[Node]] = Registry("flow operation", modules_of("tsvc.flow.nodes"))


def register(node: type[Node]) -> type[Node]:
    """Register a node class as an operation type; a class decorator."""
    return NODES.register(node.type, node)
