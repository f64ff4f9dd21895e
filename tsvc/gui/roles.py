"""Permissions: three roles, and for each method of the daemon the lowest role that may call it."""

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Any


class Role(IntEnum):
    """A role has the rights of those below it."""

    VIEWER = 1
    EXECUTOR = 2
    AUTHOR = 3

    @property
    def word(self) -> str:
        """The role as it is written in the file of users and sent to browsers."""
        return self.name.lower()


ROLES: Mapping[str, Role] = MappingProxyType({role.word: role for role in Role})

_LOOKING = (
    "CheckFlow",
    "CompareResults",
    "DescribeDefinition",
    "DescribeFlowOperations",
    "DescribeMethods",
    "DescribeOperations",
    "DescribeService",
    "GetResult",
    "GetTrace",
    "ListResults",
    "ListWorkers",
    "QueryAllTests",
    "QueryTest",
    "ValidateTest",
)
_STEERING = ("CancelTest", "ExecuteTest", "PauseTest", "RateTest", "ResumeInstance")
_RUNNING = ("DrainWorker",)  # methods that change the service itself

METHOD_ROLES: Mapping[str, Role] = MappingProxyType(
    dict.fromkeys(_LOOKING, Role.VIEWER)
    | dict.fromkeys(_STEERING, Role.EXECUTOR)
    | dict.fromkeys(_RUNNING, Role.AUTHOR)
)


def problem_of(role: Role, method: str, params: Mapping[str, Any]) -> str:
    """Return why a role may not call a method with these params; "" if it may.

    A method that is not in the table is for authors, because its effect has not been judged.
    """
    needed = METHOD_ROLES.get(method, Role.AUTHOR)
    if role < needed:
        return f"{method} is for the role {needed.word}, yours is {role.word}"
    # In JSON `collect` may be false or 0, which are equal here.
    if role is Role.VIEWER and method == "QueryTest" and params.get("collect", 1) != 0:
        return "a viewer's QueryTest needs collect: 0, as it collects the run else"
    return ""
