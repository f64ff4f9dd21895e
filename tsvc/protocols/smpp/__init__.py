"""SMPP 3.4: codec as tables, stream framing, and the SMSC's side of a session, sans-IO.

`commands` has the tables, `pdus` the codec that uses them, `tree` converts PDUs to and from JSON,
`text` has the alphabets; `session` is one session as a machine. Its user decides who may bind, and
handles messages: accounts and inboxes are in tsvc.kinds.smpp. Start with `session`.
"""
