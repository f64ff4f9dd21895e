"""The fuzz targets: functions of octets that may raise only their documented errors."""

from collections.abc import Callable, Sequence

from fuzz import peers, ss7, values
from tsvc.config.tables import Config
from tsvc.engine.compiler.compile import Limits, compile_test
from tsvc.engine.compiler.judge import AnyMembers
from tsvc.errors import ExpressionError, TsvcError
from tsvc.expr import Environment, compile_expression
from tsvc.rpc import strict_json
from tsvc.rpc.envelope import read_request
from tsvc.rpc.framing import FrameDecoder, FrameState
from tsvc.schema.load import load_params


def _number() -> float:
    return 0.5


def request(octets: bytes) -> None:
    """Decode a frame in two portions, its JSON and envelope, and params as ExecuteTest does."""
    decoder = FrameDecoder(1 << 16)
    half = len(octets) // 2
    try:
        decoder.feed(octets[:half])
        if decoder.feed(octets[half:]) is FrameState.COMPLETE:
            body(decoder.body)
    except TsvcError:
        return


def body(octets: bytes) -> None:
    """Decode the JSON of a request; accepted JSON can be written and read again."""
    try:
        document = strict_json.parse_object(octets)
        params = read_request(document).params
        load_params(AnyMembers(), params, refuse=TsvcError)
    except TsvcError:
        return
    again = strict_json.parse_object(strict_json.encode(document))
    assert again.keys() == document.keys()


def definition(octets: bytes) -> None:
    """Compile a definition of two operations, made of JSON text."""
    try:
        entry = strict_json.parse_object(octets)
    except TsvcError:
        return
    params = {"operations": [entry, {"type": "pass"}], "vars": {"v": entry}}
    compile_test(params, Config(), Limits())


def expression(octets: bytes) -> None:
    """Compile and evaluate an expression."""
    source = octets.decode("utf-8", "replace")
    env = Environment({"a": 1, "l": [1, 2]}, {}, {}, {}, random=_number, now=_number)
    try:
        compile_expression(source).evaluate(env)
    except ExpressionError:
        return


TARGETS: dict[str, Callable[[bytes], None]] = {
    **{target.__name__: target for target in (request, body, definition, expression)},
    **ss7.TARGETS,
    **values.TARGETS,
    **peers.TARGETS,
}

_PASS = b'{"type":"pass","arguments":{"text":"{$v->{v}}"},"label":"a"}'
_CALL = b'{"type":"inap.ssp_to_scp.InitialDP","arguments":{"serviceKey":1}}'
_QUERY = b'{"jsonrpc":"2.0","method":"QueryTest","params":{"run_id":"a"},"id":1}'
SEEDS: dict[str, Sequence[bytes]] = {
    "request": (len(_QUERY).to_bytes(4, "big") + _QUERY, b"\0\0\0\x02{}"),
    "body": (_QUERY,),
    "definition": (_PASS, _CALL, b'{"type":"branch","expression":"1","on_true":"a"}'),
    "expression": (
        b"[map { $_ * 2 } 1 .. 9]",
        b"$v->{s} =~ s/(a)(?:b|c)*/$1x/g; sprintf('%05d', 7)",
        b"join(',', sort { $a <=> $b } @{$v->{l}}) . substr('abc', 1)",
    ),
    **ss7.SEEDS,
    **values.SEEDS,
    **peers.SEEDS,
}
