"""Selects, groups and repeats the definitions of a suite, and reports on them: -k, --tag, -x,
--retries, --repeat, --github.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, NamedTuple

import click

from tsvc.cli.definition_file.cases import label_of
from tsvc.cli.definition_file.load import SET_UP, TEAR_DOWN
from tsvc.cli.terminal.refusal import ExitStatus
from tsvc.values import dataclass


class Job(NamedTuple):
    """One definition to be run, or one case of it."""

    path: Path
    params: dict[str, Any]
    case: str = ""


Selects = Callable[[str], bool]

_WORDS = re.compile(r"\s*(\(|\)|[^\s()]+)")


@dataclass(slots=True)
class Suite:
    """Definitions of a folder, and the definitions to run before and after them."""

    set_up: list[Job] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    tear_down: list[Job] = field(default_factory=list)

    @property
    def is_plain(self) -> bool:
        """True if there is no set-up and no tear-down."""
        return not self.set_up and not self.tear_down


def suites_of(jobs: Iterable[Job]) -> list[Suite]:
    """Return jobs as suites, in their order; adjacent jobs without set-up or tear-down are one."""
    found: list[Suite] = []
    here: Path | None = None
    for job in jobs:
        is_first = not found or here != job.path.parent
        if is_first or _begins_again(found[-1], job):
            found.append(Suite())
            here = job.path.parent
        suite = found[-1]
        {SET_UP: suite.set_up, TEAR_DOWN: suite.tear_down}.get(job.path.stem, suite.jobs).append(
            job
        )
    merged: list[Suite] = []
    for suite in found:
        if merged and suite.is_plain and merged[-1].is_plain:
            merged[-1].jobs += suite.jobs
        else:
            merged.append(suite)
    return merged


def _begins_again(suite: Suite, job: Job) -> bool:
    """Return True if a job of the same folder belongs to the next round of --repeat."""
    if job.path.stem == SET_UP:
        return bool(suite.jobs or suite.tear_down)
    return bool(suite.tear_down) and job.path.stem != TEAR_DOWN


class Expression:
    """The expression of `-k`: words that a name contains, with and, or, not and parentheses, as in
    pytest.

    Upper and lower case are equal. Errors: click.BadParameter for an invalid expression.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = _WORDS.findall(text)
        self._at = 0
        self._selects = self._or()
        if self._at < len(self._words):
            self._refuse(f"{self._words[self._at]!r} is not expected")

    def __call__(self, name: str) -> bool:
        """Return True if a name is selected."""
        return self._selects(name.lower())

    def _or(self) -> Selects:
        found = [self._and()]
        while self._take("or"):
            found.append(self._and())
        return lambda name: any(one(name) for one in found)

    def _and(self) -> Selects:
        found = [self._not()]
        while self._take("and"):
            found.append(self._not())
        return lambda name: all(one(name) for one in found)

    def _not(self) -> Selects:
        if self._take("not"):
            inner = self._not()
            return lambda name: not inner(name)
        if self._take("("):
            inner = self._or()
            if not self._take(")"):
                self._refuse("a parenthesis is not closed")
            return inner
        word = self._words[self._at].lower() if self._at < len(self._words) else ""
        if word in ("", "and", "or", ")"):
            self._refuse(f"a word is missing before {word!r}" if word else "a word is missing")
        self._at += 1
        return lambda name: word in name

    def _take(self, word: str) -> bool:
        is_next = self._at < len(self._words) and self._words[self._at].lower() == word
        self._at += is_next
        return is_next

    def _refuse(self, problem: str) -> None:
        raise click.BadParameter(f"{self._text!r}: {problem}", param_hint="-k")


def selected(
    jobs: Iterable[Job], expression: str | None, tags: Sequence[str]
) -> tuple[list[Job], int]:
    """Return the jobs to run, and the number of jobs left out.

    `expression` is matched against path, name and tags; a definition needs at least one of `tags`.
    Set-up and tear-down of a folder are kept if another job of the folder is run.
    """
    wanted = None if expression is None else Expression(expression)
    every = list(jobs)
    chosen = [
        (wanted is None or wanted(_names(*job)))
        and (not tags or bool(set(tags) & set(_tags(job.params))))
        for job in every
    ]
    folders = {
        job.path.parent
        for job, is_chosen in zip(every, chosen, strict=True)
        if is_chosen and not _is_around(job)
    }
    found = [
        job
        for job, is_chosen in zip(every, chosen, strict=True)
        if is_chosen or (_is_around(job) and job.path.parent in folders)
    ]
    return found, len(every) - len(found)


def _is_around(job: Job) -> bool:
    return job.path.stem in (SET_UP, TEAR_DOWN)


def _names(path: Path, params: Mapping[str, Any], case: str) -> str:
    return " ".join([label_of(path, case), str(params.get("name", "")), *_tags(params)])


def _tags(params: Mapping[str, Any]) -> list[str]:
    found = params.get("tags")
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


@dataclass(frozen=True, slots=True)
class Annotation:
    """A GitHub annotation of a file: `place` is file, file:line or file:line:column."""

    place: str
    title: str
    text: str

    def line(self) -> str:
        """Return the workflow command: `::error file=…,line=…,title=…::text`."""
        file, _, rest = self.place.partition(":")
        line, _, column = rest.partition(":")
        given = {"file": file, "line": line, "col": column, "title": self.title}
        properties = ",".join(f"{name}={_property(one)}" for name, one in given.items() if one)
        return f"::error {properties}::{_data(self.text)}"


def _data(text: str) -> str:
    """Return text with the escapes that GitHub's runner undoes: see its command.ts."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def repeated(jobs: Sequence[Job], times: int) -> Iterator[Job]:
    """Yield all jobs, `times` times in a row."""
    for _ in range(times):
        yield from jobs


def suite_line(statuses: Sequence[tuple[object, ExitStatus]], left_out: int, not_run: int) -> str:
    """Return one line that summarises all files of a command."""
    passed = sum(status is ExitStatus.PASSED for _, status in statuses)
    parts = [f"{passed} of {len(statuses)} files passed"]
    parts += [f"{path} {status.name.lower()}" for path, status in statuses if status]
    if not_run:
        parts.append(f"{not_run} not run")
    if left_out:
        parts.append(f"{left_out} not selected")
    return "; ".join(parts)
