"""Journeys through the GUI in a real browser: a script of Node asks for what a browser can't do.

The script is told where the GUI is, on its standard input, and says on its output: `? {"do": …}`
for what the test is to do, with an answer expected; `# …` to be known; `= done` at the end.
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

# Whether times are held against the specification: on a machine that does nothing else.
IS_STRICT = bool(os.environ.get("TSVC_JOURNEY_TIMES"))

Handler = Callable[..., Any]


def require_browser(browser: str | None = CHROMIUM) -> None:
    """Skip, or fail where peers are required, without a browser or the built pages."""
    require_peer(browser, "apt-get install chromium firefox-esr")
    require_peer(NODE, "apt-get install nodejs npm")
    built = STATIC / "index.html"
    require_peer(str(built) if built.exists() and MODULES.exists() else None, "make gui-build")


def play(
    script: str,
    name: str,
    given: Mapping[str, Any],
    handlers: Mapping[str, Handler] | None = None,
    guard_s: float = 4 * HANG_GUARD_S,
) -> list[str]:
    """Play a journey and return what it noted. Blocks: until it is over, or for `guard_s`."""
    shots = os.environ.get("TSVC_SHOTS")
    facts = {
        "chromium": CHROMIUM,
        "shots": shots,
        "strict": IS_STRICT,
        "told_after_ms": 750 * guard_s,
        **given,
    }
    assert NODE is not None
    process = subprocess.Popen(
        [NODE, str(FOLDER / script), name],
        cwd=FOLDER,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a browser and all that it starts end with it
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    said: list[str] = []
    errors: list[str] = []
    reader = threading.Thread(target=lambda: errors.extend(process.stderr or ()), daemon=True)
    reader.start()
    late = threading.Timer(guard_s, process.kill)
    late.start()
    try:
        _say(process, facts)
        for line in process.stdout:
            if line.startswith("? "):
                asked = json.loads(line[2:])
                _say(process, _answer(handlers or {}, asked))
            else:
                said.append(line.rstrip())
        process.wait()
    finally:
        late.cancel()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, 9)
        process.wait()
        reader.join(HANG_GUARD_S)
        for pipe in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(OSError):
                pipe.close()
    text = "\n".join([*said, *errors])
    assert process.returncode == 0, text
    assert said[-1:] == ["= done"], text
    return [line[2:] for line in said if line.startswith("# ")]


def _answer(handlers: Mapping[str, Handler], asked: dict[str, Any]) -> Any:
    what = asked.pop("do")
    return handlers[what](**asked)


def _say(process: "subprocess.Popen[str]", value: Any) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(json.dumps(value) + "\n")
        process.stdin.flush()
    except BrokenPipeError:
        pytest.fail("the journey ended before its answer")
