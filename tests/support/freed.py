"""Whether all that a run's recordings have goes with the run: no circle keeps it."""

import gc
from typing import Any


def left(types: Any) -> int:
    """Return how many objects there are of a type, or a union of types."""
    return sum(isinstance(one, types) for one in gc.get_objects())


def assert_freed(world: Any, types: Any, verdict: str, *operations: Any, **params: Any) -> None:
    """Play a run, and see that its objects go with it, though nobody collects circles."""
    gc.collect()
    gc.disable()
    try:
        run_id = world.execute(*operations, **params)
        world.service.runs[run_id].completed.wait(60)
        assert left(types) > 5, "the slowest are kept, else the test shows nothing"
        result = world.finish(run_id)
        assert result["verdict"] == verdict, result["failures"]
        assert left(types) == 0
    finally:
        gc.enable()
