"""What cannot work is refused with the reason: 1 no Ray, or an old one; 2 an address at which nothing answers, or
something that is no cluster; 3 more CPUs or GPUs than there are; 4 workers of another Orion; 5 settings without effect
or against each other; 6 a cluster that is started here listens on the loopback interface alone; 7 nothing local imports
ray; 8 workers that cannot start, with what they say; 9 one that hangs is noticed; 10 the examples of clusters. A
command that is refused leaves nothing behind."""

import dataclasses
import os
import re
import socket
import subprocess
import sys
import time
import types
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import yaml

from engines.errors import UsageError
from orion_ai.cli import main
from orion_ai.commands.configuration import read
from orion_ai.distributed import crew as crews
from orion_ai.distributed import plan as plans
from orion_ai.distributed.cluster import Cluster, _brief, import_ray
from orion_ai.distributed.crew import Crew
from orion_ai.distributed.plan import Plan, check_greeting, greeting
from orion_ai.distributed.pool import RayPool
from orion_ai.loop import TrainConfig
from orion_ai.runtime import RuntimeConfig
from tests.distributed.runs import NET, SEARCH, SELFPLAY, TORCH, pool
from tests.engines.subprocesses import code
from tests.replay.games import kuhn
from tests.test_docs import blocks, section


def plan(**changes: Any) -> Plan:
    return dataclasses.replace(
        Plan({"name": "kuhn_poker"}, NET, TORCH, SEARCH, SELFPLAY, RuntimeConfig("ray")), **changes
    )


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(
        UsageError, match=r'needs the package ray, 2\.40 or newer.*pip install "ray>=2\.40".*runtime=local'
    ):
        import_ray("auto")


def test_with_an_old_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    monkeypatch.setattr(ray, "__version__", "2.9.3")
    with pytest.raises(UsageError, match=r"needs ray 2\.40 or newer, but 2\.9\.3 is installed"):
        import_ray("auto")


