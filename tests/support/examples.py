"""How many examples hypothesis tries: one of eight in make test, all of them in make test-full."""

import os

_SHARE = float(os.environ.get("TSVC_EXAMPLES_SHARE", "0.125"))


def examples(count: int) -> int:
    """Return how many of so many are to be tried."""
    return max(20, round(count * _SHARE))
