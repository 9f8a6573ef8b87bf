"""The `orion` command: finds the subcommand, shows manual pages, turns mistakes into messages and exit codes.

A command is a module `orion_ai.commands.<name>` (a hyphen becomes an underscore) with a function `run(argv) -> int`;
its docstring is its manual page, read from the source, so that help never waits for an import. Exit codes: 0 done, 1 a
fault of Orion's, 2 a mistake of the user's, 130 interrupted.
"""

from __future__ import annotations

import ast
import errno
import importlib
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from orion_ai import attended

__all__ = ["COMMANDS", "main", "manual", "module_name"]

COMMANDS = (
    "games",
    "play",
    "train",
    "ship",
    "arena",
    "compare",
    "tune",
    "report",
    "solve",
    "exploit",
    "check",
    "new-game",
    "replay",
    "explain",
    "bench",
)
"""The subcommands, in the order of the manual."""

MANUAL = """orion - strong players for board games with hidden information

Usage: orion COMMAND [KEY=VALUE ...]

Commands:
{commands}

Settings are given as KEY=VALUE, nested keys with dots, lists in brackets. Every command starts from the file
configs/COMMAND.yaml; `orion COMMAND --config` prints all its settings as they would be used, and stops. The name of a
game alone is short for game=NAME, and players=N for game.players=N.
`-m` (--multirun) runs train and arena once for every combination of values given with commas.

Examples:
  orion games                                          what can be played
  orion play moo_board agents=[scripted]               play against a bot in the terminal
  orion arena agents=[ismcts,random] blocks=50         compare two players
  orion arena -m agents=[ismcts,random] budget.simulations=32,128
  orion train game=moo_board search.simulations=32     train a network by self-play
  orion check kuhn_poker mutations=true                does a game keep its promises?
  orion new-game NAME                                  a game of one's own: folder, settings and tests to fill in
  orion explain game.jsonl ply=4                       what a search thinks of one decision, as text and as a page
  orion COMMAND --help                                 the manual page of a command

Exit codes: 0 done; 1 a fault of Orion's own; 2 a mistake in what was asked; 130 interrupted (Ctrl-C).
Compiled rules are kept in $ORION_CACHE_DIR (default ~/.cache/orion/kernels); runs are written to ./runs.
Games of your own are found in the folders that $ORION_GAMES names (see orion new-game --help).
"""
ATTENDED = ("play", "explain", "exploit")
"""Those that ask agents of somebody's own in their own process, where no match watches them."""


def module_name(command: str) -> str:
    """The module of `orion_ai.commands` that is `command`."""
    return command.replace("-", "_")


def manual(command: str) -> str:
    """The manual page of `command`: the docstring of its module, which is not imported."""
    source = (Path(__file__).parent / "commands" / f"{module_name(command)}.py").read_text()
    return (ast.get_docstring(ast.parse(source)) or "") + "\n"


def _overview() -> str:
    lines = []
    for name in COMMANDS:
        summary = manual(name).splitlines()[0].partition(": ")[2]
        lines.append(f"  {name:<8} {summary}")
    return MANUAL.format(commands="\n".join(lines))


def _dispatch(argv: Sequence[str]) -> int:
    if list(argv) in ([], ["-h"], ["--help"], ["help"]):
        print(_overview(), end="")
        return 0 if argv else 2
    if argv[0] == "--version":
        from orion_ai import __version__

        print(f"orion {__version__}")
        return 0
    name, rest = argv[0], list(argv[1:])
    if name == "help":
        name, rest = rest[0], ["--help"]
    if name not in COMMANDS:
        from engines.errors import choose_from

        choose_from("command", name, COMMANDS)
    if any(word in ("-h", "--help") for word in rest):
        print(manual(name), end="")
        return 0
    module = importlib.import_module(f"orion_ai.commands.{module_name(name)}")
    return int(module.run(rest))


def _has_lost_its_reader(error: BaseException | None) -> bool:
    """Whether `error` came of output that nobody reads any more, which rich answers by leaving."""
    while error is not None and not isinstance(error, BrokenPipeError):
        error = error.__context__
    return error is not None


def _own_folder(error: Exception) -> str:
    """In words, the folder of games of one's own whose code `error` came from; "" if it came from Orion's."""
    import traceback

    from engines.registry import own_folders

    last = traceback.extract_tb(error.__traceback__)[-1].filename
    file = Path((error.filename if isinstance(error, SyntaxError) else None) or last)
    return next((f"a game in {str(folder)!r}" for folder in own_folders() if file.is_relative_to(folder)), "")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (default: the process's own) and return its exit code."""
    if argv is None:
        _mend_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    if argv is None and words[:1] and words[0] in ATTENDED:
        attended.enable()
    try:
        code = _run(words)
    except attended.Ended as end:  # the command went on in a child process
        if end.said:
            print(f"{_title(words)}: {end.said}", file=sys.stderr)
        return end.code
    attended.finished()
    return code


def _mend_streams() -> None:
    """Standard streams that were closed before the start are empty; what a terminal cannot show stands there as "?"."""
    sys.stdin = sys.stdin or Path(os.devnull).open()  # noqa: SIM115
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            with suppress(OSError):  # Python asks for the place in the stream, and a pipe that is opened late has none
                stream.reconfigure(errors="replace")


def _title(words: Sequence[str]) -> str:
    """Who speaks in messages."""
    return " ".join(["orion", *(word for word in words[:1] if word in COMMANDS)])


def _run(words: Sequence[str]) -> int:
    """Do it, and turn what is raised into a message and an exit code."""
    title = _title(words)
    try:
        code = _dispatch(words)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print(f"{title}: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output (`| head`) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except SystemExit as error:  # no command leaves by itself
        if _has_lost_its_reader(error):
            return 0
        said = "something that it runs, such as an agent of one's own, asked the program to exit"
        print(f"{title}: {said} (SystemExit: {error.code}); expected it to answer, or to raise", file=sys.stderr)
        return 1
    except Exception as error:
        from engines.errors import UsageError

        if isinstance(error, UsageError):
            print(f"{title}: {error}", file=sys.stderr)
            return 2
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            place = f": {error.filename!r}" if error.filename else ""
            print(f"{title}: the disk is full ({error.strerror}{place})", file=sys.stderr)
            return 2
        if isinstance(error, MemoryError):
            print(f"{title}: out of memory ({error}): ask for fewer lanes, workers or nodes", file=sys.stderr)
            return 2
        import traceback

        traceback.print_exc()
        whose = _own_folder(error) or "Orion's own"
        print(f"{title}: a fault of {whose} ({type(error).__name__}); the lines above say where", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
