"""Whether a definition is good, and what it compiles to; all problems are found at once.

`parameters` has the shapes and ranges of ExecuteTest's params, `compile` makes steps of the
operations, `judge` puts both together with gateways, flow, thresholds and locks: the one place to
ask. Nothing here runs an operation. Start with `judge`.
"""
