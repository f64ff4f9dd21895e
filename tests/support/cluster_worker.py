"""A worker as a process: cluster_worker.py COORDINATOR NAME.

It joins, prints its pid, and echoes and prints each message. When the link is lost it prints the
reason and ends.
"""

from gevent import monkey

monkey.patch_all()

import json  # noqa: E402 - the patching comes first
import os  # noqa: E402
import sys  # noqa: E402

from gevent.event import AsyncResult  # noqa: E402

from tsvc.cluster.link import Spoke  # noqa: E402


def say(*what: object) -> None:
    print(json.dumps(what), flush=True)


def main(coordinator: str, name: str) -> None:
    over: AsyncResult[str] = AsyncResult()

    def answer(kind: str, body: object) -> None:
        say(kind, body)
        spoke.send(kind, body)

    spoke = Spoke(coordinator, name, on_message=answer, on_lost=over.set)
    spoke.start(join_s=60)  # it may start on a busy machine
    print(os.getpid(), flush=True)
    say("lost", over.get())


if __name__ == "__main__":
    main(*sys.argv[1:])
