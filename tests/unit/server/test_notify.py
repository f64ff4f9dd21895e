import os
import socket

import pytest

from tsvc.server.notify import Notifier


@pytest.mark.parametrize("kind", ["path", "abstract"])
def test_states(tmp_path, kind):
    name = str(tmp_path / "notify") if kind == "path" else f"@tsvc-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(name.replace("@", "\0"))
        manager.settimeout(10)
        notifier = Notifier({"NOTIFY_SOCKET": name})
        notifier.ready()
        notifier.reloading(12.5)
        notifier.stopping(65.0)
        notifier.watchdog()
        received = [manager.recv(200).decode() for _ in range(4)]
    assert received == [
        "READY=1",
        "RELOADING=1\nMONOTONIC_USEC=12500000",
        "STOPPING=1\nEXTEND_TIMEOUT_USEC=65000000",
        "WATCHDOG=1",
    ]


@pytest.mark.parametrize("environ", [{}, {"NOTIFY_SOCKET": "/nowhere/at/all"}])
def test_no_manager_no_harm(environ):
    Notifier(environ).ready()


@pytest.mark.parametrize(
    ("environ", "seconds"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "x"}, None),
        ({"WATCHDOG_USEC": "2500000"}, 2.5),
        ({"WATCHDOG_USEC": "1", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "1000000", "WATCHDOG_PID": str(os.getpid())}, 1.0),
    ],
)
def test_watchdog(environ, seconds):
    assert Notifier(environ).watchdog_s == seconds
