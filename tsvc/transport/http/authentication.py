"""Authentication that needs more than a constant field: digest, and tokens of OAuth 2.0.

Both have dress(), which authenticates a request, and again(): is a request to be repeated?
"""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol
from urllib.parse import quote_plus, urlencode

import gevent

from tsvc.clock import Clock
from tsvc.errors import GatewayError
from tsvc.log import get_logger
from tsvc.protocols.http_digest import Challenge, Credentials, challenge_of
from tsvc.transport.http.client import HttpClient
from tsvc.transport.http.message import Request, Response, first_value
from tsvc.transport.http.settings import OAuthHttpConfig, basic, token_server_of

log = get_logger("http")

UNAUTHORIZED = 401
_EARLY_S = 30.0  # a token is renewed so many seconds before it expires …
_EARLY_PART = 0.2  # … or this part of its life, if that is short


class Authentication(Protocol):
    """The authentication of a gateway's requests."""

    def dress(self, request: Request) -> Request:
        """Return the request with its authentication. May block. Errors: GatewayError."""

    def again(self, sent: Request, response: Response) -> bool:
        """Return True if a refused request must be dressed and sent once more."""


def ask(
    send: Callable[[Request], Response], request: Request, authentication: Authentication | None
) -> Response:
    """Send a request; send it twice if the first response enables the authentication.

    An Authorization of the request itself is kept. Blocks and fails as `send` and dress() do.
    """
    if authentication is None or first_value(request.fields, "authorization") is not None:
        return send(request)
    sent = authentication.dress(request)
    response = send(sent)
    if authentication.again(sent, response):
        return send(authentication.dress(request))
    return response


def _with(request: Request, value: str) -> Request:
    return replace(request, fields=(*request.fields, ("Authorization", value)))


def _authorization(request: Request) -> str:
    return first_value(request.fields, "authorization") or ""


class Digest:
    """Answers the challenges of a server; each nonce is used until it is refused (RFC 7616)."""

    def __init__(self, username: str, password: str, random: Callable[[], float]) -> None:
        self._credentials = Credentials(username, password)
        self._random = random
        self._challenge: Challenge | None = None
        self._count = 0

    def dress(self, request: Request) -> Request:
        """Return the request with an answer, once there was a challenge. Never blocks."""
        if self._challenge is None:
            return request
        self._count += 1
        cnonce = f"{int(self._random() * (1 << 52)):013x}"
        value = self._credentials.answer(
            self._challenge, request.method, request.target, self._count, cnonce
        )
        return _with(request, value)

    def again(self, sent: Request, response: Response) -> bool:
        """Return True if there is a challenge that the request has not answered."""
        if response.code != UNAUTHORIZED:
            return False
        values = [v for name, v in response.fields if name.lower() == "www-authenticate"]
        challenge = challenge_of(values)
        if challenge is None:
            return False
        given = _authorization(sent)
        if f'nonce="{challenge.nonce}"' in given and not challenge.is_stale:
            return False
        if self._challenge is None or self._challenge.nonce != challenge.nonce:
            self._challenge, self._count = challenge, 0
        return True


class ClientCredentials:
    """A token of the gateway (RFC 6749 4.4), fetched once for all waiters and renewed in time."""

    @classmethod
    def of(cls, name: str, config: OAuthHttpConfig, clock: Clock) -> "ClientCredentials":
        """Return those of a configuration with an `oauth_uri`; `name`: of its gateway."""
        form = {
            "client_id": config.oauth_client_id,
            "client_secret": config.oauth_client_secret,
        }
        if config.oauth_scope:
            form["scope"] = config.oauth_scope
        client = HttpClient(token_server_of(config))
        return cls(name, client, clock, form, config.oauth_client_authentication)

    def __init__(
        self, name: str, client: HttpClient, clock: Clock, form: dict[str, str], where: str
    ) -> None:
        """`form`: client_id, client_secret, and scope if there is one. `where`: the place of the
        first two, as in the `oauth_client_authentication` of OAuthHttpConfig."""
        self._name = name
        self.client = client
        self._clock = clock
        self._token = ""
        self._renew_at = 0.0
        self._fetching: gevent.Greenlet[..., str | GatewayError] | None = None
        self.fetched = 0
        self._request = _token_request(client, form, where)

    def dress(self, request: Request) -> Request:
        """Return the request with a token. Blocks: while one is fetched. Errors: GatewayError."""
        token = self._token
        if not token or self._clock.now() >= self._renew_at:
            if self._fetching is None or self._fetching.dead:
                self._fetching = gevent.spawn(self._fetched)
            found = self._fetching.get()
            if isinstance(found, GatewayError):
                raise GatewayError(str(found))
            token = found
        return _with(request, f"Bearer {token}")

    def again(self, sent: Request, response: Response) -> bool:
        """Return True if the token was refused; then the next request fetches another one."""
        if response.code != UNAUTHORIZED:
            return False
        if _authorization(sent) == f"Bearer {self._token}":
            self._token = ""  # otherwise another request has fetched a new one already
        return True

    def _fetched(self) -> str | GatewayError:
        """Return a new token, or why there is none, without any secret. Blocks."""
        try:
            token, expires_s = _token_of(self.client.send(self._request))
        except GatewayError as error:
            return GatewayError(f"token: {error}")
        life = float("inf") if expires_s is None else expires_s
        self._token = token
        self._renew_at = self._clock.now() + life - min(_EARLY_S, life * _EARLY_PART)
        self.fetched += 1
        log.info("token fetched", gateway=self._name, expires_s=expires_s)
        return token


def _token_request(client: HttpClient, form: dict[str, str], where: str) -> Request:
    fields = [
        ("Host", client.server.authority),
        ("User-Agent", "tsvc"),
        ("Accept", "application/json"),
        ("Accept-Encoding", "identity"),
        ("Content-Type", "application/x-www-form-urlencoded"),
    ]
    given = {"grant_type": "client_credentials", **form}
    if where != "body":
        pair = given.pop("client_id"), given.pop("client_secret")
        if where == "basic":  # RFC 6749 2.3.1: both are form-encoded first
            pair = quote_plus(pair[0]), quote_plus(pair[1])
        fields.append(("Authorization", basic(*pair)))
    body = urlencode(given).encode()
    fields.append(("Content-Length", str(len(body))))
    return Request("POST", client.server.path or "/", tuple(fields), body)


def _token_of(response: Response) -> tuple[str, float | None]:
    """Return the token of a response and its lifetime (RFC 6749 5.1). Errors: GatewayError."""
    try:
        answer = json.loads(response.body)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        answer = {}
    if response.code // 100 != 2:
        # RFC 6749 5.2: the error texts of the server, which contain no secret of the client.
        words = [str(answer[key]) for key in ("error", "error_description") if answer.get(key)]
        text = ": ".join([f"HTTP {response.code} {response.reason}", *words])
        raise GatewayError(text[:300])
    token, kind = answer.get("access_token"), answer.get("token_type")
    if not isinstance(token, str) or not token or not all("!" <= sign <= "~" for sign in token):
        raise GatewayError("the server's answer has no access_token")
    if not isinstance(kind, str) or kind.lower() != "bearer":
        raise GatewayError(f"the server's answer has token_type {str(kind)[:40]!r}, not Bearer")
    expires = answer.get("expires_in")
    if isinstance(expires, str) and expires.isdecimal() and len(expires) < 20:
        expires = int(expires)
    if isinstance(expires, bool) or not isinstance(expires, int | float) or expires < 0:
        return token, None
    return token, float(expires)
