"""What all tests need."""

import importlib
import os
import signal
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# A shell starts its background jobs with Ctrl-C ignored, and what they start inherits that: tests that interrupt a
# command would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Threads of two workers on two cores wait for each other in every product of small matrices.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")


def modules_with_kernels() -> list[str]:
    """Names of ours, those of games first; about half of all compilation is for each half."""
    files = (path for package in ("engines", "orion_ai") for path in sorted((ROOT / package).rglob("*.py")))
    return [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in files if "kernel(" in path.read_text()]


def pytest_configure(config: pytest.Config) -> None:
    """Compile before tests are collected, every second worker from the end: two meet in the middle.

    Both import all tests, so that each would else compile every kernel, at the same time as the other. What one has
    compiled the other finds in the cache. A part of the tests (`pytest tests/arena`) compiles only what it needs.
    """
    if hasattr(config, "workerinput") and config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        modules = modules_with_kernels()
        if int(config.workerinput["workerid"].removeprefix("gw")) % 2:
            modules.reverse()
        for name in modules:
            importlib.import_module(name)
