"""The number of examples that hypothesis tries: an eighth in make test, all in make test-full."""

import os

_SHARE = float(os.environ.get("TSVC_EXAMPLES_SHARE", "0.125"))


def examples(count: int) -> int:
    """Return the number of examples to try, out of `count`; at least 20."""
    return max(20, round(count * _SHARE))
