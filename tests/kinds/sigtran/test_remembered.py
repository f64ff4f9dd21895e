"""Runs as they are, and the same runs with all memories (caches) off: results must be equal.

Values remembered for speed (outcomes of comparisons, encoded arguments, portions of messages,
numbers, addresses, messages of an SCP) may change how long a run takes, and nothing else.
"""

import os
import random

import pytest
from kinds.sigtran.remembered_cases import SAID, definition_of, many, said
from kinds.sigtran.remembered_testbed import Bench
from support.scripted_scp import INITIAL_DP, answer, evaluate, expect, operation, send, sends

from tsvc import memo
from tsvc.protocols.inap.operation import OPERATIONS
from tsvc.protocols.map.operation import OPERATIONS as MAP_OPERATIONS
from tsvc.protocols.sccp import address
from tsvc.protocols.sccp.address import Address, Network
from tsvc.protocols.tcap.components import ReturnError, ReturnResult


@pytest.fixture
def bench(daemon, monkeypatch, tmp_path):
    (tmp_path / "numbers.csv").write_text("digits\n4329100\n4329101\n4329102\n")
    return Bench(daemon(data_dir=tmp_path), monkeypatch)


def states(result):
    return [one["state"] for one in result["instances"]]


# -- what can be said exactly ---------------------------------------------------------------------


def connect(digits, **more):
    return operation("Connect", {"destinationRoutingAddress_digits": digits, **more})


def scripts_of(*queues):
    return [[sends("end", queue)] for queue in queues]


RIGHT = {"destinationRoutingAddress_digits": "4329100"}


@pytest.mark.parametrize(
    ("digits", "expected"),
    [
        (["4329100", "4329100", "4329101"], ["passed", "passed", "failed"]),
        (["4329101", "4329101", "4329100"], ["failed", "failed", "passed"]),
    ],
)
def test_the_same_message_twice_then_a_changed_one(bench, digits, expected):
    scripts = scripts_of(*map(connect, digits))
    steps = [INITIAL_DP, expect("Connect", arguments=RIGHT)]
    (result,) = bench.compare(scripts, (steps, {"distribution": many(6)}))
    assert states(result) == expected * 2
    got = [one["check_log"][-1]["got"] for one in result["instances"]]
    assert got == digits * 2


@pytest.mark.parametrize(
    "number",
    [
        {"$sequence": {"start": 4329100, "step": 1, "width": 7}},
        {"$csv": {"file": "numbers.csv", "column": "digits"}},
    ],
)
def test_what_is_expected_differs_from_instance_to_instance(bench, number):
    given = {"destinationRoutingAddress_digits": "{ $v->{number} }"}
    steps = [INITIAL_DP, expect("Connect", arguments=given)]
    params = {"distribution": many(3), "vars": {"number": number}}
    (result,) = bench.compare(scripts_of(connect("4329101")), (steps, params))
    assert states(result) == ["failed", "passed", "failed"]
    assert [one["check_log"][-1]["expected"] for one in result["instances"]] == [
        "4329100",
        "4329101",
        "4329102",
    ]


def test_the_same_octets_in_two_steps_that_expect_different_things(bench):
    again = [sends("end", connect("4329100"), connect("4329100"))]
    wrong = {"destinationRoutingAddress_digits": "4329101"}
    steps = [INITIAL_DP, expect("Connect", arguments=RIGHT), expect("Connect", arguments=wrong)]
    (result,) = bench.compare([again], (steps, {"distribution": many(3)}))
    for one in result["instances"]:
        assert [check["level"] for check in one["check_log"]] == ["pass", "pass", "pass", "fail"]
        assert [check["op"] for check in one["check_log"]] == [1, 1, 2, 2]


GRANTED = {"aChBillingChargingCharacteristics_hex": "80", "_unknown": None}


def granted():
    """Return the argument of an ApplyCharging with a member that CS-1 has and CAP has not."""
    given = {"aChBillingChargingCharacteristics_hex": "80", "sendCalculationToSCPIndication": 1}
    return OPERATIONS.get("ApplyCharging").encode_argument(given, "cs1")


def test_the_same_octets_mean_something_else_in_another_variant(bench):
    script = [sends("continue", operation("ApplyCharging", parameter=granted()))]
    steps = [INITIAL_DP, expect("ApplyCharging", arguments=GRANTED)]
    runs = [(steps, {"ssp_ac": name, "distribution": many(4)}) for name in ("cs1", "camel2")]
    old, new = bench.compare([script], *runs)
    assert set(states(old)) == {"passed"}
    assert set(states(new)) == {"failed"}


