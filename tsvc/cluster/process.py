"""The entry point of a worker: `python -m tsvc.cluster.process`, started by the daemon.

Nothing is imported here before gevent has patched. The standard input has the frame of setup.py
and nothing after it. When the input ends, the daemon has ended, and the worker ends too.
"""


def main() -> None:
    """Run a worker until it ends."""
    from tsvc.patch import patch_all

    patch_all()
    from gevent import get_hub

    get_hub().SYSTEM_ERROR = ()
    from tsvc.cluster.worker import command

    command()


if __name__ == "__main__":
    main()
