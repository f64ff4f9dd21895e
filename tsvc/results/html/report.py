"""The report: one HTML file without references to other files.

It is made for readers who get it by mail: the verdict and the failures come first, then the load
over time, the checks, and all that is needed to repeat the run. It works without a script, without
a network, on paper, and in dark mode.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.resources import files

from tsvc.client.results import Json
from tsvc.memo import Memo
from tsvc.results.html.elements import (
    VERDICTS,
    details,
    json_block,
    moment_text,
    pairs_table,
    seconds_text,
    section,
    text,
)
from tsvc.results.html.instance import failures_section, first_section, slowest_section
from tsvc.results.html.load import (
    latency_section,
    load_section,
    thresholds_line,
    thresholds_section,
    workers_section,
)
from tsvc.results.report import Reported, counts_line, leaks_of

# Nothing may be fetched, whatever a definition or a peer has put into the texts.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
_SCRIPT = """
const folds = () => document.querySelectorAll('details');
addEventListener('beforeprint', () => folds().forEach(one => {
  one.dataset.was = one.open; if (!one.matches('.long')) one.open = true; }));
addEventListener('afterprint', () => folds().forEach(one => {
  one.open = one.dataset.was === 'true'; }));
const button = document.querySelector('#fold');
button.hidden = false;
button.onclick = () => {
  const opens = button.textContent === 'Open all';
  folds().forEach(one => { one.open = opens; });
  button.textContent = opens ? 'Close all' : 'Open all'; };
"""


def report_html(
    runs: Sequence[Reported], *, environment: Json | None = None, title: str | None = None
) -> str:
    """Return the report of all runs.

    `environment`: the answer to DescribeService, or a part of it. Only version and gateways are
    shown, never an address.
    """
    name = title or (runs[0].name if len(runs) == 1 else f"{len(runs)} test definitions")
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{text(_window_title(name, runs))}</title>",
            f"<style>{_TEXTS[_STYLE]}</style>\n</head>\n<body>\n<main>",
            *([_index(name, runs)] if len(runs) != 1 else []),
            *(
                _article(number, run, environment or {}, is_brief=len(runs) > 1 and run.has_passed)
                for number, run in enumerate(runs)
            ),
            '<footer>Made by tsvc<button id="fold" type="button" hidden>Open all</button>',
            "</footer>",
            f"</main>\n<script>{_SCRIPT}</script>\n</body>\n</html>\n",
        ]
    )


def _read(file: str) -> str:
    return files("tsvc.results.html").joinpath(file).read_text("utf-8")


_STYLE = "report.css"
_TEXTS = Memo("files that go into reports", 1, _read)


def _window_title(name: str, runs: Sequence[Reported]) -> str:
    passed = sum(run.has_passed for run in runs)
    verdict = runs[0].verdict if len(runs) == 1 else f"{passed} of {len(runs)} passed"
    return f"{name}: {verdict}"


def _index(name: str, runs: Sequence[Reported]) -> str:
    passed = sum(run.has_passed for run in runs)
    rows = "".join(
        f'<tr><td>{_badge(run.verdict)}</td><td><a href="#run{number}">{text(run.name)}</a></td>'
        f"<td>{text(_index_text(run))}</td></tr>"
        for number, run in enumerate(runs)
    )
    style = "pass" if passed == len(runs) else "fail"
    return (
        f'<header class="head {style}"><div class="verdict">{passed}/{len(runs)}</div><div>'
        f"<h1>{text(name)}</h1><p>{passed} of {len(runs)} passed</p></div></header>"
        f'<table class="index">{rows}</table>'
    )


def _index_text(run: Reported) -> str:
    if run.result is None:
        first, _, rest = run.refusal.partition("\n")
        return (
            first if not first.endswith(":") else f"{first} {rest.strip().partition(chr(10))[0]}"
        )
    seconds = run.result.duration
    took = "" if seconds is None else f", {seconds_text(seconds)}"
    return counts_line(run.result) + took


def _badge(verdict: str) -> str:
    word, style = VERDICTS.get(verdict, (verdict, "cancelled"))
    return f'<span class="badge {style}">{text(word)}</span>'


def _article(number: int, run: Reported, environment: Json, *, is_brief: bool) -> str:
    parts = "\n".join(part for part in _parts(run, environment, is_brief=is_brief) if part)
    return f'<article id="run{number}">\n{parts}\n</article>'


def _parts(run: Reported, environment: Json, *, is_brief: bool) -> Iterator[str]:
    yield _head(run)
    result = run.result
    if result is None:
        yield section("Refused", f'<pre class="refusal">{text(run.refusal)}</pre>')
    else:
        yield _notes(run)
        yield failures_section(result)
        yield load_section(result, run.definition)
        yield workers_section(result)
        yield latency_section(result)
        yield thresholds_section(result)
        yield first_section(result, is_open=not is_brief)
        yield slowest_section(result)
        if result.globals:
            yield section("Globals", details("$g at the end", json_block(result.globals)))
    if run.definition is not None:
        shown = details("as it was run", json_block(run.definition), is_long=True)
        yield section("Definition", shown)
    yield _environment(run, environment)


def _head(run: Reported) -> str:
    word, style = VERDICTS.get(run.verdict, (run.verdict, "cancelled"))
    comment = (run.definition or {}).get("comment")
    rules = "" if run.result is None else thresholds_line(run.result)
    about = f"<p>{text(str(comment))}</p>" if comment else ""
    return (
        f'<header class="head {style}"><div class="verdict">{text(word)}</div>'
        f'<div><h1>{text(run.name)}</h1>{about}<p class="when">{_when(run)}</p>{rules}'
        "</div></header>"
    )


def _when(run: Reported) -> str:
    result = run.result
    if result is None:
        return "not started"
    parts = [text(counts_line(result))]
    if result.duration is not None:
        parts.append(seconds_text(result.duration))
    if result.time_start is not None:
        parts.append(moment_text(datetime.fromtimestamp(result.time_start, UTC)))
    return " · ".join(parts)


def _notes(run: Reported) -> str:
    assert run.result is not None
    notes = "".join(
        f'<li class="{text(note.severity)}"><code>{text(note.path)}</code>'
        f"<pre>{text(note.text)}</pre></li>"
        for note in run.result.problems
    )
    notes += "".join(
        f'<li class="error"><code>left behind</code><pre>{text(leak)}</pre></li>'
        for leak in leaks_of(run.result)
    )
    return f'<ul class="notes">{notes}</ul>' if notes else ""


def _environment(run: Reported, environment: Json) -> str:
    facts: list[tuple[str, str]] = []
    if environment.get("version"):
        facts.append(("tsvc", str(environment["version"])))
    gateways = environment.get("gateways")
    facts += [
        ("gateway", f"{one.get('name')}, {one.get('kind')}: {one.get('state')}")
        for one in (gateways if isinstance(gateways, list) else ())
        if isinstance(one, dict)
    ]
    result = run.result
    if result is not None:
        facts.append(("run", result.run_id))
        if result.raw.get("result_id") is not None:
            facts.append(("result", str(result.raw["result_id"])))
        if result.seed is not None:
            facts.append(("seed", str(result.seed)))
    return section("Environment", pairs_table(facts)) if facts else ""
