"""The "did you mean"."""

import pytest

from tsvc.matching import suggest


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("serviceKy", ", did you mean 'serviceKey'?"),
        ("servicekey", ", did you mean 'serviceKey'?"),
        ("abort_on_fial", ", did you mean 'abort_on_fail'?"),
        ("zzz", ""),
        ("", ""),
    ],
)
def test_suggest(word: str, hint: str) -> None:
    assert suggest(word, ["serviceKey", "abort_on_fail", "kpath"]) == hint