@contextmanager
def silent_port() -> Iterator[int]:
    """A port at which connections are taken and nothing is ever said."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


def test_an_address_that_answers_nothing(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with silent_port() as port:
        there = f"runtime=ray runtime.address=127.0.0.1:{port} runtime.start_seconds=1"
        assert main(f"train experiment=smoke folder={tmp_path} {there}".split()) == 2
    assert not any(tmp_path.iterdir())
    said = capfd.readouterr().err
    assert f"runtime.address=127.0.0.1:{port}: no Ray cluster answered within runtime.start_seconds=1" in said


def test_more_than_there_is(cluster: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"runtime\.workers=100: needs 100 CPUs, but the cluster has \d"):
        pool(cluster.address, tmp_path, workers=100).__enter__()
    gpus = RuntimeConfig("ray", cluster.address, workers=1, inference="server", gpus_per_server=2)
    cuda = dataclasses.replace(TORCH, device="cuda")
    text = r"runtime\.workers=1 with 1 inference servers: needs 2 GPUs, but the cluster has 0"
    with pytest.raises(UsageError, match=text), RayPool(kuhn(), plan(runtime=gpus, evaluator=cuda), tmp_path):
        pass


def test_workers_of_another_orion(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = greeting(kuhn())
    check_greeting(here, greeting(kuhn()), "somebody")
    with pytest.raises(UsageError, match="has another kuhn_poker"):
        check_greeting(here, greeting(kuhn(3)), "selfplay-1 on node 10.0.0.7")
    monkeypatch.setattr(plans, "__version__", "9.8.7")
    text = (
        r"selfplay-1 on node .* runs Orion 0\.\S+ \(sources \w+\), this command runs 9\.8\.7 \(sources \w+\): install"
    )
    with pytest.raises(UsageError, match=text), pool(cluster.address, tmp_path, workers=1) as made:
        made.play({}, 1, 0, 4, lambda _: None)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"kind": "rya"}, r"runtime\.kind.*'rya'.*'ray'"),
        ({"kind": "local", "workers": 2}, r"runtime\.workers is 2, but runtime\.kind is 'local'"),
        ({"kind": "ray", "batch_limit": 64}, r"runtime\.batch_limit is 64, but runtime\.inference is 'worker'"),
        ({"kind": "ray", "address": "auto", "dashboard": True}, r"runtime\.dashboard is True, but runtime\.address"),
        ({"kind": "ray", "object_store_mb": 10}, r"runtime\.object_store_mb is 10: expected 80 or more"),
        (
            {"kind": "ray", "inference": "server", "gpus_per_server": 1.5},
            r"gpus_per_server is 1\.5: expected a part of 1",
        ),
        ({"kind": "ray", "start_seconds": 0}, r"runtime\.start_seconds is 0: expected more than 0"),
    ],
)
def test_settings_of_the_runtime(change: dict[str, Any], text: str) -> None:
    with pytest.raises(UsageError, match=text):
        RuntimeConfig(**change)


def test_settings_against_each_other(tmp_path: Path) -> None:
    served = RuntimeConfig("ray", inference="server", batch_limit=7)
    for made, text in (
        (plan(evaluator=dataclasses.replace(TORCH, device="cuda")), r"evaluator\.device is 'cuda'.*gives GPUs to"),
        (plan(runtime=dataclasses.replace(served, gpus_per_server=1)), r"gpus_per_server is 1, but evaluator\.device"),
        (plan(runtime=served), r"runtime\.batch_limit is 7: expected 8 or more.*selfplay\.lanes=8"),
    ):
        with pytest.raises(UsageError, match=text):
            RayPool(kuhn(), made, tmp_path)
    with pytest.raises(UsageError, match=r"keep is 1: runtime\.overlap"):
        TrainConfig(keep=1, runtime=RuntimeConfig("ray", overlap=True))


def test_the_table_of_settings_is_what_there_is() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \|", section("docs/distributed.md", "Settings"), re.MULTILINE)
    fields = {f.name: f.default for f in dataclasses.fields(RuntimeConfig)}
    assert [name for name, _ in rows] == list(fields)
    for name, said in rows:
        default = fields[name]
        number = isinstance(default, int | float) and not isinstance(default, bool)
        assert said.strip() == (f"{default:g}" if number else str(default).lower()), name


def test_the_examples_of_clusters_are_well_formed(tmp_path: Path) -> None:
    """Ray takes the one, the shell the other, and Orion the commands in both."""
    from ray.autoscaler._private.util import prepare_config, validate_config

    (launcher,), (slurm,) = blocks("docs/distributed.md", "yaml"), blocks("docs/distributed.md", "sh")[-1:]
    validate_config(prepare_config(yaml.safe_load(launcher)))
    subprocess.run(["bash", "-n"], input=slurm, text=True, check=True)
    for said in (re.search(r"bin/orion (train .*)'", launcher), re.search(r"orion (train .*)", slurm)):
        assert said is not None
        (request,) = read("train", TrainConfig, said[1].split()[1:], sweep=True)
        assert request.config.runtime == RuntimeConfig("ray", "auto")


def test_a_plan_can_be_sent() -> None:
    assert Plan.from_text(plan().as_text()) == plan()


def test_a_cluster_started_here_listens_on_the_loopback_interface() -> None:
    said = code(
        """
        import psutil
        from orion_ai.distributed.cluster import Cluster
        from orion_ai.runtime import RuntimeConfig
        with Cluster(RuntimeConfig("ray", workers=1)) as cluster:
            @cluster.ray.remote
            def work():
                return 1
            cluster.ray.get(work.remote())
            for process in psutil.Process().children(recursive=True):
                for c in process.net_connections("inet"):
                    if c.status == psutil.CONN_LISTEN:
                        print(c.laddr.ip)
        print("left", psutil.wait_procs(psutil.Process().children(recursive=True), 30)[1])
        """
    )
    *listening, left = said.splitlines()
    assert {ip.removeprefix("::ffff:") for ip in listening} == {"127.0.0.1"}
    assert left == "left []"


@pytest.mark.slow
def test_the_dashboard_shows_actors_by_their_names() -> None:
    """`pytest -m slow tests/distributed/test_cluster.py`: half a minute."""
    said = code(
        """
        import contextlib, io, tempfile
        from pathlib import Path
        from ray.util.state import list_actors
        from tests.distributed.runs import pool
        told = io.StringIO()
        with contextlib.redirect_stderr(told), tempfile.TemporaryDirectory() as parts:
            with pool("", Path(parts), workers=1, inference="server", dashboard=True) as made:
                made.play({}, 1, 0, 0, lambda _: None)
                url = told.getvalue().split()[-1]
                print(url, sorted(actor.name for actor in list_actors(address=url)))
        """
    )
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+ \['inference-1', 'selfplay-1'\]", said.strip())


def test_without_the_dashboard(capsys: pytest.CaptureFixture[str]) -> None:
    made = Cluster(RuntimeConfig("ray", dashboard=True))
    made.ray = Mock()
    with pytest.raises(UsageError, match=r'runtime\.dashboard is true, but Ray .* pip install "ray\[default\]"'):
        made._name_dashboard("")
    made._name_dashboard("127.0.0.1:8265")
    assert "http://127.0.0.1:8265" in capsys.readouterr().err


def test_nothing_local_imports_ray(tmp_path: Path) -> None:
    said = code(
        f"""
        import sys
        sys.modules["ray"] = None  # importing it now raises
        from orion_ai.cli import main
        assert main(["train", "experiment=smoke", "iterations=1", "folder={tmp_path}"]) == 0
        assert main(["arena", "kuhn_poker", "agents=[random,random]", "blocks=2", "output={tmp_path}/arena"]) == 0
        """
    )
    assert "trained:" in said


def nobody(start_seconds: float = 60) -> Crew:
    """A crew of one on a cluster whose actors never say anything."""
    cluster = Mock(config=RuntimeConfig("ray", start_seconds=start_seconds))
    return Crew(cluster, "selfplay", lambda _: Mock(), lambda: 1, {})


def test_workers_that_do_not_come_in_time() -> None:
    crew = nobody(start_seconds=60)
    crew.refresh()
    crew._alone_since -= 301
    with pytest.raises(UsageError, match=r"no selfplay worker was ready within 300 s \(5 x runtime\.start_seconds\)"):
        crew.refresh()


def test_members_that_die_again_and_again() -> None:
    crew = nobody()
    crew._came = True  # as if somebody had been there
    for _ in range(5):
        crew.refresh()
        (member,) = crew.members.values()
        crew.lost(member, RuntimeError("killed"))
    crew.refresh()
    (member,) = crew.members.values()
    with pytest.raises(RuntimeError, match=r"6 selfplay workers died in a row without anything done .*: killed"):
        crew.lost(member, RuntimeError("killed"))
    assert crew.deaths == 6


def test_a_member_that_hangs_is_lost() -> None:
    """One that is late is asked whether it is there, again and again; who does not say so in time is ended."""
    crew = nobody(start_seconds=60)
    crew._came = True
    ray = crew.cluster.ray
    crew.refresh()
    (member,) = crew.members.values()
    asked = member.actor.greet.remote
    asked.reset_mock()

    def later(seconds: float, answers: bool) -> None:
        member.heard, member.since, crew._listened = (t - seconds for t in (member.heard, member.since, crew._listened))
        ray.wait.return_value = ([member.asked], []) if answers else ([], [member.asked])
        crew.look_after([member, member], 5.0)

    later(14, answers=False)
    assert not asked.called
    later(2, answers=False)
    assert asked.call_count == 1
    later(9, answers=False)
    later(0, answers=True)  # asked a moment ago: not looked at
    assert member.asked is not None
    later(2, answers=True)  # late, but still there
    assert member.asked is None and not ray.kill.called
    later(16, answers=False)
    later(9, answers=False)
    assert asked.call_count == 2 and not ray.kill.called
    later(2, answers=False)
    ray.kill.assert_called_once_with(member.actor)
    assert crew.deaths == 1 and not crew.members
    crew.look_after([member], 5.0)


class Dying:
    """Ends before it can say anything."""

    def __init__(self) -> None:
        os._exit(3)

    def greet(self) -> None: ...


def arrive(crew: Crew) -> None:
    """Let members come until something is said."""
    until = time.monotonic() + 90
    while time.monotonic() < until:
        crew.refresh()
        for ref, member in crew.arriving().items():
            if crew.cluster.ray.wait([ref], timeout=0.2)[0]:
                crew.welcome(member)


def test_workers_that_cannot_start(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = types.ModuleType("missing_here")
    exec("class Stranger:\n    def greet(self): return {}", missing.__dict__)
    monkeypatch.setitem(sys.modules, "missing_here", missing)  # a worker will look for it in vain
    monkeypatch.setattr(crews, "DEATHS", 1)
    with Cluster(RuntimeConfig("ray", cluster.address)) as joined:
        for kind, text in (
            (missing.Stranger, r"w-1 could not start on node \S+: ModuleNotFound.*'missing_here': install Orion 0\."),
            (Dying, r"w workers cannot start: 2 ended before they could say who they are.*Ray says: .*died"),
        ):
            crew = Crew(joined, "w", lambda _, k=kind: joined.ray.remote(k).options(num_cpus=0).remote(), lambda: 1, {})
            with pytest.raises(UsageError, match=text):
                arrive(crew)


def test_a_version_of_ray_that_differs() -> None:
    said = (
        "Version mismatch: The cluster was started with:\n    Ray: 2.60\n    Python: 3.12\nThis process:\n    Ray: 2\n"
    )
    assert _brief(said).endswith("Ray: 2.60 Python: 3.12 This process: Ray: 2")


@pytest.mark.parametrize("words", ["runtime=ray evaluator.device=cuda", "evaluator.backend=onx", "learner.device=cuda"])
def test_what_is_refused_leaves_nothing_behind(words: str, tmp_path: Path) -> None:
    assert main(["train", "experiment=smoke", f"folder={tmp_path}", *words.split()]) == 2
    assert not any(tmp_path.iterdir())
