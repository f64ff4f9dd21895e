"""MAP operations through Service, with an SCP that speaks MAP: what it asks, what it is asked."""

import pytest
from unit.engine.in_process import ScriptedScp, checks, reason, sends, variables

from tsvc.operations._map_register import registrations_of
from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.map._base import OPERATIONS, variant_of
from tsvc.protocols.map.dialogue import encode_pdu
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap.components import Invoke, ReturnError, ReturnResult
from tsvc.protocols.tcap.dialogue import Kind

HLR = Address(1, 6)
GSMSCF = Address(1, 147)
NUMBER = "6421000001"
IDENTITY = {"subscriberIdentity": {"msisdn_digits": NUMBER}}
ATI = {
    **IDENTITY,
    "requestedInfo": {"locationInformation": 1, "subscriberState": 1},
    "gsmSCF-Address_digits": "6421000099",
}
IDLE = {"subscriberInfo": {"subscriberState": {"assumedIdle": 1}}}


class MapScp(ScriptedScp):
    """A scripted SCP that can begin MAP dialogues itself, with reactions of their own."""

    def attach(self, daemon):
        self.daemon = daemon
        self._own = {}
        return self

    def take(self, indication):
        reactions = self._own.get(indication.dialogue)
        if reactions is None:
            super().take(indication)
            return
        self.received.append((indication.kind, list(indication.components)))
        self.pdus.append(indication.pdu)
        if reactions:
            reactions.pop(0)(self, indication.dialogue, indication)

    def begin(
        self,
        name=None,
        arguments=None,
        context="ati3",
        opening=None,
        reactions=(),
        version=None,
    ):
        """Begin a dialogue; returns the SCP's half of it."""
        dialogue = self.endpoint.new_dialogue(0.0)
        self._own[dialogue] = list(reactions)
        dialogue.route = self.daemon.gateway.node.network
        octets = None if context is None else BY_ALIAS[context].octets
        if name is not None:
            self.invoke(dialogue, name, arguments, version or variant_of(octets) or "map3")
        information = b"" if opening is None else encode_pdu({"map_open": opening})
        dialogue.begin(HLR, GSMSCF, application_context=octets, user_information=information)
        self.flush()
        return dialogue

    def invoke(self, dialogue, name, arguments, variant):
        operation = OPERATIONS.get(name)
        parameter = operation.encode_argument(arguments, variant)
        dialogue.invoke(operation.code, 1, parameter, now=0.0, timer_s=60.0)

    def flush(self):
        node = self.daemon.service.scp.node
        for outgoing in self.data_to_send():
            outgoing.route.send(outgoing, node)


@pytest.fixture
def start(daemon):
    """Start a daemon whose SCP speaks MAP; returns (daemon, SCP)."""

    def make(*reactions, **settings):
        scp = MapScp(*reactions)
        made = daemon(scp=scp, **settings)
        return made, scp.attach(made)

    return make


def registered(daemon):
    return len(registrations_of(daemon.gateway)._waiting)


def register(code=71, **members):
    arguments = {"opcode": code, **(members or {"msisdn_digits": NUMBER})}
    return {"type": "map.hlr_from_scp.Register", "arguments": arguments}


def expect(name, arguments=None, **more):
    entry = {"type": f"map.hlr_from_scp.{name}", **more}
    return entry if arguments is None else {**entry, "arguments": arguments}


def send(name, arguments=None, **more):
    entry = {"type": f"map.hlr_to_scp.{name}", **more}
    return entry if arguments is None else {**entry, "arguments": arguments}


# -- what the SCP does --------------------------------------------------------------------------


def request(name, arguments):
    """Return what queues a MAP request of the SCP."""

    def queue(scp, dialogue, indication):
        version = variant_of(dialogue.application_context) or "map3"
        scp.invoke(dialogue, name, arguments, version)

    return queue


