"""The life of a gateway that is an HTTP client: up while a connection, or the ping, works."""

import base64
from collections.abc import Mapping
from typing import Any

import gevent

from tsvc.errors import GatewayError
from tsvc.gateways._base import Gateway, GatewayContext, GatewayState, GatewayStatus
from tsvc.gateways._http import ConnectFailed, HttpClient, Tap
from tsvc.gateways._http_message import Fields, Request, Response
from tsvc.gateways._http_settings import HttpSettings
from tsvc.log import get_logger

log = get_logger("http")

USER_AGENT = "tsvc"
_FIRST_RETRY_S = 0.2
_LOOK_S = 1.0  # how often to see whether idle connections are still there


class HttpGateway(Gateway):
    """What rest and osd have in common; `standing`: fields of every request."""

    def __init__(self, name: str, config: Mapping[str, Any], context: GatewayContext) -> None:
        super().__init__(name, config, context)
        self.settings = HttpSettings.of(config)
        self.standing: Fields = self._standing_fields()
        self._client: HttpClient | None = None
        self._keeper: gevent.Greenlet[..., None] | None = None
        self._state = GatewayState.DOWN
        self._detail = "not started"
        self._ping_due = 0.0

    def start(self) -> None:
        if self._keeper is not None:
            return
        tls = self.settings.tls
        self._client = HttpClient(self.settings, None if tls is None else tls.context())
        self._state, self._detail = GatewayState.CONNECTING, ""
        self._ping_due = 0.0
        self._keeper = gevent.spawn(self._keep, self._client)

    def stop(self, grace_s: float) -> None:
        client = self._client
        self._end_keeper()
        if client is not None:
            client.pool.refuse("the gateway is stopping")
            if client.pool.lent:
                self._state, self._detail = GatewayState.DRAINING, "stopping"
                client.pool.drain(grace_s)
        self.kill()

    def kill(self) -> None:
        self._end_keeper()
        self._state, self._detail = GatewayState.DOWN, "stopped"
        if self._client is not None:
            self._client.close("the gateway is stopped")

    def status(self) -> GatewayStatus:
        counters = self._client.stats() if self._client is not None else {}
        return GatewayStatus(self.name, self.kind, self._state, self._detail, counters)

    def send(self, request: Request, tap: Tap | None = None) -> Response:
        """Send a request and return its response, whatever its code.

        Blocks and fails as HttpClient.send() does; errors name the gateway.
        """
        client = self._client
        if client is None:
            raise GatewayError(f"{self.name} is not started")
        try:
            return client.send(request, tap)
        except ConnectFailed as error:
            if self._state is GatewayState.UP:
                self._set(GatewayState.CONNECTING, str(error))
            raise GatewayError(f"{self.name}: {error}") from None
        except GatewayError as error:
            raise GatewayError(f"{self.name}: {error}") from None

    # -- up or not --------------------------------------------------------------------------

    def _keep(self, client: HttpClient) -> None:
        """Keep the state right, until killed."""
        failures = 0
        while True:
            try:
                self._look(client)
            except GatewayError as error:
                failures += 1
                self._set(GatewayState.CONNECTING, str(error))
                gevent.sleep(self._pause_s(failures))
            else:
                failures = 0
                self._set(GatewayState.UP, "")
                gevent.sleep(_LOOK_S)

    def _look(self, client: HttpClient) -> None:
        """Blocks. Errors: GatewayError says why the server is not up."""
        client.pool.warm()
        if not self.config["ping_path"]:
            return
        now = self.context.clock.now()
        if self._state is GatewayState.UP and now < self._ping_due:
            return
        self._ping_due = now + self.config["ping_interval_s"]
        if client.pool.lent >= self.settings.connections:
            return  # it is busy answering
        wanted = self.config["ping_expected_code"]
        request = Request("GET", self.target(self.config["ping_path"]), self.standing)
        code = client.send(request).code
        if code != wanted:
            raise GatewayError(f"ping: HTTP {code}, expected {wanted}")

    def _set(self, state: GatewayState, detail: str) -> None:
        if (state, detail) != (self._state, self._detail):
            if state is GatewayState.UP:
                log.info("connected", gateway=self.name)
            else:
                log.warning("not connected", gateway=self.name, reason=detail)
        self._state, self._detail = state, detail

    def _pause_s(self, failures: int) -> float:
        longest: float = self.config["reconnect_interval_s"]
        pause: float = min(_FIRST_RETRY_S * 2 ** min(failures - 1, 20), longest)
        return pause * (0.5 + self.context.random() / 2)

    def _end_keeper(self) -> None:
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.kill(block=False)

    # -- requests ---------------------------------------------------------------------------

    def target(self, path: str) -> str:
        """Return the request target of a path, which is that of the base URI by default."""
        raise NotImplementedError

    def _standing_fields(self) -> Fields:
        """Return the fields of every request, those of the configuration included."""
        configured = tuple(self.config["http_headers"].items())
        usual = (
            ("Host", self.settings.authority),
            ("User-Agent", USER_AGENT),
            ("Accept", "*/*"),
            *self._authorization(),
        )
        names = {name.lower() for name, _ in configured}
        return (*(field for field in usual if field[0].lower() not in names), *configured)

    def _authorization(self) -> Fields:
        username = self.config["username"]
        if not username:
            return ()
        credentials = f"{username}:{self.config['password']}".encode()
        return (("Authorization", f"Basic {base64.b64encode(credentials).decode()}"),)
