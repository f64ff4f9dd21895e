"""The daemon: listeners, connections, dispatch, signals, readiness, pages for monitoring.

`daemon` has the order of start and stop, `connection` handles one request, `dispatch` finds and
calls the method. Runs are handled in tsvc.engine. Start with `daemon`.
"""
