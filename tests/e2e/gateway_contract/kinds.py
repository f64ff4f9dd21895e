"""What the contract test has to know of a kind of gateway."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

Members = dict[str, Any]
Address = tuple[str, int]


@dataclass(frozen=True)
class Texts:
    """Patterns of the reasons with which instances abort."""

    deadline: str
    cut: str
    garbage: str
    lost: str
    exhausted: str = ""  # no pool, nothing to exhaust


class Kind(Protocol):
    """One kind, its real peer and a definition that asks it for something.

    Tokens are "1" to "9"; an answer tells the token that was asked for, and the operations check
    it, as far as the protocol has a place for that.
    """

    name: str
    is_reversed: bool  # the peer connects to the gateway
    texts: Texts
    params: Mapping[str, Any]  # of ExecuteTest

    def peer(self) -> AbstractContextManager[Address]:
        """Run the peer for the length of a block; of a reversed kind, the peer that connects
        comes with answer_at()."""

    def members(self, port: int, seconds: float) -> Members:
        """Return the configuration: the peer (or we) at this port, deadlines, two connections."""

    def operations(self, token: str, seconds: float) -> list[Members]:
        """Return operations that ask once."""


TOKENS = [str(number) for number in range(1, 10)]
