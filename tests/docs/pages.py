"""The contents of documents: fences, the commands in them, and their shown output.

A block of commands is a fence `sh`. A command that a test can't run has its requirement in its
comment, or in a line of comment above all commands of the block: `# …; needs root`. A command that
ends with another status than 0 has the status there, too: `# …; status 1`, `# …; status 0 or 6`.
The shown output is a fence `text` that follows the commands.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from support.daemons import ROOT

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
_FENCE = re.compile(r"^( *)```([^\n`]*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"(?:^|\s+)#\s+(.*)$")
_HERE_DOCUMENT = re.compile(r"<<-?\s*'?(\w+)'?")
_NEEDS = re.compile(r"\bneeds (.+)$")
_STATUS = re.compile(r"\bstatus (\d(?: or \d)*)\b")


@dataclass(frozen=True, slots=True)
class Command:
    """A command without its comment; `statuses` are its allowed exit statuses."""

    text: str
    comment: str
    needs: str
    statuses: tuple[int, ...]

    def __str__(self) -> str:
        return self.text.splitlines()[0]


@dataclass(frozen=True, slots=True)
class Block:
    """A fence: the number of its first line, its language, its text."""

    line: int
    language: str
    text: str


def name_of(page: Path) -> str:
    """Return a page's path in the checkout, without its ending."""
    return str(page.relative_to(ROOT).with_suffix(""))


def page_of(name: str) -> Path:
    return ROOT / f"{name}.md"


@cache
def blocks(page: Path) -> tuple[Block, ...]:
    text = page.read_text("utf-8")
    return tuple(
        Block(text.count("\n", 0, fence.start()) + 1, fence[2].strip(), fence[3])
        for fence in _FENCE.finditer(text)
    )


def commands(block: Block) -> list[Command]:
    """Return the commands of a block, in order."""
    found: list[Command] = []
    lines = iter(block.text.splitlines())
    whole_block = ""
    for line in lines:
        if not line.strip():
            continue
        parts = [line]
        while parts[-1].endswith("\\"):
            parts.append(next(lines))
        comment = _COMMENT.search(parts[-1])
        if comment:
            parts[-1] = parts[-1][: comment.start()]
        if here := _HERE_DOCUMENT.search(line):
            parts.extend(_until(lines, here[1]))
        said = comment[1] if comment else ""
        if not "".join(parts).strip():
            whole_block = said
            continue
        needs = _NEEDS.search(said) or _NEEDS.search(whole_block)
        status = _STATUS.search(said)
        statuses = tuple(map(int, status[1].split(" or "))) if status else (0,)
        found.append(Command("\n".join(parts), said, needs[1] if needs else "", statuses))
    return found


def _until(lines: Iterator[str], end: str) -> Iterator[str]:
    for line in lines:
        yield line
        if line == end:
            return


@dataclass(frozen=True, slots=True)
class Step:
    """A block of commands, and the lines of their output that the page shows, if any."""

    line: int
    commands: tuple[Command, ...]
    shown: tuple[str, ...]


def steps(page: Path) -> list[Step]:
    """Return the blocks of commands of a page, in order."""
    found = []
    all_blocks = blocks(page)
    for at, block in enumerate(all_blocks):
        if block.language != "sh":
            continue
        behind = all_blocks[at + 1 : at + 2]
        is_shown = behind and behind[0].language == "text"
        shown = tuple(behind[0].text.splitlines()) if is_shown else ()
        found.append(Step(block.line, tuple(commands(block)), shown))
    return found


def inline(page: Path) -> list[str]:
    """Return the commands `tsvc …` in sentences and tables of a page."""
    prose = _FENCE.sub("", page.read_text("utf-8"))
    found = [" ".join(text.split()) for text in re.findall(r"`([^`]+)`", prose)]
    return [text for text in found if re.match(r"(tsvcd?|run_test) ", text)]
