"""Classes from outside: `module = "package.module:Class"`, synchronous code dropped in as it is.

`loading` finds the class, `adapters` give it the calls that the operations of a kind make, and
`gateway` is what all of them have in common. A kind of its own it is not: each class says which
kind it stands for. Start with `gateway`.
"""

from tsvc.kind import Kind

# Described like a kind in the reference and the sample; never selected by this name.
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
