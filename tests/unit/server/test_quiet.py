import io

from support.clock import FakeClock

from tsvc import log
from tsvc.log import QuietLog


def test_one_line_a_second_for_each_reason():
    stream = io.StringIO()
    log.setup("info", "text", stream=stream)
    clock = FakeClock()
    quiet = QuietLog(log.get_logger("rpc"), clock)
    for number in range(1000):
        quiet.warning("denied", peer=number)
    quiet.warning("limited", peer="x")
    clock.advance(1.0)
    quiet.warning("denied", peer="last")
    clock.advance(1.0)
    quiet.warning("denied", peer="after")
    lines = [line.partition("rpc ")[2] for line in stream.getvalue().splitlines()]
    assert lines == [
        "denied peer=0",
        "limited peer=x",
        "denied peer=last also=999",
        "denied peer=after",
    ]
