"""The entry point of the daemon. Nothing is imported here before gevent has patched."""


def main() -> None:
    """Run tsvcd; see tsvc.server.command for its options."""
    import gc

    gc.disable()  # imported objects stay: collecting garbage takes a tenth of the start time
    from tsvc.patch import patch_all

    patch_all()
    from gevent import get_hub

    # Otherwise sys.exit() in any greenlet, even in foreign code, would end the daemon.
    get_hub().SYSTEM_ERROR = ()
    from tsvc.server.command import command

    command()


if __name__ == "__main__":
    main()
