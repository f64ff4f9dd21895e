"""Whether a definition is good, and what it compiles to; all problems are found at once.

`parameters` has the shapes and ranges of ExecuteTest's params, `compile` makes steps of the
operations, `checks` puts both together with gateways, flow and thresholds. Nothing here runs an
operation. Start with `checks`.
"""
