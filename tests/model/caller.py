"""A random caller, with an SSP and SRF that sometimes do what they should not.

The script is made with the help of the reference model, so that each action fits the state of the
call; the SCP under test has no part in it. Times are multiples of 1/1024 s: their sums are exact,
and they coincide with a timer only on purpose.
"""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from model.configurations import Configuration
from model.doings import (
    ConnectError,
    Digits,
    Doing,
    Empty,
    HangUp,
    PromptError,
    Report,
    Silence,
    StrayOperation,
    StrayResult,
)
from model.reference_model import OPERATION_TIMER_S, Phase, ReferenceModel

MOST_DOINGS = 14
LONG_AFTER = 4000.0
UNASKED_CODES = (0, 36, 44, 49, 22, 53, 120)
# Canceled, ImproperCallerResponse, SystemFailure, TaskRefused, UnavailableResource,
# UnexpectedComponentSequence, a reject.
PROMPT_ERRORS = (0, 4, 11, 12, 13, 14, None)
NEVER_ARMED = (2, 8, 9, 17)


def random_script(random: Random, configuration: Configuration) -> list[Doing]:
    """Return the caller's actions in one call, until the call is over, and some after its end."""
    model = ReferenceModel(configuration)
    model.begin()
    script: list[Doing] = []
    if configuration.variant == "camel1":
        # The only message of the SCP ends the dialogue and has no id to continue with.
        return script
    caller = _Caller(random, model)
    at = 0.0
    while model.phase is not Phase.OVER and len(script) < MOST_DOINGS:
        at += caller.pause()
        model.advance(at)  # late actions are to meet a call that is over
        doing = caller.next_doing(at)
        model.do(doing)
        script.append(doing)
        if isinstance(doing, Silence):
            at = doing.until
    if model.phase is not Phase.OVER:
        script.append(Silence(at, at + LONG_AFTER))
    elif random.random() < 0.1:
        script.append(caller.after_the_end(at + caller.moment()))
    return script


class _Caller:
    """Chooses the next action, by the state of the call."""

    def __init__(self, random: Random, model: ReferenceModel) -> None:
        self.random = random
        self.model = model
        self.configuration = model.configuration
        # A slow caller lets timers expire; a clumsy SSP does what no SSP does.
        self.is_slow = random.random() < 0.15
        self.is_clumsy = random.random() < 0.2

    def moment(self) -> float:
        """Return a time below 8 s."""
        return self.random.randrange(1, 8192) / 1024

    def pause(self) -> float:
        """Return the time until the next action."""
        if self.is_slow and self.random.random() < 0.5:
            return self.random.randrange(1, 90 * 1024) / 1024
        return self.moment()

    def next_doing(self, at: float) -> Doing:
        if self.model.phase is Phase.OVER:
            return self.after_the_end(at)
        roll = self.random.random()
        if self.is_clumsy and roll < 0.3:
            return self._clumsy(at)
        if self.is_slow and roll < 0.1:
            return Silence(at, at + LONG_AFTER, is_deaf=self.random.random() < 0.5)
        if roll > 0.92:
            return self._hang_up(at)
        if self.model.phase is Phase.PROMPTING:
            return self._at_prompt(at)
        return self._at_ringing(at)

    def after_the_end(self, at: float) -> Doing:
        """Return an action that crossed with the SCP's end."""
        choices: tuple[Callable[[float], Doing], ...] = (
            self._digits,
            self._hang_up,
            Empty,
            lambda at: Report(at, self.model.bcsm.answer),
            lambda at: Report(at, self.model.bcsm.answer, ends=True),
        )
        return self.random.choice(choices)(at)

    # -- where the call is ------------------------------------------------------------------

    def _at_prompt(self, at: float) -> Doing:
        if self.random.random() < 0.12:
            return PromptError(at, 4)
        if self.random.random() < 0.08:
            return PromptError(at, self.random.choice(PROMPT_ERRORS))
        if self.model.attempt == 1 and self.random.random() < 0.05:
            return self._connect_error(at)
        return self._digits(at)

    def _connect_error(self, at: float) -> Doing:
        codes = (11, 12, 14)
        in_time = at < OPERATION_TIMER_S
        prompt_code = self.random.choice((None, 14)) if in_time else None
        return ConnectError(at, self.random.choice(codes), prompt_code)

    def _at_ringing(self, at: float) -> Doing:
        bcsm = self.model.bcsm
        event = self.random.choice((bcsm.answer, *bcsm.exit_events))
        return self._report(at, event, ends=event == bcsm.answer and self.random.random() < 0.3)

    def _report(self, at: float, event: int, *, ends: bool = False) -> Doing:
        leg = 1 if event == self.model.bcsm.abandon else 2
        return Report(
            at,
            event,
            leg=self.random.choice((None, leg)),
            is_request=self.random.random() < 0.5,
            times=2 if self.random.random() < 0.1 else 1,
            ends=ends,
        )

    def _hang_up(self, at: float) -> Doing:
        how = self.random.choice(("report", "report in the end", "end", "abort", "p-abort"))
        if how.startswith("report"):
            return self._report(at, self.model.bcsm.abandon, ends=how != "report")
        return HangUp(at, how)

    def _clumsy(self, at: float) -> Doing:
        choices: tuple[Callable[[float], Doing], ...] = (
            Empty,
            StrayResult,
            lambda at: StrayOperation(at, self.random.choice(UNASKED_CODES)),
            lambda at: Report(at, self.random.choice(NEVER_ARMED), leg=1),
            self._event_out_of_place,
            self._digits,
            lambda at: replace(self._digits(at), times=2),
        )
        return self.random.choice(choices)(at)

    def _event_out_of_place(self, at: float) -> Doing:
        """Return an event of a call not ringing yet, or of a busy line in the SSP's own end."""
        bcsm = self.model.bcsm
        event = self.random.choice(bcsm.exit_events)
        return Report(at, event, leg=2, ends=self.random.random() < 0.3)

    # -- digits -----------------------------------------------------------------------------

    def _digits(self, at: float) -> Digits:
        """Return digits for the last prompt, even if it is already answered."""
        least, most = self.configuration.min_digits, self.configuration.max_digits
        choices: tuple[Callable[[], str], ...] = (
            lambda: self._some(self.random.randint(least, most)),
            lambda: self._some(self.random.randint(0, least - 1)),
            lambda: self._some(most + self.random.randint(1, 3)),
            lambda: self._with_others(self._some(self.random.randint(least, most))),
        )
        keyed = self.random.choices(choices, (12, 3, 1, 2))[0]()
        if self.random.random() < 0.3:
            keyed = self._with_marks(keyed)
        return Digits(at, keyed, is_ia5=self.random.random() < 0.1)

    def _some(self, count: int) -> str:
        return "".join(self.random.choices("0123456789", k=count))

    def _with_others(self, keyed: str) -> str:
        """Insert a digit that is not decimal."""
        place = self.random.randint(0, len(keyed))
        other = self.random.choice("abcde")
        return keyed[:place] + other + keyed[place:]

    def _with_marks(self, keyed: str) -> str:
        """Add a start or end digit, which a reply may contain."""
        start = self.random.choice(("", "", "b"))
        end = self.random.choice(("b", "c", "c"))
        return start + keyed + end
