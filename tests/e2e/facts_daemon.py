"""Shared by the tests of the published facts: a daemon with all kinds, and its problems."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.applications import as_toml
from support.daemons import FLOW, DaemonProcess, configure, launch


def daemon_in(folder: Path) -> Iterator[DaemonProcess]:
    """Yield a daemon with the sample flow and an application of every kind; stop it after."""
    loopback = f'[scp]\nflows = ["{FLOW}"]\n[application.SIGTRAN]\nmodule = "sigtran"\n'
    started = launch(folder, configure(folder, loopback + as_toml()))
    yield started
    started.stop()


def problems(
    daemon: DaemonProcess, *operations: dict[str, Any], **params: Any
) -> list[dict[str, str]]:
    """Return the errors that ValidateTest finds, with paths relative to the params."""
    found = daemon.result("ValidateTest", {"operations": list(operations), **params})
    return [
        {**one, "path": one["path"].removeprefix("params.")}
        for one in found["problems"]
        if one["severity"] == "error"
    ]
