"""The paper's experiments: definitions, a runner that skips what is done, tables and figures.

Needs the extra ``frote[experiments]``. On the command line: ``python -m frote.experiments --help``.
"""
