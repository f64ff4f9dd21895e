"""PlayAnnouncement: one announcement and one exit; no exit if the caller hangs up."""

from tsvc.flow.call import Played, Release
from tsvc.flow.engine import FlowEnd

CONFIG = {"announcement": {"set": "S", "entry": "main", "repetition": 3}}


def test_plays_and_goes_on(flows):
    run = flows.run(flows.document("PlayAnnouncement", CONFIG))
    play, release = flows.walk(run, Played())
    assert (play.announcement.message_id, play.announcement.repetition) == (101, 3)
    assert release == Release(1)
    assert flows.path(run) == [(1, 0), (2, 0), (10, None)]


def test_hang_up_takes_no_exit(flows):
    run = flows.run(flows.document("PlayAnnouncement", CONFIG))
    run.start()
    run.stop("abandoned")
    assert run.outcome is FlowEnd.STOPPED
    assert flows.path(run) == [(1, 0), (2, None)]


def test_announcement_is_required(flows):
    assert flows.problems(flows.document("PlayAnnouncement", {})) == [
        ("flow.operations.2.config.announcement", "is required", "error")
    ]
