"""Converts the octets of a request into the octets of its response; never raises.

The order of the checks is part of the interface: JSON, envelope, token, method, run_id present,
run_id free, the other params, and then the checks of the method.
"""

import hmac
import secrets
from collections import Counter, defaultdict
from typing import Any

from gevent import GreenletExit

from tsvc import turns
from tsvc.clock import SYSTEM_CLOCK
from tsvc.config.tables import Rpc
from tsvc.deadline import Deadline
from tsvc.engine.give_way import slices
from tsvc.engine.limits.run_limits import NOBODY, Waits, on_behalf_of, stays
from tsvc.engine.service import Service
from tsvc.errors import RequestError, TsvcError, UnknownMethod
from tsvc.log import get_logger
from tsvc.methods.method import METHODS, Method
from tsvc.registry import Registry
from tsvc.rpc import strict_json
from tsvc.rpc.envelope import Id, Request, failure, id_as_string, id_of, read_request, success
from tsvc.schema.fields import check_run_id
from tsvc.schema.load import load_params
from tsvc.server.large_requests import LargeRequests, Turn
from tsvc.words import did_you_mean, shown

log = get_logger("rpc")

AUTH_TOKEN = "auth_token"  # the name of a member of params, not a token
UNREADABLE = "(unreadable)"  # counted as the method of a request that names none
UNKNOWN = "(unknown)"  # the same for an unknown method: clients must not choose counters
_LARGE = 16 * 1024  # octets of a request that takes long to be freed
_NAMING_KEY = secrets.token_bytes(32)  # names reveal no token, and differ after each start


class Traffic:
    """Requests that were answered, by (method, code); code 0 is success."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.in_progress = 0


class Dispatcher:
    """Answers requests by the methods of a registry, on behalf of one service.

    `config` may be replaced at any time; requests in progress keep the values that they have read.
    """

    def __init__(self, service: Service, config: Rpc, methods: Registry[Method] = METHODS) -> None:
        self._service = service
        self._methods = methods
        self.config = config
        self.traffic = Traffic()
        self._large = LargeRequests()
        methods.load()

    def dispatch(
        self,
        body: bytes,
        client: str = NOBODY,
        waits: Waits = stays,
        denial: TsvcError | None = None,
    ) -> bytes:
        """Return the body of the response to the body of a request.

        `client`: the client that the request counts for, unless its token names one. `waits`:
        returns the context in which methods wait. `denial`: the answer, unless the method is
        urgent.
        Blocks: as long as the method does, up to its deadline.
        """
        traffic = self.traffic
        began_at = SYSTEM_CLOCK.now()
        traffic.in_progress += 1
        name, code = UNREADABLE, RequestError.code
        turn = self._large.turn(len(body))
        try:
            with turns.letting_go(slices()):
                name, code, response = self._answer(body, client, waits, denial, turn)
            return response
        finally:
            turn.close()
            traffic.in_progress -= 1
            traffic.requests[name, code] += 1
            traffic.seconds[name] += SYSTEM_CLOCK.now() - began_at

    def _answer(
        self, body: bytes, client: str, waits: Waits, denial: TsvcError | None, turn: Turn
    ) -> tuple[str, int, bytes]:
        """Return the method and the code to count, and the response."""
        request_id: Id | None = None
        name = UNREADABLE
        try:
            turn.take(self.config.handler_deadline_s)
            with turns.given(slices()):
                document = strict_json.parse_object(body)
                if len(body) > _LARGE:
                    turns.hold(document)
            request_id = id_of(document)
            request = read_request(document)
            method = self._methods.get(request.method)
            name = UNKNOWN if method is None else request.method
            if denial is not None and (method is None or not method.is_urgent):
                raise denial
            result = self._call(request, client, turn.until(waits))
            with turns.given(slices()):
                return name, 0, strict_json.encode(success(result, self._echo(request.id)))
        except TsvcError as error:
            return name, error.code, self.refusal(error, request_id)
        except GreenletExit:
            raise
        except BaseException as error:  # noqa: BLE001 - our bug, or sys.exit() of a package's kind
            return name, RequestError.code, self.refusal(_incident(error), request_id)

    def refusal(self, error: TsvcError, request_id: Id | None = None) -> bytes:
        """Return the body of a refusal; for wrong frames too, which have no id."""
        return strict_json.encode(failure(error, self._echo(request_id)))

    def _echo(self, request_id: Id | None) -> Any:
        return id_as_string(request_id) if self.config.id_as_string else request_id

    def _call(self, request: Request, client: str, waits: Waits) -> object:
        owner = self._check_token(request.params) or client
        method = self._method(request.method)
        if method.needs_run_id:
            run_id = check_run_id(request.params, method.params_error)
            method.check_run_id(self._service, run_id)
        with turns.given(slices()):
            params = load_params(
                method.schema,
                request.params,
                refuse=method.params_error,
                are_unknown_refused=self.config.unknown_params == "refuse",
            )
        turns.hold(params)
        seconds = method.deadline_s or self.config.handler_deadline_s
        text = f"{method.name} took longer than {seconds:g} s"
        late = Deadline(seconds, lambda: RequestError(text, kind="request.deadline"))
        with late, on_behalf_of(owner, waits):
            return method.call(self._service, params)

    def _check_token(self, params: dict[str, Any]) -> str | None:
        """Remove the token from params, so that nothing later can keep or show it.

        Return a name for the owner of the token, None if no tokens are used.
        """
        token = params.pop(AUTH_TOKEN, None)
        if not self.config.auth_tokens:
            return None
        given = token.encode() if isinstance(token, str) else b""
        # All tokens are compared, so that the time does not reveal which one was similar.
        matches = [hmac.compare_digest(given, known.encode()) for known in self.config.auth_tokens]
        if not any(matches):
            problem = "is missing" if token is None else "is not accepted"
            raise RequestError(f"params.{AUTH_TOKEN} {problem}", kind="auth.denied")
        # The name stays the same until the daemon ends, whatever a reload changes in the list.
        return "token " + hmac.digest(_NAMING_KEY, given, "sha256").hex()[:16]

    def _method(self, name: str) -> Method:
        method = self._methods.get(name)
        if method is None:
            hint = did_you_mean(name, self._methods.names())
            raise UnknownMethod(f"unknown method {shown(name)}{hint}", method=name[:256])
        return method


def _incident(error: BaseException) -> RequestError:
    incident = secrets.token_hex(6)
    log.failure("unexpected failure of a request", error, incident=incident)
    return RequestError(
        f"unexpected internal failure, logged as incident {incident}",
        kind="internal",
        incident=incident,
    )
