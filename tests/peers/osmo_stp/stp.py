"""osmo-stp with its configuration, and its environment: our applications, calls."""

import shutil
import subprocess
from pathlib import Path

from support.daemons import Params, example

OSMO_STP = shutil.which("osmo-stp")

# The tester has two associations in one Application Server, the SCP has one; both connect. Any
# other peer that connects may register a routing key.
STP = """
log stderr
 logging filter all 1
 logging color 0
 logging level set-all notice
 logging level lm3ua info
cs7 instance 0
 point-code 0.0.7
 xua rkm routing-key-allocation dynamic-permitted
 asp asp-a 3001 2905 m3ua
  remote-ip 127.0.0.1
  local-ip 127.0.0.1
  role sg
  sctp-role server
 asp asp-b 3011 2905 m3ua
  remote-ip 127.0.0.1
  local-ip 127.0.0.1
  role sg
  sctp-role server
 asp asp-scp 3002 2905 m3ua
  remote-ip 127.0.0.1
  local-ip 127.0.0.1
  role sg
  sctp-role server
 as as-tester m3ua
  asp asp-a
  asp asp-b
  routing-key 11 0.0.1
  traffic-mode loadshare
 as as-scp m3ua
  asp asp-scp
  routing-key 22 0.0.2
  traffic-mode override
 route-table system
  update route 0.0.1 7.255.7 linkset as-tester
  update route 0.0.2 7.255.7 linkset as-scp
 listen m3ua 2905
  local-ip 127.0.0.1
  accept-asp-connections dynamic-permitted
"""
APPLICATION = """
[application.{name}]
module = "sigtran"
opc = {opc}
default_scp = {{ dpc = 2, dssn = 146 }}
connections = [{connections}]
"""
CONNECTION = (
    '{{ name = "{name}", type = "m3ua", transport = "sctp", local_host = "127.0.0.1", '
    "local_port = {port}, {more} }}"
)
SHARED = 'routing_context = 11, traffic_mode = "loadshare"'


def application(name: str, opc: int, *connections: tuple[str, int, str]) -> str:
    made = (CONNECTION.format(name=one, port=port, more=more) for one, port, more in connections)
    return APPLICATION.format(name=name, opc=opc, connections=", ".join(made))


class Stp:
    """A running osmo-stp, which can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "stp.cfg").write_text(STP)
        self.start()

    def start(self) -> None:
        assert OSMO_STP is not None
        with (self._folder / "stp.log").open("ab") as log:
            self._process = subprocess.Popen(
                [OSMO_STP, "-c", "stp.cfg"], cwd=self._folder, stdout=log, stderr=log
            )

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


def paced(total: int) -> Params:
    return {"type": "linear", "total": total, "backlog": total, "cps": 25}


def call(gateway: str = "STP") -> Params:
    return {**example("extension_dialing"), "sigtran": gateway}
