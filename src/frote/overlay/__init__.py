"""A patch layer: rows are moved into or out of a rule before a model sees them."""
