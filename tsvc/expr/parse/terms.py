"""The beginning of a value: literals, variables with their subscripts, quotes, brackets, words."""

from tsvc.expr.functions import FUNCTIONS
from tsvc.expr.parse import quoting
from tsvc.expr.parse.calls import SPECIAL_NAMES, parse_call
from tsvc.expr.parse.descent import LOW_NOT, LOW_OR, STEP, UNARY, Parser
from tsvc.expr.parse.variables import parse_contents, parse_my, parse_scalar, subscripts
from tsvc.expr.syntax import (
    ArrayLiteral,
    Constant,
    Contents,
    Element,
    HashLiteral,
    Increment,
    Index,
    Items,
    Match,
    My,
    Node,
    Slice,
    Slot,
    Substitute,
    Transliterate,
    Unary,
)
from tsvc.words import did_you_mean

_QUOTE_WORDS = ("q", "qq", "qw", "m", "s", "tr", "y", "qr")


_WORD_VALUES = {"undef": None, "true": 1, "false": ""}


_OPENERS = {"(": ")", "[": "]", "{": "}", "<": ">"}


def parse_term(parser: Parser) -> Node:
    """Parse one term with its prefix operators and subscripts."""
    scanner = parser.scanner
    sign = scanner.peek()
    column = scanner.position
    if sign == "":
        raise scanner.error("the expression ends where a value is expected")
    if sign in "!-+\\~":
        return _prefix(parser, sign)
    if sign.isdigit() or (sign == "." and scanner.ahead(1).isdigit()):
        number = scanner.number()
        if number is not None:
            return Constant(number)
    if sign in _STARTS:
        return _STARTS[sign](parser)
    word = scanner.word()
    if word:
        return _word(parser, word, column)
    raise scanner.error(f"a value can't begin with '{sign}'")


def _prefix(parser: Parser, sign: str) -> Node:
    scanner = parser.scanner
    column = scanner.position
    if scanner.starts("++") or scanner.starts("--"):
        operator = sign * 2
        scanner.position += 2
        target = parser.expression(STEP)
        if not isinstance(target, (Slot, My, Index, Element)):
            raise scanner.error(f"'{operator}' needs a variable", column)
        return Increment(operator, target, is_prefix=True)
    if sign == "~":
        raise scanner.error("bit operators are not supported")
    scanner.position += 1
    operand = parser.expression(UNARY)
    if sign == "-" and isinstance(operand, Constant) and isinstance(operand.value, (int, float)):
        return Constant(-operand.value)
    if sign == "\\" and not isinstance(operand, Contents):
        raise scanner.error("only an array or a hash can be referred to by a backslash", column)
    if sign == "\\" and isinstance(operand, Contents):
        return operand.reference
    return operand if sign == "+" else Unary(sign, operand)


def _parentheses(parser: Parser) -> Node:
    scanner = parser.scanner
    start = scanner.position
    scanner.position += 1
    if scanner.take(")"):
        node: Node = Items(())
    else:
        node = parser.expression(LOW_OR)
        if scanner.at_end():
            raise scanner.error("'(' is not closed", start)
        if not scanner.starts(")"):
            raise parser.unexpected()
        scanner.position += 1
    if scanner.peek() == "[":
        scanner.position += 1
        indexes = Items(parser.list_items("]", "in the slice"))
        return Slice("list", node, indexes)
    if scanner.starts("->"):
        return subscripts(parser, node)
    # `(1) x 3` and `my ($x) = ...` need to know that there were parentheses.
    return node if isinstance(node, Items) else Items((node,))


def _array(parser: Parser) -> Node:
    parser.scanner.position += 1
    return subscripts(parser, ArrayLiteral(parser.list_items("]", "in the array")))


def _hash(parser: Parser) -> Node:
    parser.scanner.position += 1
    return subscripts(parser, HashLiteral(parser.list_items("}", "in the hash")))


def _single(parser: Parser) -> Node:
    bounds = parser.scanner.delimited("the text")
    return Constant(quoting.literal_text(parser.scanner, bounds, "'"))


def _double(parser: Parser) -> Node:
    return quoting.interpolated(parser, parser.scanner.delimited("the text"))


def _match(parser: Parser) -> Node:
    bounds = parser.scanner.delimited("the pattern")
    flags = quoting.flags(parser.scanner, "imsxgo", "a match")
    pattern = quoting.pattern(parser, bounds, flags)
    return Match(parser.scope.topic(), pattern, "g" in flags)


