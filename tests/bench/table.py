"""The speed table: bounds, measured figures, and the figures of other tools."""

from collections.abc import Callable
from typing import Any

from bench.data_lines import DATA_RATIOS
from bench.line import Bound, Figures, Line, both, median_of, ratio

MOST_GROWTH_MIB = 1.0  # counts as flat
MOST_RESULT_OCTETS = 2 * 2**20


def figure(spread: Figures, unit: str, digits: int = 0) -> str:
    """Return a median with the lowest and the highest round."""
    median, lowest, highest = (
        f"{spread[name]:,.{digits}f}" for name in ("median", "lowest", "highest")
    )
    return f"{median} {unit} ({lowest} to {highest})"


def times(ours: Figures, theirs: Figures) -> str:
    return f"{theirs['median'] / ours['median']:.2f} times"


def loopback(found: Figures) -> Line:
    calls, cpu = found["loopback"]["calls_per_s"], found["loopback"]["cpu_us"]
    return Line(
        "INAP call of 5 messages over the loopback, tester and SCP in one process",
        "≥ 3,000 calls/s; aim 5,000",
        f"{figure(calls, 'calls/s')}; CPU {figure(cpu, 'µs')}",
        calls["median"] >= 3000,
        "",
        calls["median"] >= 5000,
    )


def m3ua(found: Figures) -> Line:
    one = found["m3ua_tcp"]
    calls = one["calls_per_s"]
    beside, aim = "SIPp: not installed", None
    if "sipp" in found:
        sipp, ratio = found["sipp"], found["ratio_to_sipp"]
        cpu = sipp["cpu_us"]["median"] + sipp["uas_cpu_us"]["median"]
        beside = (
            f"SIPp {figure(sipp['calls_per_s'], 'calls/s')}: ratio {ratio:.2f};"
            f" CPU of its two processes {cpu:.0f} µs"
        )
        aim = ratio >= 1.0
    return Line(
        "the same over M3UA/TCP between two processes",
        "≥ 5,000 calls/s; aim: ratio to SIPp 1.0",
        f"{figure(calls, 'calls/s')}; CPU {one['cpu_us']['median']:.0f} µs tester,"
        f" {one['scp_cpu_us']['median']:.0f} µs SCP",
        calls["median"] >= 5000,
        beside,
        aim,
    )


def codec(found: Figures) -> Line:
    decode, encode = (found["tsvc"][f"{way}_us"] for way in ("decode", "encode"))
    is_met = decode["median"] <= 25 and encode["median"] <= 18
    beside = "pycrate: not installed"
    if "ratio" in found:
        ratio = found["ratio"]
        is_met = is_met and min(ratio.values()) >= 20
        beside = f"pycrate {ratio['decode']} / {ratio['encode']} times slower"
    return Line(
        f"CAP2 InitialDP through all layers, {found['octets']} octets: decode / encode",
        "≤ 25 µs / ≤ 18 µs; pycrate ≥ 20 times slower",
        f"{figure(decode, 'µs', 1)} / {figure(encode, 'µs', 1)}",
        is_met,
        beside,
    )


def noop(found: Figures) -> Line:
    one, locust = found["noop"], found["locust"]
    beside = (
        f"empty Pool {figure(one['pool_wall_us'], 'µs', 1)}:"
        f" {one['wall_us']['median'] / one['pool_wall_us']['median']:.1f} of it"
    )
    if "cpu_us" in locust:
        beside += (
            f"; Locust's iteration {figure(locust['cpu_us'], 'µs', 1)} of CPU: we take"
            f" {one['cpu_us']['median'] / locust['cpu_us']['median']:.1f} times that"
        )
    return Line(
        "no-op instance (one eval), pool and bookkeeping included",
        "≤ 40 µs",
        f"{figure(one['wall_us'], 'µs', 1)}; CPU {one['cpu_us']['median']:.1f} µs",
        one["wall_us"]["median"] <= 40,
        beside,
    )


