"""Diameter operations through the whole service, against the fake OCS."""

import json

from kinds.diameter.credit import units
from kinds.diameter.testbed import NUMBER, OCS, VARS, ccr, checks, reason
from support import undefined
from support.waiting import until

from tsvc.record.accept import accept


def test_a_whole_session(world):
    here = world()
    ask = units("Requested-Service-Unit", 100)
    result = here.run(
        ccr(
            1,
            ask,
            arguments={
                "answer": {
                    "result_code": 2001,
                    "avps": [
                        {"name": "CC-Request-Type", "value": "INITIAL_REQUEST"},
                        {
                            "name": "Granted-Service-Unit",
                            "value": [{"name": "CC-Time", "value": 100}],
                        },
                        {"name": "Final-Unit-Indication", "value": None},
                        {"name": "!Origin-Realm", "value": "elsewhere"},
                    ],
                }
            },
            tests=[
                {"kpath": "response.avps.[name=Origin-Host].value", "value": OCS},
                {
                    "kpath": "response.avps.[name=Result-Code].value",
                    "type": "integer",
                    "value": 2001,
                },
                {
                    "kpath": "response.avp.Granted-Service-Unit.CC-Time",
                    "type": "integer",
                    "value": 100,
                },
            ],
        ),
        ccr("2", units("Used-Service-Unit", 60), ask),
        ccr("TERMINATION_REQUEST", units("Used-Service-Unit", 40)),
        {
            "type": "eval",
            "expression": "$v->{said} = $i->{DIAMETER}{response}{avp}{'Result-Code'}",
        },
        vars=VARS,
    )
    assert result["verdict"] == "pass", (reason(result), checks(result))
    assert result["first_call_summary"]["vars"]["said"] == 2001
    assert here.ocs.ledger.balance(NUMBER) == 150
    first, second, third = here.ocs.requests
    sessions = {request["avp"]["Session-Id"] for request in here.ocs.requests}
    assert len(sessions) == 1
    assert sessions.pop().startswith("tester.example.net;")
    names = [avp["name"] for avp in first["avps"]]
    assert names[:6] == [
        "Session-Id",
        "Origin-Host",
        "Origin-Realm",
        "Destination-Realm",
        "Destination-Host",
        "Auth-Application-Id",
    ]
    assert first["avp"]["Destination-Host"] == OCS
    assert first["avp"]["Destination-Realm"] == "tsvc.invalid"
    assert third["avp"]["Auth-Application-Id"] == 4
    assert second["avp"]["Subscription-Id"]["Subscription-Id-Data"] == NUMBER


def test_a_new_session_for_each_initial_request(world):
    here = world()
    here.run(ccr(1), ccr(3), ccr(1), ccr(4), vars=VARS)
    sessions = [request["avp"]["Session-Id"] for request in here.ocs.requests]
    assert sessions[0] == sessions[1]
    assert len(set(sessions)) == 3


def test_a_refusal_is_data(world):
    here = world(default_balance=None)
    refused = ccr(1, arguments={"answer": {"result_code": 5030}})
    result = here.run(refused, vars={"msisdn": "99"})
    assert result["verdict"] == "pass", reason(result)
    result = here.run(ccr(1, arguments={"answer": {"result_code": 2001}}), vars={"msisdn": "99"})
    assert result["verdict"] == "fail"
    assert checks(result) == ["result_code differs"]


def test_services_are_matched_by_what_they_say(world):
    here = world(unrated=[7])
    name = "Multiple-Services-Credit-Control"

    def service(*avps):
        return {"name": name, "value": [{"name": key, "value": value} for key, value in avps]}

    def asked(rating_group):
        return {
            "name": name,
            "value": [
                {"name": "Rating-Group", "value": rating_group},
                {"name": "Requested-Service-Unit", "value": [{"name": "CC-Time", "value": 50}]},
            ],
        }

    result = here.run(
        ccr(
            1,
            asked(1),
            asked(7),
            arguments={
                "answer": {
                    "avps": [
                        service(("Rating-Group", 7), ("Result-Code", "DIAMETER_RATING_FAILED")),
                        service(("Rating-Group", 1), ("Result-Code", 2001)),
                        service(("Rating-Group", 2)),
                    ]
                }
            },
        ),
        vars=VARS,
    )
    assert result["verdict"] == "fail"
    assert checks(result) == [f"{name}[2].Rating-Group is absent"]


def test_an_answer_that_does_not_come(world):
    here = world({"request_timeout_s": 0.2}, drop_every=1)
    result = here.run(ccr(1), vars=VARS)
    assert result["verdict"] == "abort"
    assert "within 0.2 s" in reason(result)
    assert here.gateway.status().counters["pending"] == 0


def test_a_connection_lost_in_the_middle_of_an_answer(world):
    here = world(close_every=1)
    result = here.run(ccr(1), vars=VARS)
    assert result["verdict"] == "abort"
    assert "closed by peer" in reason(result)
    until(lambda: here.gateway.status().state.value == "up")


def test_destination_host_that_is_not_forced(world):
    here = world({"force_destination_host": False})
    given = {"name": "Destination-Host", "value": "other.example.net"}
    here.run(ccr(1), ccr(2), ccr(2, given), ccr(3), vars=VARS)
    hosts = [request["avp"].get("Destination-Host") for request in here.ocs.requests]
    assert hosts == [None, OCS, "other.example.net", OCS]


