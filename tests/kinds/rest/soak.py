"""rest in a soak: Python's own web server with a page for each token."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from soak.kind import TOKEN, Operation, SoakKind
from soak.peers import Server
from support.kind_peers import TOKENS
from support.ports import free_port, listens
from support.waiting import until

# Otherwise head and content are two pieces, and garbage instead of the second is a right answer.
_WEB_SERVER = """
import http.server, sys
handler = http.server.SimpleHTTPRequestHandler
handler.wbufsize = -1
http.server.test(handler, protocol="HTTP/1.1", port=int(sys.argv[1]), bind="127.0.0.1")
"""
TABLE = """
base_uri = "http://127.0.0.1:{port}"
num_client_connections = 4
server_timeout_s = 2.{change}
backlog_timeout_s = 4
reconnect_interval_s = 0.5
"""
FETCH: Operation = {
    "type": "rest.Request",
    "arguments": {"method": "GET", "path": '{"/$v->{token}.json"}'},
    "tests": [{"kpath": "rest.content_json.token", "value": TOKEN}],
}


def start(folder: Path) -> Server:
    pages = write_pages(folder / "pages")
    return Server(lambda: web_run(pages))


def write_pages(pages: Path) -> Path:
    """Write a page for each token, and return the folder."""
    pages.mkdir()
    for token in TOKENS:
        (pages / f"{token}.json").write_text(json.dumps({"token": token}))
    return pages


@contextlib.contextmanager
def web_run(pages: Path) -> Iterator[int]:
    """Run Python's own web server for the length of a block; it sends each answer in one piece."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", _WEB_SERVER, str(port)],
        cwd=pages,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until(lambda: listens(port))
        yield port
    finally:
        process.kill()
        process.wait()


SOAK = SoakKind(held=("in_use", "waiting"), start=start, table=TABLE, asks=[[FETCH]])
