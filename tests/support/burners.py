"""A machine that has no time."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

BURN = "import time\nend = time.monotonic() + 60\nwhile time.monotonic() < end: pass"


@pytest.fixture
def busy() -> Iterator[None]:
    """Two processes that take what the machine has, for a minute at most."""
    burners = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(2)]
    yield
    for burner in burners:
        burner.kill()
        burner.wait()
