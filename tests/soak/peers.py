"""The peers of a soak that are servers: in separate processes, behind proxies."""

import contextlib
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from support.fakes import fake_process

from soak.kind import Peer, Trouble, soak_kinds
from soak.proxy import Proxy, pass_on

GARBAGE = b"\xff\xfe no protocol that anybody speaks \xff\x00" * 4 + b";\r\n"


class Server:
    """A server behind a proxy. `run` runs it during a block and yields its port."""

    def __init__(self, run: Callable[[], AbstractContextManager[int]]) -> None:
        self._run = run
        self._life = contextlib.ExitStack()
        self.proxy = Proxy(self._life.enter_context(run()))
        self.troubles: dict[str, Trouble] = {
            "killed": self._killed,
            "cut": self._cut,
            "slow": self._slow,
            "silent": self._silent,
            "garbage": self._garbage,
        }

    @property
    def where(self) -> dict[str, object]:
        return {"port": self.proxy.port}

    def close(self) -> None:
        self.proxy.close()
        self._life.close()

    def _killed(self, chance: random.Random) -> None:
        self._life.close()
        self.proxy.drop()
        time.sleep(chance.uniform(0, 1))
        self.proxy.target = self._life.enter_context(self._run())

    def _cut(self, chance: random.Random) -> None:
        self.proxy.drop()

    def _slow(self, chance: random.Random) -> None:
        pause = chance.choice([0.05, 0.5, 3])

        def slowly(gateway: socket.socket, octets: bytes) -> None:
            time.sleep(pause)
            gateway.sendall(octets)

        self._answers(slowly, chance)

    def _silent(self, chance: random.Random) -> None:
        self._answers(lambda gateway, octets: None, chance)

    def _garbage(self, chance: random.Random) -> None:
        self._answers(lambda gateway, octets: gateway.sendall(GARBAGE), chance)

    def _answers(
        self, become: Callable[[socket.socket, bytes], None], chance: random.Random
    ) -> None:
        self.proxy.become = become
        time.sleep(chance.uniform(0.2, 2))
        self.proxy.become = pass_on


def start_peers(folder: Path, life: contextlib.ExitStack) -> dict[str, Peer]:
    """Start a peer of each kind; the peers end with `life`."""
    made: dict[str, Peer] = {}
    for name, kind in soak_kinds().items():
        if kind.start is not None:
            made[name] = kind.start(folder)
            life.callback(made[name].close)
    return made


@contextlib.contextmanager
def fake_run(folder: Path, kind: str, settings: dict[str, object]) -> Iterator[int]:
    """Run a fake for the duration of a block."""
    with fake_process(folder, kind, **settings) as process:
        yield process.port


def trouble_in_turn(
    peer: Peer,
    chance: random.Random,
    is_over: threading.Event,
    tell: Callable[[str, Exception | None], None],
) -> None:
    """Do random troubles to a peer, one by one, until the soak is over; the peer is well then."""
    while not is_over.wait(chance.uniform(1, 6)):
        name = chance.choice([*peer.troubles])
        try:
            peer.troubles[name](chance)
        except Exception as error:  # noqa: BLE001 - whatever it is, the summary shows it
            tell(name, error)
        else:
            tell(name, None)
