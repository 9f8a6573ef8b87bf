"""A Ray cluster for the time of a command: started here or joined, checked before it is used, left without a trace."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from types import TracebackType
from typing import Any

from engines.errors import UsageError
from orion_ai.runtime import RuntimeConfig

__all__ = ["LEAST_RAY", "Cluster"]

LEAST_RAY = (2, 40)
STARTED_HERE = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_task_events_report_interval_ms": "0",
}
"""Read by Ray when it is imported. The first is named for the systems on which it is the default: it makes all
processes of a cluster listen on the loopback interface alone. The second: nothing is reported to Ray's makers. The
third: nobody keeps a history of all calls, with which Ray's own process grew by 300 MB, and without does not; the
dashboard shows actors without it."""


class Cluster:
    """A connection to Ray. Use it in a `with` statement: what was started or joined there is left at its end.

    Where the process is connected already, that connection is used, and kept.

    Attributes:
        ray: the module.
        namespace: of the actors' names, unlike any other's.
    """

    def __init__(self, config: RuntimeConfig) -> None:
        self.config = config
        self.namespace = f"orion-{uuid.uuid4().hex[:12]}"
        self._ours = False

    def __enter__(self) -> Cluster:
        """Connect.

        Raises:
            UsageError: Ray is not installed or too old, nothing answers at the address, or what does is another
                version of Ray or Python.
        """
        self.ray = import_ray(self.config.address)
        if self.ray.is_initialized():
            return self
        settings: dict[str, Any] = {"namespace": self.namespace, "log_to_driver": False, "logging_level": "error"}
        if self.config.address:
            _check_answers(self.config.address, self.config.start_seconds)
            settings["address"] = self.config.address
        else:
            settings["address"] = "local"  # not one that somebody else has started on this machine
            settings["object_store_memory"] = self.config.object_store_mb << 20
            settings["include_dashboard"] = self.config.dashboard
        try:
            url = self.ray.init(**settings).dashboard_url
        except Exception as error:  # Ray says some of what goes wrong by plain ones
            where = f"joined at {self.config.address!r}" if self.config.address else "started here"
            raise UsageError(f"runtime.address: a Ray cluster cannot be {where}: {_brief(error)}") from None
        self._ours = True
        if self.config.dashboard:
            self._name_dashboard(url)
        return self

    def _name_dashboard(self, url: str) -> None:
        """Say where the dashboard is.

        Raises:
            UsageError: there is none, since Ray was installed without it.
        """
        if not url:
            self.__exit__(None, None, None)
            raise UsageError(
                'runtime.dashboard is true, but Ray was installed without its dashboard: pip install "ray[default]"'
            )
        print(f"orion: Ray's dashboard is at http://{url}", file=sys.stderr)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._ours:
            self.ray.shutdown()
            self._ours = False

    @property
    def address(self) -> str:
        """Where another process can join it: HOST:PORT."""
        return str(self.ray.get_runtime_context().gcs_address)

    def resources(self) -> dict[str, float]:
        """What the nodes that are alive have in all: "CPU", "GPU" and others, by name."""
        return {str(name): float(number) for name, number in self.ray.cluster_resources().items()}

    def check(self, wanted: float, resource: str, cause: str) -> None:
        """Refuse to ask for more than there is.

        Args:
            wanted: how much is asked for.
            resource: "CPU" or "GPU".
            cause: the settings that ask for it, for the message.

        Raises:
            UsageError: the cluster has less.
        """
        there = self.resources().get(resource, 0.0)
        if wanted > there + 1e-9:
            raise UsageError(f"{cause} {wanted:g} {resource}s, but the cluster has {there:g}: ask for less")


def import_ray(address: str) -> Any:
    """The module, recent enough.

    Raises:
        UsageError: it is not installed, or too old.
    """
    if not address and "ray" not in sys.modules:
        for name, value in STARTED_HERE.items():
            os.environ.setdefault(name, value)
    least = ".".join(map(str, LEAST_RAY))
    try:
        import ray
    except ImportError:
        raise UsageError(
            f"runtime.kind=ray needs the package ray, {least} or newer, which is not installed: "
            f'pip install "ray>={least}", or use runtime=local'
        ) from None
    if tuple(int(part) for part in ray.__version__.split(".")[:2]) < LEAST_RAY:
        raise UsageError(f"runtime.kind=ray needs ray {least} or newer, but {ray.__version__} is installed")
    return ray


def _check_answers(address: str, seconds: float) -> None:
    """Refuse an address at which no cluster answers in time. Asked by a process, since Ray's own wait has no end.

    Raises:
        UsageError: none does, or it is of another version.
    """
    words = [sys.executable, "-m", "ray.scripts.scripts", "health-check"]
    words += [] if address == "auto" else ["--address", address]
    what = f"runtime.address={address}"
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise UsageError(
            f"{what}: no Ray cluster answered within runtime.start_seconds={seconds:g}. "
            "`ray status` on its head node shows whether it runs"
        ) from None
    if done.returncode:
        raise UsageError(f"{what}: no Ray cluster can be used there: {_brief(done.stderr or done.stdout)}")


def _brief(said: object) -> str:
    """The line of an error, or of the text of one, that says most: the last of a traceback, else the first."""
    lines = [line.strip() for line in str(said).splitlines() if line.strip()]
    if not lines:
        return type(said).__name__
    if lines[0].startswith("Version mismatch"):  # the versions stand in the lines below
        return " ".join(lines)
    return lines[-1] if any(line.startswith("Traceback") for line in lines) else lines[0]
