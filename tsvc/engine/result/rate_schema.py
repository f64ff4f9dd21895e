"""The members `rate` and `warm_up` of a result, declared."""

from tsvc.engine.result import member
from tsvc.engine.result.member import AnswerMembers

LIMITED_BY = ("backlog", "generator", "sut")


class Lateness(AnswerMembers):
    """`rate.lateness_ms`: how long after its planned moment a start was made."""

    p50 = member.number("half of the starts were not later than this", "ms")
    p99 = member.number("99 % of the starts were not later than this", "ms")
    max = member.number("the latest start", "ms")


class Rate(AnswerMembers):
    """`rate`: what was asked for, what was made, how late, and by whose fault."""

    asked = member.number(
        "mean rate of the plan from its first to its last start, pauses excluded; null where no"
        " rate was asked for",
        "1/s",
        is_null=True,
    )
    asked_peak = member.number("the highest rate of the plan up to there", "1/s", is_null=True)
    achieved = member.number(
        "mean rate of the starts that were made over the same time, or to the last of them if that"
        " came later; null below two starts",
        "1/s",
        is_null=True,
    )
    peak = member.number(
        "the most starts in any 100 ms, as a rate; null below two starts", "1/s", is_null=True
    )
    planned = member.count(
        "starts that were due: started, never_started and unknown_starts together"
    )
    started = member.count("starts that were made: on_time and late together")
    on_time = member.count("starts not later than `engine.late_ms` after their plan")
    late = member.count("starts later than that")
    never_started = member.count("starts that were due and not made")
    unknown_starts = member.count("starts that workers which were lost may have made, at most")
    lateness_ms = member.one(Lateness, "how late starts were; zeroes where no rate was asked for")
    limited_by = member.choice(
        LIMITED_BY,
        "what kept a linear run from its rate: the bound on instances in progress, the tester, the"
        " system under test; null: nothing: no starts were lost, and less than 1 % of them were"
        " late or the rate was achieved within 0.5 %",
        is_null=True,
    )
    paused = member.flag("whether PauseTest keeps the run from starting")


class WarmUp(AnswerMembers):
    """`warm_up`: the starts that are counted and not measured."""

    seconds = member.number("how long the warm-up is, `distribution.warm_up_s`", "s")
    planned = member.count("starts that were due in it; `rate.planned` has the others")
    started = member.count("those of them that were made; `rate.started` has the others")
