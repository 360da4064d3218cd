"""How much longer than usual things may take on a machine that others keep busy."""

from __future__ import annotations

import os


def slack_now() -> float:
    """1 on an idle machine, more where the cores are shared with other work."""
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    return max(1.0, min(8.0, load))