def schedule(found: Figures) -> Line:
    one = found["rates"]["5000"]
    lateness = one["lateness_ms"]
    beside = "SIPp: not installed"
    if "5000" in found["sipp"]:
        sipp = found["sipp"]["5000"]
        off = sipp["off_grid_ms"]
        beside = (
            f"SIPp {sipp['off_percent']:+.3f} %, off its grid p50 {off['p50']:.2f}"
            f" p99 {off['p99']:.2f} max {off['max']:.2f} ms"
        )
    return Line(
        f"linear 5,000 starts/s of no-ops for {found['seconds']} s",
        "within 0.1 %, lateness p99 ≤ 2 ms",
        f"{one['off_percent']:+.3f} %, lateness p50 {lateness['p50']:.2f}"
        f" p99 {lateness['p99']:.2f} max {lateness['max']:.2f} ms",
        abs(one["off_percent"]) <= 0.1 and lateness["p99"] <= 2,
        beside,
    )


def memory(found: Figures) -> Line:
    one = found["waiting"]
    return Line(
        f"memory per instance in progress, {one['instances']:,} in wait",
        "≤ 12 KiB",
        f"{one['kib_each']:.1f} KiB",
        one["kib_each"] <= 12,
    )


def diameter(found: Figures) -> Line:
    ours, theirs = found["tsvc"], found["python_diameter"]
    ordinary = figure(found["ordinary"]["cpu_us"], "µs")
    beside = "python-diameter: not installed"
    if "cpu_us" in theirs:
        beside = (
            f"python-diameter {figure(theirs['cpu_us'], 'µs')}:"
            f" {times(ours['cpu_us'], theirs['cpu_us'])} ours"
        )
    return Line(
        "Diameter CCR/CCA in a run against the fake OCS, CPU of the tester's side",
        "≤ 60 µs",
        f"{figure(ours['cpu_us'], 'µs', 1)}; `track: 0` {ordinary}",
        ours["cpu_us"]["median"] <= 60,
        beside,
    )


def rest(found: Figures) -> Line:
    ours = found["plain_send_and_expect_us"]
    beside = [
        f"{name} {figure(found[key], 'µs')}: {times(ours, found[key])} ours"
        for name, key in (("requests", "requests_us"), ("FastHttpUser", "locust_us"))
        if "median" in found[key]
    ]
    return Line(
        "REST request in a run against nginx, SendRequest and ExpectResponse, CPU of the tester's"
        " side",
        "≤ 150 µs",
        f"{figure(ours, 'µs')}; rest.Request {found['plain_request_us']['median']:.0f} µs;"
        f" `track: 0` {found['plain_send_and_expect_ordinary_us']['median']:.0f} µs;"
        f" over TLS {found['tls_send_and_expect_us']['median']:.0f} µs",
        ours["median"] <= 150,
        "; ".join(beside),
    )


def rpc(found: Figures) -> Line:
    cases = found["cases"]
    worst = {
        name: max(
            cases[name][whose]["p99_ms"] for whose in ("halted_run", "archived_run", "loading_run")
        )
        for name in ("no-ops", "calls")
    }
    shares = " / ".join(f"{cases[name]['share']:.0%}" for name in worst)
    return Line(
        "QueryTest, a new connection each, while a run of no-ops / of calls loads the daemon"
        f" (CPU {shares})",
        "p99 ≤ 20 ms",
        " / ".join(f"{ms:.1f} ms" for ms in worst.values()),
        max(worst.values()) <= 20,
        f"idle {cases['idle']['halted_run']['p99_ms']:.1f} ms,"
        f" all of the processor {cases['full']['halted_run']['p99_ms']:.1f} ms",
    )


def million(found: Figures) -> Line:
    one = found["million"]
    return Line(
        f"{one['instances']:,} instances in one run",
        "memory flat after the first 10,000; result ≤ 2 MiB",
        f"{one['growth_mib']:+.1f} MiB; result {one['result_octets']:,} octets;"
        f" {one['seconds']:.0f} s",
        one["growth_mib"] <= MOST_GROWTH_MIB and one["result_octets"] <= MOST_RESULT_OCTETS,
    )