def test_one_step_in_dialogues_of_two_variants(bench):
    steps = [
        {"type": "branch", "expression": "$r->{idx} % 2", "on_true": "new"},
        {**INITIAL_DP, "tcap_ac": "cs1"},
        {"type": "branch", "expression": "1", "on_true": "go"},
        {**INITIAL_DP, "tcap_ac": "camel4", "label": "new"},
        expect("ApplyCharging", arguments=GRANTED, label="go"),
        send("SpecializedResourceReport"),
    ]
    script = [sends("continue", operation("ApplyCharging", parameter=granted()))]
    (result,) = bench.compare([script], (steps, {"distribution": many(6)}))
    assert states(result) == ["passed", "failed"] * 3
    sent = [one["messages"][2]["hex"] for one in result["instances"]]
    assert all(octets.endswith("0500") for octets in sent[::2])
    assert all(octets.endswith("9f3200") for octets in sent[1::2])


def test_two_runs_at_once_that_expect_different_things(bench):
    wrong = {"!destinationRoutingAddress_digits": "4329100"}
    runs = [
        ([INITIAL_DP, expect("Connect", arguments=given)], {"distribution": many(20, backlog=5)})
        for given in (RIGHT, wrong)
    ]
    first, second = bench.compare(scripts_of(connect("4329100")), *runs)
    assert set(states(first)) == {"passed"}
    assert set(states(second)) == {"failed"}


def test_a_tree_that_is_read_and_changed_is_the_instances_own(bench):
    change = "$v->{seen} = $i->{Connect}{destinationRoutingAddress_digits};"
    change += " $i->{Connect}{destinationRoutingAddress_digits} = 'changed';"
    change += " push @{$v->{list}}, $r->{idx}"
    steps = [INITIAL_DP, expect("Connect", arguments=RIGHT), evaluate(change)]
    params = {"distribution": many(3), "vars": {"list": []}}
    (result,) = bench.compare(scripts_of(connect("4329100")), (steps, params))
    assert [one["vars"] for one in result["instances"]] == [
        {"list": [idx], "seen": "4329100"} for idx in range(3)
    ]
    assert [one["check_log"][-1]["got"] for one in result["instances"]] == ["4329100"] * 3


@pytest.mark.parametrize("trace_level", [0, 3])
def test_a_loop_meets_the_same_message_again_and_again(bench, trace_level):
    again = {"type": "branch", "expression": "$v->{n}++ < 3", "on_true": "call"}
    steps = [{**INITIAL_DP, "label": "call"}, expect("Connect", arguments=RIGHT), again]
    scripts = scripts_of(connect("4329100"), connect("4329100"), connect("4329101"))
    params = {"trace_level": trace_level, "vars": {"n": 0}, "distribution": many(2)}
    (result,) = bench.compare(scripts, (steps, params))
    for one, levels in zip(result["instances"], ("pppppfpp", "pppfpppp"), strict=True):
        assert "".join(check["level"][0] for check in one["check_log"]) == levels
        assert [check["step"] for check in one["check_log"]] == [2, 2, 5, 5, 8, 8, 11, 11]


def test_more_different_messages_than_are_remembered(bench):
    scripts = scripts_of(*[connect(f"43291{number:02}") for number in range(90)])
    steps = [INITIAL_DP, expect("Connect", arguments=RIGHT)]
    (result,) = bench.compare(scripts, (steps, {"distribution": many(180)}))
    assert states(result) == (["passed"] + ["failed"] * 89) * 2
    got = [one["check_log"][-1]["got"] for one in result["instances"]]
    assert got == [f"43291{number:02}" for number in range(90)] * 2


def test_turbo_checks_the_first_instance_only_whatever_is_remembered(bench):
    steps = [INITIAL_DP, expect("Connect", arguments=RIGHT)]
    params = {"distribution": many(3), "turbo": True}
    (result,) = bench.compare(scripts_of(connect("4329101")), (steps, params))
    assert states(result) == ["failed", "passed", "passed"]


@pytest.mark.parametrize("network", list(Network))
def test_addresses_that_come_and_go(network):
    """Addresses are remembered by identity, and Python uses identities again."""

    def addresses():
        for number in range(3 * address._RECENT.most):
            yield Address(ri=number & 1, ssn=number % 251, pc=number % 16381)

    with memo.off():
        expected = [address.encode_address(made, network) for made in addresses()]
    for made, octets in zip(addresses(), expected, strict=True):
        for _ in range(2):
            assert address.encode_address(made, network) == octets
    assert 0 < len(address._RECENT) <= address._RECENT.most


# -- MAP ------------------------------------------------------------------------------------------

_PUSSR = MAP_OPERATIONS.get("ProcessUnstructuredSSRequest")


def ussd(text):
    octets = _PUSSR.encode_result({"ussdString_text": text}, "map2")
    return answer(lambda invoke: ReturnResult(invoke.invoke_id, _PUSSR.code, octets))


