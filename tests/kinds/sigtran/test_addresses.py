"""Addresses of the configuration and of runs: what no message can carry is refused at once."""

import pytest
from marshmallow import ValidationError

from tsvc.clock import SYSTEM_CLOCK
from tsvc.gateways.gateway import GatewayContext
from tsvc.kinds.sigtran.gateway import SigtranGateway
from tsvc.protocols.sccp.address import GlobalTitle, Network, encode_address

SUA = {"connections": [{"name": "a", "type": "sua", "remote_port": 1}]}


def make(**members):
    config = SigtranGateway.Config.load(members)
    return SigtranGateway("SIG", config, GatewayContext(SYSTEM_CLOCK, random=lambda: 0.5))


@pytest.mark.parametrize(
    ("members", "place", "text"),
    [
        ({"opc": 16384}, "opc", "makes no address: pc: 16384 is not within 0 and 16383"),
        ({"ogt_digits": "12x", "ogt_noa": 4}, "opc", "makes no address: digits: '12x' are no"),
        ({"ogt_digits": "12"}, "opc", "makes no address: digits of a global title need"),
        ({"default_scp": {"dpc": 16384, "dssn": 6}}, "default_scp", "pc: 16384 is not within"),
        (
            {"default_scp": {"dgt_digits": "12"}},
            "default_scp",
            "makes no address: digits of a global title need",
        ),
        (
            {"network": "ansi", "ogt_digits": "1", "ogt_noa": 4},
            "opc",
            "no global title format of ANSI",
        ),
    ],
)
def test_a_configuration_that_no_message_can_carry(members, place, text):
    with pytest.raises(ValidationError) as refused:
        make(**members)
    ((key, (found,)),) = refused.value.messages.items()
    assert key == place
    assert text in found


@pytest.mark.parametrize(
    "members",
    [
        {"opc": 16383},
        {"opc": 16384, "network": "ansi"},
        {"opc": 16384, **SUA},
        {"ogt_digits": "12", "ogt_noa": 4, "default_scp": {"dpc": 2}},
    ],
)
def test_a_configuration_that_makes_addresses(members):
    assert make(**members).problems({"scp": {"dpc": 2, "dssn": 6}}) == []


@pytest.mark.parametrize(
    ("params", "path", "text"),
    [
        ({"scp": {"dgt_digits": "123"}}, "scp", "makes no address: digits of a global title need"),
        ({"scp": {"dgt_digits": "123", "dgt_np": 1}}, "scp", "makes no address: globalTitle"),
        ({"scp": {"dpc": 16384}}, "scp.dpc", "16384 is above 16383"),
        ({"ssp": {"opc": 16384}}, "ssp.opc", "16384 is above 16383"),
        ({"ssp": {"gt_digits": "12"}}, "ssp", "makes no address: digits of a global title need"),
        ({"hlr": {"gt_digits": "12"}}, "hlr", "makes no address: digits of a global title need"),
    ],
)
def test_a_run_that_no_message_can_carry(params, path, text):
    (problem,) = make().problems(params)
    assert problem.path == path
    assert text in problem.text


def test_who_is_called_must_be_said_where_there_is_no_loopback():
    gateway = make(**SUA)
    for params in ({}, {"scp": {"tcap_timeout": 5}}):
        (problem,) = gateway.problems(params)
        assert (problem.path, problem.text) == ("scp", "is needed: SIG has no default_scp")


def test_ansi_titles_have_the_formats_of_ansi():
    gateway = make(network="ansi", ogt_digits="12", ogt_tt=10, ogt_np=1)
    address = gateway.own_address({}, 146)
    assert encode_address(address, Network.ANSI).hex() == "8792010000" + "0a12" + "21"
    assert address.gt == GlobalTitle(1, "12", tt=10, np=1)
    assert gateway.own_address({"gt_np": None}, 146).gt.indicator == 2
    (problem,) = gateway.problems(
        {"scp": {"dpc": 2, "dgt_digits": "1", "dgt_tt": 1, "dgt_noa": 4}}
    )
    assert (problem.path, "ANSI" in problem.text) == ("scp", True)
