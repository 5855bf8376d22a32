"""`python -m simonides`: the command line."""

from simonides.cli.start import main

main()
