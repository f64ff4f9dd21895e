"""A coordinator and agents as separate daemons, as if each had its own machine."""

from pathlib import Path

from support.daemons import FLOW, LOOPBACK, DaemonProcess, configure, launch
from support.ports import free_port
from support.waiting import until
from support.witness import PATIENT_HTTP
from tsvc.cluster.curve import new_pair

COORDINATOR = """
[cluster]
workers = {workers}
listen = "{host}:{port}"
key_file = "key"
allow = [{allow}]
"""
AGENT = """
[cluster]
workers = {workers}
coordinator = "{coordinator}"
coordinator_key = "{key}"
key_file = "key"
machine = "{name}"
lease_s = {lease_s}
"""
SS7 = LOOPBACK.format(flow=FLOW)
# The measured clock error includes the time that a busy machine takes for a message.
ANY_CLOCK = "max_clock_error_ms = 60000\n"
# No worker is lost because a busy machine gives a process no time.
NEVER_LOST = f"lost_after_s = 60\nlease_s = 50\n{ANY_CLOCK}"
LATER_LOST = f"lost_after_s = 4\nlease_s = 2\n{ANY_CLOCK}"
REST = (
    """
[application.BSS]
module = "rest"
base_uri = "http://{host}:{port}"
"""
    + PATIENT_HTTP
)


class Machines:
    """A coordinator at `port`, and `agents`, by the name of their machine.

    `more`: more members of [cluster] for the coordinator; write() writes them. All files are in
    folders below `folder`.
    """

    def __init__(
        self,
        folder: Path,
        names: tuple[str, ...],
        *,
        host: str = "127.0.0.1",
        more: str = LATER_LOST,
    ) -> None:
        self.folder = folder
        self.host = host
        self.port = free_port()
        self.more = more
        self.public, self._secret = new_pair()
        self.pairs = {name: new_pair() for name in names}
        self.allowed = names
        self.data = folder / "data"
        self.data.mkdir(parents=True)
        self.agents: dict[str, DaemonProcess] = {}
        self.coordinator: DaemonProcess
        self._started: list[DaemonProcess] = []

    def start_coordinator(
        self, witness: int, workers: int = 1, gateways: str = ""
    ) -> DaemonProcess:
        """Start the coordinator.

        `witness`: port of the server to which instances report; `gateways`: more tables.
        """
        # This text is formatted once more, so its braces are doubled.
        self._text = REST.format(port=witness, host="127.0.0.1") + SS7.replace("{", "{{").replace(
            "}", "}}"
        )
        self._text += f'[engine]\ndata_dir = "{self.data}"\n{COORDINATOR}'
        self._gateways = gateways
        self._workers = workers
        folder = self.write()
        self.coordinator = launch(folder, self._port_of(folder))
        self._started.append(self.coordinator)
        return self.coordinator

    def write(self) -> Path:
        """Write the coordinator's file, which it reads on SIGHUP; return the folder."""
        keys = ", ".join(f'"{self.pairs[name][0]}"' for name in self.allowed)
        text = self._text.format(workers=self._workers, host=self.host, port=self.port, allow=keys)
        text += self.more + self._gateways
        return self._write("coordinator", self._secret, text)

    def start_agent(
        self,
        name: str,
        witness: int,
        *,
        workers: int = 1,
        coordinator: str = "",
        key: str = "",
        pair: tuple[str, str] | None = None,
        prefix: tuple[str, ...] = (),
        lease_s: float = 2.9,
        witness_host: str = "127.0.0.1",
        gateways: str = "",
    ) -> DaemonProcess:
        """Start an agent.

        `coordinator`, `key`, `pair`: values that replace the agent's own. `prefix`: a command that
        starts the agent. `gateways`: more tables.
        """
        _, secret = pair or self.pairs[name]
        text = (
            REST.format(port=witness, host=witness_host)
            + SS7
            + AGENT.format(
                workers=workers,
                coordinator=coordinator or f"127.0.0.1:{self.port}",
                key=key or self.public,
                name=name,
                lease_s=lease_s,
            )
            + gateways
        )
        folder = self._write(name, secret, text)
        agent = launch(folder, self._port_of(folder), prefix=prefix, answers=not prefix)
        self.agents[name] = agent
        self._started.append(agent)
        return agent

    def until_ready(self, *names: str) -> None:
        """Wait until these workers are ready at the coordinator."""
        until(
            lambda: {*names} <= {n for n, row in self.rows().items() if row["state"] == "ready"},
            what=lambda: (self.rows(), [one.log[-2000:] for one in self._started]),
        )

    def rows(self) -> dict[str, dict[str, object]]:
        """Return the rows of ListWorkers, by name."""
        found = self.coordinator.result("ListWorkers")["workers"]
        return {row["name"]: row for row in found}

    def stop(self) -> None:
        """Kill all processes."""
        for one in self._started:
            if one.process.poll() is None:
                one.kill()

    def _write(self, name: str, secret: str, text: str) -> Path:
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        port = self._port_of(folder) if (folder / "port").exists() else free_port()
        (folder / "port").write_text(str(port))
        (folder / "key").write_text(secret + "\n")
        (folder / "key").chmod(0o600)
        configure(folder, text, port=port)
        return folder

    @staticmethod
    def _port_of(folder: Path) -> int:
        return int((folder / "port").read_text())
