"""Values against outcomes: the figures are those of a plain count, and the picture shows them."""

from __future__ import annotations

import numpy as np
import pytest

from orion_ai.calibration import reliability, reliability_image


def test_the_calibration_error_is_that_of_a_count_by_hand() -> None:
    rng = np.random.default_rng(0)
    said = rng.uniform(-1, 1, 200_000).astype(np.float32)
    happened = np.where(rng.random(len(said)) < (said + 1) / 2, 1, -1).astype(np.float32)
    assert reliability(said, happened).calibration_error < 0.01
    always = reliability(np.full(9, 0.5, np.float32), np.full(9, -0.5, np.float32))
    assert always.calibration_error == pytest.approx(1.0)
    halves = np.array([-0.5, -0.5, 0.5, 0.5], np.float32)
    found = reliability(halves, np.array([-1, 0, 1, 0.5], np.float32))
    assert found.calibration_error == pytest.approx(0.125)


def test_bins_hold_means_and_errors_of_means() -> None:
    rng = np.random.default_rng(1)
    said, came = rng.uniform(-1, 1, 500), rng.choice([-1.0, 0.0, 1.0], 500)
    said[:2], came[:2] = (-1.0, 1.0), (0.0, 1.0)
    found = reliability(said, came, bins=4)
    for place, low in enumerate((-1.0, -0.5, 0.0, 0.5)):
        inside = (said >= low) & ((said < low + 0.5) | (place == 3))
        assert found.sizes[place] == inside.sum()
        assert found.predicted[place] == pytest.approx(said[inside].mean())
        assert found.happened[place] == pytest.approx(came[inside].mean())
        assert found.error[place] == pytest.approx(came[inside].std(ddof=1) / np.sqrt(inside.sum()))
    empty = reliability(np.array([0.9]), np.array([1.0]), bins=4)
    assert empty.sizes.tolist() == [0, 0, 0, 1]
    assert np.isnan(empty.predicted[:3]).all() and np.isnan(empty.error).all()


def test_the_picture_depends_on_the_figures_alone() -> None:
    rng = np.random.default_rng(2)
    said = rng.uniform(-1, 1, 300)
    honest, other = reliability(said, said), reliability(said, -said)
    image = reliability_image({"network": honest, "search": other})
    assert image.dtype == np.uint8 and image.shape == (600, 500, 3) and image.std() > 5
    assert np.array_equal(image, reliability_image({"network": honest, "search": other}))
    assert not np.array_equal(image, reliability_image({"network": other, "search": honest}))
