"""USSD sessions on the wire: questions and texts to a mobile, and the end of a session."""

import pytest

from tsvc.config.scp_tables import Scp
from tsvc.flow.document import compile_flow
from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.map.dialogue import decode_user_information, encode_pdu
from tsvc.protocols.map.operation import OPERATIONS, by_code
from tsvc.protocols.tcap.components import Invoke, ProblemType, Reject, ReturnError, ReturnResult
from tsvc.protocols.tcap.endpoint import Endpoint
from tsvc.scp.service import ScpService

BEGINS = "ProcessUnstructuredSSRequest"
ASKED = ("CONTINUE", ("UnstructuredSSRequest", "Enter PIN"))
SYSTEM_FAILURE, UNEXPECTED_DATA_VALUE, USSD_BUSY = 34, 36, 72


def operation(type_, exits=(), **config):
    return {"type": type_, "config": config, "exits": list(exits)}


def flow(*operations, triggers=({"ussd_prefix": "*123"},), name="tested"):
    """Return a flow whose Start leads to the first of the operations, numbered from 2."""
    chain = [{"type": "Start", "exits": [2]}, *operations]
    numbered = {str(at): {"id": at, **one} for at, one in enumerate(chain, start=1)}
    return {"name": name, "triggers": list(triggers), "operations": numbered}


PIN = flow(
    operation("UssdAsk", [3, 4], text="Enter PIN"),
    operation("UssdEnd", text="{user.input} is right"),
    operation("UssdEnd", text="no PIN"),
)


class Mobile:
    """An HLR with a mobile; it returns messages as (primitive, short components)."""

    def __init__(self, *flows, is_own_flow=False):
        compiled = [compile_flow(one, Scp())[0] for one in flows]
        self.scp = ScpService(
            compiled,
            Scp(),
            first_tid=1,
            random=lambda: 0.5,
            wall=lambda: 0.0,
            is_own_flow=is_own_flow,
        )
        self.paths = []
        self.scp.on_path = lambda tid, name, path: self.paths.append(
            [(step.operation_id, step.exit_index) for step in path]
        )
        self.peer = Endpoint(first_tid=0x100, accepts_begin=False)
        self.now = 1000.0
        self.dialogue = None
        self.asked = None
        self.pdus = []

    def dial(self, text="*123#", *, information=b"", more=(), **arguments):
        """Begin a session; return the answers."""
        if text is not None:
            arguments["ussdString_text"] = text
        self.dialogue = self.peer.new_dialogue(self.now)
        for name, given in ((BEGINS, arguments), *more):
            declared = OPERATIONS.get(name)
            octets = declared.encode_argument(given, "map2")
            self.dialogue.invoke(declared.code, 1, octets, now=self.now, timer_s=900.0)
        return self.begin(information)

    def begin(self, information=b""):
        context = BY_ALIAS["ussd2"].octets
        self.dialogue.begin(
            "scp", "hlr", application_context=context, user_information=information
        )
        return self.exchange()

    def enters(self, text):
        """Answer the question."""
        declared = OPERATIONS.get("UnstructuredSSRequest")
        octets = declared.encode_result({"ussdString_text": text}, "map2")
        return self.answer(ReturnResult(self.asked, declared.code, octets))

    def answer(self, component):
        self.dialogue.answer(component)
        return self.send()

    def send(self, primitive="continue_"):
        getattr(self.dialogue, primitive)()
        return self.exchange()

    def advance(self, seconds):
        self.now += seconds
        self.scp.handle_timer(self.now)
        return self.exchange()

    def exchange(self):
        for out in self.peer.data_to_send():
            self.scp.receive(out.octets, out.called, "hlr", self.now)
        heard = []
        for out in self.scp.data_to_send():
            for one in self.peer.receive(out.octets, out.called, out.calling, self.now):
                self.pdus.append(one.pdu)
                heard.append((one.kind.value, *map(self.read, one.components)))
        return heard

    def read(self, component):
        match component:
            case Invoke(invoke_id, code, parameter):
                self.asked = invoke_id
                declared = by_code("map2", code)
                notes = []
                tree = declared.decode_argument(parameter, "map2", notes)
                assert notes == []
                return (declared.name, tree["ussdString_text"])
            case ReturnResult(_, _, None):
                return ("result", None)
            case ReturnResult(_, code, parameter):
                notes = []
                tree = by_code("map2", code).decode_result(parameter, "map2", notes)
                assert notes == []
                return ("result", tree["ussdString_text"])
            case ReturnError(_, code):
                return ("error", code)
            case Reject(_, problem_type, problem):
                return ("reject", int(problem_type), problem)
        return (type(component).__name__,)

    def counts(self, *names):
        return {name: self.scp.counters[name] for name in names if self.scp.counters[name]}


