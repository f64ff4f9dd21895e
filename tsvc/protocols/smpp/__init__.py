"""SMPP 3.4: codec as tables, stream framing, and the SMSC's side of a session, sans-IO.

`commands` has the tables, `pdus` the codec by them, `tree` PDUs as JSON both ways,
`text` the alphabets; `session` is one session as a machine. Who may bind, and what becomes of a
message, its user decides: accounts and inboxes are in tsvc.kinds.smpp. Start with `session`.
"""
