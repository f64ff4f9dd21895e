"""One Test Run over many cores and machines: a coordinator, agents, workers.

The link between them is `link` (`Hub` at the coordinator, `Spoke` at a worker), the one module
that others import for it. Behind it stand `runners` (Locust's runners: who is there, who is lost,
messages; never its users, pacing or statistics) and `sockets` (ZeroMQ with CURVE); these two
import the packages of the extra tsvc[cluster], and are imported when a cluster is started, not
before. `curve` has the keys. `moments` (the clocks of two machines) and `lease` (who may start
instances) are pure. Start with docs/architecture.md, then `link`.
"""
