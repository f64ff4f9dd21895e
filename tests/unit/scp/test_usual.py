"""The usual way of calls against the ordinary way: same octets, counts, paths and deadlines.

Two services get the same messages at the same times; one of them has no usual way. Callers act by
a few dice. So most events repeat earlier ones, and new events may come at any moment: other
messages, other ids, silence, garbage, another configuration.
"""

import os
from pathlib import Path
from random import Random

import pytest
from unit.scp.flows import document, extension_flow, release, terminate_flow

from tsvc import memo
from tsvc.config.scp_tables import Scp
from tsvc.flow.document import compile_flow
from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.inap.operation import OPERATIONS, by_code
from tsvc.protocols.tcap.components import Invoke, ReturnError, ReturnResult, encode
from tsvc.protocols.tcap.dialogue_portion import Aarq
from tsvc.protocols.tcap.dialogue_portion import encode as encode_portion
from tsvc.protocols.tcap.messages import MessageType, decode
from tsvc.protocols.tcap.messages import encode as encode_message
from tsvc.rpc import strict_json
from tsvc.scp import ussd
from tsvc.scp.service import ScpService

EXAMPLES = Path(__file__).parents[3] / "etc" / "examples" / "flows"
SHIPPED = sorted(EXAMPLES.glob("*.json"))
VARIANT = "camel2"
WORLDS = int(os.environ.get("TSVC_WORLDS", "2"))  # runs of each flow and setting
EVENTS = [
    *[("oAnswer", 2)] * 6,
    *[("oDisconnect", 2)] * 6,
    *[("oDisconnect", 1), ("oCalledPartyBusy", 2), ("oNoAnswer", 2), ("routeSelectFailure", None)],
    *[("oAbandon", 1), ("tBusy", 2)],
]
CALLED = ["0800432900", "0800432900", "4329100", "100", "21"]
KEYS = [45, 45, 1, 46, 100]
DIGITS = ["100", "100", "1", "200", "9", "12345"]
WAITS = [0.0, 0.0, 0.0, 0.2, 0.2, 3.0, 11.0, 61.0]
BY_READING_CALLER = document(
    {
        "type": "AttemptTerminate",
        "config": {"destinations": [{"address": "4329100"}]},
        "exits": [3],
    },
    {
        "type": "CallingParty",
        "config": {"rules": [{"prefix": "6421", "exit_idx": 1}]},
        "exits": [4, 5],
    },
    release(103),
    release(104),
)


def parameter_of(name, arguments):
    return OPERATIONS.get(name).encode_argument(arguments, VARIANT)


class Caller:
    """One SSP's dialogue: it chooses the octets of its next message."""

    def __init__(self, tid, dice):
        self.tid = tid.to_bytes(4, "big")
        self.dice = dice
        self.theirs = None
        self.prompt = self.play = None
        self.is_over = False

    def begin(self, is_ussd):
        dice = self.dice
        if is_ussd:
            text = {"ussdString_text": dice.choice(["*100#", "*100#", "*1#"])}
            code, parameter = ussd.PROCESS.code, ussd.PROCESS.encode_argument(text, "map2")
            context = ussd.CONTEXT
        else:
            code, context = 0, BY_ALIAS[VARIANT].octets
            parameter = parameter_of(
                "InitialDP",
                {
                    "serviceKey": dice.choice(KEYS),
                    "eventTypeBCSM": 2,
                    "calledPartyNumber_digits": dice.choice(CALLED),
                    "callingPartyNumber_digits": dice.choice(["6421", "5"])
                    + f"{dice.randrange(dice.choice([2, 10**6])):06d}"[: dice.choice([5, 6, 6])],
                    "callingPartyNumber_noa": 4,
                },
            )
        components = [encode(Invoke(0, code, parameter))]
        portion = encode_portion(Aarq(context))
        return encode_message(
            MessageType.BEGIN, otid=self.tid, dialogue=portion, components=components
        )

    def take(self, octets):
        message = decode(octets)
        self.theirs = message.otid or self.theirs
        self.is_over = message.type is not MessageType.CONTINUE
        for component in message.components:
            if isinstance(component, Invoke):
                if component.code in (48, ussd.REQUEST.code, ussd.NOTIFY.code):
                    self.prompt = component.invoke_id, component.code
                if component.code == 47:
                    self.play = component.invoke_id

    def next(self):
        """Return the octets of the next message, None for no message."""
        dice = self.dice
        if self.theirs is None:
            return None
        die = dice.randrange(40)
        if die == 0:
            return encode_message(MessageType.ABORT, dtid=self.theirs)
        if die == 1:
            return dice.randbytes(dice.randrange(30))
        if die == 2:
            return self.message(MessageType.CONTINUE, [], otid=b"\0\0\7\7")
        if die == 3:
            return self.message(MessageType.CONTINUE, [])[: dice.randrange(3, 14)]
        if die == 5:  # an empty CONTINUE or an ActivityTest: the call goes on as before
            return self.message(MessageType.CONTINUE, dice.choice([[], [encode(Invoke(3, 55))]]))
        kind = MessageType.END if die == 4 else MessageType.CONTINUE
        return self.message(kind, self.components(die))

    def message(self, kind, components, otid=None):
        otid = otid or self.tid if kind is MessageType.CONTINUE else None
        return encode_message(kind, otid=otid, dtid=self.theirs, components=components)

    def components(self, die):
        dice = self.dice
        if self.prompt is not None and die > 6:
            (invoke_id, code), self.prompt = self.prompt, None
            if die == 7:
                return [encode(ReturnError(invoke_id, dice.choice([4, 5, 77])))]
            if code == 48:
                digits = {"digitsResponse_digits": dice.choice(DIGITS)}
                result = by_code(VARIANT, 48).encode_result(digits, VARIANT)
            elif code == ussd.REQUEST.code:
                text = {"ussdString_text": dice.choice(["1", "2"])}
                result = ussd.REQUEST.encode_result(text, "map2")
            else:
                return [encode(ReturnResult(invoke_id))]
            return [encode(ReturnResult(invoke_id, code, result))]
        if self.play is not None and die > 6:
            linked, self.play = self.play, None
            parameter = parameter_of("SpecializedResourceReport", {"null": 1})
            return [encode(Invoke(5, 49, parameter, linked))]
        event, leg = dice.choice(EVENTS)
        arguments = {"eventTypeBCSM_name": event}
        if leg is not None:
            arguments["legID"] = {"receivingSideID_hex": f"{leg:02x}"}
        report = encode(Invoke(1, 24, parameter_of("EventReportBCSM", arguments)))
        return [report] if die < 38 else [report, encode(Invoke(2, 55, None))]