def test_map_results(bench):
    refused = answer(lambda invoke: ReturnError(invoke.invoke_id, 34))
    scripts = scripts_of(ussd("yes"), ussd("yes"), ussd("no"), refused)
    steps = [
        {
            "type": "map.hlr_to_scp.ProcessUnstructuredSSRequest",
            "arguments": {"ussdString_text": "*100#", "msisdn_digits": "{ $v->{number} }"},
        },
        {
            "type": "map.hlr_from_scp.ProcessUnstructuredSSRequestResult",
            "arguments": {"ussdString_text": "yes", "!ussdDataCodingScheme_group": 3},
            "tests": [{"kpath": "ussdString_text", "type": "len", "value": 3}],
        },
    ]
    numbers = {"number": {"$sequence": {"start": 21000, "width": 5}}}
    params = {"hlr_ac": "ussd2", "vars": numbers, "distribution": many(8)}
    (result,) = bench.compare(scripts, (steps, params))
    assert states(result) == ["passed", "passed", "failed", "aborted"] * 2


# -- the embedded SCP -----------------------------------------------------------------------------

FLOW = {
    "name": "tested",
    "announcements": {"S": {"main": 101, "again": 102}},
    "operations": {
        "1": {"id": 1, "type": "Start", "exits": [2]},
        "2": {
            "id": 2,
            "type": "ExtensionDialing",
            "config": {
                "main_announcement": {"set": "S", "entry": "main"},
                "reprompt_announcement": {"set": "S", "entry": "again", "repetition": 2},
                "prefix": "4329",
                "min_digits": 3,
                "max_digits": 4,
                "timeout_seconds": 20,
                "destination_patterns": ["43291?%"],
            },
            "exits": [3, 4, 5],
        },
        **{
            str(number): {
                "id": number,
                "type": "ReleaseCall",
                "config": {"cause": 98 + number},
                "exits": [],
            }
            for number in (3, 4, 5)
        },
    },
}


@pytest.mark.parametrize("context", ["cs1", "camel2", "camel4"])
def test_calls_through_a_flow(bench, context):
    entered = {"digitsResponse_digits": "{ $v->{extension} }"}
    report = {"eventTypeBCSM_name": "{ $v->{event} }", "legID": {"receivingSideID_hex": "02"}}
    dialled = {"destinationRoutingAddress_digits": "4329100"}
    steps = [
        INITIAL_DP,
        expect("RequestReportBCSMEvent", arguments={"oAbandon": 1}),
        expect("ConnectToResource"),
        expect("PromptAndCollectUserInformation"),
        send("PromptAndCollectUserInformationResult", entered),
        expect("DisconnectForwardConnection"),
        expect("RequestReportBCSMEvent", optional=1, arguments={"oNoAnswer_timer": 20}),
        expect("Connect", optional=1, arguments=dialled),
        expect("ReleaseCall", optional=1, arguments={"initialCallSegment_cause": 103}, seconds=0),
        {"type": "branch", "expression": "$v->{extension} ge '2'", "on_true": "over"},
        send("EventReportBCSM", report),
        expect("ReleaseCall", optional=1, arguments={"initialCallSegment_cause": 101}, seconds=0),
        {"type": "log", "arguments": {"text": "over"}, "label": "over"},
    ]
    choices = {
        "extension": {"$choice": ["100", "100", "1001", "200"]},
        "event": {"$choice": ["oAnswer", "oCalledPartyBusy", "oNoAnswer", "oAnswer"]},
    }
    params = {"ssp_ac": context, "flow": FLOW, "vars": choices, "seed": 5}
    (result,) = bench.compare([[]], (steps, {**params, "distribution": many(24)}))
    assert {"passed", "failed"} <= set(states(result))


# -- anything -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(int(os.environ.get("TSVC_SCRIPTS", "20"))))
def test_anything(bench, seed):
    """Each script differs a little from the script before; one or two definitions meet them."""
    draw = random.Random(seed)
    names = [draw.choice(list(SAID)) for _ in range(draw.randint(1, 3))]
    queues = [said(draw, name) for name in names]
    scripts = []
    for _ in range(draw.randint(1, 6)):
        if scripts and draw.random() < 0.6:
            at = draw.randrange(len(names))
            name = names[at] if draw.random() < 0.8 else draw.choice(list(SAID))
            queues = [*queues[:at], said(draw, name), *queues[at + 1 :]]
        scripts.append([sends(draw.choice(["end", "end", "continue"]), *queues)])
    keys = range(draw.choice([1, 2]))
    definitions = [definition_of(draw, names, key) for key in keys]
    bench.compare(scripts, *definitions)
