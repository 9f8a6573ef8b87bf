"""The page in a real browser, where a `chromium` is installed: it is drawn, fits, folds and colours.

On Debian: apt-get install chromium. Elsewhere these tests are skipped; the rest of the folder needs no browser.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread
from numpy.typing import NDArray

from orion_ai.explain.page import page
from orion_ai.explain.study import ExplainConfig, explain
from tests.explain.games import LEDUC, recorded

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no `chromium` on this machine: the page is not looked at")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
DARK = "--blink-settings=preferredColorScheme=0"
MEASURE = """
const found = {};
const boxes = (nodes) => [...nodes].map((node) => node.getBoundingClientRect()).filter((box) => box.width * box.height);
const overlaps = (list) => list.some((a, i) => list.slice(i + 1).some((b) =>
  Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1));
found.closed = document.querySelectorAll("details.edge:not([open])").length;
for (const button of document.querySelectorAll("button[data-open=all]")) button.click();
found.closedAfterOpening = document.querySelectorAll("details.edge:not([open])").length;
found.wider = document.documentElement.scrollWidth - innerWidth;
found.rows = document.querySelectorAll(".row").length;
found.overlapping = [...document.querySelectorAll(".row")].filter((row) => overlaps(boxes(row.children))).length;
found.labels = overlaps(boxes(document.querySelectorAll("svg text")));
found.panels = overlaps(boxes(document.querySelectorAll(".panel")));
for (const button of document.querySelectorAll("button[data-open=none]")) button.click();
found.openAfterClosing = document.querySelectorAll("details.edge[open]").length;
const reference = document.querySelector("a[href^='#']");
location.hash = reference.getAttribute("href");
reveal();
found.referred = document.querySelector(reference.getAttribute("href")).getBoundingClientRect().height;
const before = getComputedStyle(document.body).backgroundColor;
document.getElementById("theme").click();
found.recoloured = getComputedStyle(document.body).backgroundColor !== before;
document.body.innerHTML = "<pre id=found></pre>";
document.getElementById("found").textContent = JSON.stringify(found);
"""


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = recorded(tmp_path_factory.mktemp("game"), "leduc_poker", LEDUC)
    agents = [{"agent": "ismcts", "search": {"worlds": "mix"}}, "gt_cfr"]
    return page(explain(ExplainConfig(file=str(path), ply=3, agents=agents, reveal=True)))


def browse(folder: Path, html: str, width: int, *flags: str) -> str:
    """What Chromium prints after it has shown the page."""
    (folder / "page.html").write_text(html)
    profile, size = f"--user-data-dir={folder / 'profile'}", f"--window-size={width},1600"
    command = [str(CHROMIUM), *FLAGS, profile, size, *flags, (folder / "page.html").as_uri()]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def picture(folder: Path, html: str, width: int, *flags: str) -> NDArray[Any]:
    """A screenshot: `float[height, width, channels]` in [0, 1]."""
    browse(folder, html, width, f"--screenshot={folder / 'page.png'}", *flags)
    return np.asarray(imread(folder / "page.png"))


def test_the_page_is_drawn_in_light_and_in_dark(html: str, tmp_path: Path) -> None:
    light, dark = picture(tmp_path, html, 1280), picture(tmp_path, html, 1280, DARK)
    assert light.shape[:2] == dark.shape[:2] == (1600, 1280)
    assert light[..., :3].mean() > 0.8 and dark[..., :3].mean() < 0.25
    for drawn in (light, dark):
        colours = np.unique((drawn[..., :3] * 255).astype(np.int64) @ (1, 1 << 8, 1 << 16))
        assert len(colours) > 100
        rows = np.abs(np.diff(drawn[..., :3], axis=1)).max(axis=(1, 2)) > 0.05
        assert rows.mean() > 0.4, "most lines of the picture show something"


@pytest.mark.parametrize("width", [1280, 760, 500])
def test_it_fits_the_window_and_answers_clicks(html: str, tmp_path: Path, width: int) -> None:
    measured = html.replace("</body>", f"<script>{MEASURE}</script></body>")
    answer = re.search(r'<pre id="found">(.*?)</pre>', browse(tmp_path, measured, width, "--dump-dom"), re.DOTALL)
    assert answer, "the scripts of the page ran to their end"
    found = json.loads(unescape(answer.group(1)))
    assert found["closed"] > 0 and found["rows"] > 50
    assert (found["closedAfterOpening"], found["openAfterClosing"]) == (0, 0)
    assert found["wider"] <= 0
    assert (found["overlapping"], found["labels"], found["panels"]) == (0, False, False)
    assert found["referred"] > 0 and found["recoloured"]
