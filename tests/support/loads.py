"""Distributions and operations for loads in tests, and checks that hold for every result."""

PASS = {"type": "pass"}
FAIL = {"type": "fail", "arguments": {"text": "wrong"}}
ABORT = {"type": "abort", "arguments": {"text": "enough"}}
WAIT = {"type": "wait", "arguments": {"seconds": 0.02}}


def prompted(seconds):
    """Return a call of the sample flow that waits for digits in vain: it keeps the SCP longest."""
    return [
        {
            "type": "inap.ssp_to_scp.InitialDP",
            "arguments": {
                "serviceKey": 45,
                "calledPartyNumber_digits": "0800432900",
                "callingPartyNumber_digits": "6421000001",
                "eventTypeBCSM": 2,
            },
        },
        {"type": "inap.ssp_from_scp.RequestReportBCSMEvent"},
        {"type": "inap.ssp_from_scp.ConnectToResource"},
        {"type": "inap.ssp_from_scp.PromptAndCollectUserInformation", "last_component": 0},
        {"type": "inap.ssp_from_scp.ReleaseCall", "seconds": seconds},
    ]


def load(total, backlog=10, **more):
    return {"type": "load", "total": total, "backlog": backlog, **more}


def linear(total, backlog, cps, **more):
    return {"type": "linear", "total": total, "backlog": backlog, "cps": cps, **more}


def assert_adds_up(result):
    counts, rate = result["counts"], result["rate"]
    ends = [counts[name] for name in ("passed", "failed", "aborted", "cancelled")]
    assert counts["finished"] == sum(ends)
    assert counts["started"] == counts["finished"] + counts["in_progress"]
    warm_up = result.get("warm_up", {"planned": 0, "started": 0})
    assert rate["started"] == rate["on_time"] + rate["late"]
    assert rate["started"] == counts["started"] - warm_up["started"]
    not_made = rate["never_started"] + rate["unknown_starts"]
    assert rate["planned"] == rate["started"] + not_made
    assert rate["planned"] == counts["planned"] - warm_up["planned"]
    assert 0 <= warm_up["started"] <= warm_up["planned"]
    assert sum(bucket["num_calls_started"] for bucket in result["buckets"]) == counts["started"]
    assert min(ends) >= 0
    assert min(rate["on_time"], rate["late"], rate["never_started"]) >= 0
    # Those of replayed instances are what was counted, not what the replay of their past shows.
    durations = [one["duration"] for one in result["slowest"]]
    assert durations == sorted(durations, reverse=True)


def play_linear(daemon, operations, **distribution):
    """Run a linear load on a daemon to its end and return its result, which adds up."""
    run = {"operations": operations, "distribution": {"type": "linear", **distribution}}
    result = daemon.run(run, ssp_ac="camel2")
    assert_adds_up(result)
    return result
