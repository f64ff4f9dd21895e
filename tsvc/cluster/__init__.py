"""One Test Run over many cores and machines: a coordinator, agents, workers.

The link between them is `link` (`Hub` at the coordinator, `Spoke` at a worker); other modules
import only this one for it. It uses `runners` (Locust's runners: membership, losses and messages,
but not its users, pacing or statistics) and `sockets` (ZeroMQ with CURVE). These two import the
packages of the extra `cluster`, and are imported only when a cluster is started. `curve` has the
keys. `moments` (the clocks of two machines), `lease` (the permission to start instances) and
`snapshot` (the reports of workers and their sum) are pure.

`processes` keeps the workers of one machine running: for the coordinator there, which is
`workers`, or through an `agent` for a coordinator elsewhere. `process` and `worker` are the worker
process, and `player` has its parts of runs. `run` is a Run that workers share, and `cluster`
decides which runs they share. The engine, not this package, starts the instances. Start with
docs/adr/0027, then `run`.
"""
