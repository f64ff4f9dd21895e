"""Parses the text of an expression to its syntax tree.

`lexer` reads tokens, `descent` is the recursive descent, `infix` has its operators; `terms`,
`variables`, `calls` and `quoting` parse the parts that their names say. tsvc.expr.expression
combines them. Start with `descent`.
"""
