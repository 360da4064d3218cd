"""`python -m taicam` is the `taicam` command."""

from taicam.cli import main

main()
