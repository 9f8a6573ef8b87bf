"""Python in a process of its own, with its own environment: flags of the JIT are read at import."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `python ARGUMENTS...` from the project's root with these variables added."""
    known = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=known, capture_output=True, text=True, check=False
    )


def code(text: str, **environment: str) -> str:
    """Run a program and return what it prints; it must succeed."""
    result = python("-c", textwrap.dedent(text), **environment)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout
