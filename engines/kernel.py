"""Compilation policy of every kernel: one decorator, one cache directory a module, one progress line.

`@kernel` wraps Numba's `njit`; nothing else in the project calls it. A kernel of the contract (or of the search) is
given its signature, so it is compiled (or loaded from the cache) when its module is imported; a plain helper is
compiled into its callers.

Numba's own cache does not notice an edit in *another* module, nor a changed flag. So each module's kernels are cached
in a directory named by a fingerprint: the sources of every module of ours that it imports (and theirs), the content
data beside them, the numba version and the flags. An edit therefore recompiles what depends on it, and nothing else.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
import numpy as np

__all__ = [
    "JIT",
    "cache_root",
    "compiling",
    "content_path",
    "fingerprint",
    "kernel",
    "lean_kernel",
    "prune",
    "set_content",
]

config: Any = numba.config
F = TypeVar("F", bound=Callable[..., Any])

JIT: bool = not config.DISABLE_JIT
"""False under NUMBA_DISABLE_JIT=1: kernels are then the plain Python functions, with the same results."""

if not JIT:
    np.seterr(over="ignore")  # 64-bit hashes wrap around on purpose; compiled code does so silently

KEPT_DIRECTORIES = 5
"""How many cache directories of one module survive `prune` (branches and flags that are in use side by side)."""

_PACKAGES = ("engines", "orion_ai")
_contents: dict[str, Path] = {}


def cache_root() -> Path:
    """Where compiled kernels live: `$ORION_CACHE_DIR`, else `orion` in the user's cache directory."""
    own = os.environ.get("ORION_CACHE_DIR")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "orion" / "kernels"


def set_content(package: str, path: Path) -> None:
    """Let `package` (an alias of a game's package) read its content from `path`; call before it is imported."""
    _contents[package] = path


def content_path(package: str, default: Path) -> Path:
    """The content file or folder that `package` is to be built from: `default`, unless `set_content` named another."""
    return _contents.get(package, default)


def _is_ours(name: str) -> bool:
    """Whether `name` is a module of ours (`tests` too: games may live beside the tests that use them)."""
    return name.split(".")[0] in (*_PACKAGES, "tests")


def _imports(source: str, package: str) -> Iterator[str]:
    """Modules whose names the module text may use in a kernel; relative ones are resolved against `package`.

    What a function imports, or a block for type checkers, cannot be frozen into compiled code. `from a import b` means
    the module `a.b` where there is one: what else the package `a` imports is then no concern.
    """
    stack: list[ast.AST] = [ast.parse(source)]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parts, base] if base else parts)
            for alias in node.names if _is_ours(base) else ():
                full = f"{base}.{alias.name}"
                yield full if _source(full) else base
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            stack.extend(node.orelse)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            stack.extend(ast.iter_child_nodes(node))


def _source(name: str) -> Path | None:
    """The file of module `name`, or None if there is no such module (a name imported from one, say)."""
    try:
        loaded = sys.modules.get(name)
        spec = getattr(loaded, "__spec__", None) or find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    return Path(spec.origin)


@functools.cache
def _parsed(name: str) -> tuple[bytes, tuple[str, ...], Path] | None:
    path = _source(name)
    if path is None:
        return None
    source = path.read_bytes()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = sorted({i for i in _imports(source.decode(), package) if _is_ours(i)})
    return source, tuple(found), path


def _closure(name: str) -> list[str]:
    """Every module of ours that `name` depends on, itself included, sorted."""
    seen: set[str] = set()
    stack = [name]
    while stack:
        module = stack.pop()
        parsed = None if module in seen else _parsed(module)
        if parsed is not None:
            seen.add(module)
            stack.extend(parsed[1])
    return sorted(seen)


@functools.cache
def fingerprint(module: str) -> str:
    """Twelve hex digits that change whenever compiled code of `module` could: sources, content, numba, flags."""
    digest = hashlib.sha256()
    digest.update(f"{numba.__version__} {config.BOUNDSCHECK} {config.OPT} {config.DISABLE_JIT}".encode())
    folders: set[tuple[str, Path]] = set()
    for name in _closure(module):
        parsed = _parsed(name)
        assert parsed is not None
        digest.update(parsed[0])
        package = name if parsed[2].name == "__init__.py" else name.rpartition(".")[0]
        folders.add((package, parsed[2].parent / "content"))
    for package, default in sorted(folders):
        content = content_path(package, default)
        for data in [content] if content.is_file() else sorted(content.glob("*.yaml")):
            digest.update(data.read_bytes())
    return digest.hexdigest()[:12]


