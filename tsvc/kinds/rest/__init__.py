"""HTTP interfaces: requests, and what is expected of their responses.

`gateway` is the HTTP gateway of tsvc.gateways.http with the settings of REST. `request` and
`content` build requests, and `calls` pairs them with their responses. Start with `operations`.
"""

from tsvc.kind import Kind

KIND = Kind(
    name="rest",
    title="REST",
    package=__name__,
    purpose="An HTTP interface.",
    is_labelled=True,
    dissector="http",
    fake="RestFake",
    example="""\
[application."BILLING"]
module = "rest"
base_uri = "https://billing.example.net:8443/api/v1"
bearer_token_file = "/etc/tsvc/billing.token"
ping_path = "/health"
""",
)
