"""An SCP that follows a script, a daemon in this process around it, and operations for both."""

import heapq
from itertools import count
from typing import ClassVar

from support.daemons import Daemon
from tsvc.clock import SYSTEM_CLOCK
from tsvc.protocols.contexts import variant_of
from tsvc.protocols.inap.operation import OPERATIONS
from tsvc.protocols.tcap.components import Invoke, ReturnError, ReturnResult
from tsvc.protocols.tcap.endpoint import Endpoint
from tsvc.protocols.tcap.states import DialogueState
from tsvc.ss7.scp_node import ScpNode

INITIAL_DP = {
    "type": "inap.ssp_to_scp.InitialDP",
    "arguments": {"serviceKey": 45, "calledPartyNumber_digits": "0800432900"},
}
LOAD = {"type": "load", "total": 1, "backlog": 1}


class ScriptedScp:
    """Answers the n-th message of each dialogue with the n-th reaction; keeps received messages.

    A reaction is called with (scp, dialogue, indication). After the last reaction the SCP is
    silent.
    """

    def __init__(self, *reactions):
        self.reactions = reactions
        self.endpoint = Endpoint(first_tid=0x500000, quarantine_s=0.0)
        self.received = []  # (kind, [components]) of all dialogues, in order
        self.pdus = []
        self.returned = []  # octets that we sent and the network could not deliver
        self.counters = {}
        self.now = 0.0
        self._taken = {}
        self._later = []
        self._serial = count()

    def receive(self, octets, called, calling, now, route=None):
        self.now = now
        for indication in self.endpoint.receive(octets, called, calling, now, route):
            self.take(indication)

    def take(self, indication):
        dialogue = indication.dialogue
        self.received.append((indication.kind, list(indication.components)))
        self.pdus.append(indication.pdu)
        number = self._taken[dialogue] = self._taken.get(dialogue, -1) + 1
        if number < len(self.reactions) and self.reactions[number] is not None:
            self.reactions[number](self, dialogue, indication)

    def later(self, seconds, reaction, dialogue, indication):
        entry = (self.now + seconds, next(self._serial), reaction, dialogue, indication)
        heapq.heappush(self._later, entry)

    def data_to_send(self):
        return self.endpoint.data_to_send()

    def next_timer(self):
        return self._later[0][0] if self._later else None

    def handle_timer(self, now):
        self.now = now
        while self._later and self._later[0][0] <= now:
            _, _, reaction, dialogue, indication = heapq.heappop(self._later)
            if dialogue.state is not DialogueState.CLOSED:
                reaction(self, dialogue, indication)

    def abort_all(self, now):
        for dialogue in list(self.endpoint.dialogues.values()):
            dialogue.abort()

    def give_back(self, octets, now):
        self.returned.append(octets)

    def replace_flows(self, flows):
        """Do nothing: the embedded SCP has this method, but a script has no flows."""

    @property
    def kinds(self):
        """The primitives received, by name."""
        return [kind.value for kind, _ in self.received]

    def components(self, at):
        """The components of the message number `at`."""
        return self.received[at][1]


# -- reactions -----------------------------------------------------------------------------------


def operation(name, arguments=None, **how):
    """Return a function that queues an invoke of an operation.

    how: invoke_id, linked_id, parameter.
    """
    declared = OPERATIONS.get(name)

    def queue(scp, dialogue, indication):
        variant = variant_of(dialogue.application_context) or "camel3"
        parameter = how.get("parameter")
        if parameter is None:
            parameter = declared.encode_argument(arguments or {}, variant)
        dialogue.invoke(
            how.get("code", declared.code),
            declared.operation_class,
            parameter,
            now=scp.now,
            invoke_id=how.get("invoke_id"),
            linked_id=how.get("linked_id"),
        )

    return queue


def answer(make):
    """Return a function that queues an answer to the first received invoke: make(invoke)."""

    def queue(scp, dialogue, indication):
        invoke = next(one for one in indication.components if isinstance(one, Invoke))
        dialogue.answer(make(invoke))

    return queue


