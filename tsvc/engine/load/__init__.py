"""Plans when to start how many instances, and counts what was started.

`grid` plans the starts and `token_bucket` groups them into bursts: both are pure. So are
`counters` and `histogram`, which count. `starter` waits for the next start, `pacing` changes the
plan of a run in progress, `generator` measures the tester's own load. Start with `starter`.
"""
