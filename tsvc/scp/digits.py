"""Keys of a telephone in the forms of INAP: one octet each when asked for, BCD when reported."""

from tsvc.flow.call import Digits
from tsvc.protocols.asn1 import Tree

# In both forms code 11 is the key * and code 12 the key #.
_KEY_CODES = {"*": 11, "#": 12}
_KEYS = str.maketrans({"a": "A", "b": "*", "c": "#", "d": "D", "e": "E", "f": "F"})


def key_octets_hex(key: str) -> str:
    """Return endOfReplyDigit, cancelDigit or startDigit of one key (0-9 A-F * #) in hex."""
    code = _KEY_CODES[key] if key in _KEY_CODES else int(key, 16)
    return f"{code:02x}"


def entered_digits(result: Tree, start_key: str, end_key: str) -> Digits:
    """Return what the caller keyed in, from the result of PromptAndCollectUserInformation.

    A resource may report the start and the end digit with the others: they are dropped. A key
    given as "" is not in use.
    """
    reported = result.get("digitsResponse_digits")
    if isinstance(reported, str):
        text = reported.translate(_KEYS)
    else:
        text = str(result.get("iA5Response", ""))
    if start_key:
        text = text.removeprefix(start_key)
    if end_key:
        text = text.removesuffix(end_key)
    return Digits(text)
