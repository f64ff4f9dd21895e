"""From a syntax tree to closures that evaluate it.

`compiler` holds the table node -> maker; the other modules fill it, one for each part of the
language. Closures pay steps to the environment and keep no state. Start with `compiler`.
"""
