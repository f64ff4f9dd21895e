"""The daemon: listeners, connections, dispatch, signals, readiness, pages for monitoring.

`daemon` is the order of start and stop, `connection` the life of one request, `dispatch` finds
and calls the method. It knows no runs. Start with `daemon`.
"""
