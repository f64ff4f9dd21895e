"""An SSP and an external resource, scripted, at the other end of the service control point.

Both are real TCAP endpoints. What comes from the service control point is kept as Messages: the
primitive, then each component as (operation, what it says), in the order of the wire.
"""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from tsvc.flow.document import compile_flow
from tsvc.protocols.inap._base import OPERATIONS, by_code
from tsvc.protocols.inap.contexts import BY_ALIAS
from tsvc.protocols.inap.errors import ERROR_CODES
from tsvc.protocols.tcap.components import Invoke, Reject, ReturnError, ReturnResult
from tsvc.protocols.tcap.endpoint import Endpoint
from tsvc.scp.service import ScpService
from tsvc.scp.settings import ScpSettings, SrfSettings, flow_settings

VARIANTS = ["cs1", "camel2", "camel3", "camel4"]
ALL_VARIANTS = [*VARIANTS, "camel1"]
MODES = {0: "interrupted", 1: "notify", 2: "transparent"}

EXTENSION_CONFIG = {
    "main_announcement": {"set": "S", "entry": "main"},
    "reprompt_announcement": {"set": "S", "entry": "again", "repetition": 2},
    "prefix": "4329",
    "min_digits": 3,
    "max_digits": 4,
    "timeout_seconds": 20,
    "destination_patterns": ["43291?%"],
}


def release(cause):
    """Return a ReleaseCall operation."""
    return {"type": "ReleaseCall", "config": {"cause": cause}, "exits": []}


def document(*operations, triggers=({"service_key": 45},), name="tested"):
    """Return a flow whose Start leads to the first of the operations, numbered from 2."""
    chain = [{"type": "Start", "exits": [2]}, *operations]
    return {
        "name": name,
        "triggers": list(triggers),
        "announcements": {"S": {"main": 101, "again": 102}},
        "operations": {
            str(number): {"id": number, **operation}
            for number, operation in enumerate(chain, start=1)
        },
    }


def extension_flow(exits=(3, 4, 5), **changes):
    """Return ExtensionDialing (2) whose exits release with causes 101, 102, 103."""
    config = {**EXTENSION_CONFIG, **changes}
    config = {member: value for member, value in config.items() if value is not None}
    dialing = {"type": "ExtensionDialing", "config": config, "exits": list(exits)}
    causes = [101 + number - 3 for number in exits if number is not None]
    return document(dialing, *[release(cause) for cause in causes])


def terminate_flow(*numbers, exits=(3,), **config):
    """Return AttemptTerminate (2) whose exit releases with cause 101."""
    attempt = {
        "type": "AttemptTerminate",
        "config": {"destinations": [{"address": one} for one in numbers], **config},
        "exits": list(exits),
    }
    return document(attempt, *[release(101) for exit_ in exits if exit_ is not None])


def play_flow():
    """Return PlayAnnouncement (2), then a release with cause 101."""
    play = {
        "type": "PlayAnnouncement",
        "config": {"announcement": {"set": "S", "entry": "main"}},
        "exits": [3],
    }
    return document(play, release(101))


@dataclass
class Message:
    """One message of the service control point, as the peer of `dialogue` reads it."""

    to: str
    primitive: str
    components: list
    pdu: object
    p_abort_cause: int | None = None

    def __eq__(self, other):
        return other == (self.primitive, *self.components)

    def __repr__(self):
        return f"{self.to}: {(self.primitive, *self.components)!r}"


