"""The flow operations: one module per type, found and registered by `tsvc.flow.node.NODES`.

A node decides what a call does next and knows no protocol: it yields actions, is sent events, and
returns the exit that is taken. tsvc.scp turns actions into operations, and operations into events.
A node stores nothing of a call, because all calls of a flow share it. tsvc.flow.node defines what
a type declares. Start with `play_announcement`.
"""
