"""Common handling of all requests, before and after their handlers. Only this module uses bottle.

    Host ─► route ─► session ─► role ─► Origin and CSRF token ─► length of the body ─► handler

Every response has the headers of secured(), errors too; a refusal is {"problem": words}.
"""

import secrets
import traceback
from collections.abc import Callable, Collection, Iterable, Sequence
from http.client import responses
from typing import Any

import bottle

from tsvc.gui.asked import JSON_TYPE, Asked, Refusal, json_octets
from tsvc.gui.routes import Route
from tsvc.gui.sessions import COOKIE, Session, Sessions
from tsvc.log import get_logger

_log = get_logger("gui")

_NONCE = "tsvc.nonce"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; "
    "connect-src 'self'; worker-src 'self'; img-src 'self' data:; frame-ancestors 'none'; "
    "base-uri 'none'; require-trusted-types-for 'script'; trusted-types tsvc"
)

Environ = dict[str, Any]
StartResponse = Callable[..., Any]


class App:
    """The WSGI application. `hosts`: the allowed values of the header Host, with ports."""

    def __init__(
        self,
        routes: Sequence[Route],
        sessions: Sessions,
        *,
        hosts: Collection[str],
        scheme: str,
    ) -> None:
        self.routes = tuple(routes)
        self._sessions = sessions
        self._hosts = frozenset(hosts)
        self._scheme = scheme
        self._bottle = bottle.Bottle()
        self._bottle.config["catchall"] = False
        self._bottle.default_error_handler = _error
        for route in self.routes:
            self._bottle.route(route.path, route.method, self._callback(route))

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request, as WSGI defines it. Blocks: as its handler does."""
        nonce = environ[_NONCE] = secrets.token_urlsafe(16)

        def started(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            return start_response(status, [*headers, *_secured(nonce, headers)], *more)

        try:
            if environ.get("HTTP_HOST", "").lower() not in self._hosts:
                raise Refusal(400, "this server is not called so: see the header Host")
            answered: Iterable[bytes] = self._bottle(environ, started)
            return answered
        except Refusal as refusal:
            return _refused(refusal, started)
        except Exception:  # noqa: BLE001 - whatever went wrong, other requests continue
            _log.error("a request failed", trace=traceback.format_exc())
            return _refused(Refusal(500, "something went wrong here: see the log"), started)

    def _callback(self, route: Route) -> Callable[..., Any]:
        def callback(**path: str) -> Any:
            answer = route.handler(self._asked(route, path))
            headers = {"Content-Type": answer.type, **answer.headers}
            if isinstance(answer.body, bytes):
                headers["Content-Length"] = str(len(answer.body))
            return bottle.HTTPResponse(answer.body, answer.status, headers)

        return callback

    def _asked(self, route: Route, path: dict[str, str]) -> Asked:
        """Return the request if it is allowed. Errors: Refusal."""
        environ: Environ = bottle.request.environ
        if route.is_way_in and environ["REQUEST_METHOD"] == "HEAD":
            raise Refusal(405, "a look at the head must not use the address up")
        headers = {
            name[5:].replace("_", "-").lower(): value
            for name, value in environ.items()
            if name.startswith("HTTP_")
        }
        origin = f"{self._scheme}://{environ['HTTP_HOST'].lower()}"
        session = self._sessions.find(bottle.request.get_cookie(COOKIE))
        _check(route, session, headers, origin)
        return Asked(
            given=session,
            path=path,
            query={name: bottle.request.query.getunicode(name) for name in bottle.request.query},
            headers=headers,
            body=_body(environ, route.longest_body),
            peer=environ.get("REMOTE_ADDR", ""),
            nonce=environ[_NONCE],
            origin=origin,
        )


def _check(route: Route, session: Session | None, headers: dict[str, str], origin: str) -> None:
    if route.role is None:
        return
    if session is None:
        raise Refusal(401, "nobody has come in here, or it is too long ago")
    if route.needs_csrf:
        if headers.get("origin", "").lower() != origin:
            raise Refusal(403, "the request comes from another site: see the header Origin")
        if not session.has_csrf(headers.get("x-tsvc-csrf", "")):
            raise Refusal(403, "the header X-TSVC-CSRF is not that of the session")
    if session.role < route.role:
        raise Refusal(403, f"this is for the role {route.role.word}, yours is {session.role.word}")


def _body(environ: Environ, longest: int) -> bytes:
    """Return the body. Blocks: until it is there. Errors: Refusal 413, before all is read."""
    problem = f"a body may have {longest} octets here"
    try:
        length = int(environ.get("CONTENT_LENGTH") or 0)
    except ValueError:
        raise Refusal(400, "the header Content-Length is no number") from None
    if length > longest:
        raise Refusal(413, problem)
    octets: bytes = environ["wsgi.input"].read(longest + 1)
    if len(octets) > longest:
        raise Refusal(413, problem)
    return octets


def _secured(nonce: str, headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the headers of every response."""
    found = [
        ("Content-Security-Policy", _POLICY.format(nonce=nonce)),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "same-origin"),
    ]
    if not any(name.lower() == "cache-control" for name, _ in headers):
        found.append(("Cache-Control", "no-store"))
    return found


def _refused(refusal: Refusal, start_response: StartResponse) -> list[bytes]:
    octets = json_octets(refusal.document)
    status = f"{refusal.status} {responses.get(refusal.status, 'Refused')}"
    length = ("Content-Length", str(len(octets)))
    start_response(status, [("Content-Type", JSON_TYPE), length])
    return [octets]


def _error(error: Any) -> bytes:
    """Return the body for a refusal of the framework itself: no such route, no such method."""
    bottle.response.content_type = JSON_TYPE
    words = {404: "there is nothing of this name", 405: "that is not done with this method"}
    return json_octets({"problem": words.get(error.status_code, str(error.status_line))})
