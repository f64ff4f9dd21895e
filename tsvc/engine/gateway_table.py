"""The gateways of the daemon: made from the configuration, chosen for a run by name."""

from collections.abc import Callable, Mapping
from typing import Any

import gevent
from marshmallow import ValidationError

from tsvc.config.tables import Application, Tester
from tsvc.errors import GatewayError, Problem, StartError
from tsvc.gateways.gateway import GATEWAYS, Gateway, GatewayContext, GatewayState
from tsvc.kinds.outside.loading import LoadError, gateway_class
from tsvc.log import get_logger
from tsvc.schema.fields import flatten_messages
from tsvc.words import did_you_mean, quoted

log = get_logger("gateway")

RESTART_GRACE_S = 1.0


class GatewayConfigError(Exception):
    """The table of an application is wrong; `problems` has all problems."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(f"{problem.path}: {problem.text}" for problem in problems))
        self.problems = problems


class GatewayTable:
    """All gateways by name."""

    def __init__(self, context: GatewayContext) -> None:
        self._context = context
        self._gateways: dict[str, Gateway] = {}
        self._applications: dict[str, Application] = {}

    def build(self, applications: Mapping[str, Application]) -> None:
        """Make a gateway of each application. Errors: GatewayConfigError with all problems."""
        self._gateways = self._make(applications)
        self._applications = dict(applications)

    def prepare(self, applications: Mapping[str, Application]) -> Callable[[], None]:
        """Check new applications and return a function that applies the difference.

        It restarts changed gateways, starts new ones and stops those that are gone; all others
        are left alone. Errors: GatewayConfigError, before anything has changed.
        """
        changed = {
            name: application
            for name, application in applications.items()
            if application != self._applications.get(name)
        }
        fresh = self._make(changed)
        dropped = [name for name in self._gateways if name not in applications]

        def apply() -> None:
            for name in [*dropped, *changed]:
                gateway = self._gateways.get(name)
                if gateway is not None:
                    # Other greenlets run meanwhile: they must find it down, not missing.
                    _stop(gateway, RESTART_GRACE_S)
            for name in dropped:
                del self._gateways[name]
            for name, gateway in fresh.items():
                self._gateways[name] = gateway
                try:
                    _start(gateway)
                except GatewayError as error:
                    log.error("gateway did not start", gateway=name, reason=str(error))
            self._applications = dict(applications)

        return apply

    def _make(self, applications: Mapping[str, Application]) -> dict[str, Gateway]:
        problems: list[Problem] = []
        gateways: dict[str, Gateway] = {}
        for name, application in applications.items():
            gateway = make_gateway(application, self._context, problems)
            if gateway is not None:
                gateways[name] = gateway
        if problems:
            raise GatewayConfigError(problems)
        return gateways

    def start(self) -> None:
        """Start all gateways. Errors: GatewayError, with the table, if one can never work."""
        for gateway in self._gateways.values():
            try:
                _start(gateway)
            except GatewayError as error:
                raise GatewayError(f'application."{gateway.name}": {error}') from None

    def stop(self, grace_s: float) -> None:
        """Stop all gateways in parallel; log and kill failing ones. Blocks: up to grace_s."""
        gevent.joinall(
            [gevent.spawn(_stop, gateway, grace_s) for gateway in self._gateways.values()]
        )

    def all(self) -> list[Gateway]:
        """Return all gateways."""
        return list(self._gateways.values())

    def status(self) -> list[dict[str, Any]]:
        """Return the status of all gateways."""
        return [gateway.status().as_dict() for gateway in self._gateways.values()]

    def of_kind(self, kind: str) -> list[Gateway]:
        """Return the gateways of a kind."""
        return [gateway for gateway in self._gateways.values() if gateway.kind == kind]

    def resolve(self, selection: str, params: Mapping[str, Any], tester: Tester) -> Gateway | str:
        """Return the gateway that a selection (sigtran, db_<label> …) means, or a problem's text.

        Order: the parameter, the configured default, for labels an instance of that name and the
        unlabelled selection, otherwise the only instance of the kind.
        """
        kind, _, label = selection.partition("_")
        named = params.get(selection)
        if named and named != "default":
            gateway = self._gateways.get(named)
            if gateway is None:
                known = [other.name for other in self.of_kind(kind)]
                return f"no application is named {quoted(named)}" + did_you_mean(named, known)
            if gateway.kind != kind:
                return f"{quoted(named)} is a {gateway.kind} application, not {kind}"
            return gateway
        default = tester.defaults.get(selection)
        if default:
            gateway = self._gateways.get(default)
            default_text = f"[tester] default_{selection} names {quoted(default)}, which is"
            if gateway is None:
                return f"{default_text} not there"
            if gateway.kind != kind:
                return f"{default_text} a {gateway.kind} application, not {kind}"
            return gateway
        if label:
            by_label = self._gateways.get(label)
            if by_label is not None and by_label.kind == kind:
                return by_label
            return self.resolve(kind, params, tester)
        found = self.of_kind(kind)
        if len(found) == 1:
            return found[0]
        if not found:
            return f"no {kind} application is configured"
        names = ", ".join(gateway.name for gateway in found)
        return f"must name one of the {kind} applications {names}"


def _start(gateway: Gateway) -> None:
    try:
        gateway.start()
    except Exception:
        raise
    except BaseException as error:
        # Such as sys.exit() in an external class: it must not end the daemon.
        raise GatewayError(f"{gateway.name}: {type(error).__name__} {error}".rstrip()) from error


def _stop(gateway: Gateway, grace_s: float) -> None:
    try:
        gateway.stop(grace_s)
    except BaseException as error:  # noqa: BLE001 - the others must be stopped too
        log.failure("gateway did not stop", error, gateway=gateway.name)
        gateway.kill()


def make_gateway(
    application: Application, context: GatewayContext, problems: list[Problem]
) -> Gateway | None:
    """Return the gateway of an application's table; problems are added with their keys."""
    place = f'application."{application.name}"'
    try:
        class_ = _class_of(application.module)
    except LoadError as error:
        problems.append(Problem(f"{place}.module", f"{application.source}: {error}"))
        return None
    try:
        config = class_.Config.load(application.members)
    except ValidationError as error:
        for path, texts in flatten_messages(error.messages, place).items():
            problems.extend(Problem(path, f"{application.source}: {text}") for text in texts)
        return None
    return class_(application.name, config, context)


def _class_of(module: str) -> type[Gateway]:
    """Return the class of a kind, or of "package.module:Class". Errors: LoadError."""
    if ":" in module:
        return gateway_class(module)
    class_ = GATEWAYS.get(module)
    if class_ is None:
        hint = did_you_mean(module, GATEWAYS.names())
        if not hint and "." in module:
            hint = '; a class of your own is written "package.module:Class"'
        raise LoadError(f"no gateway kind is named {quoted(module)}{hint}")
    return class_


def require_up(gateway: Gateway) -> None:
    """Refuse to start a run whose gateway is down. Errors: StartError, kind gateway.down."""
    status = gateway.status()
    if status.state is not GatewayState.UP:
        detail = f": {status.detail}" if status.detail else ""
        raise StartError(
            f"gateway {gateway.name} is {status.state.value}{detail}",
            kind="gateway.down",
            gateway=gateway.name,
        )
