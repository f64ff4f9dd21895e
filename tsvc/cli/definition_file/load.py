"""Definition files: the params of ExecuteTest, without run_id, as JSON, YAML or TOML.

A file may also have these members. File names are relative to the file that contains them:

* `include`: a file or files whose members are taken first; the members of this file override them.
  The objects vars, scp, ssp and hlr are merged by member; comment, name and description, which
  describe a file, are not taken over.
* `{"include": FILE}` in place of an operation: replaced by the operations of that file. The file
  may also have vars; this file's own vars override them.
* `vars`: a file, or a list of files and objects; later ones override earlier ones.
* `flow`: a flow document.
* `cases`: rows of variables, or a file of rows: the definition is run for each row (`cases`).

A directory stands for the definition files directly in it, in name order; `_setup` comes before
the others, `_teardown` after them.
"""

from dataclasses import field
from pathlib import Path
from typing import Any

from tsvc.cli.definition_file.document import SUFFIXES, Document, FileProblem, read
from tsvc.cli.definition_file.positions import Steps
from tsvc.values import dataclass
from tsvc.words import path_steps

SET_UP, TEAR_DOWN = "_setup", "_teardown"  # names of files, without their suffixes
_MERGED = ("vars", "scp", "ssp", "hlr")
_ABOUT = ("comment", "name", "description")


@dataclass(slots=True)
class Definition:
    """Params read from files; `origins` has the file, and the path in it, of each part."""

    params: dict[str, Any] = field(default_factory=dict)
    origins: dict[Steps, tuple[Document, Steps]] = field(default_factory=dict)
    cases: tuple[Document, Any] | None = None
    """The value of `cases`, with the file that contains it; not a part of the params."""

    def place(self, path: str) -> str:
        """Return `file:line:column` of a path such as `operations[3].type`.

        Return only the file if the position is not known; "" if the path is in no file.
        """
        steps = path_steps(path.removeprefix("params."))
        for length in range(len(steps), -1, -1):
            found = self.origins.get(steps[:length])
            if found is not None:
                document, base = found
                return document.place(base + steps[length:])
        return ""

    def take(self, steps: Steps, value: Any, document: Document, base: Steps) -> None:
        """Set a member, or a member of a member, and remember its origin."""
        *above, last = steps
        target: Any = self.params
        for step in above:
            target = target.setdefault(step, {})
        target[last] = value
        self.origins[steps] = (document, base)

    def take_object(self, name: str, value: Any, document: Document, base: Steps) -> None:
        """Merge the members of an object over the existing ones; another value replaces them."""
        if not isinstance(value, dict) or not isinstance(self.params.get(name, {}), dict):
            self.take((name,), value, document, base)
            return
        self.params.setdefault(name, {})
        self.origins.setdefault((name,), (document, base))
        for member, item in value.items():
            self.params[name].pop(member, None)  # vars are evaluated in the order of the files
            self.take((name, member), item, document, (*base, member))

    def put_below(self, other: "Definition", names: tuple[str, ...] | None = None) -> None:
        """Take the members of another definition, or those named; members here override them."""
        for name, value in other.params.items():
            if name in _ABOUT or (names is not None and name not in names):
                continue
            if name in _MERGED and isinstance(value, dict):
                mine = self.params.get(name, {})
                if isinstance(mine, dict):
                    self.params[name] = {**value, **mine}
            elif name not in self.params:
                self.params[name] = value
        self.origins = {**other.origins, **self.origins}
        self.cases = self.cases or other.cases


def expand(paths: tuple[Path, ...]) -> list[Path]:
    """Return the paths, with each directory replaced by the definition files in it."""
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        # The schema that `tsvc init` and `tsvc schema` write is there for editors.
        files = [
            one
            for one in sorted(path.iterdir())
            if one.suffix in SUFFIXES and not one.name.endswith(".schema.json")
        ]
        if not files:
            raise FileProblem(f"{path}: no definition file in this directory")
        found += sorted(files, key=lambda one: (one.stem != SET_UP) + (one.stem == TEAR_DOWN))
    return found


def read_definition(path: Path) -> dict[str, Any]:
    """Return the params of a definition file and the files that it names. Errors: FileProblem."""
    return load_definition(path).params


def read_document(path: Path) -> dict[str, Any]:
    """Return the object in a file. Blocks: on the file. Errors: FileProblem with the position."""
    return read(path).value


class Files:
    """The source of definitions and the files that they name: the disk; subclasses may differ."""

    def has(self, path: Path) -> bool:
        """Return True if there is such a file."""
        return path.is_file()

    def read(self, path: Path) -> Document:
        """Return the object in a file. Errors: FileProblem."""
        return read(path)


