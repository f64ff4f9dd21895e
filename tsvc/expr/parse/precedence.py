"""How tight operators bind, loosest first, and how deep expressions may nest."""

(
    LOW_OR,  # or xor
    LOW_AND,  # and
    LOW_NOT,  # not
    COMMA,
    ASSIGN,
    TERNARY,
    RANGE,
    OR,  # || //
    AND,  # &&
    EQUALITY,
    RELATIONAL,
    NAMED_UNARY,  # length, defined, ... without parentheses
    ADDITIVE,
    MULTIPLICATIVE,
    BINDING,  # =~ !~
    UNARY,  # ! - + and backslash
    POWER,
    STEP,  # ++ --
) = range(1, 19)

# Expressions within one another, and height of the tree: they bound what the parser, the
# compiler and the closures take of Python's stack.
NESTING_MAX = 100
HEIGHT_MAX = 150