def return_error(code, parameter=None):
    return answer(lambda invoke: ReturnError(invoke.invoke_id, code, parameter))


def return_result():
    return answer(lambda invoke: ReturnResult(invoke.invoke_id))


def reject(component):
    """Return a function that queues a Reject unchanged."""
    return lambda scp, dialogue, indication: dialogue.answer(component)


def sends(primitive, *queues):
    """Return a reaction that queues these components and sends them in one message."""

    def react(scp, dialogue, indication):
        for queue in queues:
            queue(scp, dialogue, indication)
        if primitive == "continue":
            dialogue.continue_()
        elif primitive == "end":
            dialogue.end()
        else:
            assert primitive == "abort"
            dialogue.abort()

    return react


def together(*reactions):
    """Return a reaction that runs several reactions in order: several messages at once."""

    def react(scp, dialogue, indication):
        for reaction in reactions:
            reaction(scp, dialogue, indication)

    return react


def after(seconds, reaction):
    """Return a reaction that runs another reaction later."""
    return lambda scp, dialogue, indication: scp.later(seconds, reaction, dialogue, indication)


def refused(diagnostic):
    """Return a reaction that sends a U-ABORT with an AARE that refuses the context."""
    return lambda scp, dialogue, indication: dialogue.refuse(
        dialogue.application_context, diagnostic
    )


def p_abort(cause):
    return lambda scp, dialogue, indication: dialogue.p_abort(cause)


CONTINUE = sends("continue", operation("Continue"))
END = sends("end")


def expect(name, **more):
    return {"type": f"inap.ssp_from_scp.{name}", **more}


def send(name, arguments=None, **more):
    entry = {"type": f"inap.ssp_to_scp.{name}", **more}
    return entry if arguments is None else {**entry, "arguments": arguments}


def evaluate(expression, **more):
    return {"type": "eval", "expression": expression, **more}


# -- the daemon ----------------------------------------------------------------------------------


class ScriptedDaemon(Daemon):
    """A daemon around a scripted SCP (or another object) on a loopback called LOOP."""

    defaults: ClassVar[dict] = {"ssp_ac": "camel2"}

    def __init__(self, folder, *reactions, scp=None, others=None, quarantine_s=0, **settings):
        loopback = {"name": "L", "type": "loopback"}
        members = {"connections": [loopback], "quarantine_s": quarantine_s}
        self.scp = scp or ScriptedScp(*reactions)
        super().__init__(folder, {"LOOP": ("sigtran", members), **(others or {})}, **settings)

    def prepare(self):
        self.service.scp.node = ScpNode(self.scp, SYSTEM_CLOCK)

    @property
    def gateway(self):
        return self.gateway_of("sigtran")

    @property
    def open_dialogues(self):
        """Dialogues of the tester and of the SCP that are not closed."""
        return len(self.gateway.endpoint.dialogues), len(self.scp.endpoint.dialogues)

    def refused(self, *operations, **params):
        """Return {path: texts} of a definition that is refused; ValidateTest must agree."""
        error = self.refusal(
            "ExecuteTest", run_id="refused", operations=list(operations), **params
        )
        assert error["code"] == 2002, error
        found = self.call("ValidateTest", operations=list(operations), **params)
        assert found["valid"] is False
        fields = {}
        for problem in found["problems"]:
            if problem["severity"] == "error":
                fields.setdefault(problem["path"], []).append(problem["text"])
        assert fields == error["data"]["fields"]
        self.assert_nothing_left()
        return fields

    def assert_nothing_left(self):
        """Check that no lock, no run and no dialogue remains."""
        assert self.service.locks.held() == {}
        assert self.service.runs == {}
        assert self.open_dialogues[0] == 0


def checks(result, level=None):
    """Return (level, text) of the first instance's checks, or only the texts of one level."""
    log = result["first_call_summary"]["check_log"]
    if level is None:
        return [(entry["level"], entry["text"]) for entry in log]
    return [entry["text"] for entry in log if entry["level"] == level]


def reason(result):
    """Return the reason why the first instance ended."""
    return result["first_call_summary"]["reason"]


def variables(result):
    return result["first_call_summary"]["vars"]
