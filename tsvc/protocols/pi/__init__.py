"""Provisioning Interface (PI): lines of a man-machine language over TCP.

`codec` writes login and commands and reads answers; `dialect` has the differences between servers,
all of which can be configured. Neither knows sockets or deadlines: the gateway in tsvc.kinds.pi
has them. Start with `codec`.
"""
