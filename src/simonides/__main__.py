"""`python -m simonides`: the command line."""

from simonides.cli.main import main

main()
