"""A scripted SSP and a scripted external resource, as peers of the service control point.

Both are real TCAP endpoints. Messages of the service control point are returned as Message: the
primitive, then each component as (operation, its contents), in the order of the wire.
"""

from dataclasses import dataclass

from unit.scp.summaries import SUMMARIES

from tsvc.config.scp_tables import Scp, Srf
from tsvc.flow.document import compile_flow
from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.inap.errors import ERROR_CODES
from tsvc.protocols.inap.operation import OPERATIONS, by_code
from tsvc.protocols.tcap.components import Invoke, Reject, ReturnError, ReturnResult
from tsvc.protocols.tcap.endpoint import Endpoint
from tsvc.scp.service import ScpService

# Parameters of the errors that need one.
PARAMETERS = {"systemFailure": bytes.fromhex("0a0101"), "taskRefused": bytes.fromhex("0a0100")}


@dataclass
class Message:
    """One message of the service control point, as its peer decodes it."""

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
    """A service control point, an SSP and a resource, with simulated time."""

    def __init__(self, flow, variant="cs1", srf=None, is_own_flow=False, **settings):
        self.settings = Scp(srf=Srf(**(srf or {})), **settings)
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
        compiled, problems = compile_flow(flow, self.settings)
        assert compiled is not None, problems
        return compiled

    # -- messages of the SSP ----------------------------------------------------------------

    def initial_dp(self, context="", parameter=None, **arguments):
        """Open a call; return the answers. `context` None: no dialogue portion."""
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
        """Open the dialogue of the external resource."""
        self.assist = self.peers["srf"].new_dialogue(self.now)
        arguments = {"correlationID_digits": digits, **arguments}
        operation = OPERATIONS.get("AssistRequestInstructions")
        parameter = operation.encode_argument(arguments, self.variant)
        self.assist.invoke(16, 2, parameter, now=self.now)
        return self.begin(self.assist, "srf", self.variant + context)

    def invoke(self, name, arguments=None, *, linked_id=None, dialogue=None):
        """Queue an operation for the next message of the SSP."""
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
        """Send SpecializedResourceReport, by default linked as an SSP links it."""
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
        """Answer an operation with an error, and the parameter that the error needs."""
        code = ERROR_CODES[name] if isinstance(name, str) else name
        error = ReturnError(self.invoke_ids[operation], code, PARAMETERS.get(name))
        (dialogue or self.dialogue).answer(error)
        return self.send(primitive, dialogue)

    def answer(self, component, *, dialogue=None, primitive="continue"):
        """Send any answer."""
        (dialogue or self.dialogue).answer(component)
        return self.send(primitive, dialogue)

    def send(self, primitive="continue", dialogue=None):
        """Send the queued components."""
        dialogue = dialogue or self.dialogue
        getattr(dialogue, {"continue": "continue_"}.get(primitive, primitive))()
        return self.exchange()

    # -- time and transport -----------------------------------------------------------------

    def advance(self, seconds):
        """Advance the time, timer by timer as a driver does; return the messages of that time."""
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
        """Carry all messages; return those of the service control point."""
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
        """Return counters that are not zero, by name."""
        counters = self.scp.counters
        return {name: counters[name] for name in names or counters if counters[name]}