def result(name, arguments, at=0):
    """Return what queues a result for the n-th invoke that the dialogue brought."""

    def queue(scp, dialogue, indication):
        operation = OPERATIONS.get(name)
        version = variant_of(dialogue.application_context) or "map3"
        octets = operation.encode_result(arguments, version)
        dialogue.answer(ReturnResult(at, operation.code, octets))

    return queue


def error(code, parameter=None, at=0):
    return lambda scp, dialogue, indication: dialogue.answer(ReturnError(at, code, parameter))


def texts(scp):
    """The USSD texts that the SCP received, in order."""
    found = []
    for _, components in scp.received:
        for one in components:
            if getattr(one, "parameter", None):
                operation = OPERATIONS.get("ProcessUnstructuredSSRequest")
                if isinstance(one, Invoke):
                    tree = operation.decode_argument(one.parameter, "map2", [])
                else:
                    tree = operation.decode_result(one.parameter, "map2", [])
                found.append(tree["ussdString_text"])
    return found


# -- USSD ---------------------------------------------------------------------------------------

PUSSR = "ProcessUnstructuredSSRequest"
MENU = "1: balance\n2: top up"


def test_a_whole_ussd_session(start):
    daemon, scp = start(
        sends("continue", request("UnstructuredSSRequest", {"ussdString_text": MENU})),
        sends("continue", request("UnstructuredSSNotify", {"ussdString_text": "wait…"})),
        sends("end", result(PUSSR, {"ussdString_text": "€12.50"})),
    )
    opening = {"destination_reference_digits": "530010000000001", "destination_reference_npi": 6}
    outcome = daemon.run(
        send(
            PUSSR,
            {"ussdString_text": "*100#", "msisdn_digits": NUMBER, "tcap": {"map_open": opening}},
        ),
        expect(
            "UnstructuredSSRequest",
            {"ussdString_text": MENU, "ussdDataCodingScheme_group": 0},
            tcap_ac="ussd2",
            last_component=False,
        ),
        send("UnstructuredSSRequestResult", {"ussdString_text": "1"}),
        expect("UnstructuredSSNotify", {"ussd-String_text": "wait…"}),
        send("UnstructuredSSNotifyResult"),
        expect(f"{PUSSR}Result", {"ussdString_text": "€12.50"}, last_component=True),
        {"type": "eval", "expression": f"$v->{{said}} = $i->{{{PUSSR}Result}}{{ussdString_text}}"},
        hlr_ac="ussd2",
    )
    assert outcome["verdict"] == "pass", reason(outcome)
    assert variables(outcome)["said"] == "€12.50"
    assert texts(scp) == ["*100#", "1"]
    assert scp.pdus[0].user_information == encode_pdu({"map_open": opening})
    assert scp.kinds == ["BEGIN", "CONTINUE", "CONTINUE"]
    daemon.until(lambda: daemon.open_dialogues == (0, 0))


def test_a_text_that_differs_fails(start):
    daemon, _ = start(sends("end", result(PUSSR, {"ussdString_text": "no"})))
    outcome = daemon.run(
        send(PUSSR, {"ussdString_text": "*100#"}),
        expect(f"{PUSSR}Result", {"ussdString_text": "yes", "ussdDataCodingScheme_encoding": 0}),
        hlr_ac="ussd2",
    )
    assert outcome["verdict"] == "fail"
    (failed,) = checks(outcome, "fail")
    assert failed.startswith("ussdString_text")


def test_the_network_goes_on_in_the_session_of_the_mobile(start):
    """The SCP plays the mobile's side, the tester asks in the same dialogue."""
    daemon, scp = start()
    answer = sends("continue", result("UnstructuredSSRequest", {"ussdString_text": "4711"}))
    run = daemon.execute(
        register(59),
        expect(PUSSR, {"tcap": {"map_open": {"origination_reference_digits": "64"}}}),
        send("UnstructuredSSRequest", {"ussdString_text": "PIN?"}),
        expect("UnstructuredSSRequestResult", {"ussdString_text": "4711"}),
        send(f"{PUSSR}Result", {"ussdString_text": "ok"}, send_and_close=True),
        hlr_ac="ussd2",
    )
    daemon.until(lambda: registered(daemon))
    opening = {"destination_reference_digits": NUMBER, "origination_reference_digits": "64"}
    scp.begin(PUSSR, {"ussdString_text": "*1#"}, "ussd2", opening, [answer])
    outcome = daemon.finish(run)
    assert outcome["verdict"] == "pass", reason(outcome)
    assert scp.kinds == ["CONTINUE", "END"]


