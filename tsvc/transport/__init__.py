"""Sockets and greenlets under every protocol; nothing here names one.

`driver` runs any sans-IO machine over any stream, `pool` lends connections, `mailbox` hands what
came to who waits, `back_off` says how long to wait before another attempt, `threads` is for
drivers that block, `http` a client of HTTP/1.1 and HTTP/2. Start with `driver`.
"""
