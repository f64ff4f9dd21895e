"""A dummy service: it is asked for a word and says it again, or NO and why.

    ASK 5            ->  OK 5
    ASK              ->  NO nothing was asked

The whole of a kind of gateway, to copy. Start with `gateway`.
"""

from tsvc.kind import Kind

KIND = Kind(
    name="dummy",
    title="Dummy",
    package=__name__,
    purpose="A service that says again what it is asked.",
    fake="DummyFake",
    example="""\
[application."DUMMY"]
module = "dummy"
remote_host = "dummy.example.net"
remote_port = 7007
""",
)
