"""The expression language of test definitions: a subset of Perl, compiled to closures.

`parse` makes a tree of `syntax` out of text, `compile` makes closures of the tree, `functions` has
the functions that may be called; `template` is a text with expressions in it, `kpath` a path into
a value. Pure: no I/O, no clock, no randomness of its own. Start with `expression`.

Reference: docs/reference/expressions.md.
"""

from tsvc.expr.environment import Environment
from tsvc.expr.expression import Expression, Note, Uses, compile_expression
from tsvc.expr.generators import Vars, compile_vars
from tsvc.expr.kpath import KPath, compile_kpath
from tsvc.expr.template import Template, compile_always, compile_template, is_expression
from tsvc.expr.values import Value, plain, truth

__all__ = [
    "Environment",
    "Expression",
    "KPath",
    "Note",
    "Template",
    "Uses",
    "Value",
    "Vars",
    "compile_always",
    "compile_expression",
    "compile_kpath",
    "compile_template",
    "compile_vars",
    "is_expression",
    "plain",
    "truth",
]
