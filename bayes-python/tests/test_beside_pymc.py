"""The evidence and the gradients of PyMC models beside those of the same models in Rust (`tests/models`). As a program, `python tests/test_beside_pymc.py [MODEL ...]`,
it prints the table of `docs/python.md`."""

from __future__ import annotations

import gzip
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import table

import bayes

beside = pytest.importorskip("beside_pymc")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pm = pytest.importorskip("pymc")
pytest.importorskip("numba")
pytestmark = pytest.mark.filterwarnings(
    "ignore::FutureWarning", "ignore::UserWarning:pytensor", "ignore::DeprecationWarning", "ignore::bayes.BayesWarning"
)

from bayes import _pymc  # noqa: E402
from bayes._arrays import array  # noqa: E402

RADON = Path(__file__).parents[2] / "experiments/data/posteriordb/radon_mn-radon_hierarchical_intercept_noncentered.json.gz"
Y, SIGMA = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0]), np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])


def eight_schools():
    with pm.Model() as model:
        mu, tau = pm.Normal("mu", 0, 5), pm.HalfCauchy("tau", 5)
        z = pm.Normal("z", 0, 1, shape=8)
        pm.Normal("y", mu + tau * z, SIGMA, observed=Y)
    return model, {"y": Y, "sigma": SIGMA}


def radon():
    data = json.loads(gzip.decompress(RADON.read_bytes()))["data"]
    county, floor, y = (
        np.array(data["county_idx"]) - 1,
        np.array(data["floor_measure"], dtype=float),
        np.array(data["log_radon"]),
    )
    uranium = np.zeros(data["J"])
    uranium[county] = data["log_uppm"]
    with pm.Model() as model:
        a, b = pm.Normal("a", 0, 2, shape=2), pm.Normal("b", 0, 2, shape=2)
        spread = pm.HalfNormal("spread", 1, shape=2)
        of_a, of_b = pm.Normal("of_a", 0, 1, shape=len(uranium)), pm.Normal("of_b", 0, 1, shape=len(uranium))
        noise = pm.HalfNormal("noise", 1)
        level = (a[0] + a[1] * uranium + spread[0] * of_a)[county]
        effect = (b[0] + b[1] * uranium + spread[1] * of_b)[county]
        pm.Normal("y", level + effect * floor, noise, observed=y)
    return model, {"log_radon": y, "floor": floor, "county": county, "uranium": uranium}


def _sleep():
    frame = table("sleepstudy")
    days = frame["Days"].to_numpy(dtype=float)
    return np.column_stack([(days - 4.5) / 3, ((days - 4.5) / 3) ** 2 - 1]), (frame["Reaction"].to_numpy() - 300) / 50


def linear():
    x, y = _sleep()
    with pm.Model() as model:
        a, b, s = pm.Normal("a", 0, 5), pm.Normal("b", 0, 2, shape=2), pm.HalfNormal("s", 2)
        pm.Normal("y", a + x @ b, s, observed=y)
    return model, {"x": x, "y": y}


def robust():
    x, y = _sleep()
    with pm.Model() as model:
        a, b, s = pm.Normal("a", 0, 5), pm.Normal("b", 0, 2, shape=2), pm.HalfNormal("s", 2)
        pm.StudentT("y", nu=pm.Gamma("nu", 2, 0.1), mu=a + x @ b, sigma=s, observed=y)
    return model, {"x": x, "y": y}


def logistic():
    frame = table("birthwt")
    x = np.column_stack([(frame["age"] - 23) / 5, frame["smoke"], (frame["lwt"] - 130) / 30]).astype(float)
    y = frame["low"].to_numpy()
    with pm.Model() as model:
        a, b = pm.Normal("a", 0, 2), pm.Normal("b", 0, 1, shape=3)
        pm.Bernoulli("y", logit_p=a + x @ b, observed=y)
    return model, {"x": x, "y": y}


def _quine():
    frame = table("quine")
    x = np.column_stack([frame["Eth"] == "N", frame["Sex"] == "M", frame["Lrn"] == "SL"]).astype(float)
    return x, frame["Days"].to_numpy()


def poisson():
    x, y = _quine()
    with pm.Model() as model:
        a, b = pm.Normal("a", 0, 2), pm.Normal("b", 0, 1, shape=3)
        pm.Poisson("y", pm.math.exp(a + x @ b), observed=y)
    return model, {"x": x, "y": y}


