"""The workers that may execute a run for a service, as the engine sees them."""

from typing import Any, Protocol

from tsvc.config.tables import Config
from tsvc.engine.compiler.judge import Judged
from tsvc.engine.gateway_table import GatewayTable
from tsvc.engine.run import Run


class Sharing(Protocol):
    """Makes runs that several processes execute; implemented in tsvc.cluster."""

    def start(self, gateways: GatewayTable) -> None:
        """Start the workers of a service with these gateways. Errors: whatever prevents that."""

    def stop(self) -> None:
        """Stop the workers. Blocks: a few seconds at most."""

    def reload(self, config: Config, gateways: GatewayTable) -> None:
        """Apply a new configuration."""

    def chosen(self, judged: Judged) -> list[str]:
        """Return the names of the workers for a run; empty if the daemon executes it alone.

        Errors: DefinitionError, StartError.
        """

    def make(self, names: list[str], *args: Any, **more: Any) -> Run:
        """Return a run that these workers execute; the other arguments are those of Run."""

    def drain(self, name: str) -> None:
        """Assign no more runs to a worker. Errors: RequestError."""

    def describe(self) -> list[dict[str, Any]]:
        """Return a row for each worker."""
