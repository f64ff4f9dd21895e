"""HTTP digest authentication: reads challenges and makes credentials (RFC 7616). Pure."""

import hashlib
import re
from collections.abc import Iterable

from tsvc.values import dataclass

# A challenge begins with a scheme: a token that no "=" follows. Values are tokens or quoted.
_PART = re.compile(
    r"[\s,]*+([!#$%&\'*+\-.^_`|~0-9A-Za-z]++)"
    r'(?:\s*+=\s*+("(?:[^"\\]|\\.)*+"|[^\s",]++)|(?=\s|,|\Z))'
)
# RFC 7616 3.3 and 6.1, the preferred one first.
_ALGORITHMS = {"SHA-256": "sha256", "MD5": "md5"}
_SESSION = "-sess"


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge of a server. `algorithm`: as the server wrote it, "" for none."""

    realm: str
    nonce: str
    opaque: str | None = None
    algorithm: str = ""
    has_qop: bool = False
    is_stale: bool = False

    @property
    def hash_name(self) -> str:
        """The name of the hash function in hashlib."""
        name = (self.algorithm or "MD5").upper().removesuffix(_SESSION.upper())
        return _ALGORITHMS[name]


def challenge_of(values: Iterable[str]) -> Challenge | None:
    """Return the best digest challenge of WWW-Authenticate fields, None if none can be answered.

    Not supported: `auth-int` alone, userhash, and algorithms other than MD5 and SHA-256.
    """
    found = []
    for value in values:
        for scheme, given in _challenges(value):
            challenge = _challenge(given) if scheme == "digest" else None
            if challenge is not None:
                found.append(challenge)
    order = list(_ALGORITHMS.values())
    return min(found, key=lambda one: order.index(one.hash_name), default=None)


def _challenges(value: str) -> list[tuple[str, dict[str, str]]]:
    found: list[tuple[str, dict[str, str]]] = []
    at = 0
    while part := _PART.match(value, at):
        at = part.end()
        name, given = part[1].lower(), part[2]
        if given is None:
            found.append((name, {}))
        elif found:
            if given.startswith('"'):
                given = re.sub(r"\\(.)", r"\1", given[1:-1])
            found[-1][1].setdefault(name, given)
    return found


def _challenge(given: dict[str, str]) -> Challenge | None:
    algorithm = given.get("algorithm", "")
    if (algorithm or "MD5").upper().removesuffix(_SESSION.upper()) not in _ALGORITHMS:
        return None
    qops = [one.strip().lower() for one in given.get("qop", "").split(",") if one.strip()]
    if "nonce" not in given or "realm" not in given or (qops and "auth" not in qops):
        return None
    return Challenge(
        _utf8(given["realm"]),
        given["nonce"],
        given.get("opaque"),
        algorithm,
        bool(qops),
        given.get("stale", "").lower() == "true",
    )


def _utf8(text: str) -> str:
    """Return the UTF-8 text of octets that were read as Latin-1, as all header fields are."""
    try:
        return text.encode("latin-1").decode()
    except UnicodeError:
        return text


@dataclass(frozen=True, slots=True)
class Credentials:
    """User name and password, and the answer to a challenge."""

    username: str
    password: str

    def answer(
        self, challenge: Challenge, method: str, target: str, count: int, cnonce: str
    ) -> str:
        """Return the value of Authorization. `count`: how often the nonce was used, including
        this time; `cnonce`: an unpredictable text of ours."""

        def hashed(text: str) -> str:
            return hashlib.new(challenge.hash_name, text.encode()).hexdigest()

        known = hashed(f"{self.username}:{challenge.realm}:{self.password}")
        if challenge.algorithm.lower().endswith(_SESSION):
            known = hashed(f"{known}:{challenge.nonce}:{cnonce}")
        asked = hashed(f"{method}:{target}")
        number = f"{count:08x}"
        middle = f"{number}:{cnonce}:auth:" if challenge.has_qop else ""
        response = hashed(f"{known}:{challenge.nonce}:{middle}{asked}")
        parts = [
            f'username="{_quoted(self.username)}"',
            f'realm="{_quoted(challenge.realm)}"',
            f'nonce="{_quoted(challenge.nonce)}"',
            f'uri="{target}"',
            f'response="{response}"',
        ]
        if challenge.algorithm:
            parts.append(f"algorithm={challenge.algorithm}")
        if challenge.opaque is not None:
            parts.append(f'opaque="{_quoted(challenge.opaque)}"')
        if challenge.has_qop:
            parts += ["qop=auth", f"nc={number}"]
        if challenge.has_qop or challenge.algorithm.lower().endswith(_SESSION):
            parts.append(f'cnonce="{cnonce}"')
        # The inverse of _utf8().
        return f"Digest {', '.join(parts)}".encode().decode("latin-1")


def _quoted(text: str) -> str:
    return re.sub(r'(["\\])', r"\\\1", text)
