"""Sockets and greenlets below every protocol; no protocol is named here.

`driver` runs any sans-IO machine over any stream, and `pool` lends connections. `mailbox` passes
items to a waiting greenlet, and `back_off` computes the pause before another attempt. `threads` is
for drivers that block, and `http` is a client of HTTP/1.1 and HTTP/2. Start with `driver`.
"""
