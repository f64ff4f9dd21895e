"""Machines with separate networks: namespaces, each with a cable to this one, which can be cut."""

import fcntl
import heapq
import os
import random
import select
import shutil
import struct
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

import pytest

from support.daemons import require_peer


def require_networks() -> None:
    """Skip if networks can't be made."""
    require_peer(shutil.which("ip"), "apt-get install iproute2")
    if os.geteuid() != 0:
        pytest.skip("networks of their own need root")
    if not os.path.exists(_TUN):
        pytest.skip(f"cables that delay and lose need {_TUN}")


_TUN = "/dev/net/tun"
_SET_NAME, _PACKETS_ALONE = 0x400454CA, 0x1001  # TUNSETIFF; IFF_TUN and IFF_NO_PI
_LOOK_S = 0.2


class Cable:
    """Carries packets between two interfaces, each after `delay_s`, and drops a share of them.

    It replaces the kernel's netem, which not every kernel has.
    """

    def __init__(self, near: str, far: str) -> None:
        """Make both interfaces."""
        self.delay_s, self.loss = 0.0, 0.0  # loss: a share, 0 to 1
        self._ends = [_interface(near), _interface(far)]
        self._is_cut = threading.Event()
        self._thread = threading.Thread(target=self._carry, daemon=True)
        self._thread.start()

    def _carry(self) -> None:
        waiting: list[tuple[float, int, int, bytes]] = []
        chance, count = random.Random(1), 0
        while not self._is_cut.is_set():
            now = time.monotonic()
            while waiting and waiting[0][0] <= now:
                _, _, sink, packet = heapq.heappop(waiting)
                with suppress(OSError):  # the interface is down
                    os.write(sink, packet)
            wait_s = min(max(waiting[0][0] - now, 0.0), _LOOK_S) if waiting else _LOOK_S
            for at, source in enumerate(self._ends):
                if source not in select.select(self._ends, [], [], 0 if at else wait_s)[0]:
                    continue
                with suppress(OSError):
                    packet = os.read(source, 65536)
                    count += 1
                    if chance.random() >= self.loss:
                        due = time.monotonic() + self.delay_s
                        heapq.heappush(waiting, (due, count, self._ends[1 - at], packet))

    def remove(self) -> None:
        self._is_cut.set()
        self._thread.join()
        for end in self._ends:
            os.close(end)


def _interface(name: str) -> int:
    """Make an interface; the returned descriptor reads and writes its packets."""
    made = os.open(_TUN, os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(made, _SET_NAME, struct.pack("16sH22x", name.encode(), _PACKETS_ALONE))
    return made


class Network:
    """A namespace with a loopback and a cable: `near` is our address on the cable, `far` the
    other."""

    def __init__(self, number: int, *, is_rough: bool = False) -> None:
        """`is_rough`: use our own Cable, which trouble() needs."""
        # Addresses for benchmarks (RFC 2544); the process id separates them from those of others.
        base = f"198.18.{os.getpid() % 250}"
        self.near, self.far = f"{base}.{4 * number + 1}", f"{base}.{4 * number + 2}"
        self.name = f"tsvc-{os.getpid()}-{number}"
        cable, end = f"tv{os.getpid()}n{number}"[:15], f"tu{os.getpid()}n{number}"[:15]
        _ip("netns", "add", self.name)
        self._cable: Cable | None = None
        try:
            if is_rough:
                self._cable = Cable(cable, end)
                _ip("link", "set", end, "netns", self.name)
            else:
                _ip("link", "add", cable, "type", "veth", "peer", "name", end, "netns", self.name)
            _ip("address", "add", f"{self.near}/30", "dev", cable)
            _ip("link", "set", cable, "up")
            self._inside("address", "add", f"{self.far}/30", "dev", end)
            for device in ("lo", end):
                self._inside("link", "set", device, "up")
        except BaseException:
            self.remove()
            raise

    @property
    def prefix(self) -> Sequence[str]:
        """The prefix of a command that runs it in the namespace."""
        return ("ip", "netns", "exec", self.name)

    def cut(self, *, there: bool, back: bool) -> None:
        """Drop all packets: `there`: from here to the namespace; `back`: from there to here."""
        if there:
            _ip("route", "add", "blackhole", f"{self.far}/32")
        if back:
            self._inside("route", "add", "blackhole", f"{self.near}/32")

    def heal(self, *, there: bool, back: bool) -> None:
        """End a cut."""
        if there:
            _ip("route", "delete", "blackhole", f"{self.far}/32")
        if back:
            self._inside("route", "delete", "blackhole", f"{self.near}/32")

    def trouble(self, delay_s: float, loss: float) -> None:
        """Delay the packets of both directions, and lose a share of them; 0 and 0 end that."""
        assert self._cable is not None
        self._cable.delay_s, self._cable.loss = delay_s, loss

    def remove(self) -> None:
        """Remove the namespace, and with it the cable. No process may be in it any more."""
        _ip("netns", "delete", self.name)
        if self._cable is not None:
            self._cable.remove()

    def _inside(self, *arguments: str) -> None:
        _ip("-netns", self.name, *arguments)


def _ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, f"ip {' '.join(arguments)}: {done.stderr}"
