"""InitialDPs of other vendors: published octets are answered, never dropped silently."""

import json
import os
from pathlib import Path

import pytest
from support.daemons import EXAMPLES

from tsvc.config.scp_tables import Scp
from tsvc.flow.document import compile_flow
from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap import dialogue_portion as portion
from tsvc.protocols.tcap.components import Invoke, encode
from tsvc.protocols.tcap.messages import MessageType, decode
from tsvc.protocols.tcap.messages import encode as encode_message
from tsvc.scp.service import ScpService

FOLDER = os.environ.get("TSVC_VECTORS", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="TSVC_VECTORS is not set")

SSP = Address(ri=1, ssn=146, pc=1)
SCP = Address(ri=1, ssn=146, pc=2)
INITIAL_DP = 0


def vectors(name):
    if not FOLDER:
        return []
    return json.loads((Path(FOLDER) / f"{name}.json").read_text())["vectors"]


def arguments():
    """Yield (id, variants to try, argument octets) of every published InitialDP argument."""
    for name, variants in (
        ("inap_cs1_args", ("cs1",)),
        ("inap_corsac", ("cs1",)),
        ("cap_map_args_jss7", ("camel1", "camel2", "camel3", "camel4")),
    ):
        for vector in vectors(name):
            if vector.get("opcode") == INITIAL_DP and vector.get("component") == "invoke":
                for variant in variants:
                    yield pytest.param(vector["hex"], variant, id=f"{vector['id']}-{variant}")


def dialogues():
    """Yield whole BEGINs with an InitialDP, as captured."""
    for vector in vectors("cap_map_dialogues"):
        message = decode(bytes.fromhex(vector["hex"]))
        first = message.components[0] if message.components else None
        is_cap = vector["layer"] == "TCAP+CAP"
        if is_cap and message.type is MessageType.BEGIN and isinstance(first, Invoke):
            yield pytest.param(vector["hex"], id=vector["id"])


@pytest.fixture
def scp():
    """An SCP whose flow serves every call."""
    settings = Scp()
    document = json.loads((EXAMPLES / "flows" / "extension_dialing.json").read_text())
    flow, _ = compile_flow({**document, "triggers": [{"default": True}]}, settings)
    service = ScpService([flow], settings, first_tid=1, random=lambda: 0.5, wall=lambda: 1.7e9)
    yield service
    service.abort_all(1.0)
    service.data_to_send()
    assert service.calls_in_progress == 0
    assert service.endpoint.dialogues == {}


def answer_to(scp, octets):
    scp.receive(octets, SCP, SSP, 0.0)
    answers = scp.data_to_send()
    assert len(answers) == 1, "exactly one message comes back"
    return decode(answers[0].octets)


@pytest.mark.parametrize(("argument", "variant"), list(arguments()))
def test_published_arguments_are_answered(scp, argument, variant):
    context = BY_ALIAS[variant].octets
    octets = encode_message(
        MessageType.BEGIN,
        otid=bytes.fromhex("00000abc"),
        dialogue=portion.encode(portion.Aarq(context)),
        components=[encode(Invoke(1, INITIAL_DP, bytes.fromhex(argument)))],
    )
    answer = answer_to(scp, octets)
    assert answer.dtid == bytes.fromhex("00000abc")
    assert answer.components, "instructions, or a refusal that says what is wrong"


@pytest.mark.parametrize("octets", list(dialogues()))
def test_captured_dialogues_are_answered(scp, octets):
    begin = decode(bytes.fromhex(octets))
    answer = answer_to(scp, bytes.fromhex(octets))
    assert answer.dtid == begin.otid
    operations = [part.code for part in answer.components if isinstance(part, Invoke)]
    assert operations, "the call gets instructions"
