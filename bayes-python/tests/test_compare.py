"""Comparison of results that have an evidence and no predictions."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import bayes

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pm = pytest.importorskip("pymc")
pytestmark = pytest.mark.filterwarnings(
    "ignore::FutureWarning", "ignore::UserWarning:pytensor", "ignore::DeprecationWarning", "ignore::bayes.BayesWarning"
)

COUNTS = np.array([0, 1, 1, 2, 0, 3, 1, 0])
SMALL = {"engine": "psmc", "islands": 4, "particles": 256, "seed": 1}


def poisson(shape, rate, counts=COUNTS):
    """A model of counts, and its exact log evidence."""
    with pm.Model() as model:
        mean = pm.Gamma("mean", shape, rate)
        pm.Poisson("counts", mean, observed=counts)
    total, n = int(counts.sum()), len(counts)
    exact = shape * math.log(rate) - math.lgamma(shape) + math.lgamma(shape + total) - (shape + total) * math.log(rate + n)
    return model, exact - sum(math.lgamma(count + 1) for count in counts)


def test_evidences_of_models_of_pymc():
    (narrow, exact_narrow), (wide, exact_wide) = poisson(2.0, 2.0), poisson(0.1, 0.01)
    found = bayes.compare({"wide": bayes.sample(wide, **SMALL), "narrow": bayes.sample(narrow, **SMALL)})
    assert found.names == ["narrow", "wide"]
    right = np.array([exact_narrow, exact_wide])
    assert np.all(np.abs(found["log_evidence"] - right) < 5 * found["log_evidence_se"])
    factor, error = found["log_bayes_factor"][1], found["log_bayes_factor_se"][1]
    assert abs(factor - (exact_wide - exact_narrow)) < 5 * error < 0.5
    assert np.isnan(found["log_bayes_factor"][0])
    share = 1 / (1 + math.exp(factor))
    assert np.allclose(found["probability"], [share, 1 - share])
    assert str(found).startswith("Evidence, best model first\n")
    assert found.warnings == []


def test_other_data_are_refused():
    models = {name: poisson(2.0, 2.0, counts)[0] for name, counts in {"all": COUNTS, "some": COUNTS[:6]}.items()}
    results = {name: bayes.sample(model, **SMALL) for name, model in models.items()}
    with pytest.raises(bayes.BayesInputError, match="`all` and `some` observed other data"):
        bayes.compare(results)


def test_functions_have_unknown_data():
    prior = bayes.Prior.normal(0, 1)
    near, far = (bayes.sample(lambda x, at=at: -0.5 * (x[0] - at) ** 2, dim=1, prior=prior, **SMALL) for at in (0.0, 2.0))
    found = bayes.compare({"near": near, "far": far})
    # the density of a normal with variance 2, less the constant of that with variance 1
    assert abs(found["log_bayes_factor"][1] + 1.0) < 5 * found["log_bayes_factor_se"][1]
    assert "the data of `near`, `far` are unknown here" in found.warnings[0]


def test_chains_have_no_evidence():
    model, _ = poisson(2.0, 2.0)
    results = {"islands": bayes.sample(model, **SMALL), "chains": bayes.sample(model, engine="nuts", chains=2, draws=100, seed=1)}
    with pytest.raises(bayes.BayesInputError, match="`chains` has no evidence; it was made by `nuts`"):
        bayes.compare(results)


def test_what_has_predictions_is_not_mixed_with_what_has_none():
    sampled = bayes.sample(poisson(2.0, 2.0)[0], **SMALL)
    frame = {"y": COUNTS, "x": np.arange(8.0)}
    fit = bayes.fit("y ~ x", frame, family="poisson", engine="nuts", chains=2, draws=100, seed=1)
    with pytest.raises(TypeError, match="`sampled` is a Posterior, which has no predictions"):
        bayes.compare({"fit": fit, "sampled": sampled})
