"""The command line: one file per verb, no logic. Results to stdout, everything else to stderr."""
