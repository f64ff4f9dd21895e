"""The keys of the live view, as in SIPp: + - * / change the rate, p pauses, q ends."""

from dataclasses import field

from tsvc.cli.terminal.report import shown_rate
from tsvc.client import Client, RunResult, TsvcError
from tsvc.printable import printable
from tsvc.values import dataclass

_STEPS = {"+": 1.0, "-": -1.0, "*": 10.0, "/": -10.0}  # calls per second


@dataclass(slots=True)
class Keys:
    """Applies keys to a run. `quits`: the text that describes q.

    q raises KeyboardInterrupt, so it has the same effect as Ctrl-C in the same place.
    """

    client: Client
    run_id: str
    quits: str
    _said: str = field(default="", init=False)

    def take(self, pressed: str, result: RunResult) -> None:
        """Apply the pressed keys; `result`: the run as it was a moment ago.

        Keys without a meaning, and keys that do not apply to the run, are ignored.
        Blocks: on the service, once for a change of rate and once for each p.
        Errors: KeyboardInterrupt for q, Unreachable.
        """
        change = sum(_STEPS.get(key, 0.0) for key in pressed)
        pauses = pressed.count("p") % 2
        try:
            if change and _has_rate(result):
                self._change_rate(change, result)
            if pauses and _has_plan(result):
                is_paused = not _is_paused(result)
                self.client.pause(self.run_id, is_paused)
                self._said = "paused" if is_paused else "goes on"
        except TsvcError as refusal:
            self._said = printable(f"refused: {refusal}")
        if "q" in pressed:
            raise KeyboardInterrupt

    def line(self, result: RunResult) -> str:
        """Return the line that names the keys, and the effect of the last key."""
        offered = [f"q {self.quits}"]
        if _has_plan(result):
            offered.insert(0, f"p {'go on' if _is_paused(result) else 'pause'}")
        if _has_rate(result):
            offered.insert(0, "+ - 1/s  * / 10/s")
        return "  ".join(offered) + (f"   {self._said}" if self._said else "")

    def _change_rate(self, change: float, result: RunResult) -> None:
        now = float((result.raw.get("plan") or {}).get("current_cps") or result.rate.asked or 0.0)
        wanted = round(now + change, 3)
        if wanted <= 0:
            self._said = f"the rate stays at {shown_rate(now)}: p pauses"
            return
        self.client.rate_test(self.run_id, wanted)
        self._said = f"rate {shown_rate(wanted)}"


def _has_rate(result: RunResult) -> bool:
    return result.rate.asked is not None


def _has_plan(result: RunResult) -> bool:
    """Return True if a run has starts that can be paused: a single instance has none."""
    return int((result.raw.get("plan") or {}).get("total") or 0) > 1


def _is_paused(result: RunResult) -> bool:
    return bool(result.rate.raw.get("paused"))