@pytest.fixture
def mobile():
    """A function that makes mobiles; their sessions must leave nothing."""
    made = []

    def make(*flows, **more):
        made.append(Mobile(*(flows or (PIN,)), **more))
        return made[-1]

    yield make
    for one in made:
        assert one.scp.calls_in_progress == 0
        assert one.scp.endpoint.dialogues == {}
        assert one.scp.next_timer() is None


# -- sessions -------------------------------------------------------------------------------


def test_a_question_and_the_end(mobile):
    one = mobile()
    assert one.dial() == [ASKED]
    assert one.enters("1234") == [("END", ("result", "1234 is right"))]
    assert one.paths == [[(1, 0), (2, 0), (3, None)]]
    assert one.counts("calls", "released", "errors") == {"calls": 1, "released": 1}


def test_a_text_that_is_shown_meanwhile(mobile):
    one = mobile(
        flow(operation("UssdSay", [3, None], text="Wait"), operation("UssdEnd", text="Done"))
    )
    assert one.dial() == [("CONTINUE", ("UnstructuredSSNotify", "Wait"))]
    assert one.answer(ReturnResult(one.asked)) == [("END", ("result", "Done"))]


@pytest.mark.parametrize("text", ["Баланс", "[€]", "x" * 182])
def test_any_text_comes_as_it_is(mobile, text):
    one = mobile(flow(operation("UssdEnd", text=text)))
    assert one.dial() == [("END", ("result", text))]


@pytest.mark.parametrize("exits", [[None, None], [3, 3]])
def test_an_end_with_nothing_to_show(mobile, exits):
    one = mobile(flow(operation("UssdSay", exits, text="Wait"), operation("UssdEnd")))
    one.dial()
    assert one.answer(ReturnResult(one.asked)) == [("END", ("result", None))]
    assert one.counts("released") == {"released": 1}


def test_a_pause(mobile):
    one = mobile(flow(operation("Wait", [3], seconds=5), operation("UssdEnd", text="Done")))
    assert one.dial() == []
    assert one.advance(4.9) == []
    assert one.advance(0.2) == [("END", ("result", "Done"))]


def test_nothing_entered(mobile):
    one = mobile()
    one.dial()
    assert one.answer(ReturnResult(one.asked)) == [("END", ("result", " is right"))]


def test_map_open_is_accepted_with_the_first_answer(mobile):
    one = mobile()
    opened = encode_pdu({"map_open": {"destination_reference_digits": "6421"}})
    one.dial(information=opened)
    one.enters("1")
    first, second = one.pdus
    assert decode_user_information(first.user_information) == {"map_accept": {}}
    assert second is None


def test_without_map_open_nothing_is_accepted(mobile):
    one = mobile()
    one.dial()
    assert one.pdus[0].user_information == b""
    one.send("end")


# -- which flow -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "caller", "end"),
    [
        ("*1#", "", "one"),
        ("*12#", "", "twelve"),
        ("*123*5#", "", "twelve"),
        ("*9#", "6421", "caller"),
        ("*9#", "", "default"),
        (None, "", "default"),
    ],
)
def test_trigger_choice(mobile, text, caller, end):
    triggers = {
        "one": {"ussd_prefix": "*1"},
        "twelve": {"ussd_prefix": "*12"},
        "caller": {"calling_prefix": "64"},
        "default": {"default": True},
    }
    flows = [
        flow(operation("UssdEnd", text=name), triggers=[trigger], name=name)
        for name, trigger in triggers.items()
    ]
    one = mobile(*flows)
    given = {"msisdn_digits": caller} if caller else {}
    if text is None:  # octets in an encoding without text
        given |= {"ussdDataCodingScheme_hex": "44", "ussdString_hex": "2a3123"}
    assert one.dial(text, **given) == [("END", ("result", end))]


def test_no_flow_serves_it(mobile):
    one = mobile()
    assert one.dial("*9#") == [("END", ("error", UNEXPECTED_DATA_VALUE))]
    assert one.counts("no_trigger") == {"no_trigger": 1}


@pytest.mark.parametrize("is_own", [True, False])
def test_a_runs_own_flow_takes_every_session(mobile, is_own):
    one = mobile({**PIN, "triggers": []}, is_own_flow=is_own)
    expected = ASKED if is_own else ("END", ("error", UNEXPECTED_DATA_VALUE))
    assert one.dial("*9#") == [expected]
    if is_own:
        one.send("end")


