import pytest

from tsvc.schema.paths import member_path


@pytest.mark.parametrize(
    ("prefix", "part", "path"),
    [
        ("", "params", "params"),
        ("params", "operations", "params.operations"),
        ("params.operations", 3, "params.operations[3]"),
        ("params", "inap.extensions", "params.inap.extensions"),
        ("params", "!digits", "params.!digits"),
        ("params", "a b", 'params["a b"]'),
        ("params", "", 'params[""]'),
        ("params", 'say "x"', 'params["say \\"x\\""]'),
        ("", 0, "[0]"),
    ],
)
def test_member_path(prefix, part, path):
    assert member_path(prefix, part) == path


def test_long_names_are_cut():
    assert len(member_path("p", "x" * 1_000_000)) < 80
