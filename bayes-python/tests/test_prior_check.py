"""Whether the draws of a prior have its density: faults that are planted are found, and angles are none."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pm = pytest.importorskip("pymc")
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning:pytensor", "ignore::DeprecationWarning")

from bayes import _prior_check, _pymc  # noqa: E402
from bayes._arrays import array  # noqa: E402


class Planted:
    """A density with other draws or slopes."""

    def __init__(self, density, draws=lambda x: x, slopes=lambda x: x):
        self.density, self.draws, self.slopes = density, draws, slopes

    def draw_prior(self, seed, n):
        return bytearray(self.draws(array(self.density.draw_prior(seed, n))).tobytes())

    def evaluate(self, positions, n, weights):
        found = array(self.density.evaluate(positions, n, weights)).copy()
        found[2 * n :] = self.slopes(found[2 * n :])
        return bytearray(found.tobytes())


def angle(kappa):
    with pm.Model() as model:
        pm.VonMises("angle", 0.5, kappa, shape=2)
        pm.Normal("y", 0, 1, observed=0.5)
    return _pymc.made(model, "interpreter", None, None)


def one_normal():
    with pm.Model() as model:
        pm.Normal("x", 3, 1)
        pm.Normal("y", 0, 1, observed=0.5)
    return _pymc.made(model, "interpreter", None, None)


@pytest.mark.parametrize("kappa", [0.1, 1.0, 20.0])
def test_an_angle_passes_the_check_of_priors(kappa):
    """The density is not 0 at the ends of a turn, so that the mean of x d log p / dx is not -1."""
    made = angle(kappa)
    assert _prior_check.trouble(made.density, made.dim, made.coordinates, made.periodic) is None


PLANTED = [
    (one_normal, {"draws": lambda x: 3 + 1.3 * (x - 3)}, "mean slope at 4000 draws is off in the coordinate `x`"),
    (one_normal, {"draws": lambda x: x + 0.2}, "mean slope at 4000 draws is off in the coordinate `x`"),
    (
        lambda: angle(2.0),
        {"draws": lambda x: 0.5 + 0.8 * (x - 0.5)},
        "mean slope at 4000 draws is off in the coordinate `angle",
    ),
    (
        one_normal,
        {"slopes": lambda x: np.where(x < -2.5, np.nan, x)},
        "the slope of the log prior in the coordinate `x` is not finite at",
    ),
    (
        one_normal,
        {"slopes": lambda x: np.full_like(x, np.nan)},
        "the slope of the log prior in the coordinate `x` is not finite at 4000",
    ),
]


@pytest.mark.parametrize(("of", "fault", "words"), PLANTED, ids=["wide", "shifted", "angle", "some NaN", "all NaN"])
def test_a_planted_fault_of_prior_draws_is_found(of, fault, words):
    made = of()
    trouble = _prior_check.trouble(Planted(made.density, **fault), made.dim, made.coordinates, made.periodic)
    assert trouble is not None and words in trouble


def test_a_likelihood_without_a_value_is_no_fault_of_the_prior():
    """Seen to detect: the gradient of the sum is NaN there, and the message named the slope of the log prior."""
    with pm.Model() as model:
        x = pm.Normal("x", 3, 1)
        pm.Normal("y", pm.math.sqrt(x - 3), 1, observed=0.5)
    made = _pymc.made(model, "numba", None, None)
    drawn = made.density.draw_prior(0, 1000)
    found = array(made.density.evaluate(bytes(drawn), 1000, (1.0, 0.0)))
    assert not np.isfinite(found[2000:]).all()
    assert _prior_check.trouble(made.density, made.dim, made.coordinates, made.periodic) is None
    wide = Planted(made.density, draws=lambda x: 3 + 1.3 * (x - 3))
    assert "mean slope" in _prior_check.trouble(wide, made.dim, made.coordinates, made.periodic)
