"""The file of users: a line each, `name:role:scrypt$n$r$p$salt$hash`; salt and hash in base64.

Only its owner may read the file. A login costs some tens of milliseconds of CPU; after wrong ones
there is a pause, see Attempts.
"""

import hashlib
import hmac
import os
import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Callable, Mapping
from pathlib import Path

from tsvc.errors import reason
from tsvc.gui.roles import ROLES, Role
from tsvc.values import dataclass
from tsvc.words import quoted

_COST, _BLOCK, _LANES = 2**14, 8, 5
_SALT_OCTETS, _HASH_OCTETS = 16, 32
_MEMORY = 64 * 2**20
_NAME = re.compile(r"[^\s:\x00-\x1f]{1,64}")
LONGEST_PASSWORD = 1024


class UsersProblem(Exception):
    """The file of users can't be used; the text says why, with its line."""


@dataclass(frozen=True, slots=True)
class User:
    """A line of the file."""

    name: str
    role: Role
    secret: str


def read_users(path: Path) -> Mapping[str, User]:
    """Return the users by name. Blocks: on the file. Errors: UsersProblem."""
    try:
        if path.stat().st_mode & 0o077:
            raise UsersProblem(f"{path}: others can read it: chmod 600 {path}")
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsersProblem(f"{path}: {reason(error)}") from None
    found: dict[str, User] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, rest = line.strip().partition(":")
        role, _, secret = rest.partition(":")
        if not _NAME.fullmatch(name) or role not in ROLES or _parts(secret) is None:
            raise UsersProblem(f"{path}:{number}: must be name:role:scrypt$…, role {_roles()}")
        if name in found:
            raise UsersProblem(f"{path}:{number}: {name} is there already")
        found[name] = User(name, ROLES[role], secret)
    return found


def add_user(path: Path, name: str, role: Role, password: str) -> None:
    """Write a user into the file, replacing an existing user of that name.

    Blocks: on the file. Errors: UsersProblem.
    """
    if not _NAME.fullmatch(name):
        raise UsersProblem(
            f"{quoted(name)} is no name: no spaces, no colons, 64 characters at most"
        )
    users = dict(read_users(path)) if path.exists() else {}
    users[name] = User(name, role, secret_of(password))
    text = "".join(f"{one.name}:{one.role.word}:{one.secret}\n" for one in users.values())
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            stream.write(text.encode("utf-8"))
            stream.flush()
            os.fsync(stream.fileno())
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise UsersProblem(f"{path}: {reason(error)}") from None


def secret_of(password: str) -> str:
    """Return the hash of a password as the file has it. Errors: UsersProblem if it is too long."""
    if not 0 < len(password) <= LONGEST_PASSWORD:
        raise UsersProblem(f"a password has 1 to {LONGEST_PASSWORD} characters")
    salt = os.urandom(_SALT_OCTETS)
    found = _hash(password, salt, _COST, _BLOCK, _LANES)
    salt_text, hash_text = (b64encode(octets).decode("ascii") for octets in (salt, found))
    return f"scrypt${_COST}${_BLOCK}${_LANES}${salt_text}${hash_text}"


def is_password(user: User | None, password: str) -> bool:
    """Return True if this is the user's password. It takes the same time without a user."""
    parts = _parts(user.secret if user is not None else _NOBODY)
    assert parts is not None
    cost, block, lanes, salt, wanted = parts
    found = _hash(password[:LONGEST_PASSWORD], salt, cost, block, lanes)
    return hmac.compare_digest(found, wanted) and user is not None


def _hash(password: str, salt: bytes, cost: int, block: int, lanes: int) -> bytes:
    octets = password.encode("utf-8", "replace")
    return hashlib.scrypt(
        octets, salt=salt, n=cost, r=block, p=lanes, maxmem=_MEMORY, dklen=_HASH_OCTETS
    )


def _parts(secret: str) -> tuple[int, int, int, bytes, bytes] | None:
    """Return (n, r, p, salt, hash); None if it is invalid, or needs more than _MEMORY."""
    found = re.fullmatch(r"scrypt\$(\d{1,6})\$(\d{1,2})\$(\d{1,2})\$([^$]+)\$([^$]+)", secret)
    if found is None:
        return None
    cost, block, lanes = (int(found[at]) for at in (1, 2, 3))
    try:
        salt, wanted = (b64decode(found[at], validate=True) for at in (4, 5))
    except Base64Error:
        return None
    is_power = cost > 1 and not cost & (cost - 1)
    is_small = 0 < 128 * cost * block * 2 <= _MEMORY and lanes > 0
    return (cost, block, lanes, salt, wanted) if is_power and is_small and wanted else None


def _roles() -> str:
    return ", ".join(ROLES)


_NOBODY = f"scrypt${_COST}${_BLOCK}${_LANES}${b64encode(bytes(16)).decode()}$" + (
    b64encode(bytes(_HASH_OCTETS)).decode()
)

_FREE_TRIES = 5
_LONGEST_PAUSE_S = 60.0
_MOST_NAMES = 1000


class Attempts:
    """Slows logins down: after five wrong ones, each further one doubles the pause.

    Attempts are counted by the user's name and by the address. At most _MOST_NAMES are kept; a new
    name replaces the oldest.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._wrong: dict[str, tuple[int, float]] = {}

    def pause_s(self, *names: str) -> float:
        """Return the seconds until these names may try again; 0 if they may now."""
        return max(0.0, *(self._wrong.get(name, (0, 0.0))[1] - self._now() for name in names))

    def note(self, is_right: bool, *names: str) -> None:
        """Note an attempt."""
        for name in names:
            count, _ = self._wrong.pop(name, (0, 0.0))
            if is_right:
                continue
            count += 1
            over = count - _FREE_TRIES
            pause_s = min(2.0**over, _LONGEST_PAUSE_S) if over >= 0 else 0.0
            if len(self._wrong) >= _MOST_NAMES:
                del self._wrong[next(iter(self._wrong))]
            self._wrong[name] = (count, self._now() + pause_s)
