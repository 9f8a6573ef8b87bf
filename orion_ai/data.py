"""Where the files that ship with Orion lie: in the repository, or inside the installed package."""

from __future__ import annotations

from pathlib import Path

from engines.errors import FileError

__all__ = ["checkpoints_dir", "configs_dir", "template_tests_dir"]

_PACKAGE = Path(__file__).resolve().parent


def configs_dir() -> Path:
    """The folder of the configuration files."""
    return _shipped("configs")


def checkpoints_dir() -> Path:
    """The folder of the bots that ship with Orion."""
    return _shipped("checkpoints")


def template_tests_dir() -> Path:
    """The folder of the tests that `orion new-game` copies."""
    return _shipped("tests/template")


def _shipped(name: str) -> Path:
    """A wheel carries the folder as `orion_ai/_data/<name>`; a checkout has it at the top."""
    for folder in (_PACKAGE / "_data" / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise FileError(f"the folder {name!r} is missing beside {_PACKAGE}: the installation is incomplete")
