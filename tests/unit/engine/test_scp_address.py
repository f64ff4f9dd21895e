"""`scp` of a definition: the address to which BEGINs are sent, as the interface describes it."""

import pytest
from support.scripted_scp import INITIAL_DP

GT = {"dgt_digits": "0642", "dgt_noa": 4, "dgt_np": 1, "dgt_tt": 9}
SHOWN_GT = {"gt_digits": "0642", "gt_noa": 4, "gt_np": 1, "gt_tt": 9}


@pytest.mark.parametrize(
    ("scp", "called"),
    [
        ({"dpc": 5, "dssn": 7}, {"ri": 1, "pc": 5, "ssn": 7}),
        ({"dpc": "5", "dssn": "7", "dri": "0"}, {"ri": 0, "pc": 5, "ssn": 7}),
        ({"dpc": 5}, {"ri": 0, "pc": 5}),
        ({"dssn": 255}, {"ri": 0, "ssn": 255}),
        ({"dssn": 255, "dri": 1}, {"ri": 1, "ssn": 255}),
        (GT, {"ri": 0, **SHOWN_GT}),
        ({**GT, "dpc": 0, "dssn": 1}, {"ri": 1, "pc": 0, "ssn": 1, **SHOWN_GT}),
    ],
)
def test_it_is_routed_on_ssn_if_both_point_code_and_ssn_are_there(daemon, scp, called):
    first = daemon().run(INITIAL_DP, scp=scp)["first_call_summary"]
    assert first["messages"][0]["called"] == called


@pytest.mark.parametrize(
    ("member", "low", "high"),
    [
        ("dri", 0, 1),
        ("dssn", 1, 255),
        ("dgt_noa", 0, 127),
        ("dgt_np", 0, 7),
        ("dgt_tt", 0, 255),
        ("dpc", 0, 16_383),
    ],
)
def test_ranges(daemon, member, low, high):
    tsvc = daemon()

    def is_valid(value):
        given = {"operations": [INITIAL_DP], "scp": {**GT, member: value}}
        return tsvc.call("ValidateTest", **given)["valid"]

    assert [is_valid(value) for value in (low - 1, low, high, high + 1)] == [
        False,
        True,
        True,
        False,
    ]
