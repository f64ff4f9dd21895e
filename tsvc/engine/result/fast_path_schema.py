"""The member `fast_path` of a result, declared."""

from tsvc.engine.result import member
from tsvc.engine.result.member import AnswerMembers


class NotEligible(AnswerMembers):
    """One of `fast_path.not_eligible`: why all instances of the run are ordinary."""

    operation = member.integer("index of the operation; null: the run as a whole", is_null=True)
    why = member.text("the reason")


class Guard(AnswerMembers):
    """One of `fast_path.guards`: why instances fell back."""

    operation = member.count("index of the operation that waited")
    why = member.text("what came, or did not")
    count = member.count("instances that fell back for it")


class FastPathMembers(AnswerMembers):
    """`fast_path`: how many instances were replayed, and why others were not.

    An instance is replayed if it sends and receives the octets of one that has passed, except for
    its own data: then it needs no decoding and no greenlet. Its verdict is the same.
    """

    instances = member.count("instances that were replayed to their end")
    fell_back = member.count(
        "instances that met something unknown on the way, and were executed the ordinary way"
    )
    branches = member.count("recordings beside the first one that are known at the end")
    not_eligible = member.each(
        NotEligible, "why the definition can't be replayed; empty if it can"
    )
    guards = member.each(Guard, "why instances fell back, the most frequent reasons first")
