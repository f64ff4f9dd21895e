"""The rest gateway: requests below a base URI of an HTTP server."""

from collections.abc import Iterable, Mapping
from urllib.parse import quote, urlencode

from marshmallow import ValidationError

from tsvc.gateways.gateway import gateway
from tsvc.gateways.http import HttpGateway
from tsvc.schema.fields import String
from tsvc.schema.table import member, table
from tsvc.transport.http.message import Fields, Request
from tsvc.transport.http.settings import HttpConfig

# RFC 3986 3.3 and 3.4: what may stand in path and query; % because it may be encoded already.
_KEPT = "/?%:@!$&'()*+,;=~-._"

# (name, value, is it one more line beside those of the same name)
Header = tuple[str, str, bool]


@table
class RestConfig(HttpConfig):
    """`[application.NAME]` with module = "rest"."""

    bearer_token: str = member(
        String(
            pattern=r"\A[\x21-\x7e]*\Z",
            says="has odd characters",
            default="",
            help="token of every request; `bearer_token_file` keeps it out of the file",
        )
    )

    def check_authentication(self) -> None:
        """Refuse two ways to say who we are."""
        if self.username and self.bearer_token:
            raise ValidationError("username is given too", "bearer_token")


@gateway("rest")
class RestGateway(HttpGateway):
    """Requests to one server, below its base URI."""

    Config = RestConfig
    config: RestConfig

    def request(
        self,
        method: str,
        path: str = "",
        query: "str | Mapping[str, object]" = "",
        *,
        headers: Iterable[Header] = (),
        content_type: str = "",
        body: bytes = b"",
    ) -> Request:
        """Return the request that send() takes; never blocks.

        `path` is appended to that of the base URI, `query` to what the path has of one: text as
        it is, or values by name. A header replaces those of its name unless it says otherwise.
        """
        fields_ = self.standing
        if content_type:
            fields_ = (*fields_, ("Content-Type", content_type))
        for name, value, is_appended in headers:
            if not is_appended:
                fields_ = tuple(one for one in fields_ if one[0].lower() != name.lower())
            fields_ = (*fields_, (name, value))
        # RFC 9110 8.6: these methods are expected to have content, be it empty.
        if (body or method in ("POST", "PUT", "PATCH")) and not _has_length(fields_):
            fields_ = (*fields_, ("Content-Length", str(len(body))))
        return Request(method, self.target(path, query), fields_, body)

    def target(self, path: str, query: "str | Mapping[str, object]" = "") -> str:
        """Return path and query below the base URI, what needs it percent-encoded."""
        base = self.server.path
        if path and not path.startswith(("/", "?")):
            path = f"/{path}"
        whole = quote((base.rstrip("/") if path.startswith("/") else base) + path, safe=_KEPT)
        if not whole.startswith("/"):
            whole = f"/{whole}"
        if not query:
            return whole
        text = quote(query, safe=_KEPT) if isinstance(query, str) else urlencode(query, doseq=True)
        return f"{whole}{'&' if '?' in whole else '?'}{text.removeprefix('?')}"

    def _authorization(self) -> Fields:
        token = self.config.bearer_token
        return (("Authorization", f"Bearer {token}"),) if token else super()._authorization()


def _has_length(fields_: Fields) -> bool:
    names = ("content-length", "transfer-encoding")
    return any(name.lower() in names for name, _ in fields_)
