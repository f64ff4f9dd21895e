"""`map.*` types, derived from the declared operations, and Register.

The tester plays `hlr`, which stands for whoever speaks MAP with an SCP. Every operation can go
either way: as a request (`_to_scp.X`, `_from_scp.X`), with its result and errors the other way.
"""

from tsvc.kinds.sigtran.operations.inap_send import Form
from tsvc.kinds.sigtran.operations.map_expect import MapExpecting
from tsvc.kinds.sigtran.operations.map_register import Register
from tsvc.kinds.sigtran.operations.map_send import MapSending
from tsvc.operations.operation import declare
from tsvc.protocols.map.operation import OPERATIONS

declare(Register())
for _operation in OPERATIONS:
    for _form in Form:
        declare(MapSending(_operation, _form))
        declare(MapExpecting(_operation, _form))
