"""The paper's experiments: definitions, a runner that skips what is done, tables and figures.

A package beside frote, which knows nothing of it. On the command line: ``python -m frote_experiments --help``.
"""
