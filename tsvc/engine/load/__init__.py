"""When to start how many instances, and what was started.

`grid` plans the starts and `token_bucket` joins them to bursts: both pure, as are `counters` and
`histogram`, which count. `starter` waits for the next start, `pacing` changes the plan of a run
in progress, `generator` looks at the tester's own load. Start with `starter`.
"""
