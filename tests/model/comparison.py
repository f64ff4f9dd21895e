"""Groups of random calls on one SCP, and the differences between the SCP and the model."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from random import Random
from typing import Protocol

from model.caller import random_script
from model.configurations import Configuration, random_configuration
from model.doings import Doing
from model.heard import Heard
from model.reference_model import FlowEnd, ReferenceModel, predict
from model.ssp import SspCall, Switch, flow_of, settings_of
from tsvc.scp.service import ScpService

MOST_CALLS = 8  # of one group
COUNTED = [outcome.value for outcome in FlowEnd if outcome is not FlowEnd.OPEN]


class Step(Protocol):
    """An entry of a flow path."""

    operation_id: int
    type: str
    exit_index: int | None


@dataclass(frozen=True, slots=True)
class Group:
    """Simultaneous calls on one SCP: each caller's actions, and when the call begins."""

    configuration: Configuration
    scripts: tuple[list[Doing], ...]
    starts: tuple[float, ...]

    @property
    def predictions(self) -> list[ReferenceModel]:
        """The model's prediction for each call."""
        return [predict(self.configuration, script) for script in self.scripts]


@dataclass
class Played:
    """The SCP's behaviour in a group: messages and path by call, and the remaining state."""

    heard: list[list[Heard]]
    paths: list[list[tuple[int, str, int | None]]]
    counted: dict[str, int]
    remains: list[str]


def random_group(seed: str, number: int) -> Group:
    """Return group `number` of a seed; the same every time."""
    random = Random(f"{seed}/{number}")
    configuration = random_configuration(random)
    scripts = tuple(
        random_script(random, configuration) for _ in range(random.randint(1, MOST_CALLS))
    )
    starts = tuple(random.randrange(20 * 1024) / 1024 for _ in scripts)
    return Group(configuration, scripts, starts)


def play(group: Group) -> Played:
    """Run the calls of a group on the SCP."""
    settings = settings_of(group.configuration)
    service = ScpService(
        [flow_of(group.configuration)],
        settings,
        first_tid=0x10000000,
        random=Random(1).random,
        wall=lambda: 1.7e9,
    )
    paths: dict[bytes, list[tuple[int, str, int | None]]] = {}

    def note_path(ssp_tid: bytes, flow_name: str, path: Sequence[Step]) -> None:
        steps = [(step.operation_id, step.type, step.exit_index) for step in path]
        paths.setdefault(ssp_tid, []).extend(steps)

    service.on_path = note_path
    switch = Switch(service)
    for at, start in enumerate(group.starts):
        switch.add(SspCall(service, group.configuration, (at + 1).to_bytes(4, "big"), start))
    calls = list(switch.calls.values())
    scripts = dict(zip(switch.calls, group.scripts, strict=True))
    switch.play(scripts)
    return Played(
        heard=[call.heard for call in calls],
        paths=[paths.get(call.otid, []) for call in calls],
        counted={name: int(service.counters[name]) for name in COUNTED},
        remains=_remains(switch),
    )


def _remains(switch: Switch) -> list[str]:
    """Return the remaining state when all is over; there must be none."""
    service = switch.service
    left = {
        "calls in progress": service.calls_in_progress,
        "dialogues": len(service.endpoint.dialogues),
        "timers": service.next_timer(),
        "messages to nobody": len(switch.strays),
    }
    return [f"{what}: {count}" for what, count in left.items() if count]


def expected_path(model: ReferenceModel) -> list[tuple[int, str, int | None]]:
    """Return the flow path of a call in the form in which the SCP reports it."""
    path: list[tuple[int, str, int | None]] = [
        (1, "Start", 0),
        (2, "ExtensionDialing", model.exit_index),
    ]
    return path + [(operation_id, "ReleaseCall", None) for operation_id in model.path[2:]]


def differences(group: Group, played: Played) -> list[str]:
    """Return every difference between the SCP and the model, each as a readable text."""
    found = list(played.remains)
    expected = group.predictions
    for at, model in enumerate(expected):
        found += _call_differences(group, at, model, played)
    tally = Counter(model.outcome.value for model in expected)
    counted = {name: tally.get(name, 0) for name in COUNTED}
    if counted != played.counted:
        found.append(f"counted {played.counted}, expected {counted}")
    return found


def _call_differences(group: Group, at: int, model: ReferenceModel, played: Played) -> list[str]:
    found = []
    path = expected_path(model)
    if played.paths[at] != path:
        found.append(f"call {at}: path {played.paths[at]}, expected {path}")
    if played.heard[at] != model.heard:
        script = group.scripts[at]
        lines = unified_diff(
            conversation(script, model.heard),
            conversation(script, played.heard[at]),
            "the texts, as the model reads them",
            "the SCP",
            lineterm="",
            n=99,
        )
        found.append("\n".join([f"call {at}:", *lines, "script = ["]))
        found[-1] += "".join(f"\n    {doing!r}," for doing in script) + "\n]"
    return found


def conversation(script: Sequence[Doing], heard: Sequence[Heard]) -> list[str]:
    """Return both sides of a call, line by line in the order of time."""
    lines = [(0.0, 0, ["    0.000 -> InitialDP"])]
    lines += [(doing.at, 1, [f"{doing.at:9.3f} -> {doing}"]) for doing in script]
    lines += [(message.at, 2, str(message).splitlines()) for message in heard]
    lines.sort(key=lambda line: line[:2])
    return [text for _, _, texts in lines for text in texts]
