"""The entry point of the daemon. Nothing is imported here before gevent has patched."""


def main() -> None:
    """Run tsvcd; see tsvc.server.command for its options."""
    import gc

    gc.disable()  # what is imported stays: looking through it takes a tenth of the start
    from tsvc.patch import patch_all

    patch_all()
    from gevent import get_hub

    # Else sys.exit() in any greenlet, whoever's code that is, would be the daemon's end.
    get_hub().SYSTEM_ERROR = ()
    from tsvc.server.command import command

    command()


if __name__ == "__main__":
    main()
