"""Campaigns: many made-up cases against what frote promises, by `python -m campaigns`."""