class Service:
    """A service, and the messages that it sends."""

    def __init__(self, flows, settings, world, *, is_usual):
        self.scp = ScpService(
            flows, settings, first_tid=7, random=Random(3).random, wall=lambda: 1e9 + world.now
        )
        self.paths = []
        self.scp.on_path = lambda tid, name, path: self.paths.append((tid, name, path))
        if not is_usual:
            self.scp._usual.take = lambda *_: False
            self.scp._usual.look = lambda *_: None

    def told(self):
        said = [(one.octets, one.called, one.calling, one.route) for one in self.sent]
        scp = self.scp
        paths, self.paths = sorted(self.paths, key=repr), []
        tids = list(scp.endpoint.dialogues)
        return sorted(said), paths, scp.counters, scp.calls_in_progress, tids

    def do(self, what):
        what(self.scp)
        self.sent = self.scp.data_to_send()
        return self.told()


class World:
    """Both services, their callers and the time."""

    def __init__(self, flows, seed, settings):
        self.now = 1000.0
        self.dice = Random(seed)
        self.settings = settings
        self.flows = flows
        self.both = [Service(flows, settings, self, is_usual=one) for one in (True, False)]
        self.callers = []
        self.by_tid = {}

    def do(self, what):
        usual, ordinary = (one.do(what) for one in self.both)
        assert usual == ordinary
        for octets, *_ in usual[0]:
            caller = self.by_tid.get(decode(octets).dtid)
            if caller is not None:
                caller.take(octets)

    def receive(self, octets):
        if octets is not None:
            self.do(lambda scp: scp.receive(octets, "scp", "ssp", self.now, "route"))

    def pass_time(self, seconds):
        """Advance the time, from deadline to deadline of both services."""
        until = self.now + seconds
        while True:
            due = [timer for one in self.both if (timer := one.scp.next_timer()) is not None]
            self.now = min([*(max(one, self.now) for one in due), until])
            self.do(lambda scp: scp.handle_timer(self.now))
            if self.now >= until:
                return

    def step(self, is_ussd):
        self.callers = [one for one in self.callers if not one.is_over][-8:]
        if len(self.callers) < 4 or not self.dice.randrange(6):
            caller = Caller(len(self.by_tid) + 1, self.dice)
            self.by_tid[caller.tid] = caller
            self.callers.append(caller)
            self.receive(caller.begin(is_ussd))
        else:
            self.receive(self.dice.choice(self.callers).next())
        die = self.dice.randrange(300)
        if die == 0:
            self.do(lambda scp: scp.reconfigure(self.flows, self.settings))
        elif die == 1 and self.by_tid:
            lost = self.dice.choice(list(self.by_tid.values()))
            back = lost.theirs or b"\0\0\0\0"
            notice = encode_message(MessageType.CONTINUE, otid=back, dtid=lost.tid)
            self.do(lambda scp: scp.give_back(notice, self.now))
        if not self.dice.randrange(4):
            self.pass_time(self.dice.choice(WAITS))