# -- what the SCP asks --------------------------------------------------------------------------


def test_an_any_time_interrogation(start):
    daemon, scp = start()
    run = daemon.execute(
        register(),
        expect("AnyTimeInterrogationRequest", IDENTITY, tcap_ac="ati3", last_component=False),
        {
            "type": "eval",
            "expression": "$v->{who} = $i->{AnyTimeInterrogationRequest}{subscriberIdentity}"
            "{msisdn_digits}",
        },
        send("AnyTimeInterrogationResult", IDLE, send_and_close=True),
    )
    daemon.until(lambda: registered(daemon))
    scp.begin("AnyTimeInterrogation", ATI)
    outcome = daemon.finish(run)
    assert outcome["verdict"] == "pass", reason(outcome)
    assert variables(outcome)["who"] == NUMBER
    ((kind, (answer,)),) = scp.received
    assert kind is Kind.END
    tree = OPERATIONS.get("AnyTimeInterrogation").decode_result(answer.parameter, "map3", [])
    assert tree == IDLE
    assert scp.pdus[0].application_context == BY_ALIAS["ati3"].octets
    assert registered(daemon) == 0
    daemon.until(lambda: daemon.open_dialogues == (0, 0))


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ({"imsi_digits": "530010000000001"}, {"imsi_digits": "530010000000001"}),
        ({"msisdn_digits": NUMBER, "imsi_digits": "53001"}, {"imsi_digits": "53001"}),
        ({"msisdn_digits": ""}, {"msisdn_digits": "1234"}),
    ],
)
def test_registered_by_imsi_or_anyone(start, given, asked):
    daemon, scp = start()
    run = daemon.execute(
        register("AnyTimeInterrogation", **given),
        expect("AnyTimeInterrogation"),
        send("AnyTimeInterrogationResult", IDLE, send_and_close=True),
    )
    daemon.until(lambda: registered(daemon))
    scp.begin("AnyTimeInterrogation", {**ATI, "subscriberIdentity": asked})
    assert daemon.finish(run)["verdict"] == "pass"
    assert registered(daemon) == 0


def test_who_is_named_comes_before_anyone(start):
    daemon, scp = start()
    run = daemon.execute(
        {**register(opcode := 71, msisdn_digits=""), "dialogue": "anyone"},
        {**register(opcode), "dialogue": "named"},
        expect("AnyTimeInterrogation", dialogue="named"),
        send("AnyTimeInterrogationResult", IDLE, dialogue="named", send_and_close=True),
        expect("AnyTimeInterrogation", dialogue="anyone"),
        send("AnyTimeInterrogationResult", IDLE, dialogue="anyone", send_and_close=True),
    )
    daemon.until(lambda: registered(daemon) == 2)
    scp.begin("AnyTimeInterrogation", ATI)
    scp.begin("AnyTimeInterrogation", ATI)
    assert daemon.finish(run)["verdict"] == "pass"


def test_a_request_finds_its_own_dialogue_though_another_is_newer(start):
    daemon, scp = start(sends("end", result(PUSSR, {"ussdString_text": "ok"})))
    run = daemon.execute(
        register(),
        send(PUSSR, {"ussdString_text": "*1#"}, tcap_ac="ussd2"),
        expect("AnyTimeInterrogation"),
        expect(f"{PUSSR}Result"),
        send("AnyTimeInterrogationResult", IDLE, send_and_close=True),
    )
    daemon.until(lambda: scp.received)
    scp.begin("AnyTimeInterrogation", ATI)
    outcome = daemon.finish(run)
    assert outcome["verdict"] == "pass", reason(outcome)


