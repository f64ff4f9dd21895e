import pytest

from tsvc.schema.paths import did_you_mean, member_path, shown


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
    assert shown("x" * 65) == '"' + "x" * 63 + '…"'


def test_shown_is_always_encodable():
    assert shown("\ud800\n").encode() == b'"\\ud800\\n"'


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("operation", '; did you mean "operations"?'),
        ("OPERATIONS", '; did you mean "operations"?'),
        ("zzz", ""),
        ("o" * 1_000_000, ""),
    ],
)
def test_did_you_mean(name, hint):
    assert did_you_mean(name, ["operations", "run_id"]) == hint