def flows_of(*documents):
    flows = [compile_flow(one, Scp())[0] for one in documents]
    assert None not in flows
    return flows


def shipped(path):
    return flows_of({**strict_json.parse(path.read_bytes()), "triggers": [{"default": True}]})


def play(flows, seed, steps=700, *, is_ussd=False, **settings):
    world = World(flows, seed, Scp(**settings))
    for _ in range(steps):
        world.step(is_ussd)
    met = world.both[0].scp._usual._met
    world.pass_time(100_000.0)
    world.do(lambda scp: scp.abort_all(world.now))
    assert not world.both[0].scp.calls_in_progress
    return met


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", SHIPPED, ids=[path.stem for path in SHIPPED])
def test_shipped_flows(path):
    flows = shipped(path)
    met = sum(play(flows, seed, is_ussd=flows[0].is_ussd) for seed in range(WORLDS))
    # Flows that read the wall clock, or give a correlation id at once, have no usual way.
    assert met > 50 or path.stem in ("assist", "business_hours")


OWN = {
    "dialing": extension_flow(no_match="reprompt", max_iterations=9),
    "connect": terminate_flow("4329100", monitor_disconnect=True),
    "two destinations": terminate_flow("1", "2"),
    "reads the caller": BY_READING_CALLER,
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize(
    "settings",
    [{}, {"activity_test_seconds": 5, "reset_timer_interval": 4}, {"max_dialogues": 3}],
    ids=["plain", "timers", "little room"],
)
def test_own_flows_and_settings(name, settings):
    assert sum(play(flows_of(OWN[name]), seed, 400, **settings) for seed in range(WORLDS)) > 10


def test_a_deadline_of_an_earlier_message():
    """An empty message changes no deadline, at any time after the earlier message."""
    flows = flows_of({**OWN["dialing"], "triggers": [{"default": True}]})
    world = World(flows, 1, Scp(reset_timer_interval=4))
    for tid, gap in enumerate([0.2, 3.0, 0.5], start=1):
        caller = Caller(tid, Random(5))
        world.by_tid[caller.tid] = caller
        world.receive(caller.begin(is_ussd=False))
        world.pass_time(gap)
        world.receive(caller.message(MessageType.CONTINUE, []))
        world.pass_time(20.0)
    assert world.both[0].scp._usual._met == 2


class Numbered(Caller):
    """A caller with a given number."""

    def __init__(self, tid, number):
        super().__init__(tid, Random(5))
        self.number = number

    def begin(self, is_ussd):
        arguments = {
            "serviceKey": 45,
            "eventTypeBCSM": 2,
            "calledPartyNumber_digits": "0800432900",
            "callingPartyNumber_digits": self.number,
            "callingPartyNumber_noa": 4,
        }
        invoke = encode(Invoke(0, 0, parameter_of("InitialDP", arguments)))
        portion = encode_portion(Aarq(BY_ALIAS[VARIANT].octets))
        return encode_message(
            MessageType.BEGIN, otid=self.tid, dialogue=portion, components=[invoke]
        )


def test_callers_of_odd_and_of_even_length_have_a_usual_way_each():
    """Nine digits need as many octets as ten."""
    world = World(flows_of(OWN["connect"]), 1, Scp())
    for tid in range(1, 21):
        caller = Numbered(tid, f"{642100000 + tid}" if tid % 2 else f"{6421000000 + tid}")
        world.by_tid[caller.tid] = caller
        world.receive(caller.begin(is_ussd=False))
        world.receive(encode_message(MessageType.ABORT, dtid=caller.theirs))
    assert world.both[0].scp._usual._met == 18


def test_calls_that_wake_before_any_has_ended_leave_the_usual_way_to_others():
    """The first calls of a load do so, if each of them reports something else."""
    world = World(flows_of(OWN["connect"]), 1, Scp())
    callers = [Numbered(tid, f"{6421000000 + tid}") for tid in range(1, 61)]
    for caller in callers:
        world.by_tid[caller.tid] = caller
        world.receive(caller.begin(is_ussd=False))
    for caller in callers:
        world.receive(caller.message(MessageType.CONTINUE, [], otid=b"\0\0\7\7"))
    before = world.both[0].scp._usual._met
    late = Numbered(61, "6421000061")
    world.by_tid[late.tid] = late
    world.receive(late.begin(is_ussd=False))
    assert world.both[0].scp._usual._met == before + 1


def test_nothing_is_learned_while_memories_are_off():
    flows = flows_of(OWN["connect"])
    with memo.off():
        assert play(flows, 1, 40) == 0
    assert play(flows, 1, 200) > 5