def workers(found: Figures) -> Line:
    least = 0.85 * min(found["workers"], found["cores"])
    kinds = {name: found[name] for name in ("noop", "call")}
    gains = [
        one["workers"]["per_s"]["median"] / one["alone"]["per_s"]["median"]
        for one in kinds.values()
    ]
    others = {"apart": "daemons apart", "locust": "of Locust"}
    beside = "; ".join(
        f"{found['workers']} {words}, {name}: {figure(one[other]['per_s'], '/s')},"
        f" CPU {one[other]['cpu_us']['median']:.1f} µs"
        for name, one in kinds.items()
        for other, words in others.items()
    )
    return Line(
        f"starts a second of {found['workers']} workers ÷ of one daemon, no-op / call",
        f"≥ {least:g} (0.85 × {found['cores']} cores)",
        " / ".join(
            f"{gain:.2f} ({figure(one['workers']['per_s'], '/s')})"
            for gain, one in zip(gains, kinds.values(), strict=True)
        ),
        min(gains) >= least,
        beside,
    )


def worker_killed(found: Figures) -> Line:
    ours, theirs = found["killed"]["tsvc"], found["killed"]["locust"]
    (lost,) = ours["lost"]
    return Line(
        "kill -9 of a worker: what the run says",
        "fail, the loss named, ≤ 1 s of its share unknown",
        f"{ours['verdict']}; {lost['reason']}; {lost['unknown_starts_max']} starts at most unknown"
        f" of {ours['planned']}",
        ours["verdict"] == "fail",
        f"Locust: {theirs['untold']:,} of {theirs['made']:,} uncounted, exit code"
        f" {theirs['exit_code'] or 0}",
    )


def idle_workers(found: Figures) -> Line:
    one = found["idle"]
    return Line(
        f"{one['workers']} idle workers",
        "≤ 1 % of a core",
        f"{one['share']:.2%}; their daemon {one['daemon_share']:.2%}",
        one["share"] <= 0.01,
    )


def cancel_all(found: Figures) -> Line:
    return Line(
        "CancelTest of 1,000 instances that wait, at workers",
        "≤ 1 s",
        f"{found['cancel_s']:.2f} s",
        found["cancel_s"] <= 1,
    )


# -- ratios within one run: equal on a busy machine ----------------------------------------------


def caller(found: Figures) -> Line:
    ours, theirs = median_of(found, "m3ua_tcp", "cpu_us"), median_of(found, "sipp", "cpu_us")
    return ratio(
        "M3UA/TCP call between two processes: CPU of the tester ÷ CPU of SIPp's caller",
        Bound(2.2, 1.3),
        ours,
        theirs,
        both(ours, theirs, "µs"),
    )


def both_sides(found: Figures) -> Line:
    ours, uac = median_of(found, "loopback", "cpu_us"), median_of(found, "sipp", "cpu_us")
    uas = median_of(found, "sipp", "uas_cpu_us")
    theirs = uac + uas if uac and uas else None
    return ratio(
        "the same over the loopback, tester and SCP: CPU ÷ CPU of SIPp's two sides",
        Bound(2.0, 1.3),
        ours,
        theirs,
        both(ours, theirs, "µs"),
    )


def calls_a_second(found: Figures) -> Line:
    ours = median_of(found, "m3ua_tcp", "calls_per_s")
    theirs = median_of(found, "sipp", "calls_per_s")
    return ratio(
        "calls/s between two processes ÷ SIPp's",
        Bound(0.8, 1.0, is_least=True),
        ours,
        theirs,
        both(ours, theirs, "calls/s"),
    )


def beside_deviations(found: Figures) -> Line:
    ours, theirs = median_of(found, "one_in_1000"), median_of(found, "none")
    work = "M3UA/TCP call, one in 1,000 deviates ÷ none does, CPU of the tester"
    return ratio(work, Bound(1.05), ours, theirs, both(ours, theirs, "µs", 1))


def deviating(found: Figures) -> Line:
    ours, theirs = median_of(found, "deviating"), median_of(found, "deviating_0")
    work = "such a call that deviates ÷ the same with track 0"
    return ratio(work, Bound(2.0, 1.5), ours, theirs, both(ours, theirs, "µs"))


def noop_to_pool(found: Figures) -> Line:
    ours, theirs = median_of(found, "noop", "cpu_us"), median_of(found, "noop", "pool_cpu_us")
    return ratio(
        "no-op instance ÷ a greenlet of an empty gevent Pool, CPU",
        Bound(0.5, 0.3),
        ours,
        theirs,
        both(ours, theirs, "µs"),
    )


