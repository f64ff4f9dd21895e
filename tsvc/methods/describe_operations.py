"""DescribeOperations: the catalogue of operation types, for GUIs and completion."""

from typing import ClassVar

from tsvc.engine.outcome import member
from tsvc.engine.outcome.member import AnswerMembers
from tsvc.engine.service import Service
from tsvc.methods.method import Example, Method, method
from tsvc.schema import fields
from tsvc.schema.fields import Params
from tsvc.schema.load import LoadedParams


class DescribeParams(Params):
    """Optionally the one type to describe."""

    type = fields.String(help="the type to describe, in any spelling; absent: all of them")


class TypeMembers(AnswerMembers):
    """One of `operations`."""

    type = member.text("the type, in its canonical spelling; `<label>` stands for one of users")
    family = member.choice(("logic", "outbound", "inbound"), "what it does with peers")
    summary = member.text("what it does, in a sentence")
    attributes = member.named(
        "its members beside `arguments`, by name: `type`, and as they have them `required`, "
        "`default`, `nullable`, `minimum`, `maximum`, `choices`, `items`, `members`, `unit`, "
        "`help`; `expression` says that it may be one"
    )
    arguments = member.named(
        "the same of `arguments`, with `members` by name; null: it takes none", is_null=True
    )
    example = member.named("an entry of a definition; may be empty")
    variants = member.texts("INAP: the variants of the protocol that have it", is_optional=True)
    code = member.count("INAP: its operation code", is_optional=True)
    timer_s = member.number("INAP: how long an answer may take", "s", is_optional=True)
    errors = member.texts("INAP: the errors that it may be answered with", is_optional=True)

    class Meta(AnswerMembers.Meta):
        include: ClassVar = {"class": member.count("INAP: operation class", is_optional=True)}


class Catalogue(AnswerMembers):
    """Operation types."""

    operations = member.each(TypeMembers, "the types in the order of names; none: not known")


@method
class DescribeOperations(Method):
    """Answers {operations[]}."""

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
                    "example": {"type": "pass", "arguments": {"text": "reached the end"}},
                }
            ]
        },
    )

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.describe_operations(params.get("type"))
