"""The report as a document: its contents, and that it needs no other files."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from support.run_results import FAIL, PASS, failed, instance, load, passed, refused, run

from tsvc.results.html.report import report_html
from tsvc.results.report import Reported

VOID = {"meta", "br", "hr", "img", "input", "link"}
ENVIRONMENT = {
    "version": "1.2.3",
    "gateways": [
        {"name": "LINK", "kind": "sigtran", "state": "up", "detail": "10.9.8.7:2905 active"}
    ],
}


class Reader(HTMLParser):
    """Reads a report, checks that its tags match, and keeps its text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "script"}.intersection(self.open):
            self.text += data

    def classes(self, tag: str) -> list[str]:
        return [attrs.get("class") or "" for name, attrs in self.tags if name == tag]


def read(*runs: Reported, **options: Any) -> Reader:
    reader = Reader()
    reader.feed(report_html(runs, **options))
    reader.close()
    assert reader.open == []
    return reader


@pytest.mark.parametrize(
    "found", [passed(), failed(), refused(), load()], ids=lambda one: one.name
)
def test_it_refers_to_nothing_outside_itself(found: Reported) -> None:
    text = report_html([found], environment=ENVIRONMENT)
    assert set(re.findall(r"https?://[^\"' <]+", text)) <= {"http://www.w3.org/2000/svg"}
    for tag, attributes in read(found).tags:
        assert tag not in ("link", "img", "iframe", "object")
        assert not {"src", "srcset", "data", "action"}.intersection(attributes), tag
        assert (attributes.get("href") or "#").startswith("#")
    assert "@import" not in text
    assert "url(" not in text


def test_the_policy_forbids_to_fetch_anything() -> None:
    (policy,) = [
        attributes["content"] or ""
        for tag, attributes in read(passed()).tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy.startswith("default-src 'none';")


def test_the_same_result_makes_the_same_report() -> None:
    assert report_html([load()], environment=ENVIRONMENT) == report_html(
        [load()], environment=ENVIRONMENT
    )


def test_a_failure_shows_what_was_expected_and_what_came() -> None:
    reader = read(failed())
    assert "FAIL" in reader.text
    assert "destination differs" in reader.text
    assert "4329100" in reader.text
    assert '{"digits": "4329101", "note": "<b>&"}' in reader.text
    assert "b" not in [tag for tag, attributes in reader.tags if attributes == {"note": None}]
    assert {"expected", "wrong"} <= set(reader.classes("dd"))


def test_text_of_others_is_never_markup() -> None:
    attack = "<script>alert(1)</script>\x1b[2J\u202e"
    first = instance({**FAIL, "text": attack, "expected": attack, "label": attack}, state="failed")
    result = run(
        "fail",
        first_call_summary={**first, "reason": attack, "vars": {attack: attack}},
        first_fails=[{**first, "cause": attack}],
        problems=[{"path": attack, "text": attack, "severity": attack}],
        globals={attack: attack},
        thresholds=[{"metric": attack, "op": "<=", "value": 1, "got": 2, "is_met": False}],
    )
    found = Reported(attack, result, definition={"comment": attack})
    text = report_html([found, found])
    assert text.count("<script>") == 1  # our own script
    assert "\x1b" not in text
    assert "\u202e" not in text
    read(found, found)


def test_a_load_tells_the_rate_truth_and_draws_it() -> None:
    reader = read(load())
    assert "300 planned = 298 started (290 on time, 8 late) + 2 never started" in reader.text
    assert "limited by backlog" in reader.text
    assert reader.classes("figure") == ["chart"] * 4
    assert "calls/s achieved of 100" in reader.text


def test_a_warm_up_is_told() -> None:
    warm_up = {"seconds": 10.0, "planned": 1500, "started": 1498}
    text = read(load(warm_up=warm_up)).text
    assert "Warm-up of 10 s: 1,498 of 1,500 planned starts were made." in text
    assert "Warm-up" not in read(load()).text


def test_causes_thresholds_and_slowest() -> None:
    text = read(load()).text
    assert "2 causes, one instance of each" in text
    assert "instance 17" in text
    assert "no END" in text
    assert "service_p99_ms <= 50" in text
    assert "operations[1] Connect" in text
    assert "250 ms" in text


def test_a_single_call_has_no_load() -> None:
    reader = read(passed())
    assert "Load" not in reader.text
    assert reader.classes("figure") == []


def test_the_environment_names_no_address() -> None:
    text = read(passed(), environment=ENVIRONMENT).text
    assert "1.2.3" in text
    assert "LINK, sigtran: up" in text
    assert "10.9.8.7" not in text


def test_several_definitions_have_an_index_that_leads_to_each() -> None:
    reader = read(passed("a"), failed("b"), refused("c"))
    assert "1 of 3 passed" in reader.text
    links = [attrs["href"] for tag, attrs in reader.tags if tag == "a"]
    ids = [f"#{attrs['id']}" for tag, attrs in reader.tags if tag == "article"]
    assert links == ids == ["#run0", "#run1", "#run2"]
    assert "refused (2002 definition.invalid): operations: missing" in reader.text


def test_what_passed_is_folded_beside_others() -> None:
    def folds(*runs: Reported) -> int:
        return sum(tag == "details" and "open" in attrs for tag, attrs in read(*runs).tags)

    assert folds(passed()) == 1
    assert folds(passed(), passed()) == 0
    assert folds(passed(), failed()) == 2  # the cause and the checks of the failure


def test_definition_notes_and_the_way_through_the_flow() -> None:
    path = [{"type": "Start", "exit_name": "Next"}, {"type": "Menu", "exit_name": None}]
    first = instance(PASS, flow_paths=[{"flow": "a flow", "path": path}])
    note = {"path": "distribution.total", "text": "is not used", "severity": "warning"}
    result = run("pass", first_call_summary=first, problems=[note])
    definition = {"comment": "a call that is answered", "operations": [{"type": "zebra"}]}
    text = read(Reported("a", result, definition=definition)).text
    assert "a call that is answered" in text
    assert '"type": "zebra"' in text
    assert "distribution.totalis not used" in text
    assert "a flowStart Next → Menu" in text
    assert "2023-11-14 22:13:20 UTC" in text


def test_what_was_left_behind_and_how_busy_the_tester_was() -> None:
    text = read(load(leaks=["1 dialogue"], generator={"cpu": 0.254, "loop_lag_ms": 3.5})).text
    assert "left behind1 dialogue" in text
    assert "used 25 % of a processor core; its event loop lagged by up to 3.5 ms" in text


def test_a_row_for_each_worker_and_who_was_lost() -> None:
    row = {"name": "w1", "state": "done", "started": 1_150, "late": 3, "lateness_p99_ms": 1.5}
    row |= {"cpu": 0.414, "clock_error_ms": 0.0, "limited_by": None}
    other = {**row, "name": "<lab>/w1", "state": "lost", "limited_by": "generator"}
    other["clock_error_ms"] = None
    loss = {"worker": "<lab>/w1", "since_s": 2.0, "reason": "it was silent", "in_progress": 27}
    lost = {**loss, "unknown_starts_max": 1_133}
    text = read(load(workers=[row, other], lost=[lost])).text
    assert "w1done1,15031.5041%0.00" in text
    assert "<lab>/w1lost, limited by generator1,15031.5041%" in text
    assert "<lab>/w1 at 2 s: it was silent; 27 in progress then, 1,133 starts at most" in text
    assert "Workers" not in read(load()).text


def test_a_run_that_was_lost_says_so() -> None:
    assert "LOST" in read(Reported("a", run("pass", state="lost"))).text
