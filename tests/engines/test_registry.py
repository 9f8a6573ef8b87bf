"""Which games there are, and what is refused before anything is compiled."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engines.errors import UsageError
from engines.registry import OWN, choose_game
from tests.engines.subprocesses import code


def test_mistakes_in_options_compile_nothing(tmp_path: Path) -> None:
    """A game that was never used here is read with kernels that are not compiled, which are forgotten again."""
    code(
        """
        import os, sys
        from pathlib import Path
        import engines
        from engines import registry
        from engines.errors import UsageError

        def refused(name, text, **options):
            try:
                engines.load(name, **options)
            except UsageError as error:
                assert text in str(error), error
                return
            raise AssertionError(f"{name} was loaded")

        root = Path(engines.__file__).parent
        refused("moo_board", "players=9, expected 2 to 4", players=9)
        refused("conquest", "unknown option of conquest 'faction'", faction="humans")
        refused("conquest", "__init__.py", content=root / "conquest" / "__init__.py")
        assert registry.checked("kuhn_poker").players == 2
        known = {folder.name for folder in Path(os.environ["ORION_CACHE_DIR"]).iterdir()} | set(sys.modules)
        unwanted = ("engines.moo_board", "engines.conquest", "engines.kuhn_poker", "engines.effects")
        assert not [name for name in known if name.startswith(unwanted)], known
        game = engines.load("kuhn_poker")
        assert type(game).__module__ == "engines.kuhn_poker" and hasattr(game.kernels.apply, "signatures")
        assert (Path(os.environ["ORION_CACHE_DIR"]) / "engines.kuhn_poker.rules").is_dir()
        """,
        ORION_CACHE_DIR=str(tmp_path),
    )


def test_a_game_that_exists_nowhere_hints_at_games_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(OWN, raising=False)
    with pytest.raises(
        UsageError, match=r"unknown game 'chess'.* of the folders that \$ORION_GAMES names; it is not set"
    ):
        choose_game("chess")
    (tmp_path / "engines").mkdir()
    monkeypatch.setenv(OWN, str(tmp_path))
    with pytest.raises(UsageError, match=re.escape(f"it names {tmp_path}.")):
        choose_game("chess")
    with pytest.raises(UsageError, match=r"Did you mean 'kuhn_poker'\? Valid: [^$]*$"):
        choose_game("kuhn_pokre")
