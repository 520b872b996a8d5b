"""What changed between two models: where predictions differ, as rules, and how calibration and subgroups moved."""
