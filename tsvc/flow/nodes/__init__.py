"""The flow operations: one module per type, found and registered by `tsvc.flow.node.NODES`.

A node says what a call does next and knows no protocol: it yields actions, is sent events, and
returns the exit that is taken; tsvc.scp turns these into operations and back. It keeps nothing of
a call, as all calls of a flow share it. What a type declares, tsvc.flow.node says. Start with
`play_announcement`.
"""
