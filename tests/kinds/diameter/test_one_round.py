"""Names and values of AVPs that the gateway's dictionary lacks are all reported at once."""

from typing import Any

import pytest
from kinds.diameter.testbed import VARS, World, ccr
from support.each import each

from tsvc.kinds.diameter.avps import avp_problems
from tsvc.protocols.diameter.dictionary import standard

OWN = {
    "name": "My-Colour",
    "code": 4711,
    "vendor_id": 9999,
    "type": "Enumerated",
    "values": {"RED": 0, "GREEN": 1},
}
ENUMERATIONS = sorted(name for name, one in standard().by_name.items() if one.names)


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path, {"avps": [OWN]}, {})
    yield made
    made.stop()


def answered(*avps: Any, **more: Any) -> dict[str, Any]:
    return ccr(1, arguments={"answer": {"avps": [*avps], **more}})


def test_all_in_one_round(world):
    found = world.problems(
        ccr(
            1,
            {"name": "My-Color", "value": 1},
            {"name": "My-Colour", "value": "BLUE"},
            {"name": "Granted-Service-Unit", "value": [{"name": "CC-Tim", "value": 1}]},
            {"name": "Requested-Service-Unit", "value": [{"name": "CC-Time", "value": "soon"}]},
        ),
        answered(
            {"name": "CC-Request-Type", "value": "INITIAL"},
            {
                "name": "Multiple-Services-Credit-Control",
                "value": [
                    {"name": "Final-Unit-Indication", "value": [{"name": "Final-Action"}]},
                    {"name": "!Tariff-Change-Usage", "value_name": "UNIT_BEFORE"},
                ],
            },
            {"name": "CC-Request-Typ"},
            result_code="DIAMETER_LIMITED_SUCESS",
        ),
        {
            "type": "diameter.from_server.Request",
            "arguments": {
                "avps": [{"name": "Re-Auth-Request-Type", "value": "AUTHORISE_ONLY"}],
                "answer": {"avps": [{"name": "Nothing", "value": 1}]},
            },
        },
    )
    place = "params.operations[{}].arguments.{}".format
    texts = {path: text for path, (severity, text) in found.items() if severity == "error"}
    assert set(texts) == {
        place(0, "avps[5].name"),
        place(0, "avps[6].value"),
        place(0, "avps[7].value[0].name"),
        place(0, "avps[8].value[0].value"),
        place(1, "answer.avps[0].value"),
        place(1, "answer.avps[1].value[0].value[0].name"),
        place(1, "answer.avps[1].value[1].value"),
        place(1, "answer.avps[2].name"),
        place(1, "answer.result_code"),
        place(2, "avps[0].value"),
        place(2, "answer.avps[0].name"),
    }
    assert 'did you mean "My-Colour"?' in texts[place(0, "avps[5].name")]
    assert "'BLUE' is none of" in texts[place(0, "avps[6].value")]
    assert "DIAMETER_LIMITED_SUCCESS" in texts[place(1, "answer.result_code")]


def test_what_the_gateways_configuration_adds_is_no_warning_even_if_strict(world):
    given = [{"name": "My-Colour", "value": "GREEN"}]
    result = world.run(ccr(1, *given), vars=VARS, strict=1)
    assert result["verdict"] == "pass"


def test_what_only_an_instance_knows_is_left_to_it(world):
    found = world.problems(
        ccr(1, {"name": "{$v->{name}}", "value": 1}, {"name": "My-Colour", "value": "{$v->{x}}"}),
        answered({"name": "CC-Request-Type", "value": "{ 'INITIAL' . '_REQUEST' }"}),
    )
    assert "error" not in [severity for severity, _ in found.values()], found


@pytest.mark.parametrize("are_expected", [False, True])
@each("name", ENUMERATIONS)
def test_every_enumeration_takes_its_own_names_alone(name, are_expected):
    dictionary = standard()

    def problems(value: Any) -> list[Any]:
        given = [{"name": name, "value": value}]
        return avp_problems(given, dictionary, "avps", are_expected=are_expected)

    for number, own in dictionary.by_name[name].names.items():
        assert problems(own) == problems(number) == problems(str(number)) == []
        (found,) = problems(f"{own}X")
        assert found.path == "avps[0].value"
    assert [one.path for one in problems("nothing of the kind")] == ["avps[0].value"]


@pytest.mark.parametrize("are_expected", [False, True])
def test_every_name_but_those_of_the_dictionary(are_expected):
    dictionary = standard()
    names = list(dictionary.by_name)
    assert not avp_problems(
        [{"name": name} for name in names], dictionary, "a", are_expected=are_expected
    )
    wrong = [{"name": f"{name}-x"} for name in names]
    found = avp_problems(wrong, dictionary, "a", are_expected=are_expected)
    assert [one.path for one in found] == [f"a[{n}].name" for n in range(len(names))]
