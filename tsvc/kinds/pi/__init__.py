"""A Provisioning Interface: commands in lines of text over TCP.

`gateway` is a pool of connections that are logged in. tsvc.protocols.pi reads and writes the
lines. This is the shortest kind, and the one to copy. Start with `gateway`.
"""

from tsvc.kind import Kind

KIND = Kind(
    name="pi",
    title="PI",
    words=("ocncc",),
    package=__name__,
    purpose="A Provisioning Interface: commands in lines of text over TCP.",
    fake="PiFake",
    example="""\
[application."PI-SMF01"]
module = "pi"
remote_host = "smf01.example.net"
remote_port = 4999
username = "tester"
password_file = "/etc/tsvc/pi.password"
""",
)
