"""Synthetic rows: inside their rule by construction, like the rows they start from elsewhere."""
