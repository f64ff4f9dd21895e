"""Expected AVPs compared with received AVPs."""

import pytest

from tsvc.kinds.diameter.avps import match_avps


class Log:
    """A check log that keeps its entries."""

    def __init__(self):
        self.entries = []

    def entry(self, ok, text, expected, got, *, abort=False):
        self.entries.append((ok, text))


def got(name, value, **more):
    return {"name": name, "code": 1, "mandatory": True, "value": value, **more}


@pytest.mark.parametrize(
    ("expected", "entries"),
    [
        ([{"name": "A", "value": "1"}], [(True, "A")]),
        ([{"name": "a", "value": 2}], [(False, "a differs")]),
        ([{"name": "A"}], [(True, "A (exists)")]),
        ([{"name": "B"}], [(False, "B (exists) is absent")]),
        ([{"name": "B", "value": None}], [(True, "B is absent, as expected")]),
        ([{"name": "A", "value": None}], [(False, "A must be absent")]),
        ([{"name": "!A", "value": 2}], [(True, "!A")]),
        ([{"name": "!A", "value": 1}], [(False, "A must be something else")]),
        ([{"name": "E", "value": "TWO"}], [(True, "E")]),
        ([{"name": "E", "value": "ONE"}], [(False, "E differs")]),
        ([{"name": "H", "value_hex": "00 FF"}], [(True, "H_hex")]),
        ([{"name": "A", "mandatory": 0}], [(False, "A.mandatory differs"), (True, "A (exists)")]),
        ([{"code": 77, "vendor_id": 9, "value_hex": "01"}], [(True, "AVP 77_hex")]),
        (
            [{"name": "G", "value": [{"name": "X", "value": 2}]}, {"name": "G", "value": []}],
            [(True, "G.X"), (True, "G[1]")],
        ),
        ([{"name": "G", "value": [{"name": "Y", "value": 1}]}], [(False, "G.Y is absent")]),
        ([{"name": "Z", "value": [{"name": "Y", "value": 1}]}], [(False, "Z.Y is absent")]),
        ("none", [(False, "avps must be a list of AVPs")]),
    ],
)
def test_expected_avps(expected, entries):
    came = [
        got("A", 1),
        got("E", 2, value_name="TWO"),
        {"name": "H", "code": 2, "mandatory": True, "value_hex": "00ff"},
        {"name": "AVP 77", "code": 77, "vendor_id": 9, "mandatory": True, "value_hex": "01"},
        got("G", [got("X", 1)]),
        got("G", [got("X", 2)]),
    ]
    log = Log()
    match_avps(expected, came, log)
    assert log.entries == entries
