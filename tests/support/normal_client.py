"""A client with normal behaviour, beside misbehaving clients."""

import threading
import uuid

from support.daemons import DaemonProcess, Params, example
from support.waiting import GUARD_S

_PAUSE_S = 0.1  # between runs: the client must be present, but its load is not tested


def patient(definition: Params) -> Params:
    """Return a definition whose operations wait for a minute, whatever the daemon's default is."""
    operations = [
        {"seconds": GUARD_S, **one} if ".ssp_from_scp." in one["type"] else one
        for one in definition["operations"]
    ]
    return {**definition, "operations": operations}


class NormalClient:
    """Runs the sample repeatedly, in a thread; counts passed runs and keeps failures."""

    def __init__(self, daemon: DaemonProcess, **params: str) -> None:
        """`params`: added to the sample, such as the gateway to use."""
        self.passed = 0
        self.failures: list[str] = []
        self._daemon = daemon
        self._sample = {**patient(example("extension_dialing")), **params}
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._work)

    def __enter__(self) -> "NormalClient":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _work(self) -> None:
        while True:
            try:
                result = self._daemon.run(self._sample, run_id=f"normal {uuid.uuid4().hex}")
                assert result["verdict"] == "pass", result["first_call_summary"]
                self.passed += 1
            except Exception as error:  # noqa: BLE001 - any error: the test reports it
                self.failures.append(repr(error))
            if self._is_over.wait(_PAUSE_S):
                return
