"""Which names say that what they name is a secret: of keys, header fields, bind parameters."""

import re

_NAME = re.compile(
    r"(?:.*[-_])?"
    r"(?:password|passphrase|passwd|pwd|pin|secret|token|authorization|api[-_]?key|cookie)s?",
    re.IGNORECASE,
)


def is_secret_name(name: str) -> bool:
    """Return whether a value of that name is not to be shown."""
    return _NAME.fullmatch(name) is not None