def negative_binomial():
    x, y = _quine()
    with pm.Model() as model:
        a, b = pm.Normal("a", 0, 2), pm.Normal("b", 0, 1, shape=3)
        pm.NegativeBinomial("y", mu=pm.math.exp(a + x @ b), alpha=pm.Exponential("alpha", 1), observed=y)
    return model, {"x": x, "y": y}


def _herds():
    frame = table("cbpp")
    return frame["incidence"].to_numpy(), frame["size"].to_numpy()


def varying():
    successes, trials = _herds()
    with pm.Model() as model:
        mean, spread = pm.Normal("mean", 0, 2), pm.HalfNormal("spread", 1)
        z = pm.Normal("z", 0, 1, shape=len(trials))
        pm.Binomial("y", trials, logit_p=mean + spread * z, observed=successes)
    return model, {"successes": successes, "trials": trials}


def shares():
    successes, trials = _herds()
    with pm.Model() as model:
        pm.BetaBinomial("y", n=trials, alpha=pm.Gamma("a", 2, 1), beta=pm.Gamma("b", 2, 1), observed=successes)
    return model, {"successes": successes, "trials": trials}


#: Of the table of the page, and of tests.
SMALL, SMALLER = {"islands": 4, "particles": 128}, {"islands": 4, "particles": 64}
MODELS = [eight_schools, linear, robust, logistic, poisson, negative_binomial, varying, shares, radon]


def differences(make) -> tuple[float, float]:
    """The largest relative difference between the log posteriors and between their gradients at six positions, which are coordinates of both.

    PyMC rounds constants of half distributions, such as log 2, to single precision: log posteriors are equal up to a constant below 1e-7 for each.
    """
    in_python, data = make()
    in_rust = getattr(beside, make.__name__)(**data)
    made = _pymc.made(in_python, "auto", None, None)
    positions = np.random.default_rng(1).normal(0, 0.5, size=(6, made.dim))
    found = array(made.density.evaluate(positions.tobytes(), 6, (1.0, 1.0)))
    theirs, their_gradients = found[:6] + found[6:12], found[12:].reshape(6, -1)
    prior, likelihood, gradients = in_rust.log_density(positions)
    ours = prior + likelihood
    scale = np.abs(their_gradients).max(axis=1, keepdims=True)
    apart = ours - theirs
    assert np.abs(apart).max() < 5e-7
    return np.max(np.abs(apart - apart[0]) / np.abs(theirs)), np.max(np.abs(gradients - their_gradients) / scale)


def evidences(make, **settings):
    in_python, data = make()
    began = time.process_time()
    one = bayes.sample(in_python, seed=1, progress=False, **settings)
    between = time.process_time()
    other = getattr(beside, make.__name__)(**data).run(seed=2, progress=False, **settings)
    return one, other, between - began, time.process_time() - between


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_log_densities_and_gradients_by_llvm_alone_are_equal(make, monkeypatch):
    monkeypatch.setattr(_pymc, "_compiled", lambda *_: pytest.fail("numba compiles the model, whose operations LLVM knows"))
    of_values, of_gradients = differences(make)
    assert of_values < 1e-10 and of_gradients < 1e-10


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_evidences_are_equal_within_their_errors(make):
    one, other, _, _ = evidences(make, **SMALLER)
    error = np.hypot(one.log_evidence_se, other.log_evidence_se)
    assert abs(one.log_evidence - other.log_evidence) < 3 * error
    # a half distribution without its constant, log 2, is seen
    assert error < np.log(2) / 3


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(
        "| model | coordinates | of PyMC | in Rust | apart, errors | gradients apart | seconds of both |\n|---|---|---|---|---|---|---|"
    )
    for make in [make for make in MODELS if make.__name__ in sys.argv[1:]] or MODELS:
        one, other, seconds, seconds_rust = evidences(make, **SMALL)
        apart = (one.log_evidence - other.log_evidence) / np.hypot(one.log_evidence_se, other.log_evidence_se)
        shown = [f"{run.log_evidence:.3f} ± {run.log_evidence_se:.3f}" for run in (one, other)]
        dim = _pymc.made(make()[0], "auto", None, None).dim
        gradients = differences(make)[1]
        name = make.__name__.replace("_", " ")
        print(
            f"| {name} | {dim} | {shown[0]} | {shown[1]} | {apart:+.1f} | {gradients:.0e} | {seconds:.1f}, {seconds_rust:.1f} |",
            flush=True,
        )
