"""The optional part of XUDT, XUDTS, LUDT and LUDTS: segmentation, importance, anything else."""

from dataclasses import dataclass

from tsvc.errors import LocalProtocolError, RemoteProtocolError

_SEGMENTATION = 0x10
_IMPORTANCE = 0x12
_END = 0x00


@dataclass(frozen=True, slots=True)
class Segmentation:
    """The segmentation parameter.

    `remaining`: segments that follow, 0..15. `local_reference`: 24 bits. `spare`: bits 5 and 6.
    """

    is_first: bool
    in_sequence: bool
    remaining: int
    local_reference: int
    spare: int = 0


@dataclass(frozen=True, slots=True)
class OptionalPart:
    """Optional parameters in the order in which they are written; `others`: tag and octets.

    `importance` is the whole octet; its value is in the lower three bits.
    """

    segmentation: Segmentation | None = None
    importance: int | None = None
    others: tuple[tuple[int, bytes], ...] = ()


NO_OPTIONS = OptionalPart()


def encode_optional(part: OptionalPart) -> bytes:
    """Write the parameters and the end mark; no octets at all if there is no parameter.

    Errors: LocalProtocolError if a value does not fit.
    """
    parameters: list[tuple[int, bytes]] = []
    if part.segmentation is not None:
        parameters.append((_SEGMENTATION, _encode_segmentation(part.segmentation)))
    try:
        if part.importance is not None:
            parameters.append((_IMPORTANCE, part.importance.to_bytes(1)))
        parameters.extend(part.others)
        octets = b"".join(bytes((tag, len(value))) + value for tag, value in parameters)
    except (OverflowError, ValueError) as error:
        raise LocalProtocolError(str(error), path="optional part") from error
    return octets + bytes((_END,)) if octets else b""


def decode_optional(octets: bytes, start: int, path: str) -> OptionalPart:
    """Read the optional part of a message that begins at `start`.

    Errors: RemoteProtocolError if it is cut off, has no end mark, or a length is wrong.
    """
    segmentation: Segmentation | None = None
    importance: int | None = None
    others: list[tuple[int, bytes]] = []
    at = start
    while at < len(octets) and octets[at] != _END:
        tag = octets[at]
        end = at + 2 + octets[at + 1] if at + 1 < len(octets) else len(octets) + 1
        if end > len(octets):
            raise RemoteProtocolError(f"parameter 0x{tag:02x} is cut off", path=path, offset=at)
        value = octets[at + 2 : end]
        if tag == _SEGMENTATION and segmentation is None:
            _require(value, 4, "segmentation", path, at)
            segmentation = _decode_segmentation(value)
        elif tag == _IMPORTANCE and importance is None:
            _require(value, 1, "importance", path, at)
            importance = value[0]
        else:
            others.append((tag, value))
        at = end
    if at >= len(octets):
        raise RemoteProtocolError("the optional part has no end", path=path, offset=at)
    return OptionalPart(segmentation, importance, tuple(others))


def _encode_segmentation(value: Segmentation) -> bytes:
    if not (
        0 <= value.remaining <= 15
        and 0 <= value.spare <= 3
        and 0 <= value.local_reference <= 0xFFFFFF
    ):
        raise LocalProtocolError(f"{value} does not fit", path="segmentation")
    first = value.is_first << 7 | value.in_sequence << 6 | value.spare << 4 | value.remaining
    return bytes((first,)) + value.local_reference.to_bytes(3, "little")


def _decode_segmentation(value: bytes) -> Segmentation:
    first = value[0]
    return Segmentation(
        bool(first & 0x80),
        bool(first & 0x40),
        first & 0x0F,
        int.from_bytes(value[1:], "little"),
        first >> 4 & 3,
    )


def _require(value: bytes, size: int, name: str, path: str, at: int) -> None:
    if len(value) != size:
        raise RemoteProtocolError(f"{len(value)} octets of {name}", path=path, offset=at)
