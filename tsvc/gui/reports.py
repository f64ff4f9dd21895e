"""Reports about runs, with the same octets as those of `tsvc results` and `tsvc run`."""

import re
from base64 import b64decode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tsvc.cli.options.outputs import Done, document, environment_of, reported
from tsvc.client import Client, RunResult, TsvcError, Unreachable
from tsvc.client.results import read_run
from tsvc.errors import UnknownRun
from tsvc.gui.asked import Answer, Refusal
from tsvc.gui.daemons import Daemon, Daemons, daemon_of
from tsvc.gui.offload import off_loop
from tsvc.results.report import Reported
from tsvc.values import dataclass

_TYPES = {
    "html": ("html", "text/html; charset=utf-8"),
    "junit": ("xml", "application/xml"),
    "gtest": ("xml", "application/xml"),
    "csv": ("csv", "text/csv; charset=utf-8"),
    "json": ("json", "application/json"),
    "pcap": ("pcap", "application/vnd.tcpdump.pcap"),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A run, identified by its number in the archive if that is given, otherwise by its run_id."""

    run_id: str | None
    result_id: int | None

    @property
    def members(self) -> dict[str, Any]:
        """The params that identify the run."""
        return {"run_id": self.run_id} if self.result_id is None else {"result_id": self.result_id}


def export(daemon: Daemon, wanted: Wanted, form: str, name: str | None) -> Answer:
    """Return a report about one run as an attachment. `name`: the file of its definition.

    Blocks: on the daemon, and for the writing, off the loop. Errors: Refusal.
    """
    check_form(form, _TYPES)
    with daemon.place():
        try:
            if form == "pcap":
                trace = daemon.client.call("GetTrace", {**wanted.members, "format": "pcap"})
                octets, title = b64decode(trace["content"]), trace["run_id"]
            else:
                result = _result(daemon.client, wanted, has_definition=form == "html")
                octets = _written(form, [_reported(result, name)], daemon)
                title = result.run_id
        except (TsvcError, Unreachable) as error:
            raise _refusal(error) from None
    return _attachment(octets, form, name or title)


def suite(daemons: Daemons, form: str, runs: Sequence[Mapping[str, Any]]) -> Answer:
    """Return a report about many files. Each run is {path, daemon, result_id or null, refusal}.

    Blocks and errors as in export().
    """
    check_form(form, [one for one in _TYPES if one != "pcap"])
    found: list[Done] = []
    first: Daemon | None = None
    for run in runs:
        daemon = daemon_of(daemons, run.get("daemon"))
        first = first or daemon
        path, result_id = Path(str(run.get("path", ""))), run.get("result_id")
        result = None
        if isinstance(result_id, int):
            with daemon.place():
                try:
                    wanted = Wanted(None, result_id)
                    result = _result(daemon.client, wanted, has_definition=form == "html")
                except (TsvcError, Unreachable) as error:
                    raise _refusal(error) from None
        definition = None if result is None else result.raw.get("definition")
        found.append(Done(path, result, str(run.get("refusal") or ""), definition))
    if first is None:
        raise Refusal(400, "a suite has one run at least")
    return _attachment(_written(form, reported(found), first), form, "suite")


def check_form(form: str, known: Sequence[str] | Mapping[str, Any]) -> None:
    """Check the form of a report. Errors: Refusal 400 for an unknown form."""
    if form not in known:
        raise Refusal(400, f"format must be one of {', '.join(known)}")


def _result(client: Client, wanted: Wanted, *, has_definition: bool) -> RunResult:
    if wanted.result_id is not None:
        return client.get_result(wanted.result_id, definition=has_definition)
    result = read_run(client.call("QueryTest", {**wanted.members, "collect": 0}))
    if has_definition and result.raw.get("archived"):
        return client.get_result(result.raw["result_id"], definition=True)
    return result


def _reported(result: RunResult, name: str | None) -> Reported:
    definition = result.raw.get("definition")
    if name is None:
        return Reported(result.run_id, result, definition=definition)
    return reported([Done(Path(name), result, "", definition)])[0]


def _written(form: str, runs: Sequence[Reported], daemon: Daemon) -> bytes:
    environment = environment_of(daemon.client) if form == "html" else {}
    return off_loop(document, form, runs, environment)


def _refusal(error: Exception) -> Refusal:
    if isinstance(error, Unreachable):
        return Refusal(502, str(error))
    return Refusal(404 if isinstance(error, UnknownRun) else 422, str(error))


def _attachment(octets: bytes, form: str, title: str) -> Answer:
    suffix, kind = _TYPES[form]
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(title).name.partition(".")[0])[:80] or "run"
    headers = {"Content-Disposition": f'attachment; filename="{stem}.{suffix}"'}
    return Answer(octets, kind, headers=headers)
