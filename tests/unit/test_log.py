import io
import json
import logging
import re

import pytest

from tsvc import log


@pytest.fixture(autouse=True)
def _restored():
    root = logging.getLogger("tsvc")
    before = root.handlers[:], root.level, root.propagate
    yield
    root.handlers[:], root.level, root.propagate = before


@pytest.fixture
def written():
    stream = io.StringIO()

    def lines(level="info", form="text"):
        log.setup(level, form, stream=stream)
        return stream

    return lines


MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


def test_text_line(written):
    stream = written()
    log.get_logger("sigtran").info("asp up", asp="ASP1", run_id="tr 1", count=3, none=None)
    pattern = rf'{MOMENT} INFO  sigtran asp up asp=ASP1 run_id="tr 1" count=3 none=None\n'
    assert re.fullmatch(pattern, stream.getvalue())


def test_json_line(written):
    stream = written(form="json")
    log.get_logger("a.b").warning("odd", peer="é\n", folder=object)
    line = json.loads(stream.getvalue())
    assert re.fullmatch(MOMENT, line.pop("time"))
    assert line == {
        "level": "warning",
        "area": "a.b",
        "event": "odd",
        "peer": "é\n",
        "folder": "<class 'object'>",
    }


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("text", ["a\nb", 'a" b="c', "\x1b[2J", "", "\u2028", "\ud800"])
def test_one_event_is_one_line_whatever_it_says(written, form, text):
    stream = written(form=form)
    log.get_logger("x").error(f"event {text}", value=text)
    lines = stream.getvalue().splitlines()
    assert len(lines) == 1
    assert lines[0].isprintable()


def test_percent_signs_are_text(written):
    stream = written()
    log.get_logger("x").info("100 % of %s", share="%d")
    assert "100 % of %s share=%d" in stream.getvalue()


def test_bound_fields(written):
    stream = written()
    log.get_logger("x").bind(run_id="r").bind(idx=1).info("started", idx=2)
    assert stream.getvalue().endswith(" x started run_id=r idx=2\n")


def test_levels(written):
    stream = written("warning")
    logger = log.get_logger("x")

    class Unprinted:
        def __str__(self):
            raise AssertionError("formatted for nobody")

    logger.debug("no", value=Unprinted())
    logger.info("no", value=Unprinted())
    assert stream.getvalue() == ""
    logger.error("yes")
    assert stream.getvalue().count("\n") == 1
    written("debug")
    logger.debug("now")
    assert stream.getvalue().count("\n") == 2


def test_failure_has_its_traceback_on_the_line(written):
    stream = written()
    try:
        raise ValueError("why")
    except ValueError as error:
        log.get_logger("x").failure("broken", error, incident="i1")
    (line,) = stream.getvalue().splitlines()
    assert "incident=i1" in line
    assert r"ValueError: why\n" in line


def test_setup_replaces_the_target():
    first, second = io.StringIO(), io.StringIO()
    log.setup(stream=first)
    log.setup(stream=second)
    log.get_logger("x").info("once")
    assert (first.getvalue(), second.getvalue().count("once")) == ("", 1)


def lines(path):
    return [line.split()[-1] for line in path.read_text().splitlines()]


def test_a_file_that_has_been_renamed_is_opened_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(logging.getLogger("tsvc"), "handlers", [])
    path, old = tmp_path / "tsvc.log", tmp_path / "tsvc.log.1"
    log.setup(file=path)
    logger = log.get_logger("test")
    logger.info("one")
    path.rename(old)
    logger.info("two")
    assert (lines(old), lines(path)) == (["one"], ["two"])
    path.unlink()
    logger.info("three")
    assert lines(path) == ["three"]


def test_no_line_is_lost_while_there_is_no_file_that_can_be_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(logging.getLogger("tsvc"), "handlers", [])
    folder = tmp_path / "log"
    folder.mkdir()
    log.setup(file=folder / "tsvc.log")
    logger = log.get_logger("test")
    logger.info("one")
    folder.rename(tmp_path / "old")
    logger.info("two")
    assert lines(tmp_path / "old/tsvc.log") == ["one", "two"]
    folder.mkdir()
    logger.info("three")
    assert lines(folder / "tsvc.log") == ["three"]


def test_a_file_that_cannot_be_opened(tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        log.setup(file=tmp_path / "nowhere" / "tsvc.log")
