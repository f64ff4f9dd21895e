"""On any messages of a peer nothing is raised, and after the guard timers nothing is left."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.examples import examples

from tsvc.protocols.inap.operation import OPERATIONS, by_code
from tsvc.protocols.tcap.components import (
    Invoke,
    ProblemType,
    Reject,
    ReturnError,
    ReturnResult,
    encode,
)
from tsvc.protocols.tcap.messages import MessageType, decode
from tsvc.protocols.tcap.messages import encode as encode_message

LONG_AFTER = 100_000.0
FUZZ = settings(
    max_examples=examples(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
SRF = [{}, {"use_etc": True, "routing_address": "64900", "correlation_id_timeout_s": 60}]
EVENTS = [4, 5, 6, 7, 9, 10, 13, 14, 15, 17, 18, 99]

invoke_ids = st.integers(0, 12)
parameters = st.one_of(
    st.none(),
    st.binary(max_size=12),
    st.sampled_from(EVENTS).map(lambda event: bytes((0x30, 3, 0x80, 1, event))),
    st.sampled_from(["0500", "b200", "3000", "a004800100", "8003000001", "80020001"]).map(
        bytes.fromhex
    ),
)
components = st.one_of(
    st.builds(
        Invoke,
        st.integers(-128, 127),
        st.one_of(st.sampled_from([0, 16, 24, 36, 44, 49, 55]), st.integers(-5, 130)),
        parameters,
        st.one_of(st.none(), invoke_ids),
    ),
    st.builds(ReturnResult, invoke_ids, st.sampled_from([48, 55]), parameters, st.booleans()),
    st.builds(ReturnResult, invoke_ids),
    st.builds(ReturnError, invoke_ids, st.integers(0, 20), parameters),
    st.builds(
        Reject,
        st.one_of(st.none(), invoke_ids),
        st.sampled_from(list(ProblemType)),
        st.integers(0, 4),
    ),
).map(encode)
steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("message"),
            st.sampled_from([MessageType.CONTINUE, MessageType.CONTINUE, MessageType.END]),
            st.lists(components, max_size=3),
        ),
        st.tuples(st.just("octets"), st.binary(max_size=20), st.none()),
        st.tuples(st.just("wait"), st.floats(0, 70), st.none()),
        st.tuples(st.just("answer"), st.sampled_from(["100", "1", "200", "bc"]), st.none()),
        st.tuples(st.just("abort"), st.none(), st.none()),
    ),
    max_size=12,
)


class Peer:
    """An SSP and a resource in one, which send any answers, without the rules of TCAP."""

    def __init__(self, bench):
        self.bench = bench
        self.ours = {}  # transaction ids of the service control point, by our ids
        self.prompt = None

    def receive(self):
        for out in self.bench.scp.data_to_send():
            message = decode(out.octets)
            if message.otid is not None and message.dtid is not None:
                self.ours[message.dtid] = message.otid
                for component in message.components:
                    if isinstance(component, Invoke) and component.code == 48:
                        self.prompt = message.dtid, component.invoke_id
                    if isinstance(component, Invoke) and component.code == 17:
                        self.assist(component)

    def assist(self, invoke):
        """Open the requested assist dialogue."""
        etc = OPERATIONS.get("EstablishTemporaryConnection")
        digits = etc.decode_argument(invoke.parameter, self.bench.variant, [])
        ari = OPERATIONS.get("AssistRequestInstructions")
        parameter = ari.encode_argument(
            {"correlationID_digits": digits["correlationID_digits"]}, self.bench.variant
        )
        self.put(MessageType.BEGIN, [encode(Invoke(0, 16, parameter))], otid=b"\0\0\0\x02")

    def put(self, type_, components=None, otid=None, dtid=None):
        octets = encode_message(type_, otid=otid, dtid=dtid, components=components)
        self.bench.scp.receive(octets, "scp", "ssp", self.bench.now)

    def step(self, kind, one, other):
        bench = self.bench
        if kind == "octets":
            bench.scp.receive(one, "scp", "ssp", bench.now)
        elif kind == "wait":
            bench.now += one
            bench.scp.handle_timer(bench.now)
        elif kind == "answer":
            if self.prompt is not None:
                otid, invoke_id = self.prompt
                parameter = by_code("cs1", 48).encode_result({"digitsResponse_digits": one}, "cs1")
                answer = encode(ReturnResult(invoke_id, 48, parameter))
                self.put(MessageType.CONTINUE, [answer], otid=otid, dtid=self.ours[otid])
        else:
            for ours, theirs in list(self.ours.items())[-1:]:
                type_ = MessageType.ABORT if kind == "abort" else one
                otid = ours if type_ is MessageType.CONTINUE else None
                self.put(type_, other, otid=otid, dtid=theirs)
        self.receive()


@pytest.mark.parametrize("srf", SRF, ids=["own resource", "external resource"])
@FUZZ
@given(script=steps, extra=components, variant=st.sampled_from(["cs1", "camel3", "camel1"]))
def test_any_components_at_any_moment(bench_of, wire, srf, script, extra, variant):
    flow = wire.extension_flow(no_match="reprompt", max_iterations=9)
    bench = bench_of(flow, variant, srf=srf, default_ac=variant)
    peer = Peer(bench)
    parameter = OPERATIONS.get("InitialDP").encode_argument({"serviceKey": 45}, variant)
    begin = [encode(Invoke(0, 0, parameter)), *([extra] if len(script) % 4 == 0 else [])]
    peer.put(MessageType.BEGIN, begin, otid=b"\0\0\0\x01")
    peer.receive()
    for step in script:
        peer.step(*step)
    run_out(bench)


def run_out(bench):
    """Advance the time until no timer runs; the peer does not answer."""
    for _ in range(10_000):
        due = bench.scp.next_timer()
        if due is None:
            break
        bench.now = max(due, bench.now)
        bench.scp.handle_timer(bench.now)
    assert bench.now < LONG_AFTER
    bench.scp.data_to_send()
    bench.check_nothing_left()


@FUZZ
@given(octets=st.binary(max_size=60))
def test_any_octets(bench_of, wire, octets):
    bench = bench_of(wire.extension_flow())
    bench.scp.receive(octets, "scp", "ssp", bench.now)
    bench.scp.receive(b"\x62" + bytes((len(octets),)) + octets, "scp", "ssp", bench.now)
    run_out(bench)


@pytest.mark.sampled(1)
def test_bits_flipped_at_any_moment(bench_of, wire, variant):
    """Every message of a call is replaced by the same message with one bit flipped."""
    generator = random.Random(20_261_121)
    model = bench_of(wire.extension_flow(), variant)
    model.initial_dp()
    model.digits("1")
    model.digits("100")
    model.report("oAnswer")
    messages = model.to_scp
    for at, octets in enumerate(messages):
        for _ in range(300):
            bench = wire.Bench(wire.extension_flow(), variant)
            damaged = bytearray(octets)
            damaged[generator.randrange(len(octets))] ^= 1 << generator.randrange(8)
            for one in (*messages[:at], bytes(damaged), *messages[at + 1 :]):
                bench.scp.receive(one, "scp", "ssp", bench.now)
            bench.scp.data_to_send()
            run_out(bench)
