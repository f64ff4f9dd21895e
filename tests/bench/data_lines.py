"""Lines of the speed table for loads in which each instance has its own data (bench_data.py).

A load that was not replayed meets no line for the fast path, however fast it was.
"""

from collections.abc import Callable

from bench.line import Bound, Figures, Line, both, median_of, ratio

LEAST_REPLAYED = 0.8  # of the instances: the others are a full backlog, and a few more
ANY = Bound(1.05, 0.4)
WITH_DATA = Bound(0.6, 0.4)
LINKS = {"alone": "loopback", "m3ua": "M3UA/TCP"}
CALLS = {
    "callers": "calls with callers of four lengths",
    "extensions_8": "calls that dial and are connected to 8 extensions",
    "extensions_400": "calls that dial and are connected to 400 extensions",
    "prepaid": "prepaid calls of 50 durations",
}
# The loads compared with `track: 0`: description and bound.
LOADS: dict[str, tuple[str, Bound]] = {
    "equal": ("equal calls", ANY),
    **{name: (words, WITH_DATA) for name, words in CALLS.items()},
    "ussd": ("USSD sessions (MAP)", Bound(0.5, 0.3)),
    "diameter": ("Diameter with a User-Name of varying length", WITH_DATA),
    "rest": ("REST with bodies of varying length", WITH_DATA),
    "two_ways": ("calls that the SCP answers in two ways", ANY),
}


def _cpu(found: Figures, load: str, side: str) -> float | None:
    return median_of(found, "loads", load, side, "cpu_us")


def _beside(ours: float | None, theirs: float | None) -> str:
    """Return the two figures as text; "" if the load was left out."""
    return "" if ours is None else both(ours, theirs, "µs")


def _sipp(found: Figures, load: str) -> float | None:
    """Return the CPU of SIPp's two sides."""
    uac = _cpu(found, load, "sipp")
    uas = median_of(found, "loads", load, "sipp", "uas_cpu_us")
    return uac + uas if uac and uas else None


def _if_replayed(line: Line, found: Figures, load: str, side: str) -> Line:
    """Return the line; not met if too few instances were replayed."""
    share = median_of(found, "loads", load, side, "replayed")
    if line.is_met is None or (share is not None and share >= LEAST_REPLAYED):
        return line
    beside = f"only {share or 0:.0%} replayed; {line.beside}"
    return Line(line.work, line.reach, line.measured, False, beside, line.aim)


def _over_loopback(load: str) -> Callable[[Figures], Line]:
    """Return the line that compares tester and SCP with SIPp's two sides."""

    def loopback_with_data(found: Figures) -> Line:
        ours, theirs = _cpu(found, load, "alone_1"), _sipp(found, load)
        work = f"{CALLS[load]}, loopback, tester and SCP: CPU ÷ that of SIPp's two sides"
        line = ratio(work, Bound(1.5, 1.2), ours, theirs, _beside(ours, theirs))
        return _if_replayed(line, found, load, "alone_1")

    return loopback_with_data


def _over_m3ua(load: str) -> Callable[[Figures], Line]:
    """Return the line that compares the tester alone with SIPp's caller."""

    def m3ua_with_data(found: Figures) -> Line:
        ours, theirs = _cpu(found, load, "m3ua_1"), _cpu(found, load, "sipp")
        work = f"{CALLS[load]}, M3UA/TCP: CPU of the tester ÷ that of SIPp's caller"
        line = ratio(work, Bound(2.0, 1.3), ours, theirs, _beside(ours, theirs))
        return _if_replayed(line, found, load, "m3ua_1")

    return m3ua_with_data


def _to_ordinary(load: str) -> Callable[[Figures], Line]:
    """Return the line of the fast path beside `track: 0`, over the link that gains less."""

    def fast_to_ordinary(found: Figures) -> Line:
        words, bound = LOADS[load]
        ways = [
            (fast / slow, side, fast, slow)
            for side in ("alone", "m3ua")
            if (fast := _cpu(found, load, f"{side}_1"))
            and (slow := _cpu(found, load, f"{side}_0"))
        ]
        work = f"{words}: CPU with the fast path ÷ with track 0"
        if not ways:
            return Line(work, str(bound), "", None)
        _, _, fast, slow = max(ways)
        told = ", ".join(f"{LINKS[side]} {gain:.2f}" for gain, side, *_ in ways)
        beside = both(fast, slow, "µs") + (f" ({told})" if len(ways) > 1 else "")
        line = ratio(work, bound, fast, slow, beside)
        for _, side, *_ in ways:
            line = _if_replayed(line, found, load, f"{side}_1")
        return line

    return fast_to_ordinary


def ordinary_calls(found: Figures) -> Line:
    """Return the line that compares the ordinary path with SIPp's two sides."""
    ours, theirs = _cpu(found, "ordinary", "alone_0"), _sipp(found, "ordinary")
    work = "call with track 0, loopback, tester and SCP: CPU ÷ that of SIPp's two sides"
    return ratio(work, Bound(2.2, 1.8), ours, theirs, _beside(ours, theirs))


DATA_RATIOS: tuple[Callable[[Figures], Line], ...] = (
    *map(_over_loopback, CALLS),
    *map(_over_m3ua, CALLS),
    *map(_to_ordinary, LOADS),
    ordinary_calls,
)
