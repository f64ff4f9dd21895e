"""An SSP that breaks the rules: it is answered at once, and none of its calls waits for timers.

An SSP that passes against this service control point must pass in the field. So each operation,
result and error that the SCP accepts comes in damaged forms, when the valid one is due. Octets
are damaged in single bits. Random values of the declared types are damaged in their structure: a
part is missing, comes twice, is empty, longer, of another type. The declaration decides whether a
damaged value is malformed. The oracle is the same for all: there is an answer, or no call.
"""

from random import Random

import pytest
from unit.protocols.asn1.values import Form, random_values

from tsvc.errors import RemoteProtocolError
from tsvc.protocols import ber
from tsvc.protocols.asn1.base import malformations
from tsvc.protocols.inap.errors import ERROR_CODES
from tsvc.protocols.inap.operation import OPERATIONS
from tsvc.protocols.tcap.components import Invoke, ReturnError, ReturnResult, encode
from tsvc.protocols.tcap.messages import MessageType
from tsvc.protocols.tcap.messages import encode as encode_message

FLIPS = 40  # of each message in each variant
DAMAGES, VALUES = 6, 10  # of each value, of each operation
PROMPT = "PromptAndCollectUserInformation"
BUSY = {"oCalledPartyBusySpecificInfo": {"busyCause_cause": 17}}


# -- calls up to the moment when a message is due -------------------------------------------------


def prompted(bench):
    bench.initial_dp()


def ringing(bench):
    bench.initial_dp()
    bench.digits("100")


def talking(bench):
    bench.initial_dp()
    bench.report("oAnswer")


def silent(bench):
    bench.initial_dp()
    bench.advance(61)
    assert "ActivityTest" in bench.invoke_ids


def invoke(bench, name, arguments, linked=None):
    operation = OPERATIONS.get(name)
    parameter = operation.encode_argument(arguments, bench.variant)
    return Invoke(77, operation.code, parameter, bench.invoke_ids.get(linked))


def report(bench, event, **information):
    arguments = {"eventTypeBCSM_name": event, **information}
    return invoke(bench, "EventReportBCSM", arguments)


def spoken(bench):
    said = {"allAnnouncementsComplete": 1} if bench.variant == "camel4" else {"null": 1}
    return invoke(bench, "SpecializedResourceReport", said, "PlayAnnouncement")


def collected(bench):
    operation = OPERATIONS.get(PROMPT)
    parameter = operation.encode_result({"digitsResponse_digits": "100"}, bench.variant)
    return ReturnResult(bench.invoke_ids[PROMPT], operation.code, parameter)


def failed(name, error, parameter=None):
    return lambda bench: ReturnError(bench.invoke_ids[name], ERROR_CODES[error], parameter)


def time_used(bench):
    active = "legActive" if bench.variant == "camel4" else "callActive"
    result = {
        "partyToCharge": {"receivingSideID_hex": "01"},
        "timeInformation": {"timeIfNoTariffSwitch": 600},
        active: 1,
    }
    spoken = "camel2" if bench.variant == "cs1" else bench.variant
    operation = OPERATIONS.get("ApplyChargingReport")
    parameter = operation.encode_argument({"timeDurationChargingResult": result}, spoken)
    return Invoke(77, operation.code, parameter)


# name -> (flow, function that leads to the moment, function for the message that is due)
MOMENTS = {
    "digits": ("extension", prompted, collected),
    "no digits": ("extension", prompted, failed(PROMPT, "improperCallerResponse")),
    "prompt fails": ("extension", prompted, failed(PROMPT, "systemFailure", b"\x0a\1\1")),
    "no resource": (
        "extension",
        prompted,
        failed("ConnectToResource", "taskRefused", b"\x0a\1\0"),
    ),
    "caller gone": ("extension", prompted, lambda bench: report(bench, "oAbandon")),
    "answer": ("extension", ringing, lambda bench: report(bench, "oAnswer")),
    "busy": (
        "extension",
        ringing,
        lambda bench: report(bench, "oCalledPartyBusy", eventSpecificInformationBCSM=BUSY),
    ),
    "spoken": ("play", prompted, spoken),
    "we live": ("extension", silent, lambda bench: ReturnResult(bench.invoke_ids["ActivityTest"])),
    "time used": ("charging", talking, time_used),
    "charging refused": (
        "charging",
        talking,
        failed("ApplyCharging", "taskRefused", b"\x0a\1\0"),
    ),
    "are you there": ("extension", prompted, lambda bench: invoke(bench, "ActivityTest", {})),
}