def test_an_error_with_its_parameter(start):
    daemon, scp = start()
    run = daemon.execute(
        register(),
        expect("AnyTimeInterrogation"),
        send(
            "AnyTimeInterrogationError",
            {"errorCode": "systemFailure", "parameter": {"networkResource": "hlr"}},
            send_and_close=True,
        ),
    )
    daemon.until(lambda: registered(daemon))
    scp.begin("AnyTimeInterrogation", ATI)
    assert daemon.finish(run)["verdict"] == "pass"
    ((_, (answer,)),) = scp.received
    assert (answer.code, answer.parameter.hex()) == (34, "30030a0101")


def test_a_begin_without_components_is_answered_at_once(start):
    """A short message too long for a BEGIN with a dialogue portion comes in a CONTINUE."""
    deliver = OPERATIONS.get("MT-ForwardSM").example
    daemon, scp = start()
    run = daemon.execute(
        register(44, imsi_digits="530010000000001"),
        expect("MT-ForwardSM", {"sm-RP-DA": {"imsi_digits": "530010000000001"}}),
        send("MT-ForwardSMResult", {}, send_and_close=True),
    )
    daemon.until(lambda: registered(daemon))
    opening = {"destination_reference_digits": "530010000000001"}
    message = sends("continue", request("MT-ForwardSM", deliver))
    scp.begin(context="mtsm3", opening=opening, reactions=[message])
    outcome = daemon.finish(run)
    assert outcome["verdict"] == "pass", reason(outcome)
    assert scp.kinds == ["CONTINUE", "END"]
    assert scp.pdus[0].user_information == encode_pdu({"map_accept": {}})


def test_a_load_in_which_each_instance_owns_its_number(start):
    """Each instance asks for routing information, which makes the SCP ask for its subscriber."""

    def ask_back(scp, dialogue, indication):
        operation = OPERATIONS.get("SendRoutingInfo")
        tree = operation.decode_argument(indication.components[0].parameter, "map3", [])
        identity = {"subscriberIdentity": {"msisdn_digits": tree["msisdn_digits"]}}
        scp.begin("AnyTimeInterrogation", {**ATI, **identity})

    reaction = sends("end", error(1))
    daemon, _ = start(lambda *given: (reaction(*given), ask_back(*given)))
    number = "{'64' . (21000000 + $r->{idx})}"
    routing = {
        "msisdn_digits": number,
        "interrogationType": "basicCall",
        "gmsc-OrGsmSCF-Address_digits": "6421000099",
    }
    outcome = daemon.run(
        register(msisdn_digits=number),
        send("SendRoutingInfo", routing, tcap_ac="sri3"),
        expect("SendRoutingInfoError", {"errorCode": 1}),
        expect("AnyTimeInterrogation", {"subscriberIdentity": {"msisdn_digits": number}}),
        send("AnyTimeInterrogationResult", IDLE, send_and_close=True),
        distribution={"type": "load", "total": 60, "backlog": 20},
    )
    assert outcome["counts"]["passed"] == 60, outcome["counts"]
    assert registered(daemon) == 0
    daemon.until(lambda: daemon.open_dialogues == (0, 0))


# -- what goes wrong ----------------------------------------------------------------------------


@pytest.mark.parametrize("context", ["ati3", None])
def test_a_begin_that_nobody_registered_is_aborted(start, context):
    daemon, scp = start()
    run = daemon.execute(
        register(msisdn_digits="6421000002"),
        expect("AnyTimeInterrogation"),
        send("AnyTimeInterrogationResult", IDLE, send_and_close=True),
    )
    daemon.until(lambda: registered(daemon))
    scp.begin("AnyTimeInterrogation", ATI, context)
    assert scp.kinds == ["U-ABORT"]
    assert registered(daemon) == 1
    identity = {"subscriberIdentity": {"msisdn_digits": "6421000002"}}
    scp.begin("AnyTimeInterrogation", {**ATI, **identity})
    assert daemon.finish(run)["verdict"] == "pass"


