"""Scripts of machines are played, or the test that wrote them fails."""

from collections.abc import Iterator

import pytest
from support.playbook import unplayed


@pytest.fixture(autouse=True)
def every_script_is_asserted() -> Iterator[None]:
    """A script without an assert in front of it would pass whatever it says."""
    unplayed()
    yield
    assert unplayed() == 0, "a playbook that is not asserted"
