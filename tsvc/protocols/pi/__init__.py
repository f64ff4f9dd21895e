"""Provisioning Interface (PI): lines of a man-machine language over TCP.

`codec` writes login and commands and reads answers; `dialect` is what servers differ in, all of
which may be set. Neither knows sockets or deadlines: those are the gateway's, in tsvc.kinds.pi.
Start with `codec`.
"""
