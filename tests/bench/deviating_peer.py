"""An SCP in a separate process that deviates in one call of so many, and counts its calls.

    python tests/bench/deviating_peer.py CONFIGURATION

It is the embedded SCP; deviating messages are changed on their way out. Each line on stdin is a
number N: from now on one of N calls deviates, 0 for none. The counts since the previous line are
printed on stdout: {"calls": …, one number for each of KINDS}. The first line of stdout is empty:
the SCP listens.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

from gevent import monkey

monkey.patch_all()

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))

from gevent.fileobject import FileObjectPosix  # noqa: E402 - once all is patched
from mutate.octets import destination, origin  # noqa: E402 - once all is patched

from tsvc.config.load import load_config  # noqa: E402 - once all is patched
from tsvc.engine.service import Service  # noqa: E402 - once all is patched

_BEGIN = 0x62
_DIGITS, _OTHERS = bytes.fromhex("34920100"), bytes.fromhex("34920101")  # 4329100, 4329101
_CAUSE, _ELSEWHERE = bytes.fromhex("04028090"), bytes.fromhex("04028190")  # location 0, 1
Change = Callable[[bytes], bytes | None]


def _abort(octets: bytes) -> bytes:
    """Return a P-ABORT that replaces a message."""
    return b"\x67\x09\x49\x04" + destination(octets) + b"\x4a\x01\x04"


def _changed(before: bytes, after: bytes) -> Change:
    def change(octets: bytes) -> bytes:
        if octets.count(before) != 1:
            raise ValueError(f"no {before.hex()} in {octets.hex()}")
        return octets.replace(before, after)

    return change


# Kinds of deviation: the number of the SCP's message, and its change; None: nothing is sent.
KINDS: dict[str, tuple[int, Change]] = {
    "other_digits": (0, _changed(_DIGITS, _OTHERS)),  # the call continues, but its check fails
    "unchecked": (1, _changed(_CAUSE, _ELSEWHERE)),  # no check reads where the cause arose
    "aborted": (0, _abort),
    "silent": (1, lambda octets: None),
}


class Deviating:
    """Changes and counts the messages that the SCP of a service sends and receives."""

    def __init__(self, scp: Any) -> None:
        self.one_in = 0
        self.counts = dict.fromkeys(("calls", *KINDS), 0)
        self._kinds = cycle(KINDS)
        self._due: dict[bytes, tuple[int, Change]] = {}
        self._receive, self._data_to_send = scp.receive, scp.data_to_send
        scp.receive, scp.data_to_send = self._hear, self._say

    def tell(self) -> str:
        """Return the counts since the last call."""
        told = json.dumps(self.counts)
        self.counts = dict.fromkeys(self.counts, 0)
        return told

    def _hear(self, octets: bytes, *more: Any) -> Any:
        if octets[0] == _BEGIN:
            self.counts["calls"] += 1
            if self.one_in and self.counts["calls"] % self.one_in == 0:
                kind = next(self._kinds)
                self.counts[kind] += 1
                self._due[origin(octets)] = KINDS[kind]
        return self._receive(octets, *more)

    def _say(self) -> list[Any]:
        sent: list[Any] = self._data_to_send()
        if not self._due:
            return sent
        return [one for each in sent if (one := self._said(each)) is not None]

    def _said(self, outgoing: Any) -> Any:
        of = destination(outgoing.octets)
        number, change = self._due.get(of, (1, None))
        if change is None:
            return outgoing
        if number:
            self._due[of] = number - 1, change
            return outgoing
        del self._due[of]
        octets = change(outgoing.octets)
        return None if octets is None else replace(outgoing, octets=octets)


def main() -> None:
    service = Service(load_config(Path(sys.argv[1]), {}))
    service.start()
    peer = Deviating(service.scp.node.service)
    print(flush=True)
    for line in FileObjectPosix(sys.stdin.buffer, "rb"):
        peer.one_in = int(line)
        print(peer.tell(), flush=True)
    service.stop()


if __name__ == "__main__":
    main()
