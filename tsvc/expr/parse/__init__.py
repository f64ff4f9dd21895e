"""From the text of an expression to its syntax tree.

`lexer` makes tokens, `parser` is the recursive descent over `precedence`; terms, variables,
calls and quoted strings are parsed by the modules of those names. Start with `parser`.
"""
