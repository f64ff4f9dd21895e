"""How a run is doing, while it runs: a live view on a terminal, else a line now and then.

Both go to stderr: stdout is for results.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tsvc.cli.keyboard import Keyboard
from tsvc.cli.keys import Keys
from tsvc.cli.terminal import say
from tsvc.client import RunResult
from tsvc.printable import printable

LIVE_INTERVAL_S = 0.25
PLAIN_INTERVAL_S = 5.0

Show = Callable[[RunResult], None]


@contextmanager
def progress(
    title: str, *, is_live: bool | None = None, keys: Keys | None = None
) -> Iterator[tuple[Show, float]]:
    """Yield what to call with each state of a run, and how often, in seconds.

    Live, and with `keys`, the call does what the keys pressed say, and raises what they raise.
    """
    if is_live is None:
        is_live = sys.stderr.isatty()
    if not is_live:
        yield (
            lambda result: say(f"{title}: {progress_text(result)}", err=True),
            (PLAIN_INTERVAL_S),
        )
        return
    # Costs as much as the rest of a command, so only where there is somebody to look at it.
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from tsvc.cli.live_view import live_view

    title = printable(title)  # rich takes out some controls, not all
    # Gone when the run is over: what is left on the screen is the report.
    started = Text(f"{title}: started")
    with (
        Keyboard() as keyboard,
        Live(started, console=Console(stderr=True), transient=True) as live,
    ):

        def show(result: RunResult) -> None:
            line = ""
            if keys is not None and keyboard.is_there:
                keys.take(keyboard.pressed(), result)
                line = keys.line(result)
            live.update(live_view(title, result, line))

        yield show, LIVE_INTERVAL_S


def progress_text(result: RunResult) -> str:
    """Return the line about a run in progress."""
    counts, rate = result.counts, result.rate
    parts = [f"{counts.finished} finished"]
    if rate.achieved is not None:
        parts.append(f"{rate.achieved:.1f} calls/s")
    parts.append(f"{counts.in_progress} in progress")
    parts += [
        f"{number} {name}"
        for name, number in (
            ("failed", counts.failed),
            ("aborted", counts.aborted),
            ("late", rate.late),
        )
        if number or name == "failed"
    ]
    if result.halted:
        instances = ", ".join(one.instance_id for one in result.halted[:5])
        parts.append(f"halted: {instances} (tsvc resume {result.run_id} INSTANCE)")
    return ", ".join(parts)