class Bench:
    """A service control point, an SSP and a resource, with a clock that moves when told."""

    def __init__(self, flow, variant="cs1", srf=None, is_own_flow=False, **settings):
        self.settings = ScpSettings(srf=SrfSettings(**(srf or {})), **settings)
        self.variant = variant
        self.now = 1000.0
        self.flow = self.compile(flow)
        self.scp = ScpService(
            [self.flow],
            self.settings,
            first_tid=0xFFFFFFFE,
            random=lambda: 0.5,
            wall=lambda: 0.0,
            is_own_flow=is_own_flow,
        )
        self.paths = []
        self.scp.on_path = lambda tid, name, path: self.paths.append(
            (tid, name, [(step.operation_id, step.exit_index) for step in path])
        )
        self.peers = {
            name: Endpoint(first_tid=first, accepts_begin=False)
            for name, first in (("ssp", 1), ("srf", 0x100))
        }
        self.dialogue = None  # of the SSP
        self.assist = None  # of the resource
        self.invoke_ids = {}
        self.to_scp = []

    def compile(self, flow):
        compiled, problems = compile_flow(flow, flow_settings(self.settings))
        assert compiled is not None, problems
        return compiled

    # -- what the SSP does ------------------------------------------------------------------

    def initial_dp(self, context="", parameter=None, **arguments):
        """Open a call; returns what comes back. `context` None: no dialogue portion."""
        arguments = {"serviceKey": 45, "eventTypeBCSM": 2, **arguments}
        arguments = {key: value for key, value in arguments.items() if value is not None}
        self.dialogue = self.peers["ssp"].new_dialogue(self.now)
        if parameter is None:
            parameter = OPERATIONS.get("InitialDP").encode_argument(arguments, self.variant)
        self.dialogue.invoke(0, 2, parameter, now=self.now)
        return self.begin(self.dialogue, "ssp", context)

    def begin(self, dialogue, name, context):
        octets = None if context is None else BY_ALIAS[context or self.variant].octets
        dialogue.begin("scp", name, application_context=octets)
        return self.exchange()

    def assist_request(self, digits, context="-assist", **arguments):
        """The external resource opens its dialogue."""
        self.assist = self.peers["srf"].new_dialogue(self.now)
        arguments = {"correlationID_digits": digits, **arguments}
        operation = OPERATIONS.get("AssistRequestInstructions")
        parameter = operation.encode_argument(arguments, self.variant)
        self.assist.invoke(16, 2, parameter, now=self.now)
        return self.begin(self.assist, "srf", self.variant + context)

    def invoke(self, name, arguments=None, *, linked_id=None, dialogue=None):
        """Queue an operation from the SSP for its next message."""
        operation = OPERATIONS.get(name)
        parameter = operation.encode_argument(arguments or {}, self.variant)
        (dialogue or self.dialogue).invoke(
            operation.code,
            operation.operation_class,
            parameter,
            now=self.now,
            linked_id=linked_id,
        )

    def report(self, event, leg=None, information=None, misc=None, primitive="continue"):
        """Send EventReportBCSM."""
        arguments = {"eventTypeBCSM_name": event}
        if leg is not None:
            arguments["legID"] = {"receivingSideID_hex": f"{leg:02x}"}
        if information is not None:
            arguments["eventSpecificInformationBCSM"] = information
        if misc is not None:
            arguments["miscCallInfo"] = {"messageType": misc}
        self.invoke("EventReportBCSM", arguments)
        return self.send(primitive)

    def announcement_over(self, *, linked_id=None, dialogue=None):
        """Send SpecializedResourceReport, linked as an SSP links it unless told otherwise."""
        argument = {"allAnnouncementsComplete": 1} if self.variant == "camel4" else {"null": 1}
        if linked_id is None:
            linked_id = self.invoke_ids["PlayAnnouncement"]
        self.invoke("SpecializedResourceReport", argument, linked_id=linked_id, dialogue=dialogue)
        return self.send(dialogue=dialogue)

    def digits(self, digits, *, dialogue=None, primitive="continue"):
        """Answer the prompt."""
        operation = OPERATIONS.get("PromptAndCollectUserInformation")
        parameter = operation.encode_result({"digitsResponse_digits": digits}, self.variant)
        result = ReturnResult(self.invoke_ids[operation.name], operation.code, parameter)
        (dialogue or self.dialogue).answer(result)
        return self.send(primitive, dialogue)

    def error(self, operation, name, *, dialogue=None, primitive="continue"):
        """Answer an operation with an error."""
        code = ERROR_CODES[name] if isinstance(name, str) else name
        (dialogue or self.dialogue).answer(ReturnError(self.invoke_ids[operation], code))
        return self.send(primitive, dialogue)

    def answer(self, component, *, dialogue=None, primitive="continue"):
        """Send any answer."""
        (dialogue or self.dialogue).answer(component)
        return self.send(primitive, dialogue)

    def send(self, primitive="continue", dialogue=None):
        """Send what is queued."""
        dialogue = dialogue or self.dialogue
        getattr(dialogue, {"continue": "continue_"}.get(primitive, primitive))()
        return self.exchange()

    # -- time and transport -----------------------------------------------------------------

    def advance(self, seconds):
        """Let time pass, step by step as a driver does; returns the messages of that time."""
        until = self.now + seconds
        found = []
        while (due := self.scp.next_timer()) is not None and due <= until:
            self.now = max(self.now, due)
            self.scp.handle_timer(self.now)
            found += self.exchange()
        self.now = until
        self.scp.handle_timer(self.now)
        return found + self.exchange()

    def exchange(self):
        """Carry messages until nobody has one; returns those of the service control point."""
        found = []
        while True:
            for name, peer in self.peers.items():
                for out in peer.data_to_send():
                    self.to_scp.append(out.octets)
                    self.scp.receive(out.octets, out.called, name, self.now)
            outgoing = self.scp.data_to_send()
            if not outgoing:
                return found
            for out in outgoing:
                peer = self.peers[out.called]
                indications = peer.receive(out.octets, out.called, out.calling, self.now)
                found += [self.read(out.called, indication) for indication in indications]

    def read(self, to, indication):
        return Message(
            to,
            indication.kind.value,
            [self.read_component(component) for component in indication.components],
            indication.pdu,
            indication.p_abort_cause,
        )

    def read_component(self, component):
        match component:
            case Invoke(invoke_id, code, parameter):
                operation = by_code(self.variant, code)
                self.invoke_ids[operation.name] = invoke_id
                notes = []
                tree = operation.decode_argument(parameter, self.variant, notes)
                assert notes == []
                summarize = SUMMARIES.get(operation.name)
                return (operation.name, summarize(tree)) if summarize else (operation.name,)
            case ReturnError(code=code):
                return ("error", code)
            case Reject(problem_type=problem_type, problem=problem):
                return ("reject", int(problem_type), problem)
            case ReturnResult():
                return ("result",)
        return (type(component).__name__,)

    # -- afterwards -------------------------------------------------------------------------

    def check_nothing_left(self):
        """Assert that no call, dialogue, timer or awaited assist dialogue is left."""
        scp = self.scp
        assert scp.calls_in_progress == 0
        assert scp.endpoint.dialogues == {}
        assert scp.next_timer() is None
        assert len(scp._assists) == 0
        counts = scp.counters
        names = ("answered", "connected", "released", "abandoned", "failed", "no_trigger")
        assert counts["calls"] == sum(counts[name] for name in names)

    def counts(self, *names):
        """Return some counters that are not zero, by name."""
        counters = self.scp.counters
        return {name: counters[name] for name in names or counters if counters[name]}


