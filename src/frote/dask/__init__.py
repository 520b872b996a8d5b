"""What works on Dask frames, which may be larger than the memory of any machine: read by partitions, results lazy.

`Survey` learns the types in one pass; `LazyRows` hands typed partitions to what counts or takes rows of them. Of an
edit, `Strata` brings a sample to the loop that works in memory, and `Applying` does to each partition what was decided.
"""
