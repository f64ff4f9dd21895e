"""`map.*` types, derived from the declared operations, and Register.

The tester plays `hlr`, which stands for whoever speaks MAP with an SCP. Every operation can go
either way: as a request (`_to_scp.X`, `_from_scp.X`), with its result and errors the other way.
"""

from tsvc.operations._base import declare
from tsvc.operations._inap_send import Form
from tsvc.operations._map_expect import MapExpecting
from tsvc.operations._map_register import Register
from tsvc.operations._map_send import MapSending
from tsvc.protocols.map._base import OPERATIONS

declare(Register())
for _operation in OPERATIONS:
    for _form in Form:
        declare(MapSending(_operation, _form))
        declare(MapExpecting(_operation, _form))
