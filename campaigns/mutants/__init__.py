"""Mutants: one small fault at a time in the source, to see whether a test fails, by `python -m campaigns.mutants`."""
