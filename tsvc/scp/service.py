"""The service control point: dialogues in, a flow chosen for each call, counters.

    scp = ScpService(flows, settings, first_tid=…, random=…, wall=…)
    scp.receive(octets, called, calling, now)
    for message in scp.data_to_send(): …
    scp.handle_timer(now)             # not before scp.next_timer()

One object for all its calls, driven by any carrier of TCAP messages. Nothing blocks.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tsvc.clock import SYSTEM_CLOCK
from tsvc.config.scp_tables import Scp
from tsvc.flow.call import CallFacts
from tsvc.flow.engine import FlowRun
from tsvc.flow.flow import Flow, PathStep
from tsvc.flow.triggers import TriggerTable
from tsvc.log import QuietLog, get_logger
from tsvc.memo import Memo
from tsvc.protocols.asn1 import Tree
from tsvc.protocols.contexts import BY_OCTETS, context_octets
from tsvc.protocols.inap.operation import Operation
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap.components import Component, Invoke, ReturnError
from tsvc.protocols.tcap.dialogue import Dialogue, Indication, IndicationKind
from tsvc.protocols.tcap.dialogue_portion import DIAGNOSTIC_CONTEXT_NOT_SUPPORTED
from tsvc.protocols.tcap.endpoint import Endpoint, Outgoing
from tsvc.protocols.tcap.frame import originating_id
from tsvc.protocols.tcap.ids import ALL_IDS, IdRange
from tsvc.protocols.tcap.messages import MessageType, decode
from tsvc.scp import refusals, ussd
from tsvc.scp.beginning import CALLING_NUMBER, Facts, hole_in
from tsvc.scp.call import Call, Host
from tsvc.scp.detection_points import model_of
from tsvc.scp.line import Assists, Line
from tsvc.scp.statistics import Ending, Statistics
from tsvc.scp.telephony import ARI, INITIAL_DP, Telephony
from tsvc.scp.templates import Hole, apart
from tsvc.scp.timers import Timers
from tsvc.scp.ussd import SessionHost, UssdSession
from tsvc.scp.usual import End, Seen, Usual, UsualCall
from tsvc.values import dataclass
from tsvc.words import quoted

# Called for each call that is over: the SSP's transaction id, the flow's name, the operations.
OnPath = Callable[[bytes, str, list[PathStep]], None]

_CALLED_NUMBERS = (
    "calledPartyNumber_digits",
    "calledPartyBCDNumber_digits",
    "dialledDigits_digits",
)
_OPENERS = (INITIAL_DP, ARI)  # operations that a dialogue may begin with
# Application contexts of a dialogue: those of calls have the name of the variant itself.
_ASSISTS = ("-assist", "-srf")
_MOST_NAMED = 8  # flows in the log line about a call that none serves
_VARIANTS = 16  # more than INAP and CAP have
_BCD_KEYS = str.maketrans("abc", "BCA")  # telephony BCD has * and # one code lower than Q.763


@dataclass(frozen=True, slots=True)
class _Site:
    """The settings and shared objects of calls; a flow may have a resource of its own."""

    settings: Scp
    host: Host
    telephonies: Memo[str, Telephony]


class ScpService:
    """A service control point that runs flows.

    first_tid: seeds the transaction ids (give a random one), which are among `ids`.
    random:    draws numbers in 0 <= n < 1 for flows; wall: seconds since the epoch.
    is_own_flow: `flows` is the one flow of a test run; without triggers it serves every call.
    on_path:   may be set at any time.
    on_unserved: the same; called with the SSP's transaction id of a call that no flow serves, and
               the reason.

    Errors: ValueError if the settings name a default context that decides no variant.
    """

    def __init__(
        self,
        flows: Sequence[Flow],
        settings: Scp,
        *,
        first_tid: int,
        ids: IdRange = ALL_IDS,
        random: Callable[[], float],
        wall: Callable[[], float],
        is_own_flow: bool = False,
    ) -> None:
        self.statistics = Statistics()
        self.endpoint = Endpoint(
            first_tid=first_tid,
            ids=ids,
            quarantine_s=settings.quarantine_s,
            max_dialogues=settings.max_dialogues,
        )
        self.on_path: OnPath | None = None
        self.on_unserved: Callable[[bytes, str], None] | None = None
        self._random = random
        self._wall = wall
        self._is_own_flow = is_own_flow
        self._log = QuietLog(get_logger("scp"), SYSTEM_CLOCK)
        self._timers = Timers()
        self._assists: Assists[Call] = Assists(first_tid)
        self._calls: set[Call | UssdSession | UsualCall] = set()
        self._served: Call | UssdSession | None = None  # the call that the last message was for
        self._usual = Usual(
            self.endpoint,
            self._timers,
            self.statistics,
            self._wake,
            self._usual_begun,
            self._usual_over,
            self._assists,
        )
        self._use(settings)
        self.replace_flows(flows)

    # -- driving ----------------------------------------------------------------------------

    def receive(
        self, octets: bytes, called: Address, calling: Address, now: float, route: object = None
    ) -> None:
        """Handle one TCAP message; never raises, whatever the message contains."""
        message = apart(octets)
        usual = self._usual
        if message is None:
            before = None
        elif usual.take(message, octets, called, calling, now, route):
            return
        else:
            before = usual.look(message, now)
        queued = len(self.endpoint.queued)
        self._served = None
        indications = self.endpoint.receive(octets, called, calling, now, route)
        for indication in indications:
            self._dispatch(indication, now)
        served: Call | UssdSession | None = self._served
        if before is not None and len(indications) == 1 and served is not None:
            dialogue = indications[0].dialogue
            sent = self.endpoint.queued[queued:]
            is_begin = indications[0].kind is IndicationKind.BEGIN
            hole = self._hole(octets, dialogue) if is_begin else None
            usual.learn(before, dialogue, served, sent, now, hole)

    def give_back(self, octets: bytes, now: float) -> None:
        """Handle a message of the SCP, or its first segment, that could not be delivered."""
        dialogue = self.endpoint.find(originating_id(octets) or b"")
        if isinstance(dialogue, Dialogue):
            self._dispatch(Indication(dialogue, IndicationKind.NOTICE), now)

    def count_unequipped(self) -> None:
        """Count a message for a subsystem that is not equipped."""
        self.statistics.messages["unequipped subsystem"] += 1

    def data_to_send(self) -> list[Outgoing]:
        """Return the messages to send, in order, and forget them."""
        return self.endpoint.data_to_send()

    def next_timer(self) -> float | None:
        """Return when handle_timer() is due, None if nothing runs. May be early, never late."""
        ours, theirs = self.endpoint.next_timer(), self._timers.next()
        if ours is None or theirs is None:
            return theirs if ours is None else ours
        return min(ours, theirs)

    def handle_timer(self, now: float) -> None:
        """Handle all timers that are due."""
        for timed in self._timers.due(now):
            if not isinstance(timed, UsualCall):
                self._timers.schedule(timed)
            else:
                timed.wake()
        for indication in self.endpoint.handle_timer(now):
            self._dispatch(indication, now)
        for call in self._timers.due(now):
            if isinstance(call, Call | UssdSession):
                call.seen = None
            call.handle_timer(now)

    def abort_all(self, now: float) -> None:
        """End all calls because the service stops: callers that wait for the SCP are released."""
        self._wake_all()
        for call in list(self._calls):
            assert not isinstance(call, UsualCall)
            call.close(now)

    # -- counters and configuration ---------------------------------------------------------

    @property
    def calls_in_progress(self) -> int:
        """The number of calls that are not over."""
        return len(self._calls)

    @property
    def counters(self) -> dict[str, Any]:
        """All counts in JSON form: see Statistics; `dialogues` are those of the TCAP endpoint."""
        endpoint = self.endpoint.counters
        dialogues = {name: getattr(endpoint, name) for name in endpoint.__slots__}
        return {**self.statistics.as_dict(), "dialogues": dialogues}

    def reconfigure(self, flows: Sequence[Flow], settings: Scp) -> None:
        """Serve new calls with these flows and settings; calls in progress keep theirs."""
        self._wake_all()
        self._use(settings)
        self.replace_flows(flows)

    def _use(self, settings: Scp) -> None:
        default_variant = None
        if settings.default_ac is not None:
            default_variant = _served_variant(context_octets(settings.default_ac))
            if default_variant is None:
                raise ValueError(f"no INAP or CAP variant goes with {quoted(settings.default_ac)}")
        self.settings = settings
        self._default_variant = default_variant
        self._site = self._site_with(settings)
        self._session_host = SessionHost(self.statistics, self._timers, self._call_over)

    def _site_with(self, settings: Scp) -> "_Site":
        telephonies: Memo[str, Telephony] = Memo(
            "what speaks a variant", _VARIANTS, lambda variant: Telephony(variant, settings)
        )
        host = Host(settings, self.statistics, self._timers, self._assists, self._call_over)
        return _Site(settings, host, telephonies)

    def replace_flows(self, flows: Sequence[Flow]) -> None:
        """Serve new calls with these flows; calls in progress keep theirs."""
        self._wake_all()
        self._usual.forget()
        self._flows = tuple(flows)
        self._triggers = TriggerTable(flow for flow in flows if not flow.is_ussd)
        self._ussd_triggers = TriggerTable(flow for flow in flows if flow.is_ussd)
        self._serves_ussd = any(flow.is_ussd for flow in flows)
        self._own_sites = {
            flow.srf: self._site_with(replace(self.settings, srf=flow.srf))
            for flow in flows
            if flow.srf is not None
        }

    # -- dialogues --------------------------------------------------------------------------

    def _dispatch(self, indication: Indication, now: float) -> None:
        call = indication.dialogue.user
        if indication.kind is IndicationKind.BEGIN:
            is_ussd = indication.dialogue.application_context == ussd.CONTEXT
            if is_ussd and self._serves_ussd:
                self._begin_ussd(indication, now)
            else:
                self._begin(indication, now)
        elif isinstance(call, Call | UssdSession) and not call.is_over:
            self._served, call.seen = call, None
            call.receive(indication, now)
        else:
            self.statistics.messages["no call"] += 1

    def _begin(self, indication: Indication, now: float) -> None:
        dialogue = indication.dialogue
        telephony = self._telephony_of(dialogue)
        if telephony is None:
            return
        components = indication.components
        first = components[0] if components else None
        if not isinstance(first, Invoke) or refusals.has_local_reject(components):
            self._refuse_begin(dialogue, components, telephony.variant)
        else:
            self._begin_with(dialogue, telephony, first, components, now)

    def _begin_with(
        self,
        dialogue: Dialogue,
        telephony: Telephony,
        first: Invoke,
        components: list[Component],
        now: float,
    ) -> None:
        """Handle a BEGIN by its first operation, if the application context has that operation."""
        operation = refusals.operation_of(first.code, telephony.variant)
        if operation is None or operation not in _OPENERS:
            if dialogue.application_context is None:
                self._report(
                    dialogue,
                    f"the BEGIN has no application context, so the embedded SCP read it as"
                    f" {telephony.variant}, where operation {first.code} begins nothing: give the"
                    " context by ssp_ac or hlr_ac",
                )
            self._refuse_begin(dialogue, components, telephony.variant)
        elif not _has(dialogue.application_context, operation):
            self._end_with(dialogue, refusals.reject(first, refusals.UNRECOGNIZED_OPERATION))
        elif operation is INITIAL_DP:
            self._open_call(dialogue, telephony, first, components[1:], now)
        else:
            self._open_assist(dialogue, telephony, first, components[1:], now)

    def _telephony_of(self, dialogue: Dialogue) -> Telephony | None:
        """Return the Telephony of a dialogue's variant; None: the dialogue is refused."""
        context = dialogue.application_context
        variant = self._default_variant if context is None else _served_variant(context)
        if variant is None:
            self.statistics.messages["application context refused"] += 1
            if context is None:
                dialogue.abort()
            else:
                dialogue.refuse(context, DIAGNOSTIC_CONTEXT_NOT_SUPPORTED)
            return None
        return self._site.telephonies[variant]

    def _refuse_begin(self, dialogue: Dialogue, components: list[Component], variant: str) -> None:
        """End a dialogue whose BEGIN is not served, with an error or reject if possible."""
        self.statistics.messages["begin refused"] += 1
        if not dialogue.pending_count:  # otherwise the component sublayer has queued a reject
            for answer in refusals.refusals(components, variant):
                dialogue.answer(answer)
        if dialogue.pending_count:
            dialogue.end()
        else:
            dialogue.abort()

    def _end_with(self, dialogue: Dialogue, *answers: refusals.Refusal) -> None:
        self.statistics.messages["begin refused"] += 1
        for answer in answers:
            dialogue.answer(answer)
        dialogue.end()

    # -- calls ------------------------------------------------------------------------------

    def _open_call(
        self,
        dialogue: Dialogue,
        telephony: Telephony,
        invoke: Invoke,
        further: list[Component],
        now: float,
    ) -> None:
        tree, is_malformed = refusals.read_argument(
            INITIAL_DP, invoke.parameter, telephony.variant
        )
        if is_malformed:
            self._end_with(dialogue, refusals.reject(invoke, refusals.MISTYPED_PARAMETER))
            return
        facts = self._facts(tree)
        self.statistics.calls += 1
        flow = self._choose(facts, self._triggers)
        if flow is None:
            self._tell_unserved(dialogue, facts, "released", self.settings.release_cause)
            telephony.release(dialogue, self.settings.release_cause, now)
            dialogue.end()
            return
        self.statistics.flow(flow.name).calls += 1
        model = model_of(tree.get("eventTypeBCSM"), telephony.variant)
        site = self._site if flow.srf is None else self._own_sites[flow.srf]
        telephony = site.telephonies[telephony.variant]
        line = Line(dialogue, telephony, model, site.settings, self._assists)
        call = Call(site.host, line, FlowRun(flow, facts), now)
        dialogue.user = self._served = call
        self._calls.add(call)
        call.start(further, now)

    def _choose(
        self, facts: CallFacts, table: TriggerTable[Flow], *, is_ussd: bool = False
    ) -> Flow | None:
        chosen = table.choose(facts)
        own = self._flows[0] if chosen is None and self._is_own_flow and self._flows else None
        if own is not None and not own.triggers and own.is_ussd == is_ussd:
            return own
        return chosen

    def _tell_unserved(self, dialogue: Dialogue, facts: CallFacts, answer: str, code: int) -> None:
        """Count and report a call that no flow serves, with the flows that exist."""
        self.statistics.endings[Ending.NO_TRIGGER.value] += 1
        called = facts.called_number or facts.ussd_string
        flows = "; ".join(map(_triggers_of, self._flows[:_MOST_NAMED])) or "none"
        self._log.warning(
            "no flow serves a call",
            service_key=facts.service_key,
            called=called,
            **{answer: code},
            flows=flows,
        )
        key = "" if facts.service_key is None else f"service key {facts.service_key}, "
        with_what = "cause" if answer == "released" else "code"
        self._report(
            dialogue,
            f"no flow of the embedded SCP serves the call ({key}called {quoted(called)}):"
            f" {answer} with {with_what} {code}; flows: {flows}",
        )

    def _report(self, dialogue: Dialogue, text: str) -> None:
        """Report why a BEGIN is not served, for the result of the run that sent it."""
        if self.on_unserved is not None:
            self.on_unserved(dialogue.remote_tid or b"", text)

    def _facts(self, tree: Tree) -> CallFacts:
        called = next((tree[key] for key in _CALLED_NUMBERS if tree.get(key)), "")
        if not tree.get(_CALLED_NUMBERS[0]):
            called = called.translate(_BCD_KEYS)
        calling = tree.get(CALLING_NUMBER, "").upper()
        facts = Facts(tree["serviceKey"], called.upper(), calling, self._draw, self._look_at_wall)
        facts.tell(self._note_read)
        return facts

    def _note_read(self) -> None:
        self._usual.caller_reads += 1

    def _draw(self) -> float:
        self._usual.draws += 1
        return self._random()

    def _look_at_wall(self) -> float:
        self._usual.draws += 1
        return self._wall()

    def _begin_ussd(self, indication: Indication, now: float) -> None:
        dialogue = indication.dialogue
        opening = ussd.opening_of(indication.components)
        if not isinstance(opening, ussd.Opening):
            self.statistics.messages["begin refused"] += 1
            if opening is not None:
                dialogue.answer(opening)
            if dialogue.pending_count:
                dialogue.end()
            else:
                dialogue.abort()
            return
        facts = CallFacts(
            None,
            "",
            opening.msisdn,
            self._draw,
            self._look_at_wall,
            ussd_string=opening.ussd_string,
        )
        self.statistics.calls += 1
        flow = self._choose(facts, self._ussd_triggers, is_ussd=True)
        if flow is None:
            self._tell_unserved(dialogue, facts, "error", ussd.NOT_SERVED)
            dialogue.answer(ReturnError(opening.invoke_id, ussd.NOT_SERVED))
            dialogue.end()
            return
        self.statistics.flow(flow.name).calls += 1
        session = UssdSession(self._session_host, indication, opening, FlowRun(flow, facts))
        dialogue.user = self._served = session
        self._calls.add(session)
        session.start(now)

    # -- the fast path ----------------------------------------------------------------------

    def _usual_begun(self, call: UsualCall) -> None:
        self._calls.add(call)
        self.statistics.calls += 1
        self.statistics.flow(call.flow).calls += 1

    def _usual_over(self, call: UsualCall, end: End) -> None:
        self._calls.discard(call)
        self.statistics.end_call(call.flow, end.ending, end.path)
        if self.on_path is not None:
            self.on_path(call.ssp_tid, call.flow, list(end.path))

    def _wake_all(self) -> None:
        for call in [one for one in self._calls if isinstance(one, UsualCall)]:
            call.wake()

    def _wake(self, usual: UsualCall) -> None:
        """Replace a call on the fast path by its ordinary call: see scp/usual.py."""
        dialogue = usual.dialogue
        usual.is_over = True
        usual.worth.woken += 1
        dialogue.user = dialogue.wake = None
        self._calls.discard(usual)
        seen = Seen(usual.place, usual.worth)
        with self.statistics.held_back(), self.endpoint.held_back():
            for octets, then in usual.taken:
                message = decode(octets)
                if message.type is MessageType.BEGIN:
                    local, remote = dialogue.local_address, dialogue.remote_address
                    indication = dialogue.receive_begin(message, local, remote)
                else:
                    taken = dialogue.receive(message, dialogue.remote_address)
                    assert taken is not None
                    indication = taken
                self._dispatch(indication, then)
                seen.note(dialogue.user, dialogue, then)
        dialogue.user.seen = seen

    def _hole(self, octets: bytes, dialogue: Dialogue) -> Hole | None:
        """Return the position of the caller's number in a BEGIN, None if that isn't certain."""
        context = dialogue.application_context
        variant = self._default_variant if context is None else _served_variant(context)
        return None if variant is None else hole_in(octets, variant)

    def _call_over(self, call: Call | UssdSession) -> None:
        self._calls.discard(call)
        run = call.run
        assert call.ending is not None
        self.statistics.end_call(run.flow.name, call.ending, run.path)
        if self.on_path is not None:
            self.on_path(call.ssp_tid, run.flow.name, run.path)

    # -- assist dialogues -------------------------------------------------------------------

    def _open_assist(
        self,
        dialogue: Dialogue,
        telephony: Telephony,
        invoke: Invoke,
        further: list[Component],
        now: float,
    ) -> None:
        variant = telephony.variant
        tree, is_malformed = refusals.read_argument(ARI, invoke.parameter, variant)
        if is_malformed:
            self._end_with(dialogue, refusals.reject(invoke, refusals.MISTYPED_PARAMETER))
            return
        if further:  # the resource has not been asked anything yet
            answers = refusals.refusals(further, variant)
            answers = answers or [refusals.error(invoke, "unexpectedComponentSequence")]
            self._end_with(dialogue, *answers)
            return
        call = self._assists.take(str(tree.get("correlationID_digits")))
        if call is None:
            self.statistics.messages["unknown correlation id"] += 1
            self._end_with(dialogue, refusals.error(invoke, "unexpectedDataValue"))
            return
        dialogue.user = call
        call.join(dialogue, telephony, now)


def _triggers_of(flow: Flow) -> str:
    """Return the name of a flow and its triggers."""
    kind = "USSD " if flow.is_ussd else ""
    reasons = [f"{one.kind.value} {one.value}" for one in flow.triggers[:_MOST_NAMED]]
    return f"{kind}{flow.name} ({', '.join(reasons) or 'no trigger'})"


def _served_variant(context: bytes) -> str | None:
    """Return the variant of an application context that serves calls or assists, else None."""
    known = BY_OCTETS.get(context)
    if known is None or known.variant not in INITIAL_DP.variants:
        return None
    names = (known.variant, *(known.variant + suffix for suffix in _ASSISTS))
    return known.variant if known.alias in names else None


def _has(context: bytes | None, operation: Operation) -> bool:
    """Return True if a dialogue of a served context may begin with an operation."""
    if context is None:
        return True
    known = BY_OCTETS[context]
    return (operation is INITIAL_DP) is (known.alias == known.variant)
