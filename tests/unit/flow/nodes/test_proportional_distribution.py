"""ProportionalDistribution: rules, and the exit that each draw takes."""

import pytest

from tsvc.flow.call import Release

CONFIG = "flow.operations.2.config."


def shares(*pairs):
    return {"rules": [{"proportion": share, "exit_idx": index} for share, index in pairs]}


GOOD = shares((1, 0), (2, 1), (1, 2))

RULES = [
    ({}, "rules", "is required"),
    ({"rules": []}, "rules", "must hold at least one rule"),
    ({"rules": 50}, "rules", "must be an array of rules, not the integer 50"),
    ({"rules": [{"exit_idx": 1}]}, "rules.0.proportion", "is required"),
    ({"rules": [{"proportion": 1}]}, "rules.0.exit_idx", "is required"),
    (shares(("50", 1)), "rules.0.proportion", 'must be a number, not the string "50"'),
    (shares((True, 1)), "rules.0.proportion", "must be a number, not the boolean true"),
    (shares((float("nan"), 1)), "rules.0.proportion", "must be a number, not the number nan"),
    (shares((float("inf"), 1)), "rules.0.proportion", "must be a number, not the number inf"),
    (shares((1, 1), (-0.5, 1)), "rules.1.proportion", "must be 0 to 1000000, not -0.5"),
    (shares((10**400, 1)), "rules.0.proportion", "must be 0 to 1000000, not of very many digits"),
    (shares((0, 1), (0.0, 2)), "rules", "at least one proportion must be above 0"),
    (
        shares((1, 3)),
        "rules.0.exit_idx",
        "there is no exit 3; the operation has 3, counted from 0",
    ),
    (
        {"rules": [{"proportion": 1, "exit_idx": 1, "weight": 1}]},
        "rules.0.weight",
        "unknown member",
    ),
]


@pytest.mark.parametrize(("config", "member", "text"), RULES)
def test_each_rule_has_its_own_message(flows, config, member, text):
    problems = flows.problems(flows.document("ProportionalDistribution", config))
    assert problems == [(CONFIG + member, text, "error")]


def test_at_least_one_exit(flows):
    document = flows.document("ProportionalDistribution", shares((1, 0)), [])
    text = "ProportionalDistribution has at least 1 exit, not 0"
    assert ("flow.operations.2.exits", text, "error") in flows.problems(document)


@pytest.mark.parametrize(
    ("draw", "exit_index"),
    [(0.0, 0), (0.2499, 0), (0.25, 1), (0.7499, 1), (0.75, 2), (0.9999999999999999, 2)],
)
def test_draw_takes_its_share(flows, draw, exit_index):
    run = flows.run(flows.document("ProportionalDistribution", GOOD), draw=draw)
    assert run.start() == Release(exit_index + 1)
    assert run.path[1].exit_name == f"Exit {exit_index}"


@pytest.mark.parametrize("draw", [0.0, 0.5, 0.9999999999999999])
def test_a_proportion_of_zero_is_never_drawn(flows, draw):
    config = shares((0, 0), (0.7, 1), (0, 2))
    run = flows.run(flows.document("ProportionalDistribution", config), draw=draw)
    assert run.start() == Release(2)


def test_shares_over_evenly_spread_draws(flows):
    document = flows.document("ProportionalDistribution", shares((10, 0), (20, 1), (5, 0), (5, 2)))
    taken = [flows.run(document, draw=step / 400).start().cause - 1 for step in range(400)]
    assert [taken.count(index) for index in range(3)] == [150, 200, 50]
