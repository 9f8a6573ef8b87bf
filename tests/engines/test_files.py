"""Places that cannot be written are refused before the work whose outcome goes there, and nothing is left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.errors import FileError
from engines.files import refuse_unwritable, write_text


def test_a_place_that_can_be_written_stays_as_it_is(tmp_path: Path) -> None:
    there = tmp_path / "there.txt"
    there.write_text("old")
    refuse_unwritable(there, tmp_path / "new.txt", tmp_path / "a/b/c.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["there.txt"] and there.read_text() == "old"


@pytest.mark.parametrize("place", ["file/x.txt", "file/a/b.txt", "folder", "y" * 300 + "/x.txt"])
def test_what_writing_would_refuse_is_refused_before(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match="cannot write") as before:
        refuse_unwritable(tmp_path / "fine.txt", tmp_path / place)
    with pytest.raises(FileError) as after:
        write_text(tmp_path / place, "")
    assert str(before.value).rpartition(": ")[0] == str(after.value).rpartition(": ")[0]
