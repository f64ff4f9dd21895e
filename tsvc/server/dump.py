"""The report that SIGUSR1 writes to the log: the stack of every greenlet, and the runs.

A stack has only positions in the program and no values of variables, so that it contains no
secret. gevent's own report of a greenlet is not used, because it shows the arguments.
"""

import gc
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from types import FrameType
from typing import Any

import gevent
from greenlet import getcurrent, greenlet

from tsvc.log import Logger

MOST_LINES = 200  # of each kind: a dump is read by a person
_DEEPEST = 12  # places of a stack, from the innermost
_RUN_FIELDS = ("run_id", "state", "verdict", "counts")


def stacks() -> Counter[str]:
    """Return the stacks of all suspended greenlets, with the number of greenlets at each.

    Visits every object of the process: a tenth of a second for a million. Does not switch.
    """
    found: Counter[str] = Counter()
    for candidate in gc.get_objects():
        if isinstance(candidate, greenlet) and not candidate.dead:
            if candidate is getcurrent():
                continue
            found[stack_of(candidate.gr_frame)] += 1
    return found


def stack_of(frame: FrameType | None) -> str:
    """Return a stack on one line, the innermost position first."""
    places: list[str] = []
    while frame is not None and len(places) < _DEEPEST:
        code = frame.f_code
        file = "/".join(code.co_filename.split("/")[-2:])
        places.append(f"{code.co_qualname} {file}:{frame.f_lineno}")
        frame = frame.f_back
    return " < ".join(places) or "not begun, or in a thread"


def dump(log: Logger, runs: Iterable[Mapping[str, Any]]) -> None:
    """Log greenlets, those with the same stack as one line, and runs. Blocks: on the log.

    `memory_blocks`: blocks of Python's objects; unlike memory they are freed with the objects.
    """
    found = stacks()
    blocks = sys.getallocatedblocks()
    log.info("dump begins", greenlets=found.total(), places=len(found), memory_blocks=blocks)
    for stack, count in found.most_common(MOST_LINES):
        log.info("greenlets", count=count, stack=stack)
        gevent.sleep(0)
    for position, run in enumerate(runs):
        if position >= MOST_LINES:
            break
        log.info("run", **{name: run[name] for name in _RUN_FIELDS if name in run})
        gevent.sleep(0)
    log.info("dump ends")