def test_destination_host_that_is_forced(world):
    here = world()
    given = {"name": "Destination-Host", "value": "other.example.net"}
    here.run(ccr(1, given), vars=VARS)
    assert [request["avp"].get("Destination-Host") for request in here.ocs.requests] == [OCS]
    names = [avp["name"] for avp in here.ocs.requests[0]["avps"]]
    assert names.count("Destination-Host") == 1


def test_null_keeps_what_is_usual_away(world):
    here = world()
    result = here.run(
        ccr(
            1,
            {"name": "Origin-Realm", "value": None},
            {"name": "Auth-Application-Id", "value": None},
            {"name": "Origin-Host", "value": "me.example.org"},
        ),
        vars=VARS,
    )
    assert result["verdict"] == "pass", reason(result)
    avp = here.ocs.requests[0]["avp"]
    assert "Origin-Realm" not in avp
    assert "Auth-Application-Id" not in avp
    assert avp["Origin-Host"] == "me.example.org"


def test_avps_made_by_expressions(world):
    here = world()
    operations = [
        {"type": "eval", "expression": "$v->{avps} = [{name => 'User-Name', value => 'u'}]; 1"},
        {
            "type": "diameter.Request",
            "arguments": {"name": "CCR", "avps": "{$v->{avps}}"},
        },
        {
            "type": "diameter.Request",
            "arguments": {
                "name": "{'Credit-Control' . '-Request'}",
                "avps": [{"name": "{'User-' . 'Name'}", "value_hex": "c3a9"}],
            },
        },
    ]
    result = here.run(*operations)
    assert result["verdict"] == "pass", reason(result)
    assert [request["avp"]["User-Name"] for request in here.ocs.requests] == ["u", "é"]


def test_a_value_that_does_not_fit_aborts(world):
    here = world()
    result = here.run(ccr(1, {"name": "Rating-Group", "value": "{'x'}"}), vars=VARS)
    assert result["verdict"] == "abort"
    assert "Rating-Group" in reason(result)
    assert "'x' is no integer" in reason(result)


def test_what_is_wrong_with_a_definition(world):
    here = world()
    found = here.problems(
        ccr(1, {"name": "Ratin-Group", "value": 1}, arguments={"nmae": 1}),
        {"type": "diameter.Request", "arguments": {"name": "Credit-Contol-Request"}},
        {"type": "diameter.Request", "arguments": {}},
        {
            "type": "diameter.from_server.Request",
            "arguments": {
                "code": "XXR",
                "seconds": 121,
                "avps": {},
                "answer": {"result_code": "no"},
            },
        },
    )
    place = "operations[{}].arguments"
    texts = {path.removeprefix("params."): text for path, text in found.items()}
    severity, text = texts[f"{place.format(0)}.avps[5].name"]
    assert severity == "error"
    assert "Rating-Group" in text
    assert texts[f"{place.format(0)}.nmae"][0] == "error"
    assert "Credit-Control-Request" in texts[f"{place.format(1)}.name"][1]
    assert f"{place.format(2)}.name" in texts
    for member in ("code", "seconds", "avps", "answer.result_code"):
        assert texts[f"{place.format(3)}.{member}"][0] == "error"


def test_messages_stand_in_the_detail(world):
    here = world()
    result = here.run(ccr(1, units("Requested-Service-Unit", 5)), vars=VARS, trace_level=2)
    assert result["verdict"] == "pass"
    found = here.ask("GetTrace", run_id="r", format="ladder")["result"]["content"]
    assert "CCR-Initial" in found
    assert "CCA-Initial" in found
    found = json.dumps(result["first_call_summary"]["messages"])
    assert "Granted CC-Time 5" in found


def test_an_avp_of_the_configuration(world):
    avp = {"name": "My-Own", "code": 4711, "vendor_id": 9999, "type": "Unsigned32"}
    here = world({"avps": [avp]})
    given = {"name": "My-Own", "value": 7}
    assert here.run(ccr(1, given), vars=VARS)["verdict"] == "pass"
    got = here.ocs.requests[0]["avps"][-1]
    assert got == {
        "name": "AVP 4711",
        "code": 4711,
        "vendor_id": 9999,
        "mandatory": False,
        "value_hex": "00000007",
    }


def test_what_came_is_accepted(world):
    """`tsvc run --accept` accepts an AVP by name, an AVP within an AVP, and the result code."""
    here = world()
    granted = {"name": "Granted-Service-Unit", "value": [{"name": "CC-Time", "value": 99}]}
    kind = {"name": "CC-Request-Type", "value": "UPDATE_REQUEST"}
    answer = {"result_code": 2001, "avps": [kind, granted, {"name": "CC-Request-Number"}]}
    asked = ccr(1, units("Requested-Service-Unit", 100), arguments={"answer": answer})
    result = here.run(asked)
    assert result["verdict"] == "fail"
    found = accept([asked], result["first_call_summary"]["check_log"])
    assert found.left == []
    for edit in found.edits:
        target = asked
        for step in edit.steps[2:-1]:
            target = target[step]
        target[edit.steps[-1]] = edit.now
    assert (kind["value"], granted["value"][0]["value"]) == ("INITIAL_REQUEST", 100)
    assert here.run(asked)["verdict"] == "pass"


def test_an_undefined_value_in_an_avp(world):
    here = world()
    data = [{"name": "CC-Time", "value": undefined.SOURCE}]
    asked = ccr(1, {"name": "Requested-Service-Unit", "value": data})
    place = f"avps[{len(asked['arguments']['avps']) - 1}].value[0].value"
    undefined.aborts_if_strict(here.run, place, asked)
    assert not here.ocs.requests
