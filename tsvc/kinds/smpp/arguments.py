"""The arguments of SMPP operations: their description, and checks before a run starts."""

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError

from tsvc.errors import LocalProtocolError, as_value
from tsvc.operations.arguments import ArgumentMembers, Hex
from tsvc.operations.operation import Scope
from tsvc.protocols.smpp.commands import LAYOUTS, RESPONSE, TLVS_BY_NAME, Command, Message, Number
from tsvc.protocols.smpp.text import DefaultAlphabet
from tsvc.protocols.smpp.tree import is_member, members_of, parameters_of, status_of
from tsvc.schema import fields
from tsvc.schema.style import Mistake
from tsvc.words import quoted

_WORDS = {
    "short_message_text": "the message, coded by data_coding; a long one goes as message_payload",
    "short_message": "the same as short_message_text",
    "udh_hex": "user data header, its length octet included",
}


class PduName(fields.Choice):
    """The name of a command; every error message lists the possible names."""

    may_be_expression = False

    def refusal(self, kind: Mistake, value: object) -> ValidationError:
        """Return the error about a value."""
        text = "is missing" if kind is Mistake.MISSING else f"{quoted(value)} is none of"
        return ValidationError(f"{text}: {', '.join(self.choices)}")


class Parameters(ArgumentMembers):
    """Described parameters. Which ones exist depends on `pdu`: check_parameters()."""

    @classmethod
    def check(cls, given: Mapping[str, Any], path: str, scope: Scope) -> None:
        """Do nothing: check_parameters() checks them."""


def pdu_of(given: Mapping[str, Any], known: Mapping[str, Command]) -> Command:
    """Return the command that `pdu` names; the first known one if that is refused."""
    name = given.get("pdu")
    return known.get(str(name)) or next(iter(known.values()))


def object_in(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a member that is an object; an empty object if it is absent or an expression."""
    value = given.get(name)
    return value if isinstance(value, Mapping) else {}


def check_parameters(
    command_id: int, given: Mapping[str, Any], path: str, scope: Scope, *, is_expected: bool
) -> None:
    """Refuse names that are no parameters of a command."""
    known = members_of(command_id)
    for name in given:
        bare = name.removeprefix("!") if is_expected else name
        is_known = is_member(command_id, bare) or (is_expected and bare == "sm_length")
        if not is_known and not bare.startswith("_"):
            scope.refuse(f"{path}.{name}", "unknown parameter" + scope.hint(bare, known))


def check_values(command_id: int, given: Mapping[str, Any], path: str, scope: Scope) -> None:
    """Refuse constant values that can be encoded with none of the SMSC's default alphabets."""
    errors: list[LocalProtocolError] = []
    for alphabet in DefaultAlphabet:
        try:
            parameters_of(command_id, given, alphabet)
        except LocalProtocolError as error:
            errors.append(as_value(error))
    if len(errors) == len(DefaultAlphabet):
        scope.refuse(f"{path}.{errors[0].path}", errors[0].text)


def parameters_of_command(command_id: int, *, is_expected: bool = False) -> type[Parameters]:
    """Return the parameters of a command, the optional ones last."""
    found: dict[str, fields.Member] = {}
    sizes = {
        parameter.name: parameter.kind
        for parameter in LAYOUTS[command_id]
        if not isinstance(parameter.kind, Message)
    }
    for name in members_of(command_id):
        words = _WORDS.get(name, "")
        type_ = TLVS_BY_NAME.get(name)
        kind = sizes.get(name) or (type_.kind if type_ else None)
        if isinstance(kind, Number):
            found[name] = fields.Integer(0, (1 << 8 * kind.octets) - 1, help=words)
        else:
            found[name] = (Hex if name.endswith("_hex") else fields.String)(help=words)
    if is_expected:
        found["sm_length"] = fields.Integer(0, 254)
    return type(Parameters.__name__, (Parameters,), found)


class SubmitResponse(ArgumentMembers):
    """`response` to a message that an ESME submits."""

    command_status = fields.Anything(
        help="default 0; a number, 0x hex, or a name such as ESME_RTHROTTLED"
    )
    fields_ = fields.Nested(parameters_of_command(Command.SUBMIT_SM | RESPONSE), data_key="fields")

    def check_declared(self, given: Mapping[str, Any], path: str, scope: Scope) -> None:
        """Check also that a constant command_status is valid."""
        super().check_declared(given, path, scope)
        status = given.get("command_status")
        if status is None or (isinstance(status, str) and status.startswith("{")):
            return
        try:
            status_of(status)
        except LocalProtocolError as error:
            scope.refuse(f"{path}.command_status", error.text)
