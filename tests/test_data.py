"""Shipped files are found in a checkout and in an installed package; a broken installation is said to be one."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.errors import FileError
from orion_ai import data


def test_a_checkout() -> None:
    assert (data.configs_dir() / "arena.yaml").is_file()


def test_an_installed_package_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "orion_ai"
    monkeypatch.setattr(data, "_PACKAGE", package)
    with pytest.raises(FileError, match=r"'configs' is missing.*incomplete"):
        data.configs_dir()
    (tmp_path / "configs").mkdir()
    assert data.configs_dir() == tmp_path / "configs"
    (package / "_data" / "configs").mkdir(parents=True)
    assert data.configs_dir() == package / "_data" / "configs"
