"""Credit-Control-Requests as tests write them into definitions."""

from typing import Any


def avp(name: str, value: Any) -> dict[str, Any]:
    return {"name": name, "value": value}


def credit(
    kind: int | str, number: int | str, *avps: Any, msisdn: str = "", **more: Any
) -> dict[str, Any]:
    """Return an entry: a request of a type and number.

    msisdn: the number of the subscriber; without it, there is no Subscription-Id.
    more: arguments besides the name and the AVPs.
    """
    subscriber = [
        avp("Subscription-Id-Type", "END_USER_E164"),
        avp("Subscription-Id-Data", msisdn),
    ]
    given = [
        avp("Session-Id_auto", 1),
        avp("Service-Context-Id", "32251@3gpp.org"),
        avp("CC-Request-Type", kind),
        avp("CC-Request-Number", number),
        *([avp("Subscription-Id", subscriber)] if msisdn else []),
        *avps,
    ]
    arguments = {"name": "Credit-Control-Request", "avps": given, **more}
    return {"type": "diameter.Request", "arguments": arguments}


def units(name: str, seconds: Any) -> dict[str, Any]:
    """Return an AVP that has a CC-Time."""
    return avp(name, [avp("CC-Time", seconds)])