def test_registrations_end_with_the_instance(start):
    daemon, scp = start()
    assert daemon.run(register())["verdict"] == "pass"
    assert registered(daemon) == 0
    scp.begin("AnyTimeInterrogation", ATI)
    assert scp.kinds == ["U-ABORT"]
    assert daemon.run(register())["verdict"] == "pass"


def test_a_cancelled_run_leaves_no_registration(start):
    daemon, _ = start()
    run = daemon.execute(register(), expect("AnyTimeInterrogation", seconds=60))
    daemon.until(lambda: registered(daemon))
    daemon.call("CancelTest", run_id=run)
    daemon.until(lambda: registered(daemon) == 0)


def test_one_number_is_registered_once(start):
    daemon, _ = start()
    outcome = daemon.run(register(), register(59), register())
    assert outcome["verdict"] == "abort"
    assert reason(outcome) == f"Register: msisdn {NUMBER} is registered already for operation 71"
    assert registered(daemon) == 0
    outcome = daemon.run(register(msisdn_digits=""), register(msisdn_digits=""))
    assert "any subscriber is registered already" in reason(outcome)


def test_nothing_comes(start):
    daemon, _ = start()
    outcome = daemon.run(register(), expect("AnyTimeInterrogation", seconds=0.01))
    assert reason(outcome) == "expected AnyTimeInterrogation, nothing came within 0.01 s"
    outcome = daemon.run(register(), expect("AnyTimeInterrogation", seconds=0.01, optional=True))
    assert outcome["verdict"] == "pass"


def test_something_else_comes(start):
    daemon, scp = start(
        sends("continue", request("UnstructuredSSNotify", {"ussdString_text": "1"}))
    )
    outcome = daemon.run(
        send(PUSSR, {"ussdString_text": "*1#"}),
        expect(f"{PUSSR}Result"),
        hlr_ac="ussd2",
    )
    assert reason(outcome) == f"expected {PUSSR}Result, got UnstructuredSSNotify"
    assert scp.kinds == ["BEGIN", "U-ABORT"]


def test_an_error_comes_where_a_result_is_expected(start):
    daemon, _ = start(sends("end", error(72)))
    outcome = daemon.run(
        send("UnstructuredSSNotify", {"ussdString_text": "hi"}),
        expect("UnstructuredSSNotifyResult"),
        hlr_ac="ussd2",
    )
    assert reason(outcome) == (
        "expected UnstructuredSSNotifyResult, got UnstructuredSSNotifyError ussd-Busy"
    )


def test_an_expected_error(start):
    daemon, _ = start(sends("end", error(34, bytes.fromhex("30030a0101"))))
    wanted = {"errorCode": 34, "errorCode_name": "systemFailure"}
    outcome = daemon.run(
        send("AnyTimeInterrogation", ATI),
        expect(
            "AnyTimeInterrogationError", {**wanted, "parameter": {"networkResource_name": "hlr"}}
        ),
        hlr_ac="ati3",
    )
    assert outcome["verdict"] == "pass", reason(outcome)


def test_an_unanswered_request_is_aborted_at_the_end(start):
    daemon, scp = start()
    run = daemon.execute(register(), expect("AnyTimeInterrogation"))
    daemon.until(lambda: registered(daemon))
    scp.begin("AnyTimeInterrogation", ATI)
    assert daemon.finish(run)["verdict"] == "pass"
    daemon.until(lambda: scp.received)
    assert scp.kinds == ["U-ABORT"]