def bench_for(bench_of, wire, flow, variant):
    grants = {"grant_seconds": 60, "budget_seconds": 600}
    charging = {"type": "ApplyCharging", "config": grants, "exits": [None] * 4}
    flows = {
        "extension": wire.extension_flow(),
        "play": wire.play_flow(),
        "charging": wire.document(charging),
    }
    return bench_of(flows[flow], variant)


def put(bench, component, type_=MessageType.CONTINUE, name="ssp"):
    """Send octets as the components of a message of the call; return the answers."""
    dialogue = bench.dialogue if name == "ssp" else bench.assist
    otid = dialogue.otid if type_ is MessageType.CONTINUE else None
    octets = encode_message(type_, otid=otid, dtid=dialogue.remote_tid, components=[component])
    bench.scp.receive(octets, "scp", name, bench.now)
    return bench.exchange()


def leave(bench):
    """End all open dialogues, so that the next call begins with an empty table."""
    for peer in bench.peers.values():
        for dialogue in list(peer.dialogues.values()):
            dialogue.abort()
    bench.exchange()
    assert bench.scp.calls_in_progress == 0
    assert bench.scp.endpoint.dialogues == {}


def flipped(random, octets):
    damaged = bytearray(octets)
    damaged[random.randrange(len(damaged))] ^= 1 << random.randrange(8)
    return bytes(damaged)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("type_", [MessageType.CONTINUE, MessageType.END])
def test_a_bit_is_wrong(bench_of, wire, variant, moment, type_):
    flow, lead, due = MOMENTS[moment]
    bench = bench_for(bench_of, wire, flow, variant)
    random = Random(f"{moment} {variant} {type_}")
    for _ in range(FLIPS):
        lead(bench)
        octets = flipped(random, encode(due(bench)))
        said = put(bench, octets, type_)
        if type_ is MessageType.CONTINUE:
            assert said or not bench.scp.calls_in_progress, octets.hex()
        else:
            assert not bench.scp.calls_in_progress, octets.hex()
        leave(bench)


@pytest.mark.parametrize("type_", [MessageType.CONTINUE, MessageType.END])
def test_a_bit_is_wrong_on_the_assist_dialogue(bench_of, wire, variant, type_):
    bench = bench_of(wire.extension_flow(), variant, srf={"use_etc": True})
    random = Random(f"assist {variant} {type_}")
    for _ in range(FLIPS):
        (first,) = bench.initial_dp()
        bench.assist_request(first.components[1][1]["correlationID_digits"])
        octets = flipped(random, encode(collected(bench)))
        assert put(bench, octets, type_, "srf"), octets.hex()
        leave(bench)


# -- the structure of declared types --------------------------------------------------------------


def damaged(random, octets):
    """Return a TLV that is wrong at a random place: a part, a length, a tag."""
    tag, start, stop, _ = ber.read(octets, 0, len(octets))
    contents = octets[start:stop]
    parts = []
    if ber.is_constructed(tag):
        try:
            parts = [
                ber.tlv(ber.tag_octets(one), contents[at:end])
                for one, at, end in ber.walk(contents, 0, len(contents))
            ]
        except RemoteProtocolError:
            parts = []
    if parts and random.random() < 0.7:
        place = random.randrange(len(parts))
        ways = (
            [],
            [parts[place]] * 2,
            [damaged(random, parts[place])],
            [damaged(random, parts[place])],
        )
        parts[place : place + 1] = random.choice(ways)
        return ber.tlv(ber.tag_octets(tag), b"".join(parts))
    ways = (
        b"\x02\x01\x05",
        octets[:-1],
        octets + b"\0",
        ber.tlv(ber.tag_octets(tag), b""),
        ber.tlv(ber.tag_octets(tag), contents + b"\x01\x02\x03\x04\x05\x06"),
        ber.tlv(bytes((octets[0] ^ 0x20,)) + ber.tag_octets(tag)[1:], contents),
    )
    return random.choice(ways)