def _directory(module: str) -> Path:
    return cache_root() / module / fingerprint(module)


@overload
def kernel(target: F) -> F: ...
@overload
def kernel(target: Any) -> Callable[[F], F]: ...
def kernel(target: Any) -> Any:
    """Compile a function as a kernel: `@kernel` for a helper, `@kernel(SIGNATURE)` for one of a contract.

    Args:
        target: the function, or a Numba signature (then the function is compiled at import).

    Returns:
        the compiled function; under `NUMBA_DISABLE_JIT=1` the function itself.
    """
    if callable(target) and not isinstance(target, numba.core.typing.templates.Signature):
        return _compile(target, None)
    return functools.partial(_compile, signature=target)


@overload
def lean_kernel(target: F) -> F: ...
@overload
def lean_kernel(target: Any) -> Callable[[F], F]: ...
def lean_kernel(target: Any) -> Any:
    """As `kernel`, for one that allocates no array and returns none: compiled without reference counts.

    Where arrays come in a tuple, Numba counts references at every access, atomically: the search runs 7 times as fast
    without. An allocation does not compile. Without a signature the function becomes part of every caller: to pass on
    such a tuple costs more than most helpers do (the search runs 3 times as fast again).
    """
    if callable(target) and not isinstance(target, numba.core.typing.templates.Signature):
        return _compile(target, None, counted=False)
    return functools.partial(_compile, signature=target, counted=False)


def _compile(function: F, signature: Any, counted: bool = True) -> F:
    if not JIT:
        return function
    directory = _directory(function.__module__)
    config.CACHE_DIR = str(_usable(directory))
    njit: Any = functools.partial(numba.njit, cache=True, nogil=True, error_model="python", _nrt=counted)
    if signature is None:
        return njit(function, forceinline=not counted)  # type: ignore[no-any-return]
    _progress.step(function)
    try:
        return njit(signature)(function)  # type: ignore[no-any-return]
    except numba.core.errors.NumbaError:
        raise
    except Exception:
        # A process that was killed while it wrote leaves a cache that cannot be read (numba #10434), of this module or
        # of one whose helpers it calls; reading it fails in many ways. Build anew, once.
        for name in _closure(function.__module__):
            for file in _usable(_directory(name)).rglob("*.nb[ic]"):
                file.unlink(missing_ok=True)
        return njit(signature)(function)  # type: ignore[no-any-return]


def _usable(directory: Path) -> Path:
    """`directory`, made if need be; a temporary one of the user's where the disk does not let us write."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if os.access(directory, os.W_OK):
            return directory
    except OSError:
        pass
    import tempfile

    other = Path(tempfile.gettempdir()) / f"orion-kernels-{os.getuid() if hasattr(os, 'getuid') else 0}"
    other = other / directory.parent.name / directory.name
    other.mkdir(parents=True, exist_ok=True)
    return other


class _Progress:
    """Says once that something is being compiled, and how long it took, on stderr (a terminal or not)."""

    def __init__(self) -> None:
        self.label: str | None = None
        self.started: float | None = None

    def step(self, function: Callable[..., Any]) -> None:
        if self.label is None or self.started is not None:
            return
        directory = _directory(function.__module__)
        if not any(directory.rglob("*.nbi")):
            self.started = time.monotonic()
            print(f"orion: compiling {self.label} for first use on this machine ...", file=sys.stderr, flush=True)


_progress = _Progress()


@contextmanager
def compiling(label: str) -> Iterator[None]:
    """Import modules with kernels inside this block: a first compilation is then announced under `label`."""
    if _progress.label is not None:
        yield
        return
    _progress.label, _progress.started = label, None
    try:
        yield
        if _progress.started is not None:
            seconds = time.monotonic() - _progress.started
            print(f"orion: compiled {label} in {seconds:.0f} s", file=sys.stderr, flush=True)
            prune()
    finally:
        _progress.label = None


def prune() -> int:
    """Remove old cache directories, keeping the newest `KEPT_DIRECTORIES` of each module; return how many went."""
    removed = 0
    root = cache_root()
    for module in sorted(root.iterdir()) if root.is_dir() else ():
        if not module.is_dir():
            continue
        ages = sorted((d for d in module.iterdir() if d.is_dir()), key=lambda d: d.stat().st_mtime, reverse=True)
        for directory in ages[KEPT_DIRECTORIES:]:
            shutil.rmtree(directory, ignore_errors=True)
            removed += 1
    return removed
