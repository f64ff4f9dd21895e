"""The "did you mean" of error messages."""

import difflib
from collections.abc import Iterable

_LONGEST = 64  # the time to compare grows with the length


def suggest(word: str, choices: Iterable[str]) -> str:
    """Return `, did you mean 'choice'?` for the choice closest to a word, else ""."""
    if len(word) > _LONGEST:
        return ""
    by_lower = {choice.lower(): choice for choice in choices}
    close = difflib.get_close_matches(word.lower(), by_lower, n=1, cutoff=0.7)
    return f", did you mean '{by_lower[close[0]]}'?" if close else ""
