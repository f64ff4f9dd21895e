"""Ten thousand calls open on one SCP at once: the cost of each, and that nothing remains.

`make test` uses three thousand.
"""

import gc
import tracemalloc
from dataclasses import replace
from random import Random

import pytest
from support.tiers import size

from model.configurations import MAIN, REPROMPT, Announcement, Configuration, Site
from model.doings import Digits, HangUp
from model.ssp import SspCall, Switch, flow_of, settings_of
from tsvc.scp.service import ScpService

CALLS = size(10_000, 3_000)
MOST_OCTETS_PER_CALL = 12 * 1024

CONFIGURATION = Configuration(
    site=Site(reset_timer_interval=30.0, activity_test_seconds=60.0),
    variant="camel3",
    has_aarq=True,
    trigger_event=2,
    capabilities_hex=None,
    main=Announcement(*MAIN, repetition=1, flow_id=101, site_id=None),
    reprompt=Announcement(*REPROMPT, repetition=1, flow_id=102, site_id=None),
    max_iterations=3,
    prefix="4329",
    min_digits=3,
    max_digits=4,
    timeout_seconds=20,
    end_character=None,
    cancel_character=None,
    patterns=("4329???",),
    pattern_syntax=None,
    no_match=None,
    is_attached=(True, True, True),
)


class Held:
    """Many calls on one SCP. The SSP's side keeps as little as possible of each."""

    def __init__(self, configuration=CONFIGURATION):
        self.configuration = configuration
        self.service = ScpService(
            [flow_of(configuration)],
            settings_of(configuration),
            first_tid=1,
            random=Random(1).random,
            wall=lambda: 1.7e9,
        )
        self.switch = Switch(self.service)

    def begin(self, count):
        for number in range(count):
            call = SspCall(self.service, self.configuration, number.to_bytes(4, "big"), 0.0)
            self.switch.add(call)
            call.begin(0.0)
            self.switch.carry()

    def everyone(self, doing):
        self.switch.pass_until(doing.at)
        for call in self.switch.calls.values():
            call.do(doing, doing.at)
            self.switch.carry()

    def last_messages(self):
        """Return the operations in the last message of each call, each combination once."""
        return {
            tuple(part.name for part in call.heard[-1].parts)
            for call in self.switch.calls.values()
        }

    def assert_nothing_is_left(self, at):
        self.switch.pass_until(at)
        assert self.service.calls_in_progress == 0
        assert self.service.endpoint.dialogues == {}
        assert self.service.next_timer() is None
        assert self.switch.strays == []


PROMPTED = {
    (
        "AARE",
        "RequestReportBCSMEvent",
        "ConnectToResource",
        "PromptAndCollectUserInformation",
    )
}
CONNECTED = {("DisconnectForwardConnection", "RequestReportBCSMEvent", "Connect")}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("how", ["end", "abort"])
def test_ten_thousand_callers_hang_up_at_the_prompt(how):
    held = Held()
    held.begin(CALLS)
    assert held.service.calls_in_progress == CALLS
    assert held.last_messages() == PROMPTED
    held.everyone(HangUp(2.0, how))
    held.assert_nothing_is_left(2.0)
    assert held.service.counters["abandoned"] == CALLS


@pytest.mark.slow
def test_ten_thousand_callers_hang_up_while_it_rings():
    held = Held()
    held.begin(CALLS)
    held.everyone(Digits(2.0, "123"))
    assert held.last_messages() == CONNECTED
    assert len(held.service.endpoint.dialogues) == CALLS
    held.everyone(HangUp(4.0, "end"))
    held.assert_nothing_is_left(4.0)
    assert held.service.counters["abandoned"] == CALLS


@pytest.mark.slow
def test_ten_thousand_callers_are_forgotten_by_their_ssp():
    """Nobody hangs up or answers an ActivityTest: the SCP ends the calls by itself."""
    held = Held(replace(CONFIGURATION, site=Site(activity_test_seconds=20.0)))
    held.begin(CALLS)
    for call in held.switch.calls.values():
        call.is_deaf = True
    held.assert_nothing_is_left(40.0)
    assert held.service.counters["abandoned"] == CALLS


@pytest.mark.slow
@pytest.mark.parametrize("state", ["prompting", "ringing"])
def test_memory_of_a_call(state):
    count = CALLS // 5  # enough for a mean; tracing is slow
    Held().begin(1)  # caches for all calls are not counted for any call
    held = Held()
    gc.collect()
    tracemalloc.start()
    try:
        held.begin(count)
        if state == "ringing":
            held.everyone(Digits(2.0, "123"))
        held.switch.calls.clear()  # the state of the SSP's side
        gc.collect()
        per_call = tracemalloc.get_traced_memory()[0] / count
    finally:
        tracemalloc.stop()
    assert held.service.calls_in_progress == count
    print(f"{state}: {per_call:.0f} octets of memory per call")
    assert 500 < per_call < MOST_OCTETS_PER_CALL
