"""The outcome of a run: checks and traces of kept instances, and the result made of them.

Recorded values stay tuples and octets until they are requested; then `result` and `traces` make
JSON, text and captures of them. `kept_instances` selects the instances for which that is done.
`leaks` is the audit of what a run has left behind. Start with `result`.
"""
