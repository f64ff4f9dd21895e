"""The trace of one instance in the forms of GetTrace: of a run in memory or of an archived one.

Functions that iterate over many messages let others run in between.
"""

from collections.abc import Callable
from typing import Any

from tsvc import turns
from tsvc.archive.store import Stored
from tsvc.engine.give_way import give_way, slices
from tsvc.engine.instance import Instance
from tsvc.engine.result.result import detail, logs_of
from tsvc.engine.run import Run
from tsvc.errors import LocalProtocolError, RequestError
from tsvc.printable import printable
from tsvc.results.arrow import arrow_json
from tsvc.results.exchanges import arrows_of, decode_messages
from tsvc.results.ladder import ladder_svg, ladder_text
from tsvc.results.layout import lifelines_of
from tsvc.results.pcap import write_pcap
from tsvc.results.portions import end_of, read_portion
from tsvc.results.records import Record, messages_from_json, messages_to_json
from tsvc.results.text import message_text, messages_text
from tsvc.values import dataclass
from tsvc.words import quoted

MOST_OCTETS = 16 * 1024 * 1024  # of messages that are archived of one run


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part that a client wants of the form json; by default all, and all messages in full.

    names: members; none: all. first, count: of the records, from 0; count None: to the end.
    is_portion: True if one of these was given. is_summary: messages as a ladder draws them.
    """

    names: frozenset[str] = frozenset()
    first: int = 0
    count: int | None = None
    is_portion: bool = False
    is_summary: bool = False

    @property
    def wants_messages(self) -> bool:
        return not self.names or not self.names.isdisjoint(_OF_MESSAGES)

    @property
    def wants_logs(self) -> bool:
        return not self.names or not self.names <= _OF_MESSAGES

    def of(self, content: dict[str, Any]) -> dict[str, Any]:
        """Return the members that are wanted."""
        if not self.names:
            return content
        return {name: value for name, value in content.items() if name in self.names}


EVERYTHING = Excerpt()
_OF_MESSAGES = frozenset({"messages", "lifelines", "portion"})


@dataclass(frozen=True, slots=True)
class Recorded:
    """The record of an instance: its detail as JSON, and its messages as octets."""

    detail: dict[str, Any]
    messages: list[Record]


def _decoded(recorded: Recorded, *, with_spans: bool = False) -> list[dict[str, Any]]:
    messages = decode_messages(recorded.messages, with_spans=with_spans)
    turns.hold(messages)  # thousands take long to be freed
    return messages


def _text(recorded: Recorded) -> str:
    is_listed = bool(recorded.messages)
    entries = recorded.detail.get("trace_log", [])
    lines = [printable(line) for entry in entries for line in _trace_lines(entry, is_listed)]
    return "\n".join([*lines, messages_text(_decoded(recorded))])


def _trace_lines(entry: dict[str, Any], is_listed: bool) -> list[str]:
    """Return an entry as text, with a message below it unless all messages are listed anyway."""
    line = f"{entry['t'] * 1000:10.3f} ms  op {entry['op']}  {entry['text']}"
    value = entry["detail"]
    if isinstance(value, dict) and "hex" in value and "dialogue" in value:
        return [line] if is_listed else [line, *message_text(value).split("\n")]
    return [line if value is None else f"{line}  {_literal(value)}"]


def _literal(value: Any) -> str:
    """Return a value as text for the end of a line; a string is returned without quotes."""
    if not isinstance(value, dict | list):
        return str(value)
    turns.walked()
    if isinstance(value, list):
        return "[" + ", ".join([_inner(one) for one in value]) + "]"
    return "{" + ", ".join([f"{name!r}: {_inner(one)}" for name, one in value.items()]) + "}"


def _inner(value: Any) -> str:
    turns.walked()
    return _literal(value) if isinstance(value, dict | list) else repr(value)


def _ladder(recorded: Recorded) -> str:
    return ladder_text(_decoded(recorded))


def _svg(recorded: Recorded) -> str:
    return ladder_svg(_decoded(recorded))


def _pcap(recorded: Recorded) -> bytes:
    seconds, micros = recorded.detail.get("time_start", (0, 0))
    try:
        return write_pcap(recorded.messages, start_wall=seconds + micros / 1e6)
    except LocalProtocolError as error:
        raise RequestError(error.text, kind="instance.not_kept") from None


def _json(recorded: Recorded, wanted: Excerpt = EVERYTHING) -> dict[str, Any]:
    """Return the detail; its messages have the position of each value in their octets, and their
    arrow in a ladder."""
    if wanted.is_portion:
        return _portion(recorded, wanted)
    return wanted.of(_whole(recorded) if wanted.wants_messages else recorded.detail)


def _portion(recorded: Recorded, wanted: Excerpt) -> dict[str, Any]:
    """Return the detail with some of the messages: the ladder of all is left out."""
    content = {name: value for name, value in recorded.detail.items() if name != "ladder"}
    if wanted.wants_messages:
        records, first = recorded.messages, min(wanted.first, len(recorded.messages))
        count = len(records) if wanted.count is None else wanted.count
        end = end_of(records, first, count)
        messages, lifelines = read_portion(records, first, end, is_summary=wanted.is_summary)
        content |= {
            "portion": {"from": first, "next": end, "total": len(records)},
            "lifelines": lifelines,
            "messages": messages,
        }
    return wanted.of(content)


def _whole(recorded: Recorded) -> dict[str, Any]:
    if "messages" not in recorded.detail or not recorded.messages:
        return recorded.detail
    messages = _decoded(recorded, with_spans=True)
    arrows = arrows_of(messages)
    turns.hold(arrows)
    for message, arrow in turns.over(zip(messages, arrows, strict=True)):
        message["arrow"] = arrow_json(arrow)
    roles, peers = lifelines_of(arrows)
    lifelines = {"roles": roles, "peers": peers}
    return {**recorded.detail, "lifelines": lifelines, "messages": messages}


FORMS: dict[str, Callable[[Recorded], Any]] = {
    "json": _json,
    "text": _text,
    "ladder": _ladder,
    "svg": _svg,
    "pcap": _pcap,
}


def run_trace(run: Run, idx: int, form: str, wanted: Excerpt = EVERYTHING) -> Any:
    """Return the trace of an instance of a run that is in memory; octets for pcap.

    Errors: RequestError for an instance that was not kept, or an unknown form.
    Blocks: for turns of others.
    """
    kept = [run.first, *run.kept.of_causes(), *run.kept.slowest]
    for instance in kept:
        if instance is not None and instance.idx == idx:
            with turns.given(slices()):
                return _write(_recorded(run, instance, wanted), form, wanted)
    raise _not_kept(run.run_id, idx)


def to_archive(run: Run) -> dict[str, Any]:
    """Return what GetTrace needs of a completed run beside its result.

    Shape:  {idx: {messages, detail}} of the instances kept; a detail only where the result has
            none. Messages end before the instance that would make them more than MOST_OCTETS.
    Blocks: lets others run between instances.
    """
    in_result = [run.first, *run.kept.of_causes()]
    found: dict[str, Any] = {}
    octets = 0
    for instance in dict.fromkeys([*in_result, *run.kept.slowest]):
        if instance is None:
            continue
        records = instance.recorded()
        octets += sum(len(record.octets) for record in records)
        if octets > MOST_OCTETS and instance is not run.first:
            break
        with turns.given(slices()):
            kept: dict[str, Any] = {"messages": messages_to_json(records)}
        if instance not in in_result:
            kept["detail"] = detail(run, instance)
        found[str(instance.idx)] = kept
        give_way()
    return found


def stored_trace(found: Stored, idx: int, form: str, wanted: Excerpt = EVERYTHING) -> Any:
    """Return the trace of an instance of an archived run. Errors, blocks: as run_trace()."""
    kept = _archived_traces(found).get(str(idx))
    detail = _archived_details(found).get(str(idx))
    if detail is None and kept is not None:
        detail = kept.get("detail")
    if detail is None or (kept is None and form != "json"):
        raise _not_kept(found.run_id, idx)
    with turns.given(slices()):
        records = messages_from_json(kept["messages"]) if kept is not None else []
        turns.hold(found.result, found.messages, records)
        return _write(Recorded(detail, records), form, wanted)


def _archived_details(found: Stored) -> dict[str, dict[str, Any]]:
    """Return the details that a result has, by idx, without those that were cut from it."""
    result = found.result or {}
    listed = [*result.get("first_aborts", []), *result.get("first_fails", [])]
    details = [one for one in (*listed, result.get("first_call_summary")) if isinstance(one, dict)]
    return {one["instance_id"]: one for one in details if "instance_id" in one}


def _archived_traces(found: Stored) -> dict[str, dict[str, Any]]:
    """Return what to_archive() made; old archives hold the first instance's messages only."""
    if isinstance(found.messages, dict):
        return found.messages
    first = (found.result or {}).get("first_call_summary") or {}
    return {first.get("instance_id", ""): {"messages": found.messages}}


def _recorded(run: Run, instance: Instance, wanted: Excerpt) -> Recorded:
    if instance.detail is None and wanted.is_portion:
        # Only the messages of the portion are decoded: to decode all of them takes long.
        logs = logs_of(run, instance) if wanted.wants_logs else {}
        return Recorded(logs, instance.recorded())
    return Recorded(detail(run, instance), instance.recorded())


def _write(recorded: Recorded, form: str, wanted: Excerpt) -> Any:
    writer = FORMS.get(form)
    if writer is None:
        raise RequestError(f"params.format: {quoted(form)} is none of {', '.join(FORMS)}")
    return _json(recorded, wanted) if writer is _json else writer(recorded)


def _not_kept(run_id: str, idx: int) -> RequestError:
    return RequestError(
        f"instance {idx} of run {quoted(run_id)} was not kept in this form",
        kind="instance.not_kept",
    )
