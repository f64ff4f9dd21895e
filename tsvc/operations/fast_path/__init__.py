"""The fast path: instances of a load that send and receive the octets of one that has passed.

Such an instance need not be judged again, except for its own data, which has slots. It needs no
decoding, no dialogue and no greenlet. Theory and other designs are in docs/adr/0028. Start with
`recording`, or read in this order:

1. `../eligibility`: which operations may be replayed; they declare it when they are compiled.
2. `recording`: what is kept of an instance that has passed: the steps that it took, one after the
   other, over all its gateways; and what a kind of gateway has to know (GatewayPath).
3. `template`: a message with slots of any length. `slots`: the values of an instance for them.
4. `frame`: the instances that go from step to step, and branches.
5. `replay`: how the ordinary instance is made where something unknown comes: its past is replayed
   to it, then it is live.
6. `waits`: when instances act. `request_response`: what Diameter and REST have in common.
   `contract`: what the engine and the kinds agree on.

The run's side is tsvc/engine/fast_path.py, the adapters are tsvc/kinds/<kind>/fast_path/.
"""