@dataclass(frozen=True, slots=True)
class _Reading:
    """The source of files, and the chain of files being read: each is named by the previous."""

    files: Files
    chain: tuple[Path, ...] = ()


def load_definition(path: Path, files: Files | None = None) -> Definition:
    """Return a definition file with everything that it includes, and the origin of each part.

    Blocks: on the files. Errors: FileProblem, with file, line and column.
    """
    return _load(path, _Reading(files or Files()))


def _load(path: Path, reading: _Reading) -> Definition:
    here, chain = path.resolve(), reading.chain
    if here in chain:
        names = " includes ".join(str(one.name) for one in (*chain[chain.index(here) :], here))
        raise FileProblem(f"{path}: includes itself: {names}")
    document = reading.files.read(path)
    if "run_id" in document.value:
        raise document.refuse(("run_id",), "run_id is chosen when the file is run, remove it")
    reading = _Reading(reading.files, (*chain, here))
    made = Definition(origins={(): (document, ())})
    for name, value in document.value.items():
        if name == "operations" and isinstance(value, list):
            _take_operations(made, value, document, reading)
        elif name == "vars":
            _take_vars(made, value, document, reading.files)
        elif name == "flow" and isinstance(value, str):
            flow = reading.files.read(_named(document, ("flow",), value, reading.files))
            made.take(("flow",), flow.value, flow, ())
        elif name in _MERGED:
            made.take_object(name, value, document, (name,))
        elif name == "cases":
            made.cases = (document, value)
        elif name != "include":
            made.take((name,), value, document, (name,))
    included = document.value.get("include", [])
    files = included if isinstance(included, list) else [included]
    for position in range(len(files) - 1, -1, -1):
        made.put_below(_include(document, ("include",), files[position], reading))
    return made


def _include(document: Document, steps: Steps, name: object, reading: _Reading) -> Definition:
    path = _named(document, steps, name, reading.files)
    try:
        return _load(path, reading)
    except FileProblem as problem:
        raise FileProblem(f"{problem.message}\n  included by {document.place(steps)}") from None


def _named(document: Document, steps: Steps, name: object, files: Files) -> Path:
    """Return the path of a file that a document names."""
    if not isinstance(name, str):
        raise document.refuse(steps, "must be the name of a file")
    if not name.endswith(SUFFIXES):
        raise document.refuse(
            steps, f"{name!r} does not name a {'flow document' if steps == ('flow',) else 'file'}"
        )
    path = document.path.parent / name
    if not files.has(path):
        raise document.refuse(steps, f"{path}: No such file")
    return path


def _take_operations(
    made: Definition, entries: list[Any], document: Document, reading: _Reading
) -> None:
    operations: list[Any] = []
    made.take(("operations",), operations, document, ("operations",))
    for position, entry in enumerate(entries):
        base: Steps = ("operations", position)
        if not isinstance(entry, dict) or "include" not in entry:
            made.origins["operations", len(operations)] = (document, base)
            operations.append(entry)
            continue
        other = [name for name in entry if name not in ("include", *_ABOUT)]
        if other:
            raise document.refuse((*base, other[0]), "does not go with include")
        found = _include(document, (*base, "include"), entry["include"], reading)
        _take_included(made, operations, found, document, base)


def _take_included(
    made: Definition, operations: list[Any], found: Definition, document: Document, base: Steps
) -> None:
    """Insert the operations of an included file here; our own vars override its vars."""
    other = [n for n in found.params if n not in ("operations", "vars", *_ABOUT)]
    other += ["cases"] if found.cases else []
    if other:
        text = f"a file of operations holds operations and vars, not {other[0]}"
        raise document.refuse(base, f"{text} ({found.place(other[0])})")
    entries = found.params.get("operations", [])
    if not isinstance(entries, list):
        raise document.refuse(base, f"operations must be an array ({found.place('operations')})")
    for position, entry in enumerate(entries):
        made.origins["operations", len(operations)] = found.origins["operations", position]
        operations.append(entry)
    origins = {steps: found.origins[steps] for steps in found.origins if steps[:1] == ("vars",)}
    if "vars" in found.params:
        made.put_below(Definition({"vars": found.params["vars"]}, origins))


def _take_vars(made: Definition, value: Any, document: Document, files: Files) -> None:
    if isinstance(value, dict):
        made.take_object("vars", value, document, ("vars",))
        return
    if not isinstance(value, str | list):
        made.take(("vars",), value, document, ("vars",))
        return
    for position, item in enumerate(value if isinstance(value, list) else [value]):
        base: Steps = ("vars", position) if isinstance(value, list) else ("vars",)
        if isinstance(item, dict):
            made.take_object("vars", item, document, base)
        else:
            found = files.read(_named(document, base, item, files))
            made.take_object("vars", found.value, found, ())
