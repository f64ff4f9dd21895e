"""The configuration of a rest gateway."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from marshmallow import ValidationError

from tsvc.schema.fields import Boolean, Choice, Integer, List, Named, Number, String
from tsvc.schema.table import member, table
from tsvc.transport.http.settings import OAuthHttpConfig

# Why a request may be sent again: no connection, its loss, no response in time.
CAUSES = ("connect", "lost", "timeout")


class QuerySecrets(Named):
    """Values by name, or the text of a query: a file with the secrets holds such a text."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, str):
            try:
                value = dict(parse_qsl(value, keep_blank_values=True, strict_parsing=True))
            except ValueError:
                raise ValidationError("must be name=value&name=value") from None
        return super()._deserialize(value, attr, data, **kwargs)


@table
class RestConfig(OAuthHttpConfig):
    """`[application.NAME]` with module = "rest"."""

    bearer_token: str = member(
        String(
            pattern=r"\A[\x21-\x7e]*\Z",
            says="has odd characters",
            default="",
            help="token of every request; `bearer_token_file` keeps it out of the file",
        )
    )
    authentication: str = member(
        Choice(
            ["basic", "digest"],
            default="basic",
            help="how username and password are said: at once, or in answer to a challenge"
            " (RFC 7616: MD5, SHA-256)",
        )
    )
    query_secrets: Mapping[str, str] = member(
        QuerySecrets(
            String(),
            default=dict,
            help="what goes into the query of every request and is shown nowhere, by name;"
            " `query_secrets_file` keeps it out of the file, as name=value&name=value",
        )
    )
    cookies: bool = member(
        Boolean(
            default=False,
            help="whether each instance keeps the cookies it is given and sends them (RFC 6265)",
        )
    )
    retries: int = member(
        Integer(
            0, 20, default=0, help="how often a request is sent again for what the next two say"
        )
    )
    retry_on: tuple[str, ...] = member(
        List(
            Choice(CAUSES),
            default=tuple,
            help="`connect`: no connection; `lost`, `timeout`: the server may have acted already",
        )
    )
    retry_codes: tuple[int, ...] = member(
        List(Integer(400, 599), default=tuple, help="HTTP codes after which it is sent again")
    )
    retry_pause_s: float = member(Number(0, 60, default=0.0, help="pause before that"))
    allow_outside: bool = member(
        Boolean(default=False, help="whether the path of a request may leave that of the base URI")
    )
    allow_host: bool = member(
        Boolean(default=False, help="whether a request may have a header Host of its own")
    )

    def check_authentication(self) -> None:
        """Refuse two ways of authentication, and an incomplete one."""
        ways = [name for name in ("username", "bearer_token", "oauth_uri") if getattr(self, name)]
        if len(ways) > 1:
            raise ValidationError(f"{ways[0]} is given too", ways[1])
        if self.authentication == "digest" and not self.username:
            raise ValidationError("is missing, authentication is digest", "username")

    def check_retries(self) -> None:
        """Refuse a number of retries without a cause, and a cause without a number."""
        causes = self.retry_on or self.retry_codes
        if self.retries and not causes:
            raise ValidationError("is missing, retries is given: or retry_codes", "retry_on")
        if causes and not self.retries:
            raise ValidationError("is missing, causes of it are given", "retries")
