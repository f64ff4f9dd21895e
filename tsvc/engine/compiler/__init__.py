"""Checks and compiles a definition; all problems are found together.

`parameters` has the shapes and ranges of ExecuteTest's params, `compile` makes steps of the
operations. `judge` combines both with gateways, flow, thresholds and locks; it is the only entry
point. Nothing here runs an operation. Start with `judge`.
"""
