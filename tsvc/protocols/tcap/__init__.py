"""TCAP (Q.771 to Q.774): messages, components, dialogue portions and their machines.

`endpoint` is the outermost machine: it finds the `dialogue` of a message by its transaction id;
`states` has the tables of transactions and invocations. Start with `endpoint`.
"""
