"""DescribeOperations: the catalogue of operation types, for GUIs and completion."""

from collections.abc import Mapping
from typing import Any, ClassVar

from tsvc import turns
from tsvc.engine.result import member
from tsvc.engine.result.member import AnswerMembers
from tsvc.methods.catalogue import CatalogueAnswer, CatalogueMethod, CatalogueParams
from tsvc.methods.method import Example, method
from tsvc.operations.names import find
from tsvc.operations.operation import OperationType, catalogue
from tsvc.schema import fields

_SHORT = ("type", "family", "summary", "variants")


class DescribeParams(CatalogueParams):
    """The type to describe, if only one, and the amount of detail."""

    type = fields.String(help="the type to describe, in any spelling; absent: all of them")
    summary = fields.Boolean(
        default=False, help="1: `type`, `family`, `summary` and `variants` of each only"
    )


class TypeMembers(AnswerMembers):
    """One of `operations`."""

    type = member.text("the type, in its canonical spelling; `<label>` stands for one of users")
    family = member.choice(("logic", "outbound", "inbound"), "what it does with peers")
    summary = member.text("what it does, in a sentence")
    attributes = member.named(
        "its members beside `arguments`, by name: `type`, and as they have them `required`, "
        "`default`, `nullable`, `minimum`, `maximum`, `choices`, `items`, `members`, `unit`, "
        "`help`; `expression` says that it may be one",
        is_optional=True,
    )
    arguments = member.named(
        "the same of `arguments`, with `members` by name; null: it takes none",
        is_null=True,
        is_optional=True,
    )
    received = member.texts(
        "the names in `$i` under which it may store what comes", is_optional=True
    )
    example = member.named("an entry of a definition; may be empty", is_optional=True)
    variants = member.texts("INAP: the variants of the protocol that have it", is_optional=True)
    code = member.count("INAP: its operation code", is_optional=True)
    timer_s = member.number("INAP: how long an answer may take", "s", is_optional=True)
    errors = member.texts("INAP: the errors that it may be answered with", is_optional=True)

    class Meta(AnswerMembers.Meta):
        include: ClassVar = {"class": member.count("INAP: operation class", is_optional=True)}


class Catalogue(CatalogueAnswer):
    """Operation types."""

    operations = member.each(
        TypeMembers, "the types in the order of names; none: not known", is_optional=True
    )


@method
class DescribeOperations(CatalogueMethod):
    """Answers {operations[], etag}."""

    name = "DescribeOperations"
    summary = "The catalogue of operation types, for GUIs and completion."
    Params = DescribeParams
    Result = Catalogue
    example = Example(
        {"type": "pass"},
        {
            "operations": [
                {
                    "type": "pass",
                    "family": "logic",
                    "summary": "add a passed check to the check log",
                    "attributes": {
                        "type": {
                            "type": "string",
                            "required": True,
                            "help": "the type of the operation",
                        },
                        "label": {
                            "type": "string",
                            "help": "a unique name, to which branch may jump",
                        },
                        "arguments": {"type": "object"},
                    },
                    "arguments": {
                        "type": "sequence",
                        "members": {"text": {"type": "string", "help": "the words"}},
                    },
                    "received": [],
                    "example": {"type": "pass", "arguments": {"text": "reached the end"}},
                }
            ],
            "etag": "0f343b0931126a20f133d67c2b018a3b",
            "unchanged": 0,
        },
    )

    def make(self, params: Mapping[str, Any]) -> dict[str, Any]:
        name = params.get("type")
        types = catalogue() if name is None else [_named(name)]
        found = (type_.describe() for type_ in turns.over(types) if type_ is not None)
        if params["summary"]:
            return {"operations": [_short(one) for one in found]}
        return {"operations": list(found)}


def _named(name: str) -> OperationType | None:
    """Return a type by any spelling; a family's sample by the name that the catalogue has."""
    listed = (type_ for type_ in catalogue() if type_.name == name)
    return find(name) or next(listed, None)


def _short(described: Mapping[str, Any]) -> dict[str, Any]:
    return {name: described[name] for name in _SHORT if name in described}
