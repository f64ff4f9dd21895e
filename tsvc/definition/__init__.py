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

The functions return dicts, as in JSON. A name that is not declared is refused at once, with its
path; the service checks the values. The package has the first words of all types that this
installation declares, also of kinds from outside. The stub beside this file, made from the
declarations by `make docs`, describes them for editors and mypy. Nothing here connects to a
service, and no code of the daemon imports it. Start with `build`.
"""

from typing import Any

from tsvc.definition import build


def __getattr__(name: str) -> Any:
    types = build.Namespace()
    if name == "__all__":
        return sorted({*build.__all__, *dir(types)})
    return getattr(build if name in build.__all__ else types, name)
