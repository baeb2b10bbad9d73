"""The command line (floor F8): arguments, exit codes, terminal views, and the only `trio.run`."""

from planner.cli.main import main as main