def rest_to_locust(found: Figures) -> Line:
    ours = median_of(found, "plain_send_and_expect_us")
    theirs = median_of(found, "locust_us")
    return ratio(
        "REST request ÷ Locust's FastHttpUser, CPU",
        Bound(0.8, 0.6),
        ours,
        theirs,
        both(ours, theirs, "µs"),
    )


def diameter_to_python(found: Figures) -> Line:
    ours, theirs = (
        median_of(found, "tsvc", "cpu_us"),
        median_of(found, "python_diameter", "cpu_us"),
    )
    return ratio(
        "Diameter CCR/CCA, CPU: python-diameter ÷ ours",
        Bound(12, 20, is_least=True),
        theirs,
        ours,
        both(ours, theirs, "µs"),
    )


def codec_to_pycrate(found: Figures) -> Line:
    least = min(found["ratio"].values()) if "ratio" in found else None
    return ratio(
        "decode and encode of the CAP2 InitialDP: pycrate ÷ ours, the smaller one",
        Bound(37, is_least=True),
        least,
        1.0,
        "",
    )


def lateness_to_sipp(found: Figures) -> Line:
    ours = found["rates"]["5000"]["lateness_ms"]["p99"]
    theirs = found["sipp"]["5000"]["off_grid_ms"]["p99"] if "5000" in found["sipp"] else None
    work = "lateness p99 at 5,000/s ÷ SIPp's"
    return ratio(work, Bound(0.2), ours, theirs, both(ours, theirs, "ms", 2))


def waiting(found: Figures) -> Line:
    each = found["waiting"]["kib_each"]
    work = f"KiB of memory per instance, {found['waiting']['instances']:,} in wait"
    return ratio(work, Bound(6, 4.5), each, 1.0, "")


def query_beside_load(found: Figures) -> Line:
    cases = found["cases"]
    names = ("halted_run", "archived_run", "loading_run")
    ours = max(cases[case][name]["p99_ms"] for case in ("no-ops", "calls") for name in names)
    theirs = cases["idle"]["halted_run"]["p99_ms"]
    work = "QueryTest p99 beside a loaded daemon ÷ idle"
    return ratio(work, Bound(3, 2), ours, theirs, both(ours, theirs, "ms", 1))


def ready(found: Figures) -> Line:
    ours, theirs = median_of(found, "ready_cpu_ms"), median_of(found, "imports_cpu_ms")
    return ratio(
        "tsvcd until it is ready, CPU ÷ that of importing gevent, marshmallow, sqlalchemy",
        Bound(1.5),
        ours,
        theirs,
        both(ours, theirs, "ms"),
    )


def call_of_a_worker(found: Figures) -> Line:
    ours = median_of(found, "call", "workers", "cpu_us")
    theirs = median_of(found, "call", "alone", "cpu_us")
    work = "CPU of a call by workers ÷ by one daemon"
    return ratio(work, Bound(1.05), ours, theirs, both(ours, theirs, "µs"))


LINES: tuple[tuple[str, Callable[[Figures], Line]], ...] = (
    ("calls", loopback),
    ("calls", m3ua),
    ("codec", codec),
    ("instances", noop),
    ("schedule", schedule),
    ("instances", memory),
    ("diameter", diameter),
    ("rest", rest),
    ("rpc", rpc),
    ("instances", million),
    ("cluster", workers),
    ("cluster", worker_killed),
    ("cluster", idle_workers),
    ("cluster", cancel_all),
)

RATIOS: tuple[tuple[str, Callable[[Figures], Line]], ...] = (
    ("calls", caller),
    ("calls", both_sides),
    ("calls", calls_a_second),
    ("instances", noop_to_pool),
    ("rest", rest_to_locust),
    ("diameter", diameter_to_python),
    ("codec", codec_to_pycrate),
    ("schedule", lateness_to_sipp),
    ("instances", waiting),
    ("rpc", query_beside_load),
    ("start", ready),
    ("cluster", call_of_a_worker),
    ("deviations", beside_deviations),
    ("deviations", deviating),
    *(("data", line) for line in DATA_RATIOS),
)


