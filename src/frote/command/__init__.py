"""The command line: it reads, calls and prints, and decides nothing."""
