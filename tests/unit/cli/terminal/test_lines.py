"""No text from outside moves the cursor, forges a line or sets a colour."""

import ast
import io
import json
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tsvc
from tsvc.cli.terminal import lines as terminal

OTHER_WAYS = ("print", "click.echo", "click.secho", "click.style", "sys.stdout.write")
SGR = re.compile(r"\x1b\[[0-9;]*m")
EVIL = "\x1b]0;gone\x07\x1b[2J\x9b31m\x1b[32mPASS\r\nall passed\b\b\u202egnp.exe\u2028\x85\x00\x7f"
TEXTS = st.text(st.characters(codec="utf-8"), max_size=60) | st.sampled_from([EVIL, EVIL * 2])


class Screen(io.TextIOWrapper):
    def __init__(self, is_terminal):
        super().__init__(io.BytesIO(), "utf-8", newline="")
        self._is_terminal = is_terminal

    def isatty(self):
        return self._is_terminal


def printed(do, *, is_terminal=True, **environ):
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("NO_COLOR", raising=False)
        for name, value in {"TERM": "xterm", **environ}.items():
            patch.setenv(name, value)
        made = Screen(is_terminal)
        patch.setattr(sys, "stdout", made)
        do()
        made.flush()
        return made.buffer.getvalue().decode()


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_a_line_is_one_line(lines):
    for is_terminal in (True, False):
        shown = printed(lambda: terminal.say(*lines), is_terminal=is_terminal)
        assert shown.endswith("\n")
        assert len(shown[:-1].split("\n")) == len(lines)
        assert all(line.isprintable() for line in shown[:-1].split("\n"))


@given(TEXTS, TEXTS)
def test_colours_are_ours_alone(before, styled):
    line = f"{before} {terminal.style(styled, 'bold', 'red')}!"
    shown = printed(lambda: terminal.say(line))
    assert SGR.findall(shown) == ["\x1b[1;31m", "\x1b[0m"]
    assert SGR.sub("", shown)[:-1].isprintable()
    assert printed(lambda: terminal.say(line), is_terminal=False) == terminal.plain(line) + "\n"
    assert "\x1b" not in terminal.plain(line)


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_colours_where_none_are_wanted(name, value):
    line = terminal.style("pass", "green")
    assert printed(lambda: terminal.say(line), **{name: value}) == "pass\n"


@given(st.recursive(TEXTS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner)))
def test_json_is_the_same_value_and_shows_nothing_else(value):
    shown = printed(lambda: terminal.say_json(value))
    assert json.loads(shown) == value
    assert all(line.isprintable() for line in shown.split("\n"))


@pytest.mark.parametrize("form", ["json", "text", "ladder", "svg"])
def test_a_document_is_itself_in_a_file_and_harmless_on_a_terminal(form):
    octets = json.dumps([EVIL], ensure_ascii=False).encode()
    piped = printed(lambda: terminal.show_document(octets, form), is_terminal=False)
    assert piped.encode() == octets + b"\n"
    shown = printed(lambda: terminal.show_document(octets, form))
    assert all(line.isprintable() for line in shown.split("\n"))


def test_every_command_says_it_this_way():
    found = []
    package = Path(tsvc.__file__).parent
    for path in sorted([*package.glob("cli/**/*.py"), *package.glob("commands/*.py")]):
        if path == Path(terminal.__file__):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                if name in (
                    "print",
                    "click.echo",
                    "click.secho",
                    "click.style",
                    "sys.stdout.write",
                ):
                    found.append(f"{path.name}:{node.lineno} {name}")
    assert not found
