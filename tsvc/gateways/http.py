"""The life of a gateway that is an HTTP client: up while a connection, or the ping, works."""

import base64
from collections.abc import Mapping
from typing import Any

from tsvc.errors import GatewayError
from tsvc.gateways.gateway import GatewayContext, GatewayState
from tsvc.gateways.pooled import PooledGateway
from tsvc.results.records import Tap
from tsvc.transport.http.client import ConnectFailed, HttpClient
from tsvc.transport.http.message import Fields, Request, Response
from tsvc.transport.http.settings import HttpConfig, tls_context
from tsvc.transport.pool import Pool

USER_AGENT = "tsvc"


class HttpGateway(PooledGateway):
    """What rest and osd have in common; `standing`: fields of every request."""

    config: HttpConfig
    look_s = 1.0

    def __init__(self, name: str, config: HttpConfig, context: GatewayContext) -> None:
        super().__init__(name, config, context)
        self._client = HttpClient(config)
        self.server = self._client.server
        self.standing: Fields = self._standing_fields()
        self._ping_due = 0.0

    @property
    def pool(self) -> Pool[Any]:
        return self._client.pool

    def counters(self) -> Mapping[str, int]:
        return self._client.counters

    def start(self) -> None:
        if self._keeper is None and self.server.scheme == "https":
            self._client.context = tls_context(self.config)
        super().start()

    def send(self, request: Request, tap: Tap | None = None) -> Response:
        """Send a request and return its response, whatever its code.

        Blocks and fails as HttpClient.send() does; errors name the gateway.
        """
        try:
            return self._client.send(request, tap)
        except ConnectFailed as error:
            if self._state is GatewayState.UP:
                self.note_state(GatewayState.CONNECTING, str(error))
            raise GatewayError(f"{self.name}: {error}") from None
        except GatewayError as error:
            raise GatewayError(f"{self.name}: {error}") from None

    def look(self) -> None:
        """See to it that there is a connection, and now and then that the ping is answered."""
        self.pool.warm()
        if not self.config.ping_path:
            return
        now = self.context.clock.now()
        if self._state is GatewayState.UP and now < self._ping_due:
            return
        self._ping_due = now + self.config.ping_interval_s
        if self.pool.is_busy:
            return  # it is busy answering
        wanted = self.config.ping_expected_code
        request = Request("GET", self.target(self.config.ping_path), self.standing)
        code = self._client.send(request).code
        if code != wanted:
            raise GatewayError(f"ping: HTTP {code}, expected {wanted}")

    # -- requests ---------------------------------------------------------------------------

    def target(self, path: str) -> str:
        """Return the request target of a path, which is that of the base URI by default."""
        raise NotImplementedError

    def _standing_fields(self) -> Fields:
        """Return the fields of every request, those of the configuration included."""
        configured = tuple(self.config.http_headers.items())
        usual = (
            ("Host", self.server.authority),
            ("User-Agent", USER_AGENT),
            ("Accept", "*/*"),
            *self._authorization(),
        )
        names = {name.lower() for name, _ in configured}
        return (*(field for field in usual if field[0].lower() not in names), *configured)

    def _authorization(self) -> Fields:
        username = self.config.username
        if not username:
            return ()
        credentials = f"{username}:{self.config.password}".encode()
        return (("Authorization", f"Basic {base64.b64encode(credentials).decode()}"),)