def test_a_request_that_no_operation_takes(start):
    daemon, scp = start()
    run = daemon.execute(register(), {"type": "halt", "arguments": {"seconds": 60}})
    daemon.until(lambda: registered(daemon))
    scp.begin("AnyTimeInterrogation", ATI)
    daemon.call("ResumeInstance", run_id=run, instance_id="0")
    outcome = daemon.finish(run)
    assert reason(outcome) == "unexpected AnyTimeInterrogation at the end of the instance"


def test_there_is_nothing_to_answer(start):
    daemon, _ = start()
    outcome = daemon.run(send("AnyTimeInterrogationResult", IDLE))
    assert reason(outcome) == "no dialogue as HLR has been opened"
    outcome = daemon.run(register(), send("AnyTimeInterrogationError", {"errorCode": 1}))
    assert reason(outcome) == "no dialogue as HLR has been opened"


def test_tcap_operations_work_on_registered_dialogues(start):
    daemon, scp = start()
    run = daemon.execute(
        register(),
        expect("AnyTimeInterrogation"),
        {"type": "tcap.hlr_to_scp.Abort", "arguments": {"u_source": 0}},
    )
    daemon.until(lambda: registered(daemon))
    scp.begin("AnyTimeInterrogation", ATI)
    assert daemon.finish(run)["verdict"] == "pass"
    assert scp.kinds == ["U-ABORT"]


def test_the_scp_aborts_what_it_began(start):
    daemon, scp = start()
    run = daemon.execute(
        register(59),
        expect(PUSSR),
        send("UnstructuredSSNotify", {"ussdString_text": "hi"}),
        {"type": "tcap.hlr_from_scp.Abort", "arguments": {"u_source": 0}},
    )
    daemon.until(lambda: registered(daemon))
    arguments = {"ussdString_text": "*1#", "msisdn_digits": NUMBER}
    scp.begin(PUSSR, arguments, "ussd2", reactions=[sends("abort")])
    outcome = daemon.finish(run)
    assert outcome["verdict"] == "pass", reason(outcome)


def test_octets_as_they_are(start):
    daemon, scp = start()
    daemon.run(send("UnstructuredSSNotify", raw_hex="0402dead"), hlr_ac="ussd2")
    (invoke,) = scp.components(0)
    assert invoke.parameter == bytes.fromhex("0402dead")


def test_held_components_go_together(start):
    daemon, scp = start(
        sends("continue", request("UnstructuredSSRequest", {"ussdString_text": "?"}))
    )
    outcome = daemon.run(
        send(PUSSR, {"ussdString_text": "*1#"}),
        expect("UnstructuredSSRequest"),
        send("UnstructuredSSRequestResult", {"ussdString_text": "1"}, send_with_next=True),
        send("UnstructuredSSNotify", {"ussdString_text": "2"}, invoke_id=7),
        hlr_ac="ussd2",
    )
    assert outcome["verdict"] == "pass", reason(outcome)
    first, second = scp.components(1)
    assert isinstance(first, ReturnResult)
    assert (second.code, second.invoke_id) == (61, 7)


