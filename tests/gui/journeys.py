"""Journeys through the GUI in a real browser: a Node script asks the test for actions outside it.

The script gets the name of the journey and the GUI's address on its standard input. It prints
`? {"do": …}` for an action of the test, and expects an answer; `# …` for information; `= done` at
the end. Then it waits for another journey with the same browser, since a browser's start costs as
much as many journeys.
"""

import contextlib
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.daemons import HANG_GUARD_S, ROOT, require_peer

FOLDER = Path(__file__).parent / "browser"
STATIC = ROOT / "tsvc" / "gui" / "static"
MODULES = ROOT / "gui" / "node_modules"
CHROMIUM = shutil.which("chromium")
FIREFOX = shutil.which("firefox-esr")
NODE = shutil.which("node")

# True if times are compared with the specification: on a machine without other load.
IS_STRICT = bool(os.environ.get("TSVC_JOURNEY_TIMES"))

Handler = Callable[..., Any]


def require_browser(browser: str | None = CHROMIUM) -> None:
    """Skip, or fail where peers are required, without a browser or the built pages."""
    require_peer(browser, "apt-get install chromium firefox-esr")
    require_peer(NODE, "apt-get install nodejs npm")
    built = STATIC / "index.html"
    require_peer(str(built) if built.exists() and MODULES.exists() else None, "make gui-build")


class Host:
    """A context manager: Node and a browser for several journeys, one after the other."""

    def __init__(self) -> None:
        assert NODE is not None
        self._process = subprocess.Popen(
            [NODE, str(FOLDER / "host.mjs")],
            cwd=FOLDER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # a browser and all its child processes end with it
        )
        self._errors: list[str] = []
        self._reader = threading.Thread(
            target=lambda: self._errors.extend(self._process.stderr or ()), daemon=True
        )
        self._reader.start()

    def __enter__(self) -> "Host":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_over(self) -> bool:
        """Return True if it is closed or has ended."""
        return self._process.poll() is not None

    def play(
        self,
        script: str,
        name: str,
        given: Mapping[str, Any],
        handlers: Mapping[str, Handler] | None = None,
        guard_s: float = 4 * HANG_GUARD_S,
    ) -> list[str]:
        """Run a journey and return its notes. Blocks: until the journey is over, or for `guard_s`.
        A failed journey closes the host."""
        facts = {
            "script": script,
            "name": name,
            "chromium": CHROMIUM,
            "shots": os.environ.get("TSVC_SHOTS"),
            "strict": IS_STRICT,
            "told_after_ms": 750 * guard_s,
            **given,
        }
        said: list[str] = []
        late = threading.Timer(guard_s, self._process.kill)
        late.start()
        try:
            self._say(facts)
            assert self._process.stdout is not None
            for line in self._process.stdout:
                if line.startswith("? "):
                    self._say(_answer(handlers or {}, json.loads(line[2:])))
                    continue
                said.append(line.rstrip())
                if said[-1] == "= done":
                    return [line[2:] for line in said if line.startswith("# ")]
        except BaseException:
            self.close()
            raise
        finally:
            late.cancel()
        self.close()
        pytest.fail("\n".join([*said, *self._errors]))

    def close(self) -> None:
        """End Node, the browser and the reader."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, 9)
        self._process.wait()
        self._reader.join(HANG_GUARD_S)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()

    def _say(self, value: Any) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(value) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pytest.fail("the journey ended before its answer")


class Hosts:
    """One host for the tests of a module, from the first journey on; a new one after a failure."""

    def __init__(self) -> None:
        self._host: Host | None = None

    def now(self) -> Host:
        if self._host is None or self._host.is_over:
            self.close()
            self._host = Host()
        return self._host

    def close(self) -> None:
        if self._host is not None:
            self._host.close()
            self._host = None


HOSTS = Hosts()


def play(
    script: str,
    name: str,
    given: Mapping[str, Any],
    handlers: Mapping[str, Handler] | None = None,
) -> None:
    """Run a journey in the browser that the journeys of a module share. Blocks: until the journey
    is over, or until it hangs."""
    HOSTS.now().play(script, name, given, handlers)


def _answer(handlers: Mapping[str, Handler], asked: dict[str, Any]) -> Any:
    what = asked.pop("do")
    return handlers[what](**asked)
