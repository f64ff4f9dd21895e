"""Reader and writer of large JSON agree with those of small JSON, including errors.

TSVC_REPETITIONS says how many values each test makes.
"""

import json
import os
from random import Random
from typing import Any

import pytest

from tsvc.errors import RequestError
from tsvc.rpc import json_portions, strict_json

ROUNDS = int(os.environ.get("TSVC_REPETITIONS", "20"))
_TEXTS = ("", "a", "é", "\U0001f600", 'a"b\\c', "\n\t", "[{", "}],", "x" * 300, "\u2028", "\x7f")
_SCALARS: tuple[Any, ...] = (None, True, False, 0, -1, 10**30, 1.5, -2e-7, 1e300, *_TEXTS)
_WRONG = ("", ",", "[", "]", "{", "}", ":", '"', "\\", "1", "01", "-", "1e999", "NaN", "nul", " ",
          '"a":1,', '"a":1,"a":2,', "\x01", "\\ud800", "9" * 5_000, "\ufeff",
          "[" * 70)  # fmt: skip


def made(random: Random, levels: int) -> Any:
    """Return a random value; its containers are small, or have several portions."""
    kind = random.random()
    if levels == 0 or kind < 0.3:
        return random.choice(_SCALARS)
    count = random.choice((0, 1, 2, 5, 5, 30, 600 if levels > 2 else 3))
    levels = levels - 1 if count < 100 else min(levels - 1, 1)
    if kind < 0.65:
        return [made(random, levels) for _ in range(count)]
    return {f"{random.choice(_TEXTS)}{n}": made(random, levels) for n in range(count)}


def damaged(random: Random, text: str) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(_WRONG) + text[at + random.choice((0, 0, 1, 5)) :]


def written(random: Random, value: Any) -> str:
    separators = random.choice(((",", ":"), (" ,\n", " : "), (",\t", ":\r\n")))
    return json.dumps(value, separators=separators, ensure_ascii=random.random() < 0.5)


def read(text: str, monkeypatch: pytest.MonkeyPatch, large: int) -> tuple[Any, ...]:
    """Return the result of reading a text; `large`: the length from which a text is large."""
    monkeypatch.setattr(strict_json, "_LARGE", large)
    try:
        return ("read", repr(strict_json.parse(text.encode("utf-8", "surrogatepass"))))
    except RequestError as error:
        return ("refused", error.kind, str(error), error.fields)


@pytest.mark.parametrize("seed", range(4))
def test_a_large_text_is_read_as_a_small_one(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    for _ in range(ROUNDS):
        text = written(random, made(random, 4))
        for _ in range(random.choice((0, 1, 1, 2))):
            text = damaged(random, text)
        large, small = read(text, monkeypatch, 0), read(text, monkeypatch, 1 << 40)
        if small[1] == "json.depth":
            # if there are several errors, large reports the first, small the depth
            assert large[1] in ("json.depth", "json.syntax"), text[:2_000]
        else:
            assert large == small, text[:2_000]


@pytest.mark.parametrize("seed", range(4))
def test_a_large_value_is_written_as_a_small_one(seed: int) -> None:
    random = Random(seed)
    for _ in range(ROUNDS):
        value = made(random, 4)
        if random.random() < 0.1:
            value = {"long": random.choice(_TEXTS[1:]) * 70_000, "rest": value}
        whole = strict_json._text(value, 200)
        assert b"".join(json_portions.texts(value, strict_json._text, 200)) == whole
