"""The trace of one instance in the forms of GetTrace: of a run in memory or of an archived one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tsvc.archive.store import Stored
from tsvc.engine.instance import Instance
from tsvc.engine.result import detail
from tsvc.engine.run import Run
from tsvc.errors import RequestError
from tsvc.results import stored
from tsvc.results.ladder import ladder_svg, ladder_text
from tsvc.results.messages import decode_messages
from tsvc.results.pcap import write_pcap
from tsvc.results.records import Record
from tsvc.results.text import messages_text


@dataclass(frozen=True, slots=True)
class Recorded:
    """What there is of an instance: its detail as JSON, and its messages as octets."""

    detail: dict[str, Any]
    messages: list[Record]


def _text(recorded: Recorded) -> str:
    lines = [
        f"{entry['t'] * 1000:10.3f} ms  op {entry['op']}  {entry['text']}"
        + ("" if entry["detail"] is None else f"  {entry['detail']}")
        for entry in recorded.detail.get("trace_log", [])
    ]
    return "\n".join([*lines, messages_text(decode_messages(recorded.messages))])


def _ladder(recorded: Recorded) -> str:
    return ladder_text(decode_messages(recorded.messages))


def _svg(recorded: Recorded) -> str:
    return ladder_svg(decode_messages(recorded.messages))


def _pcap(recorded: Recorded) -> bytes:
    seconds, micros = recorded.detail.get("time_start", (0, 0))
    return write_pcap(recorded.messages, start_wall=seconds + micros / 1e6)


FORMS: dict[str, Callable[[Recorded], Any]] = {
    "json": lambda recorded: recorded.detail,
    "text": _text,
    "ladder": _ladder,
    "svg": _svg,
    "pcap": _pcap,
}


def run_trace(run: Run, idx: int, form: str) -> Any:
    """Return the trace of an instance of a run that is in memory; octets for pcap.

    Errors: RequestError for an instance that was not kept, or an unknown form.
    """
    kept = [run.first, *run.first_fails.values(), *run.first_aborts.values(), *run.slowest]
    for instance in kept:
        if instance is not None and instance.idx == idx:
            return _write(_recorded(run, instance), form)
    raise _not_kept(run.run_id, idx)


def stored_trace(found: Stored, idx: int, form: str) -> Any:
    """Return the trace of an instance of an archived run: octets are kept of the first only."""
    result = found.result or {}
    first = result.get("first_call_summary") or {}
    if str(idx) == first.get("instance_id"):
        return _write(Recorded(first, stored.from_json(found.messages)), form)
    others = [*result.get("first_fails", []), *result.get("first_aborts", [])]
    for other in others:
        if str(idx) == other.get("instance_id") and form in ("json", "ladder"):
            return other if form == "json" else other.get("ladder", "")
    raise _not_kept(found.run_id, idx)


def _recorded(run: Run, instance: Instance) -> Recorded:
    return Recorded(detail(run, instance), list(instance.messages or []))


def _write(recorded: Recorded, form: str) -> Any:
    writer = FORMS.get(form)
    if writer is None:
        raise RequestError(f"params.format: {form!r} is none of {', '.join(FORMS)}")
    return writer(recorded)


def _not_kept(run_id: str, idx: int) -> RequestError:
    return RequestError(
        f"instance {idx} of run {run_id!r} was not kept in this form", kind="instance.not_kept"
    )
