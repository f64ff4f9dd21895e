"""The cluster for a Service: chooses the workers of a run, refuses runs that can't be shared."""

from typing import Any

from tsvc.cluster.run import SharedRun
from tsvc.cluster.workers import Workers
from tsvc.config.tables import Config
from tsvc.engine.compiler.judge import Judged
from tsvc.engine.gateway_table import GatewayTable
from tsvc.engine.run import Run
from tsvc.errors import DefinitionError, Problem, RequestError, StartError
from tsvc.words import did_you_mean, quoted, shown


class Cluster:
    """The workers of a coordinator, here and on other machines, and the runs that they share."""

    def __init__(self, config: Config) -> None:
        """`config`: the pool values are not yet put into its gateways. Errors: ValueError."""
        self._config = config
        self.workers = Workers(config)

    def start(self, gateways: GatewayTable) -> None:
        """Start the workers of this machine. Errors: LinkError, ClusterUnavailable.

        Blocks: until they have joined, or for some seconds; later workers join afterwards.
        """
        self.workers.processes.look_at(self._config, gateways)
        self.workers.start()
        self.workers.wait_joined()

    def stop(self) -> None:
        """End the workers. Blocks: some seconds at most."""
        self.workers.stop()

    def reload(self, config: Config, gateways: GatewayTable) -> None:
        """Use a new configuration; restart the workers if it differs for them."""
        self._config = config
        self.workers.processes.look_at(config, gateways)
        self.workers.reload(config)

    # -- runs --------------------------------------------------------------------------------

    def chosen(self, judged: Judged) -> list[str]:
        """Return the names of the workers that share a run; none if the daemon runs it alone.

        Errors: DefinitionError if several workers can't share the definition, StartError.
        """
        assert judged.params is not None
        assert judged.compiled is not None
        plan = judged.compiled.plan
        wanted = judged.params.get("workers")
        if plan.type == "single" or (wanted is None and not self._is_large(judged)):
            return []
        names = self._named(wanted)
        if judged.compiled.sets_globals and judged.params["globals"] == "shared" and names[1:]:
            text = (
                f'$g is assigned, and {len(names)} workers share none: say globals: "per_worker"'
            )
            fields = {"params.globals": [text]}
            raise DefinitionError(f"params.globals: {text}", kind="cluster.globals", fields=fields)
        found = self._alone(judged)
        if found is not None:
            name, why = found
            text = f"gateway {quoted(name)} can't be played by workers: {why}"
            raise StartError(text, kind="cluster.gateway", gateway=name)
        self._require_clocks(names)
        return names

    def _require_clocks(self, names: list[str]) -> None:
        most_ms = self._config.cluster.max_clock_error_ms
        for name in names:
            error_ms = self.workers.clock_error_ms(name)
            if error_ms > most_ms:
                text = (
                    f"the clock of worker {name} may be {error_ms:.1f} ms off, more than"
                    f" max_clock_error_ms ({most_ms:g}): name other workers, or drain it"
                )
                raise StartError(text, kind="cluster.clock", worker=name)

    def _is_large(self, judged: Judged) -> bool:
        assert judged.compiled is not None
        cps = judged.compiled.plan.asked_cps
        is_fit = self._alone(judged) is None and not judged.compiled.sets_globals
        return cps is not None and cps > self._config.cluster.single_max and is_fit

    def _alone(self, judged: Judged) -> tuple[str, str] | None:
        """Return the name of a gateway that keeps workers from sharing a definition, and why.

        None: there is no such gateway.
        """
        assert judged.compiled is not None
        for gateway in judged.gateways.values():
            why = self.workers.processes.alone.get(gateway.name)
            if why is not None:
                return gateway.name, why
        for part in judged.compiled.parts:
            found = part.alone(judged.gateways)
            if found is not None:
                return found
        return None

    def _named(self, wanted: str | int | list[str] | None) -> list[str]:
        ready = self.workers.ready()
        if isinstance(wanted, list):
            for at, name in enumerate(wanted):
                if name not in self.workers.names():
                    hint = did_you_mean(name, self.workers.names())
                    text = f"there is no worker {shown(name)}{hint}"
                    raise DefinitionError.of((Problem(f"params.workers[{at}]", text),))
            missing = [name for name in wanted if name not in ready]
            if missing:
                text = f"worker {missing[0]} is not ready"
                raise StartError(text, kind="cluster.worker", worker=missing[0])
            return list(dict.fromkeys(wanted))
        if isinstance(wanted, int) and wanted > len(ready):
            text = f"{wanted} workers are wanted, {len(ready)} are ready"
            raise StartError(text, kind="cluster.worker", ready=len(ready))
        if not ready:
            raise StartError("no worker is ready", kind="cluster.worker", ready=0)
        return ready[:wanted] if isinstance(wanted, int) else ready

    def make(self, names: list[str], *args: Any, **more: Any) -> Run:
        """Return a run that these workers share; the other arguments are those of Run."""
        return SharedRun(self.workers, names, *args, **more)

    def describe(self) -> list[dict[str, Any]]:
        """Return a row for each worker."""
        return self.workers.describe()

    def drain(self, name: str) -> None:
        """Give a worker, or all workers of an agent, no more runs. Errors: RequestError."""
        if not self.workers.drain(name):
            hint = did_you_mean(name, self.workers.names())
            raise RequestError(f"there is no worker {shown(name)}{hint}", kind="worker.unknown")
