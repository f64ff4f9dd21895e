"""Definitions written in Python: a function for each type of operation, typed and checked.

    from tsvc.client import Client
    from tsvc.definition import definition, inap, tcap

    call = definition(
        [
            inap.ssp_to_scp.InitialDP({"serviceKey": 45, "eventTypeBCSM": 2}),
            inap.ssp_from_scp.Connect({"destinationRoutingAddress_digits": "4329100"}),
            tcap.ssp_from_scp.End(),
        ],
        ssp_ac="camel2",
    )
    result = Client().execute(call, wait=True)

What comes out are dicts, as JSON would have them. A name that nothing declares is refused at once,
with its place; values are judged by the service. The stub of `catalogue` says to editors and mypy
what there is; it is made from the declarations by `make docs`. Nothing here talks to a service,
and nothing that a daemon runs imports it. Start with `build`.
"""

from tsvc.definition.build import Definition, Entry, WrongMember, operation, unchecked
from tsvc.definition.catalogue import (
    abort,
    branch,
    db,
    definition,
    diameter,
    eval,
    fail,
    halt,
    inap,
    log,
    map,
    ocncc,
    pass_,
    rest,
    smpp,
    tcap,
    wait,
)

__all__ = [
    "Definition",
    "Entry",
    "WrongMember",
    "abort",
    "branch",
    "db",
    "definition",
    "diameter",
    "eval",
    "fail",
    "halt",
    "inap",
    "log",
    "map",
    "ocncc",
    "operation",
    "pass_",
    "rest",
    "smpp",
    "tcap",
    "unchecked",
    "wait",
]