def test_flows_of_calls_take_no_session(mobile):
    """Without USSD flows the context is unknown."""
    end = {"type": "ReleaseCall", "exits": []}
    assert mobile(flow(end, triggers=[{"default": True}])).dial() == [("U-ABORT",)]
    assert mobile(flow(end, triggers=[{"default": True}]), PIN).dial("*9#") == [
        ("END", ("error", UNEXPECTED_DATA_VALUE))
    ]


# -- the mobile refuses or fails ------------------------------------------------------------


@pytest.mark.parametrize(
    "refusal",
    [
        lambda asked: ReturnError(asked, USSD_BUSY),
        lambda asked: Reject(asked, ProblemType.INVOKE, 1),
    ],
)
def test_the_question_is_refused(mobile, refusal):
    one = mobile()
    one.dial()
    assert one.answer(refusal(one.asked)) == [("END", ("result", "no PIN"))]
    assert one.paths == [[(1, 0), (2, 1), (4, None)]]


def test_nobody_answers_the_question(mobile):
    one = mobile()
    one.dial()
    assert one.advance(59.9) == []
    assert one.advance(0.2) == [("END", ("result", "no PIN"))]
    assert one.counts("errors") == {"errors": {"ussd: no answer": 1}}


@pytest.mark.parametrize("primitive", ["end", "abort"])
def test_the_user_leaves(mobile, primitive):
    one = mobile()
    one.dial()
    assert one.send(primitive) == []
    assert one.counts("abandoned") == {"abandoned": 1}
    assert one.paths == [[(1, 0), (2, None)]]


def test_a_text_that_became_too_long(mobile):
    one = mobile(
        flow(operation("UssdAsk", [3, 3], text="?"), operation("UssdEnd", text="{user.input}!"))
    )
    one.dial()
    assert one.enters("x" * 182) == [("END", ("error", SYSTEM_FAILURE))]
    assert one.counts("failed", "errors") == {"failed": 1, "errors": {"flow": 1}}


def test_the_service_stops(mobile):
    one = mobile()
    one.dial()
    one.scp.abort_all(one.now)
    assert one.exchange() == [("END", ("error", SYSTEM_FAILURE))]


# -- a peer that breaks the rules -----------------------------------------------------------


def test_an_operation_that_is_not_the_peers(mobile):
    one = mobile()
    one.dial()
    one.dialogue.invoke(
        59, 1, OPERATIONS.get(BEGINS).encode_argument({"ussdString_text": "*1#"}, "map2"), now=1.0
    )
    assert one.send() == [("END", ("reject", 1, 1))]
    assert one.counts("failed", "errors") == {"failed": 1, "errors": {"protocol": 1}}


@pytest.mark.parametrize("parameter", ["3000", "300604010f0201ff", "0401ff"])
def test_an_answer_that_can_not_be_read(mobile, parameter):
    one = mobile()
    one.dial()
    answer = ReturnResult(one.asked, 60, bytes.fromhex(parameter))
    assert one.answer(answer) == [("END", ("reject", 2, 2))]


def test_a_result_of_nothing(mobile):
    one = mobile()
    one.dial()
    assert one.answer(ReturnResult(99))[0][0] == "END"
    assert one.counts("failed") == {"failed": 1}


@pytest.mark.parametrize(
    ("code", "parameter", "heard"),
    [
        (59, "3000", ("END", ("reject", 1, 2))),
        (59, None, ("END", ("reject", 1, 2))),
        (60, "300604010f0401aa", ("END", ("reject", 1, 1))),
        (None, None, ("U-ABORT",)),
    ],
)
def test_a_begin_that_begins_no_session(mobile, code, parameter, heard):
    one = mobile()
    one.dialogue = one.peer.new_dialogue(one.now)
    if code is not None:
        octets = None if parameter is None else bytes.fromhex(parameter)
        one.dialogue.invoke(code, 1, octets, now=one.now)
    assert one.begin() == [heard]
    assert one.counts("calls") == {}


def test_two_requests_at_once(mobile):
    again = (BEGINS, {"ussdString_text": "*1#"})
    assert mobile().dial(more=[again]) == [("END", ("reject", 1, 1))]


def test_every_bit_of_an_answer(mobile):
    """On any answer the session continues to its end, or is ended."""
    declared = OPERATIONS.get("UnstructuredSSRequest")
    octets = declared.encode_result({"ussdString_text": "1234"}, "map2")
    one = mobile()
    for bit in range(8 * len(octets)):
        one.dial()
        damaged = bytearray(octets)
        damaged[bit // 8] ^= 1 << bit % 8
        (heard,) = one.answer(ReturnResult(one.asked, declared.code, bytes(damaged)))
        assert heard[0] == "END", damaged.hex()
