"""One Test Run over many cores and machines: a coordinator, agents, workers.

The link between them is `link` (`Hub` at the coordinator, `Spoke` at a worker), the one module
that others import for it. Behind it stand `runners` (Locust's runners: who is there, who is lost,
messages; never its users, pacing or statistics) and `sockets` (ZeroMQ with CURVE); these two
import the packages of the extra `cluster`, and are imported when a cluster is started, not
before. `curve` has the keys. `moments` (the clocks of two machines) and `lease` (who may start
instances) are pure, as is `snapshot`: what workers tell, added up.

`processes` keeps the workers of one machine running, for its coordinator, which is `workers`, or
for one elsewhere, by an `agent`. `process` and `worker` are one of them, and `player` has its
parts of runs. `run` is a Run that they play, and `cluster` says which run that is. Nothing here
starts an instance by itself: that is the engine's. Start with docs/adr/0027, then `run`.
"""
