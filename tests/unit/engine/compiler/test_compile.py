"""Compiling a definition: the facts that it finds before the run, and the files it may read."""

import pytest
from support.scripted_scp import CONTINUE, INITIAL_DP, evaluate, expect, reason, variables

from tsvc.config.tables import Config
from tsvc.engine.compiler.compile import Limits, compile_test, in_params
from tsvc.engine.compiler.parameters import TestParameters as Parameters
from tsvc.engine.compiler.parameters import plan_of
from tsvc.errors import Problem
from tsvc.kinds.sigtran.run import SigtranRun
from tsvc.operations.data_files import CsvColumns


def compiled(*operations, **params):
    loaded = Parameters().load({"operations": list(operations), **params})
    return compile_test(loaded, Config(), Limits(max_operations=3))


def test_steps_and_needs():
    test, problems = compiled(
        {"type": "pass", "label": "a"},
        {"type": "inap.scp_to_ssp.ActivityTest"},
    )
    assert problems == []
    assert [(step.type, step.label) for step in test.steps] == [
        ("pass", "a"),
        ("inap.ssp_from_scp.ActivityTest", None),
    ]
    assert dict(test.needs) == {"sigtran": "operations[1]"}
    (part,) = (one for one in test.parts if isinstance(one, SigtranRun))
    assert part.expected == {"ActivityTest"}


def test_the_number_of_operations_is_bounded():
    _, problems = compiled(*[{"type": "pass"}] * 4)
    assert [problem.path for problem in problems] == ["operations"]


def test_numbers_may_come_as_their_strings():
    test, problems = compiled(
        {"type": "pass"},
        distribution={
            "type": "linear", "total": "9", "backlog": "2", "max_seconds": "1.5",
            "cps": {"target": "5", "burst": "3"},
        },
        trace_level="2",
        turbo="1",
        seed="7",
    )  # fmt: skip
    assert problems == []
    plan = test.plan
    assert (plan.total, plan.backlog, plan.burst, plan.max_seconds) == (9, 2, 3, 1.5)
    assert plan.asked_cps == 5.0
    assert (test.params["trace_level"], test.params["turbo"], test.params["seed"]) == (2, True, 7)


def test_plans():
    assert plan_of({}).type == "single"
    assert plan_of({"distribution": {"type": "single", "total": 5}}).total == 1
    segment = {"index": 1, "of": 3}
    plan = plan_of({"segment": segment, "start_at": 5.0})
    assert (plan.modulus, plan.stripes, plan.start_at) == (3, (1,), 5.0)


def test_paths_begin_at_params():
    given = [Problem("vars.a", "x"), Problem("params.b", "y", "warning")]
    assert in_params(given) == [Problem("params.vars.a", "x"), Problem("params.b", "y", "warning")]


# -- files ---------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "callers.csv").write_text("msisdn,name\n0641,Ada\n0642,Bob\n")
    (tmp_path / "secret.csv").write_text("msisdn\n1\n")
    return data


def test_a_column(folder):
    assert CsvColumns(folder).load("callers.csv", "msisdn") == ["0641", "0642"]


@pytest.mark.parametrize(
    ("file", "column", "words"),
    [
        ("callers.csv", "imsi", "it has msisdn, name"),
        ("../secret.csv", "msisdn", "outside"),
        ("/etc/passwd", "x", "outside"),
        ("link.csv", "msisdn", "outside"),
        (".", "x", "no file"),
        ("none.csv", "x", "no file"),
        ("binary.csv", "x", "can't be read"),
        ("twice.csv", "x", "two columns 'x'"),
        ("short.csv", "x", "short.csv, line 3: 1 cells under 2 names"),
        ("long.csv", "y", "long.csv, line 2: 3 cells under 2 names"),
    ],
)
def test_what_can_not_be_read(folder, file, column, words):
    (folder / "link.csv").symlink_to(folder.parent / "secret.csv")
    (folder / "binary.csv").write_bytes(b"x\n\xff\xfe")
    (folder / "twice.csv").write_text("x,x\n1,2\n")
    (folder / "short.csv").write_text("x,y\n1,2\n3\n")
    (folder / "long.csv").write_text("x,y\n1,2,3\n")
    with pytest.raises(ValueError, match=words):
        CsvColumns(folder).load(file, column)


def test_what_a_spreadsheet_writes(folder):
    (folder / "sheet.csv").write_bytes(b'\xef\xbb\xbfx,y\r\n"1",2\r\n\r\n3,4\r\n')
    assert CsvColumns(folder).load("sheet.csv", "x") == ["1", "3"]


def test_without_a_folder_nothing_is_read():
    with pytest.raises(ValueError, match="not configured"):
        CsvColumns(None).load("callers.csv", "msisdn")


def test_rows_of_a_file_by_instance(daemon, folder):
    tsvc = daemon(data_dir=folder)
    column = {"$csv": {"file": "callers.csv", "column": "msisdn", "order": "unique"}}
    collect = evaluate("push(@{$g->{all} //= []}, $v->{n})")
    load = {"type": "load", "total": 3, "backlog": 1}
    result = tsvc.run(collect, vars={"n": column}, distribution=load)
    assert result["globals"] == {"all": ["0641", "0642"]}
    assert result["counts"]["aborted"] == 1
    assert "2 rows, none left" in result["first_aborts"][0]["reason"]


def test_a_var_that_fails_aborts_the_instance(daemon):
    tsvc = daemon()
    result = tsvc.run(evaluate("1"), vars={"a": 1, "b": "{1 / $v->{zero}}"})
    assert result["verdict"] == "abort"
    assert "vars.b" in reason(result)
    assert variables(result) == {"a": 1}


def test_traces_of_each_level(daemon):
    tsvc = daemon(CONTINUE)
    branch = {"type": "branch", "expression": "0"}
    amounts = []
    for level in range(4):
        result = tsvc.run(
            INITIAL_DP, expect("Continue"), branch, evaluate("1 + 1"), trace_level=level
        )
        amounts.append(len(result["first_call_summary"]["trace_log"]))
    assert amounts[0] == 0
    assert amounts == sorted(amounts)
    assert amounts[3] > amounts[1] > 0


def test_without_trace_messages_there_are_none(daemon):
    result = daemon(CONTINUE).run(INITIAL_DP, expect("Continue"), trace_messages=0)
    assert not {"messages", "ladder"} & set(result["first_call_summary"])
