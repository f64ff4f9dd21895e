"""DescribeMethods: the catalogue of methods, for writers of clients."""

from collections.abc import Mapping
from typing import Any

from tsvc import turns
from tsvc.engine.result import member
from tsvc.engine.result.member import AnswerMembers
from tsvc.methods.catalogue import CatalogueAnswer, CatalogueMethod, CatalogueParams
from tsvc.methods.method import METHODS, Example, Method, method
from tsvc.schema.describe import describe_field, describe_members


class MethodMembers(AnswerMembers):
    """One of `methods`."""

    name = member.text("the method's name, to be given exactly so")
    summary = member.text("what it does, in a sentence")
    params = member.named(
        "members of its params by name, described as DescribeOperations describes attributes; "
        "where `takes_definition`, those of a definition come to them"
    )
    takes_definition = member.truth("whether its params are a definition: see DescribeDefinition")
    needs_run_id = member.truth("whether params.run_id must be there")
    result = member.named("what it answers, described in the same way")
    kinds = member.texts("kinds of errors that it may be answered with, beside those of all")
    example = member.named("`params`, and the `result` that a service answers to them")


class MethodCatalogue(CatalogueAnswer):
    """Methods."""

    methods = member.each(MethodMembers, "the methods in the order of names", is_optional=True)


@method
class DescribeMethods(CatalogueMethod):
    """Answers {methods[], etag}."""

    name = "DescribeMethods"
    summary = "The catalogue of methods, for writers of clients."
    Params = CatalogueParams
    Result = MethodCatalogue
    example = Example({"etag": "0f34"}, {"etag": "0f34", "unchanged": 1})

    def make(self, params: Mapping[str, Any]) -> dict[str, Any]:
        known = sorted(METHODS, key=lambda one: one.name)
        return {"methods": [_described(one) for one in turns.over(known)]}


def _described(one: Method) -> dict[str, Any]:
    answer = one.Result
    return {
        "name": one.name,
        "summary": one.summary,
        "params": describe_members(one.schema),
        "takes_definition": one.Definition is not None,
        "needs_run_id": one.needs_run_id,
        "result": (
            {"type": "object", "members": describe_members(answer())}
            if isinstance(answer, type)
            else describe_field(answer)
        ),
        "kinds": list(one.kinds),
        "example": {"params": dict(one.example.params), "result": one.example.result},
    }
