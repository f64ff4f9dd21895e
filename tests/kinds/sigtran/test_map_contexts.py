"""BEGINs in an application context that is not the operation's, and second BEGINs."""

import pytest
from kinds.sigtran.map_scp import ATI, IDLE, NUMBER, expect, register, registered, send
from kinds.sigtran.map_scp import start as start
from support.scripted_scp import reason

from tsvc.protocols import ber
from tsvc.protocols.contexts import BY_ALIAS, BY_OCTETS, CONTEXTS
from tsvc.protocols.map.operation import OPERATIONS
from tsvc.protocols.tcap.dialogue_portion import (
    DIAGNOSTIC_CONTEXT_NOT_SUPPORTED,
    RESULT_REJECT_PERMANENT,
    SOURCE_USER,
    Aare,
)

ASKED = [
    expect("AnyTimeInterrogation"),
    send("AnyTimeInterrogationResult", IDLE, send_and_close=True),
]
OTHERS = ["sri3", "sri2", "ussd2", "camel2", "0.4.0.0.1.0.29.9", "0.4.0.0.1.0.29.2", "1.2.3"]


def begin(scp, monkeypatch, context):
    """Begin a dialogue; its context is given by alias, or by object identifier."""
    if context in BY_ALIAS:
        scp.begin("AnyTimeInterrogation", ATI, context, version="map3")
        return
    octets = ber.encode_oid(context)
    monkeypatch.setitem(BY_ALIAS, context, type("Own", (), {"octets": octets}))
    scp.begin("AnyTimeInterrogation", ATI, context, version="map3")


@pytest.mark.parametrize("context", OTHERS)
@pytest.mark.parametrize("expected", [ASKED, []], ids=["expected", "registered only"])
def test_a_begin_in_another_context_is_refused(start, monkeypatch, context, expected):
    daemon, scp = start()
    wait = [] if expected else [{"type": "halt", "arguments": {"seconds": 60}}]
    run = daemon.execute(register(), *expected, *wait, hlr_ac="ati3")
    daemon.until(lambda: registered(daemon))
    begin(scp, monkeypatch, context)
    if not expected:
        daemon.resume(run)
    outcome = daemon.finish(run)
    assert outcome["verdict"] == "abort"
    text = f"AnyTimeInterrogation has no application context {context}"
    assert "application-context-name-not-supported" in reason(outcome)
    assert text in reason(outcome)
    assert scp.kinds == ["U-ABORT"]
    assert scp.pdus == [
        Aare(
            BY_ALIAS["ati3"].octets,
            RESULT_REJECT_PERMANENT,
            SOURCE_USER,
            DIAGNOSTIC_CONTEXT_NOT_SUPPORTED,
        )
    ]


def test_a_begin_without_a_context_is_of_version_1(start):
    daemon, scp = start()
    run = daemon.execute(register(), *ASKED)
    daemon.until(lambda: registered(daemon))
    scp.begin("AnyTimeInterrogation", ATI, None)
    outcome = daemon.finish(run)
    assert "refused: AnyTimeInterrogation does not exist in map1" in reason(outcome)
    assert scp.kinds == ["U-ABORT"]


def test_a_context_may_be_allowed(start):
    daemon, scp = start()
    run = daemon.execute({**register(), "tcap_ac": "sri3"}, *ASKED)
    daemon.until(lambda: registered(daemon))
    scp.begin("AnyTimeInterrogation", ATI, "sri3")
    assert daemon.finish(run)["verdict"] == "pass"


def test_a_context_that_is_none_is_refused_before_the_run(daemon):
    fields = daemon().refused({**register(), "tcap_ac": "nothing"})
    assert "tcap_ac" in str(fields)


@pytest.mark.parametrize("operation", list(OPERATIONS), ids=lambda one: one.name)
def test_each_operation_takes_its_own_contexts_only(operation):
    own = {*operation.contexts.values(), *operation.other_contexts}
    taken = {one.alias for one in CONTEXTS if not operation.context_problem(one.octets)}
    assert taken == own
    for alias in own:
        octets = BY_ALIAS[alias].octets
        for version in range(10):
            other = octets[:-1] + bytes((version,))
            is_own = other in BY_OCTETS and BY_OCTETS[other].alias in own
            assert bool(operation.context_problem(other)) is not is_own
    assert bool(operation.context_problem(None)) is ("map1" not in operation.variants)


# -- a second BEGIN -------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [{}, {"msisdn_digits": ""}], ids=["a number", "anyone"])
def test_a_second_begin_aborts(start, given):
    daemon, scp = start()
    halt = {"type": "halt", "arguments": {"seconds": 60}}
    run = daemon.execute(register(**given), *ASKED, halt)
    daemon.until(lambda: registered(daemon))
    scp.begin("AnyTimeInterrogation", ATI)
    daemon.until(lambda: scp.kinds == ["END"])
    scp.begin("AnyTimeInterrogation", ATI)
    assert scp.kinds == ["END", "U-ABORT"]
    daemon.resume(run)
    outcome = daemon.finish(run)
    assert outcome["verdict"] == "abort"
    whom = "any subscriber" if given else f"msisdn {NUMBER}"
    text = f"second TC-BEGIN of operation 71 for {whom}, refused"
    assert reason(outcome) == f"unexpected {text} at the end of the instance"


def test_a_second_begin_while_the_first_is_answered(start):
    daemon, scp = start()
    run = daemon.execute(register(), *ASKED)
    daemon.until(lambda: registered(daemon))
    scp.begin("AnyTimeInterrogation", ATI)
    scp.begin("AnyTimeInterrogation", ATI)
    outcome = daemon.finish(run)
    assert outcome["verdict"] == "abort"
    assert "second TC-BEGIN of operation 71" in reason(outcome)


def test_who_registers_again_takes_the_second(start):
    daemon, scp = start()
    run = daemon.execute(register(), *ASKED, register(), *ASKED)
    for _ in range(2):
        daemon.until(lambda: registered(daemon))
        scp.begin("AnyTimeInterrogation", ATI)
    assert daemon.finish(run)["verdict"] == "pass"