def lines_of(parts: dict[str, Figures]) -> list[Line]:
    """Return the table of the parts' figures; a failed part leaves its lines empty."""
    return _lines(LINES, parts)


def ratios_of(parts: dict[str, Figures]) -> list[Line]:
    """Return the lines that are ratios within one run, in the same way."""
    return _lines(RATIOS, parts)


def _lines(
    wanted: tuple[tuple[str, Callable[[Figures], Line]], ...], parts: dict[str, Figures]
) -> list[Line]:
    return [
        Line(f"({part}: {line.__name__})", "", "", None)
        if "failed" in parts[part]
        else line(parts[part])
        for part, line in wanted
        if part in parts
    ]


def _head(result: dict[str, Any]) -> list[str]:
    machine = result["machine"]
    busy = " ".join(f"{one:.2f}" for one in machine["load_average"])
    after = " ".join(f"{one:.2f}" for one in result["load_average_end"])
    others = result.get("others_share")
    shared = "" if others is None else f"; other work took {others:.0%} of the processors"
    left_out = ", ".join(result.get("left_out", []))
    quick = (
        "A quick look: one round of few calls each. It shows that parts work, and proves no line:"
        " no figure has rounds to be the median of, and loads are too small for memory, growth and"
        " lateness. For that leave --quick away, on a machine that does nothing else."
        + (f" Not looked at: {left_out}." if left_out else "")
    )
    return [
        *([quick] if result["is_quick"] else []),
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gib']} GiB,"
        f" Linux {machine['kernel']}, Python {machine['python']}"
        f"{machine.get('build', '')}, commit {machine['commit']}.",
        f"{result['began']}{', quick' if result['is_quick'] else ''};"
        f" load average before {busy}, after {after}{shared}.",
        "A figure is the median of the rounds, with the lowest and the highest.",
    ]


def as_text(result: dict[str, Any]) -> str:
    """Return the table for a terminal."""
    out = _head(result)
    for line in [*ratios_of(result["parts"]), *lines_of(result["parts"])]:
        rows = {
            "to reach": line.reach,
            "measured": line.measured,
            "met": line.met,
            "beside": line.beside,
        }
        out += ["", line.work]
        out += [f"    {name:<8}  {text}" for name, text in rows.items() if text]
    return "\n".join(out)


def as_markdown(result: dict[str, Any]) -> str:
    """Return the table for docs/performance.md, with the growth and the layers if measured."""
    out = _head(result)
    for lines in (ratios_of(result["parts"]), lines_of(result["parts"])):
        out += ["", "| Work | To reach | Measured | Met | Beside it |", "|---|---|---|---|---|"]
        for line in lines:
            cells = (line.work, line.reach, line.measured, line.met, line.beside)
            out.append(f"| {' | '.join(cells)} |")
    return "\n".join(out + _growth(result["parts"]) + _layers(result["parts"]))


def _growth(parts: dict[str, Figures]) -> list[str]:
    found = parts.get("growth", {"failed": ""})
    if "failed" in found:
        return []
    names = {
        "beside": "a call beside others that are open",
        "burst": "calls all open at once",
        "calls": "run of calls",
        "noops": "run of no-ops",
    }
    sizes = sorted({int(size) for name in names for size in found[name]})
    out = ["", f"| CPU µs each | {' | '.join(f'{size:,}' for size in sizes)} |"]
    out.append("|---|" + "--:|" * len(sizes))
    for name, text in names.items():
        cells = [
            f"{found[name][str(size)]['median']:.0f}" if str(size) in found[name] else ""
            for size in sizes
        ]
        out.append(f"| {text} | {' | '.join(cells)} |")
    return out


def _layers(parts: dict[str, Figures]) -> list[str]:
    found = parts.get("profile", {"failed": ""})
    if "failed" in found:
        return []
    total = sum(found["layers_us"].values())
    out = ["", f"| Layer | µs of {found['cpu_us']:.0f} | Share |", "|---|--:|--:|"]
    for layer, us in found["layers_us"].items():
        out.append(f"| {layer} | {us:.1f} | {us / total:.0%} |")
    return [*out, f"| of all that: the collector | {found['collector_us']:.1f} | |"]
