"""The trace of one instance in the forms of GetTrace."""

from collections.abc import Callable
from typing import Any

from tsvc.engine.instance import Instance
from tsvc.engine.result import detail
from tsvc.engine.run import Run
from tsvc.errors import RequestError
from tsvc.results.ladder import ladder_svg, ladder_text
from tsvc.results.messages import decode_messages
from tsvc.results.pcap import write_pcap
from tsvc.results.text import messages_text


def _text(run: Run, instance: Instance) -> str:
    lines = [
        f"{t * 1000:10.3f} ms  op {position}  {text}" + ("" if value is None else f"  {value}")
        for t, position, _, text, value in instance.trace_log or []
    ]
    return "\n".join([*lines, messages_text(decode_messages(instance.messages or []))])


def _ladder(run: Run, instance: Instance) -> str:
    return ladder_text(decode_messages(instance.messages or []))


def _svg(run: Run, instance: Instance) -> str:
    return ladder_svg(decode_messages(instance.messages or []))


def _pcap(run: Run, instance: Instance) -> bytes:
    return write_pcap(instance.messages or [], start_wall=instance.wall_start)


FORMS: dict[str, Callable[[Run, Instance], Any]] = {
    "json": detail,
    "text": _text,
    "ladder": _ladder,
    "svg": _svg,
    "pcap": _pcap,
}


def instance_trace(run: Run, instance: Instance, form: str) -> Any:
    """Return the trace in a form; octets for pcap. Errors: RequestError for an unknown form."""
    writer = FORMS.get(form)
    if writer is None:
        raise RequestError(f"params.format: {form!r} is none of {', '.join(FORMS)}")
    return writer(run, instance)