# -- what is refused before a run ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "path", "text"),
    [
        (send("SendRoutingInfo", {}), "arguments.msisdn", "is mandatory"),
        (send("SendRoutingInfo", {"msidn_digits": "1"}), "arguments.msidn_digits", "unknown"),
        (send(PUSSR, {"ussdString_text": "ж" * 81}), "arguments.ussdString_text", "162 octets"),
        (
            send(PUSSR, {"ussdString_text": "1"}, send_and_close=True),
            "send_and_close",
            "can't end",
        ),
        (send(PUSSR, {"ussdString_text": "1"}, variant="camel3"), "variant", "'camel3'"),
        (
            send("MT-ForwardSM", OPERATIONS.get("MT-ForwardSM").example, variant="map2"),
            "variant",
            "does not exist in map2",
        ),
        (
            send("AnyTimeInterrogation", ATI, tcap_ac="ussd2"),
            "",
            "AnyTimeInterrogation does not exist in map2",
        ),
        (
            send(PUSSR, {"ussdString_text": "1", "tcap": {"map_open": {}}}),
            "arguments.tcap",
            "needs an application context",
        ),
        (
            send(PUSSR, {"ussdString_text": "1", "tcap": {"open": {}}}, tcap_ac="ussd2"),
            "arguments.tcap",
            "member map_open",
        ),
        (
            send(
                PUSSR,
                {"ussdString_text": "1", "tcap": {"map_open": {"to": 1}}},
                tcap_ac="ussd2",
            ),
            "arguments.tcap.map_open.to",
            "no such member",
        ),
        (
            send("AnyTimeInterrogationResult", {**IDLE, "tcap": {"map_open": {}}}),
            "arguments.tcap",
            "member map_accept",
        ),
        (
            send("AnyTimeInterrogationError", {"errorCode": 1, "tcap": {"map_accept": {"x": 1}}}),
            "arguments.tcap.map_accept.x",
            "no such member",
        ),
        (send("AnyTimeInterrogationError", {}), "arguments.errorCode", "is missing"),
        (send("AnyTimeInterrogationError", {"errorCode": "x"}), "arguments.errorCode", "no error"),
        (
            send("AnyTimeInterrogationError", {"errorCode": 34, "parameter": {"x": 1}}),
            "arguments.parameter.x",
            "no such member",
        ),
        (expect("AnyTimeInterrogation", {"requested": {}}), "arguments.requested", "unknown"),
        (expect("AnyTimeInterrogationError", {"code": 1}), "arguments.code", "unknown"),
        (register(code=72), "arguments.opcode", "72 is none of 4 ProvideRoamingNumber"),
        (register(code="nonsense"), "arguments.opcode", "'nonsense' is none of"),
        (register(msisdn_digits="12x"), "arguments.msisdn_digits", "no digit"),
        (register(msisdn="1"), "arguments.msisdn", "unknown member"),
        (
            {"type": "map.hlr_from_scp.Register", "arguments": {}},
            "arguments.opcode",
            "is missing",
        ),
    ],
)
def test_refused(daemon, entry, path, text):
    fields = daemon().refused(entry)
    place = f"operations[0].{path}".rstrip(".")
    fields = {key.removeprefix("params."): found for key, found in fields.items()}
    assert place in fields, fields
    assert any(text in one for one in fields[place]), fields


def test_spellings_of_types_and_members(start):
    daemon, _ = start(sends("end", result("UnstructuredSSRequest", {"ussdString_text": "1"})))
    outcome = daemon.run(
        {
            "type": "map.scp_from_hlr.UnstructuredSSRequestRequest",
            "arguments": {"ussd-String_text": "?"},
        },
        {"type": "map.scp_to_hlr.UnstructuredSSRequestResult", "arguments": {"ussdString": "1"}},
        hlr_ac="ussd2",
    )
    assert outcome["verdict"] == "pass", reason(outcome)


def test_members_of_an_older_version_are_taken(start):
    daemon, scp = start(sends("end", error(1)))
    argument = {
        "msisdn_digits": NUMBER,
        "sm-RP-PRI": 1,
        "serviceCentreAddress_digits": "6421",
        "teleservice_hex": "21",
    }
    outcome = daemon.run(
        send("SendRoutingInfoForSM", argument),
        expect("SendRoutingInfoForSMError"),
        hlr_ac="srism2",
    )
    assert outcome["verdict"] == "pass", reason(outcome)
    assert scp.components(0)[0].parameter.endswith(bytes.fromhex("850121"))


def test_catalogue(daemon):
    found = daemon().call("DescribeService")
    assert found
    from tsvc.operations._base import OPERATION_TYPES

    for name in OPERATION_TYPES.names():
        if name.startswith("map."):
            described = OPERATION_TYPES.get(name).describe()
            assert described["summary"]
            assert described["example"]["type"] == name
    names = [name for name in OPERATION_TYPES.names() if name.startswith("map.")]
    assert len(names) == 1 + len(OPERATIONS.names()) * 6
