"""`inap.*` types, derived from the declared operations: nothing is listed here.

The tester plays `ssp` or `srf`. What the declaration says that role sends becomes `_to_scp`,
what the SCP sends becomes `_from_scp`; results and errors go the other way.
"""

from tsvc.kinds.sigtran.operations.inap_expect import Expecting
from tsvc.kinds.sigtran.operations.inap_send import Form, Sending
from tsvc.operations.operation import declare
from tsvc.protocols.inap.operation import OPERATIONS, Operation

ROLES = ("ssp", "srf")


def _declare(operation: Operation) -> None:
    answers = [Form.RESULT] if operation.operation_class in (1, 3) else []
    if operation.operation_class in (1, 2) and operation.errors:
        answers.append(Form.ERROR)
    for role in ROLES:
        if role in operation.sent_by:
            declare(Sending(operation, role, Form.INVOKE))
            for form in answers:
                declare(Expecting(operation, role, form))
        if "scp" in operation.sent_by:
            declare(Expecting(operation, role, Form.INVOKE))
            for form in answers:
                declare(Sending(operation, role, form))


for _operation in OPERATIONS:
    _declare(_operation)
