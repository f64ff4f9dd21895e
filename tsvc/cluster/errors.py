"""Errors of the link between a coordinator and its workers."""

from tsvc.words import needs_packages

MISSING = f"a cluster {needs_packages('pyzmq', 'msgpack', 'locust')}"
MAX_OCTETS = 8 * 1024 * 1024  # of a message; a longer one is a LinkError


class LinkError(Exception):
    """A link can't be made, or a message can't be sent. The text says which and why."""


class ClusterUnavailable(Exception):
    """The packages of the extra `cluster` are not installed. The text says how to get them."""
