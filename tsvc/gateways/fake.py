"""The contract of the fakes that `tsvc fake` starts: stand-ins for the peers of gateways.

A fake is a class with `Settings`, a marshmallow schema of its settings. It is created with a host,
a port (0: any free one) and settings. Fakes run on gevent, in a process of their own or inside a
test. A fake that connects to the tester has `is_client = True`: host and port are the tester's.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol

from marshmallow import Schema, ValidationError

from tsvc.kind import kinds
from tsvc.schema.fields import flatten_messages
from tsvc.schema.manual import members_of, tables_of

Observer = Callable[[str], None]


class Fake(Protocol):
    """A server with configured answers."""

    Settings: ClassVar[type[Schema]]
    on_request: Observer  # called for each request, with one line

    def __init__(self, host: str, port: int, **settings: Any) -> None: ...

    @property
    def address(self) -> tuple[str, int]:
        """The address that it listens on, once it is started, or connects to."""

    def start(self) -> None:
        """Listen, or connect in the background. Errors: OSError or GatewayError if it can't."""

    def stop(self) -> None:
        """Close everything; a second call changes nothing."""


def load_fake(name: str) -> type[Fake]:
    """Return the class of a fake. Errors: KeyError."""
    known = {kind.fake_name or kind.name: kind for kind in kinds().values()}[name]
    class_: type[Fake] = getattr(known.part("fake"), known.fake)
    return class_


def load_settings(schema: type[Schema], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with their defaults. Errors: ValueError with all problems."""
    try:
        loaded = schema().load(dict(given))
    except ValidationError as error:
        found = flatten_messages(error.messages_dict, "")
        lines = [f"{path}: {', '.join(texts)}" for path, texts in sorted(found.items())]
        raise ValueError("\n".join(lines)) from None
    assert isinstance(loaded, dict)
    return loaded


def keys_text(schema: type[Schema]) -> str:
    """Return the settings of a fake, one line each, nested tables below."""
    lines = []
    for place, one in tables_of(schema()):
        if place:
            lines.append(f"\n{place}: each")
        for member in members_of(one):
            default = f" [{member.default}]" if member.default else ""
            must_be = f" ({member.must_be})" if member.must_be else ""
            lines.append(f"  {member.name}{default}: {member.help}{must_be}")
    return "\n".join(lines)
