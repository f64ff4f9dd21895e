"""What a service may have beside itself to play a run: workers, seen from the engine."""

from typing import Any, Protocol

from tsvc.config.tables import Config
from tsvc.engine.definition.judge import Judged
from tsvc.engine.gateways import GatewayTable
from tsvc.engine.run import Run


class Sharing(Protocol):
    """Who makes runs that several processes play; tsvc.cluster has it."""

    def start(self, gateways: GatewayTable) -> None:
        """Start the workers of a service that has these gateways. Errors: what keeps them."""

    def stop(self) -> None:
        """End them. Blocks: some seconds at most."""

    def reload(self, config: Config, gateways: GatewayTable) -> None:
        """Take a new configuration."""

    def chosen(self, judged: Judged) -> list[str]:
        """Return the names of the workers that play a run; none: the daemon does it alone.

        Errors: DefinitionError, StartError.
        """

    def make(self, names: list[str], *args: Any, **more: Any) -> Run:
        """Return a run that these workers play, made as a Run is."""

    def drain(self, name: str) -> None:
        """Give a worker no more runs. Errors: RequestError."""

    def describe(self) -> list[dict[str, Any]]:
        """Return a row for each worker."""