def arguments_of(random, name, variant, component="invoke"):
    """Yield b"" (no argument), and octets of random values of an operation, valid and damaged."""
    operation = OPERATIONS.get(name)
    form = Form(operation, variant, component)
    values = [value.octets for value in random_values(form, VALUES)]
    yield b""
    for octets in values:
        yield octets
        for _ in range(DAMAGES):
            yield damaged(random, octets)


def is_malformed(name, variant, octets, component="invoke"):
    operation, notes = OPERATIONS.get(name), []
    decode = operation.decode_result if component == "result" else operation.decode_argument
    decode(octets or None, variant, notes)
    return bool(malformations(notes))


def refused(said):
    """Return True if the answer is an END with a reject or an error, or an abort."""
    (message,) = said
    if message.primitive in ("U-ABORT", "P-ABORT"):
        return True
    kinds = {component[0] for component in message.components}
    return message.primitive == "END" and bool(kinds) and kinds <= {"reject", "error"}


@pytest.mark.parametrize("name", ["InitialDP", "AssistRequestInstructions"])
def test_beginnings(bench_of, wire, variant, name):
    bench = bench_of(wire.extension_flow(), variant)
    random = Random(f"{name} {variant}")
    context = variant if name == "InitialDP" else variant + "-assist"
    met = set()
    for octets in arguments_of(random, name, variant):
        bench.dialogue = bench.peers["ssp"].new_dialogue(bench.now)
        code = OPERATIONS.get(name).code
        bench.dialogue.invoke(code, 2, octets or None, now=bench.now)
        said = bench.begin(bench.dialogue, "ssp", context)
        assert len(said) == 1, octets.hex()
        malformed = is_malformed(name, variant, octets)
        met.add(malformed)
        if malformed or name != "InitialDP":  # no call awaits a resource
            assert refused(said), octets.hex()
        leave(bench)
    assert met == {True, False}


@pytest.mark.parametrize("moment", ["digits", "answer", "spoken"])
def test_arguments_and_results(bench_of, wire, variant, moment):
    flow, lead, due = MOMENTS[moment]
    bench = bench_for(bench_of, wire, flow, variant)
    random = Random(f"{moment} {variant}")
    lead(bench)
    usual = due(bench)
    leave(bench)
    component = "result" if isinstance(usual, ReturnResult) else "invoke"
    name = next(
        one.name for one in OPERATIONS if (one.code, variant in one.variants) == (usual.code, True)
    )
    met = set()
    for octets in arguments_of(random, name, variant, component):
        lead(bench)
        due_now = due(bench)
        due_now.parameter = octets or None
        said = put(bench, encode(due_now))
        malformed = is_malformed(name, variant, octets, component)
        met.add(malformed)
        assert said or not bench.scp.calls_in_progress, octets.hex()
        if malformed:
            assert refused(said), octets.hex()
        leave(bench)
    assert met == {True, False}


def test_every_operation_of_a_peer(bench_of, wire, variant):
    """No unexpected operation is accepted silently, whether it is well formed or not."""
    bench = bench_of(wire.extension_flow(), variant)
    random = Random(f"every {variant}")
    names = [
        one.name
        for one in OPERATIONS
        if variant in one.variants and one.sent_by & {"ssp", "srf"} and one.argument_in(variant)
    ]
    assert len(names) > 4
    for name in names:
        operation = OPERATIONS.get(name)
        for value in random_values(Form(operation, variant, "invoke"), VALUES):
            for octets in (value.octets, damaged(random, value.octets)):
                bench.initial_dp()
                said = put(bench, encode(Invoke(77, operation.code, octets)))
                assert said, (name, octets.hex())
                is_known = name in ("EventReportBCSM", "EntityReleased")
                assert is_known or refused(said), (name, octets.hex())
                assert not bench.scp.calls_in_progress
                leave(bench)


def test_no_timer_runs_for_a_call_that_was_refused(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    put(bench, encode(Invoke(1, 24, b"\x02\1\5")))
    assert bench.scp.next_timer() is None
