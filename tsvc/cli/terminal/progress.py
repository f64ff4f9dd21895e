"""The progress of a run: a live view on a terminal, otherwise a line now and then.

Both go to stderr: stdout is for results.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tsvc.cli.terminal.keyboard import Keyboard
from tsvc.cli.terminal.keys import Keys
from tsvc.cli.terminal.lines import say
from tsvc.cli.terminal.report import progress_text
from tsvc.client import RunResult
from tsvc.printable import printable

LIVE_INTERVAL_S = 0.25
PLAIN_INTERVAL_S = 5.0

Show = Callable[[RunResult], None]


@contextmanager
def progress(
    title: str, *, is_live: bool | None = None, keys: Keys | None = None
) -> Iterator[tuple[Show, float]]:
    """Yield a function to call with each state of a run, and the interval of calls in seconds.

    In a live view with `keys` the function also applies the pressed keys, and raises their errors.
    """
    if is_live is None:
        is_live = sys.stderr.isatty()
    if not is_live:
        yield (
            lambda result: say(f"{title}: {progress_text(result)}", err=True),
            (PLAIN_INTERVAL_S),
        )
        return
    # This import takes as long as the rest of a command, so it is made only for a live view.
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from tsvc.cli.terminal.live_view import live_view

    title = printable(title)  # rich removes some control characters, not all
    # The view disappears when the run is over: only the report remains on the screen.
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
