"""Compiles a syntax tree to closures that evaluate it.

`compiler` holds the tables node -> maker; the other modules fill them, one for each part of the
language. Closures count steps in the environment and keep no state. Start with `compiler`.
"""
