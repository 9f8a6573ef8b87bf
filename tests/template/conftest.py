"""The template is no game that can be chosen: only these tests know it by name, as if it were."""

from __future__ import annotations

import pytest

import engines


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(engines.GAMES, "template", "engines.template")
