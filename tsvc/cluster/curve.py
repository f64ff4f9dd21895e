"""Keys of the link: pairs of Curve25519, each a text of 40 characters (Z85, ZeroMQ's RFC 32).

A coordinator has a pair and the public keys that it admits; a worker has a pair and the public key
of its coordinator. Without a matching secret key nobody can read or write messages, or learn
more than that a port is open. Secrets are in no repr and no message.
"""

from collections.abc import Iterable
from dataclasses import field

from tsvc.cluster.errors import MISSING, ClusterUnavailable
from tsvc.config.link_key import checked_key
from tsvc.values import dataclass


def checked_keys(texts: Iterable[object], name: str) -> frozenset[str]:
    """Return a set of keys. Errors: ValueError, which names the index of an invalid key."""
    return frozenset(checked_key(text, f"{name}[{at}]") for at, text in enumerate(texts))


def new_pair() -> tuple[str, str]:
    """Return a new random pair (public key, secret key). Errors: ClusterUnavailable."""
    try:
        import zmq
    except ImportError:
        raise ClusterUnavailable(MISSING) from None
    public, secret = zmq.curve_keypair()
    return public.decode(), secret.decode()


def public_of(secret: str) -> str:
    """Return the public key of a secret one. Errors: ClusterUnavailable, ValueError."""
    checked_key(secret, "the secret key")
    try:
        import zmq
    except ImportError:
        raise ClusterUnavailable(MISSING) from None
    public: bytes = zmq.curve_public(secret.encode())
    return public.decode()


@dataclass(frozen=True)
class HubKeys:
    """The coordinator's keys. Errors: ValueError if one of them is invalid."""

    public: str
    secret: str = field(repr=False)
    allowed: frozenset[str] = frozenset()  # public keys of workers and agents

    def __post_init__(self) -> None:
        checked_key(self.public, "the public key")
        checked_key(self.secret, "the secret key")
        checked_keys(self.allowed, "allow")


@dataclass(frozen=True)
class SpokeKeys:
    """A worker's keys. Errors: ValueError if one of them is invalid."""

    public: str
    secret: str = field(repr=False)
    server_public: str = ""

    def __post_init__(self) -> None:
        checked_key(self.public, "the public key")
        checked_key(self.secret, "the secret key")
        checked_key(self.server_public, "the coordinator's public key")
