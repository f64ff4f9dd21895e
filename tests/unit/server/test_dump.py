import gc
import io

import gevent
from gevent.event import Event

from tsvc import log
from tsvc.server.dump import dump, stack_of, stacks

SECRET = "correct horse battery"


def wait_with(secret, event):
    kept = secret + "!"
    event.wait()
    return kept


def test_greenlets_at_one_place_are_one_line_and_no_value_is_shown():
    stream = io.StringIO()
    log.setup("info", "text", stream=stream)
    event = Event()
    greenlets = [gevent.spawn(wait_with, SECRET, event) for _ in range(5)]
    gevent.sleep(0)
    runs = [{"run_id": "r1", "state": "running", "verdict": "pass", "vars": SECRET}]
    dump(log.get_logger("daemon"), runs)
    event.set()
    gevent.joinall(greenlets)
    text = stream.getvalue()
    (line,) = [line for line in text.splitlines() if "wait_with server/test_dump.py:" in line]
    assert "greenlets count=5 " in line
    assert "run run_id=r1 state=running verdict=pass\n" in text
    assert "correct horse" not in text
    assert text.count("dump begins") == text.count("dump ends") == 1


def stacks_of(monkeypatch, *greenlets):
    """Return the stacks of only these greenlets: other tests leave some to the collector."""
    of_process = gc.get_objects
    with monkeypatch.context() as only:
        only.setattr(
            gc,
            "get_objects",
            lambda: [one for one in of_process() if any(one is own for own in greenlets)],
        )
        return stacks()


def test_greenlets_that_are_over_or_have_not_begun(monkeypatch):
    over = gevent.spawn(int)
    over.join()
    waiting = gevent.spawn(int)
    assert stacks_of(monkeypatch, over, waiting) == {"not begun, or in a thread": 1}
    waiting.kill()
    assert stacks_of(monkeypatch, over, waiting) == {}


def test_no_frame():
    assert stack_of(None) == "not begun, or in a thread"
