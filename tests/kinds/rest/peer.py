"""rest, against gevent's HTTP server."""

import contextlib
import json
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from gevent.pywsgi import WSGIServer
from kinds.osd.peer import HTTP_TEXTS, http_members
from support.kind_peers import NOBODY, Address, Members


def _answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    body = json.dumps({"token": environ["PATH_INFO"].strip("/")}).encode()
    fields = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    start_response("200 OK", fields)
    return [body]


class Peer:
    is_reversed = False
    texts = HTTP_TEXTS
    params: ClassVar[Members] = {}
    application: ClassVar[tuple[str, Members]] = ("BSS", NOBODY)

    @contextlib.contextmanager
    def run(self) -> Iterator[Address]:
        server = WSGIServer(("127.0.0.1", 0), _answer, log=None, error_log=None)
        server.start()
        try:
            yield "127.0.0.1", int(server.server_port)
        finally:
            server.stop(timeout=0)

    def members(self, port: int, seconds: float) -> Members:
        return http_members(port, seconds)

    def operations(self, token: str, seconds: float) -> list[Members]:
        return [
            {
                "type": "rest.Request",
                "arguments": {"method": "GET", "path": f"/{token}"},
                "tests": [{"kpath": "rest.content_json.token", "value": token}],
            }
        ]
