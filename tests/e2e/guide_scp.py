"""What a scripted SCP answers to the definitions of the guide."""

from typing import Any

from tsvc.protocols.map.operation import OPERATIONS as MAP_OPERATIONS
from tsvc.protocols.tcap.components import Invoke, ReturnResult


def ussd(name: str, text: str) -> Any:
    """Return what queues a request of the SCP in the session."""
    declared = MAP_OPERATIONS.get(name)

    def queue(scp: Any, dialogue: Any, indication: Any) -> None:
        octets = declared.encode_argument({"ussdString_text": text}, "map2")
        dialogue.invoke(declared.code, declared.operation_class, octets, now=scp.now)

    return queue


def ussd_result(text: str) -> Any:
    """Return what queues the answer to the mobile's first request."""
    declared = MAP_OPERATIONS.get("ProcessUnstructuredSSRequest")

    def queue(scp: Any, dialogue: Any, indication: Any) -> None:
        asked = [
            part
            for _, parts in scp.received
            for part in parts
            if isinstance(part, Invoke) and part.code == declared.code
        ]
        octets = declared.encode_result({"ussdString_text": text}, "map2")
        dialogue.answer(ReturnResult(asked[0].invoke_id, declared.code, octets))

    return queue
