"""`python -m reprise_farm`."""

import sys

from .cli import main

sys.exit(main())
