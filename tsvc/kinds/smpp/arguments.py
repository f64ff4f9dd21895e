"""What the arguments of SMPP operations may hold: checked before a run starts, described."""

from collections.abc import Mapping
from typing import Any

from tsvc.errors import LocalProtocolError
from tsvc.operations.operation import Scope
from tsvc.protocols.smpp.commands import LAYOUTS, RESPONSE, Command, Message, Number
from tsvc.protocols.smpp.text import DefaultAlphabet
from tsvc.protocols.smpp.tlvs import TLVS_BY_NAME
from tsvc.protocols.smpp.tree import is_member, members_of, parameters_of, status_of

Members = dict[str, dict[str, Any]]

_WORDS = {
    "short_message_text": "the message, coded by data_coding; a long one goes as message_payload",
    "short_message": "the same as short_message_text",
    "udh_hex": "user data header, its length octet included",
}


def check_members(
    given: Mapping[str, Any], known: tuple[str, ...], path: str, scope: Scope
) -> None:
    """Refuse members of an object that are not known."""
    for member in given:
        if member not in known and not member.startswith("_"):
            scope.refuse(f"{path}.{member}", "unknown member" + scope.hint(member, known))


def pdu_of(
    given: Mapping[str, Any], known: Mapping[str, Command], path: str, scope: Scope
) -> Command:
    """Return the command that `pdu` names; the first known one if it names none."""
    name = given.get("pdu")
    command = known.get(name) if isinstance(name, str) else None
    if command is None:
        text = "is missing" if name is None else f"{name!r} is none of"
        scope.refuse(f"{path}.pdu", f"{text}: {', '.join(known)}")
        return next(iter(known.values()))
    return command


def object_in(given: Mapping[str, Any], name: str, path: str, scope: Scope) -> Mapping[str, Any]:
    """Return a member that is an object; an empty one if it is absent, or an expression."""
    value = given.get(name)
    if value is None or isinstance(value, str):
        return {}
    if not isinstance(value, Mapping):
        scope.refuse(f"{path}.{name}", "must be an object")
        return {}
    return value


def check_parameters(
    command_id: int, given: Mapping[str, Any], path: str, scope: Scope, *, is_expected: bool
) -> None:
    """Refuse names that the parameters of a command do not have."""
    known = members_of(command_id)
    for name in given:
        bare = name.removeprefix("!") if is_expected else name
        is_known = is_member(command_id, bare) or (is_expected and bare == "sm_length")
        if not is_known and not bare.startswith("_"):
            scope.refuse(f"{path}.{name}", "unknown parameter" + scope.hint(bare, known))


def check_values(command_id: int, given: Mapping[str, Any], path: str, scope: Scope) -> None:
    """Refuse constant values that can't be encoded, whatever the SMSC's default alphabet."""
    errors: list[LocalProtocolError] = []
    for alphabet in DefaultAlphabet:
        try:
            parameters_of(command_id, given, alphabet)
        except LocalProtocolError as error:
            errors.append(error)
    if len(errors) == len(DefaultAlphabet):
        scope.refuse(f"{path}.{errors[0].path}", errors[0].text)


def check_status(value: object, path: str, scope: Scope) -> None:
    """Refuse a constant command_status that is none."""
    if value is None or (isinstance(value, str) and value.startswith("{")):
        return
    try:
        status_of(value)
    except LocalProtocolError as error:
        scope.refuse(path, error.text)


def described_pdu(known: Mapping[str, Command]) -> dict[str, Any]:
    """Return the description of `pdu`."""
    return {"type": "string", "choices": list(known), "required": True}


def described_parameters(command_id: int) -> Members:
    """Return the description of the parameters of a command, optional ones last."""
    found: Members = {}
    sizes = {
        parameter.name: parameter.kind
        for parameter in LAYOUTS[command_id]
        if not isinstance(parameter.kind, Message)
    }
    for name in members_of(command_id):
        type_ = TLVS_BY_NAME.get(name)
        kind = sizes.get(name) or (type_.kind if type_ else None)
        if isinstance(kind, Number):
            found[name] = {"type": "integer", "minimum": 0, "maximum": (1 << 8 * kind.octets) - 1}
        else:
            found[name] = {"type": "hex" if name.endswith("_hex") else "string"}
        if name in _WORDS:
            found[name]["help"] = _WORDS[name]
    return found


def described_response(command: Command) -> dict[str, Any]:
    """Return the description of `response`."""
    fields = described_parameters(command | RESPONSE)
    members = {
        "command_status": {
            "type": "any",
            "help": "default 0; a number, 0x hex, or a name such as ESME_RTHROTTLED",
        },
        "fields": {"type": "sequence", "members": fields},
    }
    return {"type": "sequence", "members": members, "help": "absent: ESME_ROK, a new message_id"}