def _events(tree):
    return [
        (
            event["eventTypeBCSM_name"],
            MODES[event["monitorMode"]],
            int(event["legID"]["sendingSideID_hex"], 16),
            event.get("dpSpecificCriteria", {}).get("applicationTimer"),
        )
        for event in tree["bcsmEvents"]
    ]


def _inband(tree):
    inband = tree["informationToSend"]["inbandInfo"]
    return inband["messageID"]["elementaryMessageID"], inband["numberOfRepetitions"]


def _prompt(tree):
    digits = dict(tree["collectedInfo"]["collectedDigits"])
    digits = {
        key: value
        for key, value in digits.items()
        if key.endswith("_hex") or key + "_hex" not in digits
    }
    digits.pop("errorTreatment_name")
    return {
        **digits,
        "forbidden": tree["disconnectFromIPForbidden"],
        "message": _inband(tree),
    }


SUMMARIES = {
    "RequestReportBCSMEvent": _events,
    "PromptAndCollectUserInformation": _prompt,
    "PlayAnnouncement": lambda tree: (
        *_inband(tree),
        tree["disconnectFromIPForbidden"],
        tree["requestAnnouncementComplete"],
    ),
    "Connect": lambda tree: (
        tree["destinationRoutingAddress_digits"],
        tree["destinationRoutingAddress_noa"],
        tree["destinationRoutingAddress_npi"],
    ),
    "ReleaseCall": lambda tree: tree["initialCallSegment_cause"],
    "ConnectToResource": lambda tree: list(tree["resourceAddress"]),
    "EstablishTemporaryConnection": lambda tree: {
        key: tree.get(key)
        for key in (
            "assistingSSPIPRoutingAddress_digits",
            "correlationID_digits",
            "scfID_hex",
        )
    },
    "ResetTimer": lambda tree: (tree["timerID"], tree["timervalue"]),
}

# -- what is to be expected -----------------------------------------------------------------

ABANDON = ("oAbandon", "notify", 1, None)
T_ABANDON = ("tAbandon", "notify", 1, None)
CTR = ("ConnectToResource", ["none"])
DFC = ("DisconnectForwardConnection",)
END = ("END",)


def rrbe(*events):
    return ("RequestReportBCSMEvent", list(events))


def prompt(message=101, repetition=1, **changes):
    expected = {
        "minimumNbOfDigits": 3,
        "maximumNbOfDigits": 4,
        "endOfReplyDigit_hex": "0c",
        "cancelDigit_hex": "0b",
        "firstDigitTimeOut": 10,
        "interDigitTimeOut": 5,
        "errorTreatment": 0,
        "interruptableAnnInd": 1,
        "forbidden": 1,
        "message": (message, repetition),
        **changes,
    }
    expected = {key: value for key, value in expected.items() if value is not None}
    return ("PromptAndCollectUserInformation", expected)


REPROMPT = prompt(102, 2)


def connect(digits, noa=2, npi=1):
    return ("Connect", (digits, noa, npi))


def released(cause):
    return ("ReleaseCall", cause)


def watched(ring_s=20):
    """Return what is armed before a Connect of the originating half."""
    return rrbe(
        ("oAnswer", "notify", 2, None),
        ("oCalledPartyBusy", "interrupted", 2, None),
        ("oNoAnswer", "interrupted", 2, ring_s),
        ("routeSelectFailure", "interrupted", 2, None),
        ABANDON,
    )


FIRST = ("CONTINUE", rrbe(ABANDON), CTR, prompt())


@pytest.fixture
def bench_of():
    """Return a maker of benches; each has to have nothing left when the test is over."""
    made = []

    def make(*arguments, **settings):
        made.append(Bench(*arguments, **settings))
        return made[-1]

    yield make
    for bench in made:
        bench.check_nothing_left()


@pytest.fixture(params=VARIANTS)
def variant(request):
    return request.param


@pytest.fixture
def wire():
    """Return flows to run and messages to expect: the public names of this file."""
    names = [name for name in globals() if name[0] not in "_@"]
    return SimpleNamespace(**{name: globals()[name] for name in names})
