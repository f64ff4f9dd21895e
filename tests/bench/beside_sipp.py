"""SIPp, Debian's sip-tester, for comparison: its own UAC against its own UAS over UDP.

Seven messages a call, no talking (-d 0), receive buffers large enough not to lose bursts. With an
injection file each call has its own caller and service. Both sides end by themselves or are
stopped by process id.
"""

import contextlib
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from measures import cpu_s, expect

READY_S = 10
_COMMON = ["-i", "127.0.0.1", "-buff_size", "4194304", "-nostdin"]
_QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def _free_port() -> int:
    with socket.socket(type=socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def _is_bound(port: int) -> bool:
    return f":{port:04X} " in Path("/proc/net/udp").read_text()


@contextlib.contextmanager
def _uas() -> Iterator[tuple[int, int]]:
    """Run the answering side; yield its process id and its port."""
    port = _free_port()
    process = subprocess.Popen(["sipp", "-sn", "uas", "-p", str(port), *_COMMON], **_QUIET)
    try:
        deadline = time.monotonic() + READY_S
        while not _is_bound(port):
            expect(time.monotonic() < deadline, "the answering side doesn't come up")
            time.sleep(0.05)
        time.sleep(0.2)
        yield process.pid, port
    finally:
        process.terminate()
        process.wait()


def _call(
    port: int, rate: int, count: int, *more: str, scenario: tuple[str, str] = ("-sn", "uac")
) -> tuple[float, float]:
    """Make calls at a rate; return seconds of wall time and of CPU of the calling side.

    If its buffers overflow it may never finish, whatever -timeout is: it is killed after three
    times the expected time.
    """
    own = str(_free_port())
    command = ["sipp", *scenario, f"127.0.0.1:{port}", "-p", own, *_COMMON]
    # -l: the maximum of calls at once, enough for the rate.
    plan = ["-r", str(rate), "-m", str(count), "-d", "0", "-l", "20000"]
    begun, before = time.monotonic(), os.times()
    with contextlib.suppress(subprocess.TimeoutExpired):
        limit = 3 * count / rate + 5
        subprocess.run([*command, *plan, *more], timeout=limit, check=False, **_QUIET)
    took, after = time.monotonic() - begun, os.times()
    used = after.children_user + after.children_system
    return took, used - before.children_user - before.children_system


def _injected(folder: Path, lines: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], list[str]]:
    """Write SIPp's own scenario with the fields of an injection file, and the file; return
    options.

    lines: the injected values: the caller, and the service that it calls.
    """
    own = subprocess.run(["sipp", "-sd", "uac"], capture_output=True, text=True, check=False)
    told = own.stdout.replace("sip:sipp@", "sip:[field0]@").replace("[service]", "[field1]")
    expect("[field0]" in told and "[field1]" in told, "another scenario than that of SIPp 3.6")
    scenario, injection = folder / "uac.xml", folder / "calls.csv"
    scenario.write_text(told)
    injection.write_text("SEQUENTIAL\n" + "".join(f"{a};{b};\n" for a, b in lines))
    return ("-sf", str(scenario)), ["-inf", str(injection)]


def calls(rate: int, seconds: int) -> dict[str, float]:
    """Make calls at a rate; return completed calls a second, and CPU microseconds of each side.

    `missing`: calls that failed or were never completed.
    """
    return calls_with(rate, rate * seconds, None)


def calls_with(rate: int, count: int, lines: Iterable[tuple[str, str]] | None) -> dict[str, float]:
    """Make so many calls at a rate; return the same. lines: of an injection file, or None."""
    with _uas() as (uas, port), tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        file = folder / "stat.csv"
        record = ["-trace_stat", "-stf", str(file), "-fd", "1"]
        if lines is None:
            took, uac_s = _call(port, rate, count, *record)
        else:
            scenario, injection = _injected(folder, lines)
            took, uac_s = _call(port, rate, count, *injection, *record, scenario=scenario)
        head, *_, last = file.read_text().splitlines()
        uas_s = cpu_s(uas)
    figures = dict(zip(head.split(";"), last.split(";"), strict=False))
    done = int(figures["SuccessfulCall(C)"])
    return {
        "calls_per_s": done / took,
        "cpu_us": uac_s / max(done, 1) * 1e6,
        "uas_cpu_us": uas_s / max(done, 1) * 1e6,
        "missing": count - done,
        "retransmissions": int(figures["Retransmissions(C)"]),
    }


def starts(rate: int, seconds: int) -> list[float]:
    """Return when each call started (seconds), by the timestamps of SIPp's own trace."""
    with _uas() as (_, port), tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "short.csv"
        trace = ["-trace_shortmsg", "-shortmessage_file", str(file)]
        _call(port, rate, rate * seconds, *trace)
        first: dict[str, float] = {}
        with file.open(encoding="ascii", errors="replace") as lines:
            for line in lines:
                # date, time, seconds, S or R, Call-ID, CSeq, start line
                _, _, at, way, call, cseq, _ = line.split("\t", 6)
                # A retransmission does not count as a start.
                if way == "S" and cseq == "CSeq:1 INVITE":
                    first.setdefault(call, float(at))
    return sorted(first.values())
