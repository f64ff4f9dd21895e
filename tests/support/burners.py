"""Processes that simulate a busy machine."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

BURN = "import time\nend = time.monotonic() + 60\nwhile time.monotonic() < end: pass"


@pytest.fixture
def busy() -> Iterator[None]:
    """Run two processes that use the whole processor, for at most a minute."""
    burners = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(2)]
    yield
    for burner in burners:
        burner.kill()
        burner.wait()
