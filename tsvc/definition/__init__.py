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
with its place; values are judged by the service. The names are the first words of the types that
this installation declares, those of kinds from outside too; the stub beside this file says to
editors and mypy what there is, and is made from the declarations by `make docs`. Nothing here
talks to a service, and nothing that a daemon runs imports it. Start with `build`.
"""

from typing import Any

from tsvc.definition import build


def __getattr__(name: str) -> Any:
    types = build.Namespace()
    if name == "__all__":
        return sorted({*build.__all__, *dir(types)})
    return getattr(build if name in build.__all__ else types, name)
