"""A service with HTTP applications, asked as a client would."""

from typing import ClassVar

from support.daemons import Daemon


class HttpService(Daemon):
    """applications: {name: (kind, members)}. A loopback SIGTRAN instance is there too."""

    defaults: ClassVar[dict] = {"ssp_ac": "camel2"}

    def __init__(self, folder, applications, **engine):
        super().__init__(folder, {"LOOP": ("sigtran", {}), **applications}, **engine)
        self.until_up()

    def refused(self, *operations, **params):
        """Return {path: texts} of what is wrong with a definition."""
        error = self.refusal(
            "ExecuteTest", run_id="refused", operations=list(operations), **params
        )
        fields = error["data"]["fields"]
        return {path.removeprefix("params."): texts for path, texts in fields.items()}


def first(result):
    return result["first_call_summary"]


def failures(result):
    return [one["text"] for one in first(result)["check_log"] if one["level"].lower() != "pass"]
