"""lighttpd as the server under test: it supports digest authentication, which nginx does not."""

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from support.daemons import HANG_GUARD_S, require_peer
from support.ports import free_port, listens
from support.waiting import until

LIGHTTPD = shutil.which("lighttpd") or shutil.which("lighttpd", path="/usr/sbin:/usr/local/sbin")

# The file has plain passwords, so that both algorithms can be used.
_CONFIG = """
server.document-root = "{folder}"
server.bind = "127.0.0.1"
server.port = {port}
server.errorlog = "{folder}/error.log"
server.modules = ("mod_auth", "mod_authn_file")
auth.backend = "plain"
auth.backend.plain.userfile = "{folder}/users"
auth.require = (
  "/md5" => ("method" => "digest", "algorithm" => "MD5", "realm" => "a, b",
             "require" => "user=me"),
  "/sha" => ("method" => "digest", "algorithm" => "SHA-256", "realm" => "r",
             "require" => "user=me")
)
"""


@contextlib.contextmanager
def running_lighttpd(folder: Path) -> Iterator[int]:
    """Run lighttpd; yield its port. Skip without lighttpd.

    /md5 and /sha require digest authentication with user me and password t0p-secret.
    """
    path = require_peer(LIGHTTPD, "apt-get install lighttpd")
    port = free_port()
    (folder / "users").write_text("me:t0p-secret\n")
    for name in ("md5", "sha"):
        (folder / name).write_text("in")
    (folder / "lighttpd.conf").write_text(_CONFIG.format(folder=folder, port=port))
    process = subprocess.Popen([path, "-D", "-f", str(folder / "lighttpd.conf")])

    try:
        until(lambda: listens(port))
        yield port
    finally:
        process.kill()
        process.wait(HANG_GUARD_S)
