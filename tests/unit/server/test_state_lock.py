import os

import pytest

from tsvc.server.daemon import StateLock


def test_one_holder_at_a_time(tmp_path):
    folder = tmp_path / "a" / "b"
    lock = StateLock(folder)
    with pytest.raises(OSError, match=f"is in use by process {os.getpid()}"):
        StateLock(folder)
    lock.release()
    StateLock(folder).release()


def test_a_folder_that_can_not_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        StateLock(tmp_path / "file" / "state")
