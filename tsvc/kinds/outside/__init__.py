"""Classes from outside: `module = "package.module:Class"`, synchronous code used unchanged.

`loading` finds the class, `adapters` provide the calls that the operations of a kind make, and
`gateway` is the common base of the adapters. This is no kind of its own: each class names the
kind that it stands for. Start with `gateway`.
"""

from tsvc.kind import Kind

# Described like a kind in the reference and the sample; it can't be selected by this name.
OUTSIDE = Kind(
    name="package.module:Class",
    title="outside",
    package=__name__,
    purpose="A class of your own in place of pi, db, rest or osd.",
    guide="legacy-gateway",
    example="""\
[application."PI-OLD"]
module = "site_pi:PiClient"
host = "10.0.0.5"
port = 4999
username = "tester"
password_file = "/etc/tsvc/pi-old.password"
call_timeout_s = 5
""",
)
