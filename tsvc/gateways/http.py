"""The life cycle of a gateway that is an HTTP client: up while connections, or the ping, work."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from tsvc.errors import GatewayError
from tsvc.gateways.gateway import GatewayContext, GatewayState
from tsvc.gateways.pooled import PooledGateway
from tsvc.results.records import Tap
from tsvc.transport.http.authentication import Authentication, ClientCredentials, ask
from tsvc.transport.http.client import HttpClient, Through
from tsvc.transport.http.failures import ConnectFailed
from tsvc.transport.http.message import Fields, Request, Response
from tsvc.transport.http.settings import OAuthHttpConfig, basic, tls_context
from tsvc.transport.pool import Pool

USER_AGENT = "tsvc"


class HttpGateway(PooledGateway):
    """The common base of rest and osd; `standing`: fields of every request.

    Requests are authenticated by these fields, by a token, or by the `_authentication` of a
    subclass.
    """

    config: OAuthHttpConfig
    look_s = 1.0

    def __init__(self, name: str, config: OAuthHttpConfig, context: GatewayContext) -> None:
        super().__init__(name, config, context)
        self._client = HttpClient(config)
        self.server = self._client.server
        self.standing: Fields = self._standing_fields()
        self._ping_due = 0.0
        self._authentication: Authentication | None = None
        self._tokens: ClientCredentials | None = None
        if config.oauth_uri:
            self._tokens = ClientCredentials.of(name, config, context.clock)
            self._authentication = self._tokens

    @property
    def pool(self) -> Pool[Any]:
        return self._client.pool

    def counters(self) -> Mapping[str, int]:
        if self._tokens is None:
            return self._client.counters
        return {**self._client.counters, "tokens": self._tokens.fetched}

    def start(self) -> None:
        if self._keeper is None:
            if self.server.scheme == "https":
                self._client.context = tls_context(self.config)
            if self._tokens is not None:
                client = self._tokens.client
                if client.server.scheme == "https":
                    client.context = tls_context(self.config)
                client.pool.open()
        super().start()

    def kill(self) -> None:
        super().kill()
        if self._tokens is not None:
            self._tokens.client.close("the gateway is stopped")

    def _sent(self, request: Request, tap: Tap | None, through: Through | None = None) -> Response:
        try:
            return self._client.send(request, tap, through)
        except ConnectFailed as error:
            if self._state is GatewayState.UP:
                self.note_state(GatewayState.CONNECTING, str(error))
            raise GatewayError(f"{self.name}: {error}") from None
        except GatewayError as error:
            raise GatewayError(f"{self.name}: {error}") from None

    def look(self) -> None:
        """Ensure that there is a connection, and from time to time that the ping is answered."""
        self.pool.warm()
        if not self.config.ping_path:
            return
        now = self.context.clock.now()
        if self._state is GatewayState.UP and now < self._ping_due:
            return
        self._ping_due = now + self.config.ping_interval_s
        if self.pool.is_busy:
            return  # it is busy with answers
        wanted = self.config.ping_expected_code
        request = Request("GET", self.target(self.config.ping_path), self.standing)
        code = self.ping(request).code
        if code != wanted:
            raise GatewayError(f"ping: HTTP {code}, expected {wanted}")

    def ping(self, request: Request) -> Response:
        """Return the response to the ping. Blocks and fails as HttpClient.send() does."""
        return self._client.send(request, through=self._ask)

    def _ask(self, request: Request, tap: Tap | None) -> Response:
        return ask(partial(self._client.ask, tap=tap), request, self._authentication)

    # -- requests ---------------------------------------------------------------------------

    def target(self, path: str) -> str:
        """Return the request target of a path, which is that of the base URI by default."""
        raise NotImplementedError

    def _standing_fields(self) -> Fields:
        """Return the fields of every request, including those of the configuration."""
        configured = tuple(self.config.http_headers.items())
        usual = (
            ("Host", self.server.authority),
            ("User-Agent", USER_AGENT),
            ("Accept", "*/*"),
            # RFC 9110 12.5.3: without it a server may choose any coding.
            ("Accept-Encoding", "identity"),
            *self._authorization(),
        )
        names = {name.lower() for name, _ in configured}
        return (*(field for field in usual if field[0].lower() not in names), *configured)

    def _authorization(self) -> Fields:
        username = self.config.username
        if not username:
            return ()
        return (("Authorization", basic(username, self.config.password)),)
