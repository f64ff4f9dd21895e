"""Machines with a network each: namespaces, a cable from this one to each, and cuts in it."""

import os
import shutil
import subprocess
from collections.abc import Sequence

import pytest

from support.daemons import require_peer


def require_networks() -> None:
    """Skip where there are none to be had."""
    require_peer(shutil.which("ip"), "apt-get install iproute2")
    if os.geteuid() != 0:
        pytest.skip("networks of their own need root")


class Network:
    """A namespace with a loopback and a cable: `near` is our address at it, `far` the other."""

    def __init__(self, number: int) -> None:
        # From the addresses that are for benchmarks (RFC 2544), apart from others' by the process.
        base = f"198.18.{os.getpid() % 250}"
        self.near, self.far = f"{base}.{4 * number + 1}", f"{base}.{4 * number + 2}"
        self.name = f"tsvc-{os.getpid()}-{number}"
        self._cable = cable = f"tv{os.getpid()}n{number}"[:15]
        _ip("netns", "add", self.name)
        try:
            _ip("link", "add", cable, "type", "veth", "peer", "name", "up0", "netns", self.name)
            _ip("address", "add", f"{self.near}/30", "dev", cable)
            _ip("link", "set", cable, "up")
            self._inside("address", "add", f"{self.far}/30", "dev", "up0")
            for device in ("lo", "up0"):
                self._inside("link", "set", device, "up")
        except BaseException:
            self.remove()
            raise

    @property
    def prefix(self) -> Sequence[str]:
        """What starts a program in there."""
        return ("ip", "netns", "exec", self.name)

    def cut(self, *, there: bool, back: bool) -> None:
        """Let nothing through: from here there, from there back."""
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

    def trouble(self, *what: str) -> None:
        """Delay and lose what goes either way, as netem says it; skip where there is none."""
        require_peer(shutil.which("tc"), "apt-get install iproute2")
        inside = ("ip", "netns", "exec", self.name)
        for prefix, device in (((), self._cable), (inside, "up0")):
            command = [*prefix, "tc", "qdisc", "replace", "dev", device, "root", "netem", *what]
            done = subprocess.run(command, capture_output=True, text=True)
            if "qdisc kind is unknown" in done.stderr:
                pytest.skip("this kernel has no netem")
            assert done.returncode == 0, done.stderr

    def smooth(self) -> None:
        """End trouble()."""
        inside = ("ip", "netns", "exec", self.name)
        for prefix, device in (((), self._cable), (inside, "up0")):
            command = [*prefix, "tc", "qdisc", "delete", "dev", device, "root"]
            subprocess.run(command, check=True)

    def remove(self) -> None:
        """Remove it; the cable goes with it. Nobody may be in there any more."""
        _ip("netns", "delete", self.name)

    def _inside(self, *arguments: str) -> None:
        _ip("-netns", self.name, *arguments)


def _ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, f"ip {' '.join(arguments)}: {done.stderr}"
