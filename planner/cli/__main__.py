"""`python -m planner.cli` does what `turntree` does."""

import sys

from planner.cli import main

sys.exit(main())
