"""Presentation of the commands and answers of a Provisioning Interface.

The dialect of the gateway is not known here: a line of another form is shown unchanged.
"""

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.pi.codec import Codec, Status, read_command
from tsvc.protocols.pi.dialect import Dialect
from tsvc.results.exchanges import Exchange, exchange
from tsvc.words import cut

_DIALECT = Dialect()
_CODEC = Codec(_DIALECT)
_LONGEST_TITLE = 40
_LONGEST_FACT = 120


@exchange("pi")
def decode(octets: bytes, is_sent: bool) -> Exchange:
    """Return the contents of a line; never raises."""
    line = octets.decode(_DIALECT.encoding).strip().removesuffix(_DIALECT.terminator)
    return _command(line) if is_sent else _answer(line)


def _command(line: str) -> Exchange:
    command, parameters = read_command(line)
    facts = [f"{name}={value}" for name, value in parameters.items()]
    content = {"command": command, "parameters": parameters, "raw": line}
    return Exchange(cut(command, _LONGEST_TITLE), _facts(", ".join(facts)), content)


def _answer(line: str) -> Exchange:
    try:
        reply = _CODEC.reply(line, "")
    except RemoteProtocolError:
        return Exchange("answer", _facts(line), {"raw": line})
    content = reply.as_dict()
    is_failure = reply.status is Status.NACK
    return Exchange(reply.status.value, _facts(reply.info), content, is_failure)


def _facts(text: str) -> tuple[str, ...]:
    return (cut(text, _LONGEST_FACT),) if text else ()
