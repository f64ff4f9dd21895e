"""The base of methods whose answers stay the same for as long as the daemon runs."""

import hashlib
import json
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from tsvc import turns
from tsvc.engine.give_way import slices
from tsvc.engine.result import member
from tsvc.engine.result.member import AnswerMembers
from tsvc.engine.service import Service
from tsvc.memo import Memo
from tsvc.methods.method import Method
from tsvc.rpc import strict_json
from tsvc.schema import fields
from tsvc.schema.fields import Params
from tsvc.schema.load import LoadedParams


class CatalogueParams(Params):
    """The etag of the answer that the caller has already."""

    etag = fields.String(
        help="`etag` of an earlier answer to these params: if it is still right, there is nothing "
        "else in this one"
    )


_LONGEST_KEY = 500  # characters of params whose etag is kept: no type has a longer name


class CatalogueAnswer(AnswerMembers):
    """Base of the answers."""

    etag = member.text("another one where something else would be answered")
    unchanged = member.flag("1: what the caller has is right, and nothing else is answered")


class CatalogueMethod(Method):
    """A method that gives the same answer to the same params each time."""

    def __init__(self) -> None:
        super().__init__()
        self._declared = sorted(self.Params().fields.keys() - {"etag"})
        self._etags: Memo[str, str] = Memo(f"etags of {self.name}", 1000, self._etag_of)

    @abstractmethod
    def make(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer without the members of CatalogueAnswer. Blocks: lets others run."""

    def call(self, service: Service, params: LoadedParams) -> object:
        # The answer does not depend on added members (comment, x_…), which may be a mebibyte.
        wanted = {name: params[name] for name in self._declared if name in params}
        key = json.dumps(wanted)
        etag = self._etags[key] if len(key) <= _LONGEST_KEY else self._etag_of(key)
        if params.get("etag") == etag:
            return {"etag": etag, "unchanged": 1}
        with turns.given(slices()):
            return {**self.make(wanted), "etag": etag, "unchanged": 0}

    def _etag_of(self, wanted: str) -> str:
        with turns.given(slices()):
            answer = strict_json.encode(self.make(json.loads(wanted)))
        return hashlib.sha256(answer).hexdigest()[:32]
