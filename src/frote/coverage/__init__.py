"""Rules over data: coverage, attribution, agreement, and the check of a rule set."""
