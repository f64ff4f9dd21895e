"""Definitions of the workspace as params of ExecuteTest, the same that `tsvc run FILE` would send.

An environment, `{vars, gateways, daemon}` in a file `*.env.json`, overrides parts of a definition.
Its vars replace those of the definition. Its gateways replace names of gateways: their keys are
the replaced names, or the parameters that select a gateway. Functions here block on the disk.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tsvc.cli.definition_file.cases import with_vars
from tsvc.cli.definition_file.document import Document, FileProblem, parse
from tsvc.cli.definition_file.load import Files, load_definition
from tsvc.errors import reason
from tsvc.gui.asked import Refusal
from tsvc.gui.workspace import Workspace, read_octets
from tsvc.kind import is_selection

_MEMBERS = ("vars", "gateways", "daemon", "name", "comment", "description")


class _Inside(Files):
    """The files of a workspace; one may have an unsaved text from an editor."""

    def __init__(self, workspace: Workspace, edited: Path, text: str | None) -> None:
        self._workspace = workspace
        self._edited = edited
        self._text = text

    def has(self, path: Path) -> bool:
        real = path.resolve()
        return self._workspace.holds(real) and real.is_file()

    def read(self, path: Path) -> Document:
        real = path.resolve()
        if not self._workspace.holds(real):
            raise FileProblem(f"{path}: leads out of the workspace")
        if real == self._edited and self._text is not None:
            return parse(path, self._text.encode("utf-8"))
        try:
            return parse(path, read_octets(real))
        except OSError as error:
            raise FileProblem(f"{path}: {reason(error)}") from None


def params_in(
    workspace: Workspace, path: str, text: str | None, environment: str | None
) -> dict[str, Any]:
    """Return the params of ExecuteTest, without run_id.

    `text`: the text of the file, if it is not saved yet. Errors: Refusal 422 with problem,
    path, line and column; the last three are null if they are not known.
    """
    place = workspace.place(path)
    files = _Inside(workspace, place, text)
    try:
        definition = load_definition(workspace.root / path, files)
        if definition.cases is not None:
            document, _ = definition.cases
            raise document.refuse(("cases",), "cases are run by `tsvc run` and by pytest")
        params = dict(definition.params)
        params.setdefault("strict", 1)
        if environment is not None:
            other = workspace.place(environment)
            read = _Inside(workspace, other, None).read(workspace.root / environment)
            params = _laid_over(params, read)
    except FileProblem as problem:
        raise _refusal(problem.message, workspace.root) from None
    return params


def _laid_over(params: dict[str, Any], environment: Document) -> dict[str, Any]:
    """Return params, with overrides from an environment. Errors: FileProblem."""
    unknown = [name for name in environment.value if name not in _MEMBERS]
    if unknown:
        known = ", ".join(_MEMBERS)
        raise environment.refuse((unknown[0],), f"is no member of an environment: {known}")
    given = {name: environment.value.get(name, {}) for name in ("vars", "gateways")}
    for name, value in given.items():
        if not isinstance(value, dict):
            raise environment.refuse((name,), "must be an object")
    own = params.get("vars", {})
    if given["vars"] and isinstance(own, dict):
        params = {**params, "vars": with_vars(own, given["vars"])}
    return {**params, **_gateways(params, given["gateways"])}


def _gateways(params: Mapping[str, Any], names: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that select gateways, with the names that an environment gives."""
    selected = {name: value for name, value in params.items() if is_selection(name)}
    found = {
        name: names[value]
        for name, value in selected.items()
        if isinstance(value, str) and value in names
    }
    return found | {name: value for name, value in names.items() if is_selection(name)}


def _refusal(message: str, root: Path) -> Refusal:
    text = message.replace(f"{root}/", "")
    found = re.match(r"([^\n]*?):(\d+):(\d+): ", text)
    if found is None:
        return Refusal(422, text, path=None, line=None, column=None)
    return Refusal(422, text, path=found[1], line=int(found[2]), column=int(found[3]))
