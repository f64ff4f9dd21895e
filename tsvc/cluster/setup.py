"""The setup of a worker process: a frame on its standard input when it starts.

It is pickled: parent and child use the same installation, and no other process writes to the pipe.
"""

import io
import pickle
import struct
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, BinaryIO

from tsvc.cluster.curve import SpokeKeys
from tsvc.config.tables import Config
from tsvc.values import dataclass

_LENGTH = struct.Struct("!I")


@dataclass(frozen=True, slots=True)
class Setup:
    """The values that a worker receives when it starts."""

    name: str
    coordinator: str  # HOST:PORT
    keys: SpokeKeys
    config: Config
    number: int  # of the worker among all processes, 1 and above; the daemon itself is 0
    relays: Mapping[str, str]  # folders of gateways by their names
    is_far: bool = False  # True if the coordinator has another clock


def _read_only(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(values)


class _Pickler(pickle.Pickler):
    """Pickles read-only mappings too, which a configuration is full of."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, MappingProxyType):
            return _read_only, (dict(value),)
        return NotImplemented


def frame(setup: Setup) -> bytes:
    """Return the frame that a worker reads first."""
    octets = io.BytesIO()
    _Pickler(octets).dump(setup)
    return _LENGTH.pack(len(octets.getvalue())) + octets.getvalue()


def read_frame(source: BinaryIO) -> Setup | None:
    """Return the setup in a frame, None if the input ends before. Blocks: until it is there."""
    head = source.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    octets = source.read(_LENGTH.unpack(head)[0])
    setup = pickle.loads(octets)
    return setup if isinstance(setup, Setup) else None
