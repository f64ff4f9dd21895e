"""The entry point of a worker: `python -m tsvc.cluster.process`, started by the daemon.

Nothing is imported here before gevent has patched. The standard input is the frame of setup.py and
then nothing: when it ends, the daemon has ended, and so does the worker.
"""


def main() -> None:
    """Be a worker."""
    from tsvc.patch import patch_all

    patch_all()
    from gevent import get_hub

    get_hub().SYSTEM_ERROR = ()
    from tsvc.cluster.worker import command

    command()


if __name__ == "__main__":
    main()
