"""The cost of starting the daemon, compared with importing its main dependencies.

    python tests/bench/bench_start.py [--rounds N]

A round starts a tsvcd with the default configuration until it reports that it is ready. Then it
starts a Python that imports gevent, marshmallow and SQLAlchemy; each is a separate process. JSON
goes to stdout: milliseconds of CPU, user and system, of each. Both find compiled modules, as
installed packages do: in build/bytecode, even if the environment forbids to write them.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from measures import cpu_s, spread
from support.daemons import ROOT

GUARD_S = 60.0
BYTECODE = ROOT / "build" / "bytecode"
_IMPORTS = "import gevent, marshmallow, sqlalchemy"


def ready_s(folder: Path) -> float:
    """Return the CPU seconds of a daemon until it reports to systemd that it is ready."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        told.bind(str(folder / "notify"))
        told.settimeout(GUARD_S)
        environment = {
            **_compiled(),
            "NOTIFY_SOCKET": str(folder / "notify"),
            "STATE_DIRECTORY": str(folder),
            "TSVC_RPC_PORT": "0",
        }
        process = subprocess.Popen(
            [sys.executable, "-m", "tsvc.cli.tsvcd"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            while b"READY=1" not in told.recv(65536):
                pass
            return cpu_s(process.pid)
        finally:
            process.terminate()
            process.wait(GUARD_S)


def _compiled() -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(BYTECODE)}


def imports_s() -> float:
    """Return the CPU seconds of a Python that only imports."""
    before = os.times()
    subprocess.run([sys.executable, "-c", _IMPORTS], check=True, cwd=ROOT, env=_compiled())
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    ready, imports = [], []
    for number in range(given.rounds + 1):
        with tempfile.TemporaryDirectory() as folder:
            found = ready_s(Path(folder)), imports_s()
        if number:  # the first round fills the caches of files
            ready.append(1000 * found[0])
            imports.append(1000 * found[1])
        time.sleep(0.1)
    print(json.dumps({"ready_cpu_ms": spread(ready), "imports_cpu_ms": spread(imports)}))


if __name__ == "__main__":
    main()
