"""The rest gateway: requests below a base URI of an HTTP server."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from urllib.parse import quote, unquote, urlencode

import gevent

from tsvc.errors import GatewayError, LocalProtocolError
from tsvc.gateways.gateway import GatewayContext, gateway
from tsvc.gateways.http import HttpGateway
from tsvc.kinds.rest.config import RestConfig
from tsvc.protocols.cookies import CookieJar
from tsvc.results.records import Tap
from tsvc.transport.http.authentication import Digest, ask
from tsvc.transport.http.client import HttpClient, HttpConnection
from tsvc.transport.http.failures import ConnectFailed, ConnectionLost, TimedOut
from tsvc.transport.http.message import Fields, Request, Response

# RFC 3986 3.3 and 3.4: characters of path and query; % because they may be encoded already.
_KEPT = "/?%:@!$&'()*+,;=~-._"

_PARAMETERS = re.compile(r";.*")
_OVERLONG = {"\xc0\xae": ".", "\xc0\xaf": "/"}  # invalid UTF-8 that some servers accept
_MOST_DECODINGS = 8  # of one path: some servers decode more than once

_CAUSES: Mapping[type[GatewayError], str] = {
    ConnectFailed: "connect",
    ConnectionLost: "lost",
    TimedOut: "timeout",
}

# (name, value, True if it is added beside fields of the same name)
Header = tuple[str, str, bool]


@gateway("rest")
class RestGateway(HttpGateway):
    """Requests to one server, below its base URI."""

    Config = RestConfig
    config: RestConfig

    def __init__(self, name: str, config: RestConfig, context: GatewayContext) -> None:
        super().__init__(name, config, context)
        if config.authentication == "digest":
            self._authentication = Digest(config.username, config.password, context.random)
        self._retried = 0

    def counters(self) -> Mapping[str, int]:
        more = {"retried": self._retried} if self.config.retries else {}
        return {**super().counters(), **more}

    # -- requests ----------------------------------------------------------------------------

    def send(
        self,
        request: Request,
        tap: Tap | None = None,
        jar: CookieJar | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> Response:
        """Send a request and return its response, whatever its code.

        `jar`: cookies to send and to store. `tell` is called when the request is sent again, which
        happens only if the configuration asks for it. Blocks and fails as HttpClient.send() does,
        for each attempt and for the pauses between; errors name the gateway.
        """
        if jar is None and self._authentication is None and not self.config.retries:
            return self._sent(request, tap)
        return self._sent(request, tap, partial(self._retry, jar=jar, tell=tell))

    # -- requests whose responses come later ---------------------------------------------------

    @property
    def is_plain(self) -> bool:
        """True if a request is sent unchanged, once, and on a connection of its own."""
        config, client = self.config, self._client
        return (
            client.proxy is None
            and config.http_version == "1.1"
            and self._authentication is None
            and not config.cookies
            and not config.retries
        )

    @property
    def client(self) -> HttpClient:
        """The client of a plain gateway: for its begin(), finish() and give_up()."""
        return self._client

    def resume(self, request: Request, tap: Tap | None, connection: HttpConnection) -> Response:
        """As send(), for a request that was begun on a connection."""
        lent: list[HttpConnection | None] = [connection]

        def ask_on(request: Request, tap: Tap | None) -> Response:
            return self._client.ask(request, tap, lent.pop() if lent else None)

        return self._sent(request, tap, ask_on)

    def launch(self, job: Callable[..., None], *arguments: object) -> "gevent.Greenlet[..., None]":
        """Run a job that sends a request in a greenlet of its own."""
        return gevent.spawn(job, *arguments)

    def let_go_out(self) -> None:
        """Switch once: launched requests are sent first. Blocks: for a round of the loop."""
        gevent.sleep(0)

    # ------------------------------------------------------------------------------------------

    def _retry(
        self,
        request: Request,
        tap: Tap | None,
        jar: CookieJar | None,
        tell: Callable[[str], None] | None,
    ) -> Response:
        config = self.config
        for number in range(1, config.retries + 1):
            try:
                response = self._ask_with(request, tap, jar)
                if response.code not in config.retry_codes:
                    return response
                why = f"HTTP {response.code}"
            except (ConnectFailed, ConnectionLost, TimedOut) as error:
                if _CAUSES[type(error)] not in config.retry_on:
                    raise
                why = str(error)
            self._retried += 1
            if tell is not None:
                text = f"{request.name} is sent again, {number} of {config.retries} times: {why}"
                tell(text)
            gevent.sleep(config.retry_pause_s)
        return self._ask_with(request, tap, jar)

    def _ask_with(self, request: Request, tap: Tap | None, jar: CookieJar | None) -> Response:
        """Send as the base class does, each time with the current cookies."""
        if jar is None:
            return self._ask(request, tap)

        def send(dressed: Request) -> Response:
            response = self._client.ask(self._with_cookies(dressed, jar), tap)
            self._keep_cookies(dressed, response, jar)
            return response

        return ask(send, request, self._authentication)

    def _with_cookies(self, request: Request, jar: CookieJar) -> Request:
        server = self.server
        now = self.context.clock.wall()
        is_secure = server.scheme == "https"
        cookies = jar.given(server.host, request.target, now, is_secure=is_secure)
        if not cookies:
            return request
        own = [value for name, value in request.fields if name.lower() == "cookie"]
        fields_ = [field for field in request.fields if field[0].lower() != "cookie"]
        return replace(request, fields=(*fields_, ("Cookie", "; ".join([*own, cookies]))))

    def _keep_cookies(self, request: Request, response: Response, jar: CookieJar) -> None:
        values = [value for name, value in response.fields if name.lower() == "set-cookie"]
        if values:
            is_secure = self.server.scheme == "https"
            now = self.context.clock.wall()
            jar.take(values, self.server.host, request.target, now, is_secure=is_secure)

    def request(
        self,
        method: str,
        path: str = "",
        query: "str | Mapping[str, object]" = "",
        *,
        headers: Iterable[Header] = (),
        content_type: str = "",
        body: bytes = b"",
    ) -> Request:
        """Return the request that send() takes; never blocks.

        `path` is appended to that of the base URI, `query` to the query that the path may have:
        text as it is, or values by name. A header replaces those of its name unless it is
        appended. Errors: LocalProtocolError for a path above the base URI, and for a Host, unless
        the gateway allows them: its credentials go with every request.
        """
        fields_ = self.standing
        problem = self.path_problem(path)
        if problem:
            raise LocalProtocolError(problem, path="path")
        if content_type:
            fields_ = (*fields_, ("Content-Type", content_type))
        for name, value, is_appended in headers:
            if name.strip().lower() == "host" and not self.config.allow_host:
                text = "Host is the gateway's affair, which has no allow_host"
                raise LocalProtocolError(text, path="http_headers")
            if not is_appended:
                fields_ = tuple(one for one in fields_ if one[0].lower() != name.lower())
            fields_ = (*fields_, (name, value))
        # RFC 9110 8.6: these methods are expected to have content, be it empty.
        if (body or method in ("POST", "PUT", "PATCH")) and not _has_length(fields_):
            fields_ = (*fields_, ("Content-Length", str(len(body))))
        secrets = self.config.query_secrets
        target = self.target(path, query)
        if secrets:
            target += f"{'&' if '?' in target else '?'}{urlencode(secrets)}"
        return Request(method, target, fields_, body, frozenset(secrets))

    def path_problem(self, path: str) -> str:
        """Return why a path is refused: it leads above the base URI. "" if it is allowed."""
        if not self.config.allow_outside and leads_above(path):
            return "leaves the base URI of the gateway, which has no allow_outside"
        return ""

    def target(self, path: str, query: "str | Mapping[str, object]" = "") -> str:
        """Return path and query below the base URI, percent-encoded where necessary."""
        base = self.server.path
        if path and not path.startswith(("/", "?")):
            path = f"/{path}"
        whole = quote((base.rstrip("/") if path.startswith("/") else base) + path, safe=_KEPT)
        if not whole.startswith("/"):
            whole = f"/{whole}"
        if not query:
            return whole
        text = quote(query, safe=_KEPT) if isinstance(query, str) else urlencode(query, doseq=True)
        return f"{whole}{'&' if '?' in whole else '?'}{text.removeprefix('?')}"

    def _authorization(self) -> Fields:
        if self.config.authentication == "digest":
            return ()
        token = self.config.bearer_token
        return (("Authorization", f"Bearer {token}"),) if token else super()._authorization()


def leads_above(path: str) -> bool:
    """Return True if a server may read a path as one above the path that it is appended to.

    Servers decode percent signs, some of them twice, before or after they look for `..`. Some read
    a backslash as a slash, and some ignore what follows a semicolon.
    """
    text = path.partition("?")[0]
    for _ in range(_MOST_DECODINGS):
        depth = 0
        for segment in re.split(r"[/\\]", text):
            name = _PARAMETERS.sub("", segment.strip())
            if name == "..":
                depth -= 1
            elif name not in ("", "."):
                depth += 1
            if depth < 0:
                return True
        decoded = unquote(text, encoding="latin-1")
        for overlong, sign in _OVERLONG.items():
            decoded = decoded.replace(overlong, sign)
        if decoded == text:
            return False
        text = decoded
    return True  # only somebody who hides something encodes so often


def _has_length(fields_: Fields) -> bool:
    names = ("content-length", "transfer-encoding")
    return any(name.lower() in names for name, _ in fields_)