def _second_part(parser: Parser, bounds: tuple[int, int], what: str) -> tuple[int, int]:
    """Step over the second part of s/// or tr///; after brackets it has its own delimiters."""
    scanner = parser.scanner
    if scanner.source[bounds[1]] in _OPENERS.values():
        scanner.skip()
    else:
        scanner.position -= 1
    if scanner.ahead() == "":
        raise scanner.error(f"{what} is not closed", bounds[0] - 1)
    return scanner.delimited(what)


def _substitute(parser: Parser) -> Node:
    scanner = parser.scanner
    delimiter = scanner.ahead()
    bounds = scanner.delimited("s///")
    second = _second_part(parser, bounds, "s///")
    flags = quoting.flags(scanner, "imsxgero", "s///")
    if "e" in flags:
        replacement = parser.inside(*second).program()
    elif delimiter == "'":
        replacement = Constant(scanner.source[slice(*second)])
    else:
        replacement = quoting.interpolated(parser, second)
    pattern = quoting.pattern(parser, bounds, flags)
    return Substitute(parser.scope.topic(), pattern, replacement, "g" in flags, "r" in flags)


def _transliterate(parser: Parser) -> Node:
    bounds = parser.scanner.delimited("tr///")
    second = _second_part(parser, bounds, "tr///")
    flags = quoting.flags(parser.scanner, "cdsr", "tr///")
    search = quoting.character_list(parser, bounds)
    replacement = quoting.character_list(parser, second)
    return Transliterate(parser.scope.topic(), search, replacement, flags)


def _quote_word(parser: Parser, word: str, column: int) -> Node:
    scanner = parser.scanner
    if not scanner.starts("#"):  # right after the word it is a delimiter, not a comment
        scanner.skip()
    if word in ("m", "s", "tr", "y"):
        handlers = {"m": _match, "s": _substitute, "tr": _transliterate, "y": _transliterate}
        return handlers[word](parser)
    if word == "qr":
        raise scanner.error("qr// is not supported: write the pattern where it is used", column)
    delimiter = scanner.ahead()
    bounds = scanner.delimited(f"{word}{delimiter}")
    if word == "qq":
        return quoting.interpolated(parser, bounds)
    text = quoting.literal_text(scanner, bounds, delimiter)
    if word == "q":
        return Constant(text)
    words: Node = Items(tuple(Constant(item) for item in text.split()))
    if scanner.peek() == "[":
        scanner.position += 1
        return Slice("list", words, Items(parser.list_items("]", "in the slice")))
    return words


def _begins_quote(parser: Parser) -> bool:
    """Return True if a delimiter follows q, s, ... and not `=>` or an operator."""
    scanner = parser.scanner
    sign = scanner.peek()
    return bool(sign) and sign not in ",;)]}=#" and not (sign.isalnum() or sign == "_")


def _word(parser: Parser, word: str, column: int) -> Node:
    scanner = parser.scanner
    if word in _QUOTE_WORDS and scanner.starts("#"):
        return _quote_word(parser, word, column)
    scanner.skip()
    if scanner.starts("=>"):
        return Constant(word)
    if word in _QUOTE_WORDS and _begins_quote(parser):
        return _quote_word(parser, word, column)
    if word == "my":
        return parse_my(parser)
    if word == "not":
        # `not(...)` is a call: what follows it is not negated
        is_call = scanner.starts("(")
        return Unary("!", _parentheses(parser) if is_call else parser.expression(LOW_NOT))
    if word in _WORD_VALUES:
        if word == "undef" and scanner.take("("):
            scanner.expect(")", "after 'undef(': assign undef instead")
        return Constant(_WORD_VALUES[word])
    if word in SPECIAL_NAMES or FUNCTIONS.get(word) is not None:
        return subscripts_of_call(parser, parse_call(parser, word, column))
    raise scanner.error(_unknown_word(parser, word), column)


def subscripts_of_call(parser: Parser, node: Node) -> Node:
    """Parse an arrow after a call, as in `shift(@{$x})->{name}`."""
    parser.scanner.skip()
    return subscripts(parser, node) if parser.scanner.starts("->") else node


def _unknown_word(parser: Parser, word: str) -> str:
    if word in ("if", "unless", "for", "foreach", "while", "until", "return", "sub", "our"):
        return f"'{word}' is not in the language: use ?: or branch"
    known = [*FUNCTIONS.names(), *SPECIAL_NAMES, "undef", "not", "my"]
    is_call = parser.scanner.starts("(")
    what = f"the function '{word}' is unknown" if is_call else f"the word '{word}' needs quotes"
    return what + did_you_mean(word, known)


_STARTS = {
    "$": parse_scalar,
    "@": parse_contents,
    "%": parse_contents,
    "(": _parentheses,
    "[": _array,
    "{": _hash,
    "'": _single,
    '"': _double,
    "/": _match,
}
