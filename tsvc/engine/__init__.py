"""Test Runs: from a checked definition to instances that run, and to the result.

`service` is what the methods call; `run` starts instances, `instance` performs one, `fast_path`
and `local` those of a load that need no greenlet. Beside them stand four wings: `definition` (is
it good, and what does it compile to), `load` (when to start how many), `limits` (what may be in
progress) and `outcome` (what came of it). Protocols are unknown here: operations and gateways
bring them. Start with `service`, then `run`.
"""
