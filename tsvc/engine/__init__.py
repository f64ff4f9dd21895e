"""Test Runs: from a checked definition to instances that run, and to the result.

The methods call `service`; `run` starts instances, `instance` executes one, `fast_path` and
`local` execute those of a load that need no greenlet. There are four subpackages: `compiler`
checks and compiles, `load` plans and counts starts, `limits` bounds what is in progress, and
`result` makes results. Protocols are unknown here: operations and gateways bring them. Start
with `service`, then `run`.
"""
