"""Runs `python -m tsvc.cli.tsvcd --check` for many configurations, one after the other.

One process runs all: to start a process costs more than ten checks. Reads a JSON list of {folder,
environment} from standard input and writes a list of {status, lines}; a script of its own, never
imported.
"""

import contextlib
import io
import json
import os
import runpy
import sys
from typing import Any


def check(job: dict[str, Any]) -> dict[str, Any]:
    """Check FOLDER/tsvc.toml; a status of -1 means an exception."""
    before = dict(os.environ)
    os.environ.update(job["environment"])
    sys.argv = ["tsvcd", "--check", "-c", f"{job['folder']}/tsvc.toml"]
    printed = io.StringIO()
    status: object = 0
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            runpy.run_module("tsvc.cli.tsvcd", run_name="__main__")
        except SystemExit as ended:
            status = ended.code or 0
        except BaseException as error:  # noqa: BLE001 - a crash is a result, too
            print(f"{type(error).__name__}: {error}")
            status = -1
    os.environ.clear()
    os.environ.update(before)
    return {"status": status, "lines": printed.getvalue().split("\n")[:-1]}


if __name__ == "__main__":
    # The folder of this file must not be a source of modules for tsvc.
    sys.path[0] = ""
    json.dump([check(job) for job in json.load(sys.stdin)], sys.stdout)
