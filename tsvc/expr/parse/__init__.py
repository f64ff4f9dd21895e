"""From the text of an expression to its syntax tree.

`lexer` makes tokens, `descent` is the recursive descent, `infix` its operators; terms, variables,
calls and quoted texts are parsed by modules of such names, and tsvc.expr.expression puts them
together. Start with `descent`.
"""
