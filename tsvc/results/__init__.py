"""Presentation of recorded messages, and reports of completed runs: pure.

`exchanges` decodes recorded messages, `arrow`, `layout` and `ladder` draw them, `pcap` writes
them. `xunit`, `csv_buckets` and `html` report runs from the client's typed results. Each kind
defines how its messages are shown. Start with `exchanges`.
"""
