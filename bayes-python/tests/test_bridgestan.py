"""Stan programs that BridgeStan compiled of `tests/stan/*.stan`, in the folder BAYES_STAN_MODELS; without it these tests are skipped.

The folder has `schools_model.so` and so on, with STAN_THREADS, and in its folder `unthreaded` some without.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from test_stan import DATA, SCHOOLS, log_density

import bayes

stats = pytest.importorskip("scipy.stats")

FOLDER = os.environ.get("BAYES_STAN_MODELS")
pytestmark = pytest.mark.skipif(FOLDER is None, reason="BAYES_STAN_MODELS names no folder of libraries of BridgeStan")
RNG = np.random.default_rng(1)
ROWS = 40
X = RNG.normal([1, -2], [3, 0.5], size=(ROWS, 2))
LOGISTIC = {"N": ROWS, "K": 2, "X": X, "y": RNG.uniform(size=ROWS) < 1 / (1 + np.exp(-X[:, 0] + 1))}
REGRESSION = {"N": ROWS, "K": 2, "X": X, "y": X @ [0.5, 1.0] + RNG.normal(0, 2, size=ROWS), "noise": 2.0}
DECAY = {"N": 4, "t": [0.5, 1.0, 2.0, 3.0], "y": [0.5, 0.35, 0.2, 0.1]}
SMALL = {"islands": 4, "particles": 128}


def library(name: str, folder: str = "") -> Path:
    path = Path(FOLDER or "") / folder / f"{name}_model.so"
    if not path.exists():
        pytest.skip(f"there is no {path.name}")
    return path


def of_logistic(beta: np.ndarray) -> np.ndarray:
    """At one place or at many, `[..., 3]`."""
    z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    eta = beta[..., :1] + beta[..., 1:] @ z.T
    prior = stats.norm.logpdf(beta, 0, [2, 1, 1]).sum(axis=-1)
    return prior + (LOGISTIC["y"] * eta - np.logaddexp(0, eta)).sum(axis=-1)


def of_regression(beta: np.ndarray) -> float:
    return float(stats.norm.logpdf(beta).sum() + stats.norm.logpdf(REGRESSION["y"], X @ beta, 2.0).sum())


def of_decay(log_k: np.ndarray) -> float:
    """With the Jacobian: the log density of log k. The start is what `transformed data` found, the decay until 1/2 at the rate 1."""
    k = np.exp(log_k[0])
    curve = np.exp(-0.5 - k * np.array(DECAY["t"]))
    return float(stats.norm.logpdf(log_k[0]) + stats.norm.logpdf(DECAY["y"], curve, 0.1).sum())


PROGRAMS = [
    ("schools", DATA, log_density, 1e-12),
    ("logistic", LOGISTIC, of_logistic, 1e-12),
    ("regression", REGRESSION, of_regression, 1e-12),
    # the solver's own tolerance is 1e-6
    ("ode", DECAY, of_decay, 1e-4),
]


@pytest.mark.parametrize(("name", "data", "by_numpy", "tolerance"), PROGRAMS)
@pytest.mark.parametrize("folder", ["", "unthreaded"])
def test_densities_have_all_constants_the_jacobians_and_the_gradients(name, data, by_numpy, tolerance, folder):
    program = bayes.stan(library(name, folder), data)
    assert program.is_threaded == (folder == "")
    positions = np.random.default_rng(2).normal(size=(5, program.dim))
    values, gradients = program.log_density(positions)
    assert values == pytest.approx([by_numpy(x) for x in positions], rel=tolerance)
    steps = 1e-5 * np.eye(program.dim)
    wanted = [[(by_numpy(x + step) - by_numpy(x - step)) / 2e-5 for step in steps] for x in positions]
    assert gradients == pytest.approx(np.array(wanted), rel=max(tolerance, 1e-6), abs=max(10 * tolerance, 1e-6))


def test_the_evidence_of_eight_schools_is_that_by_quadrature():
    found = bayes.evidence(
        bayes.stan(library("schools"), DATA), seed=1, progress=False, tempered=SMALL, nested={"particles": 256}
    )
    assert found.agree and abs(found.log_evidence - SCHOOLS) < 3 * found.log_evidence_se < 0.3


def test_the_evidence_of_a_linear_regression_is_that_of_a_normal_vector():
    found = bayes.sample(bayes.stan(library("regression"), REGRESSION), seed=1, progress=False, **SMALL)
    exact = stats.multivariate_normal.logpdf(REGRESSION["y"], cov=4 * np.eye(ROWS) + X @ X.T)
    assert abs(found.log_evidence - exact) < 3 * found.log_evidence_se < 0.15


def test_the_evidence_of_a_logistic_regression_is_that_by_quadrature():
    found = bayes.sample(bayes.stan(library("logistic"), LOGISTIC), seed=1, progress=False, **SMALL)
    axes = [np.linspace(-4, 6, 31), np.linspace(-1, 6, 31), np.linspace(-4, 4, 31)]
    places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    cell = math.prod(axis[1] - axis[0] for axis in axes)
    exact = np.logaddexp.reduce(of_logistic(places)) + math.log(cell)
    assert abs(found.log_evidence - exact) < 3 * found.log_evidence_se < 0.15
    assert found.draws("beta").shape[2:] == (2,)


def test_the_evidence_of_every_space_with_constraints_is_the_volume_that_its_statements_leave():
    """All statements integrate to 1 but for: a flat one between -1 and 3, a normal below 2, 3 numbers in one of 6 orders, 2 in one of 2, and a direction, which
    Stan has by a normal vector without its constant."""
    program = bayes.stan(library("spaces"), {"K": 3})
    found = bayes.sample(program, seed=1, progress=False, islands=8, particles=256)
    exact = math.log(4) + stats.norm.logcdf(2) - math.log(6) - math.log(2) + 1.5 * math.log(2 * math.pi)
    assert abs(found.log_evidence - exact) < 3 * found.log_evidence_se < 0.3
    names = "bounded below shifted shares cuts rates direction L R S M v LL zed.real zed.imag pair:1 pair:2".split()
    assert found.names == names
    draws = {name: found.draws(name) for name in names}
    assert {name: draws[name].shape[2:] for name in ("M", "v", "LL", "pair:2", "zed.real")} == {
        "M": (2, 2, 3),
        "v": (2, 2, 2),
        "LL": (3, 3),
        "pair:2": (2,),
        "zed.real": (),
    }
    assert draws["LL"] == pytest.approx(draws["L"] @ np.swapaxes(draws["L"], -1, -2), rel=1e-9, abs=1e-9)
    assert draws["shares"].sum(axis=-1) == pytest.approx(1.0) and (np.diff(draws["cuts"]) > 0).all()
    assert (draws["zed.real"] == draws["bounded"]).all() and (draws["pair:2"] == draws["rates"]).all()
    # the mean of v[i, j] is i + 10 j
    assert draws["v"].mean(axis=(0, 1))[..., 0] == pytest.approx(np.array([[11, 21], [12, 22]]), abs=0.2)


def test_what_a_program_says_is_raised_or_warned_of():
    data = {"y": [0.0, 1.0, 2.0], "places": 0, "at": []}
    program = bayes.stan(library("refuses"), data)
    values, _ = program.log_density([[0.0, 1.0], [4.0, 1.0], [0.0, -1.0]])
    assert np.isfinite(values).tolist() == [True, False, False] and program.refusals[:2] == (3, 2)
    assert program.refusals[2].startswith("mu is 4, beyond 3 (in ")
    mistakes = [
        ({**data, "y": [50.0, 60.0, 2.0]}, "does not take the data: the sum of y is 112, at most 100"),
        ({**data, "places": 1, "at": [7]}, r"does not take the data: at\[1\] is 7, but must be less than or equal to 5"),
        ({**data, "places": 1, "at": [2.5]}, "int variable contained non-int values; .* variable name=at"),
        ({**data, "y": [1.0]}, "mismatch in dimension declared and found in context; .* variable name=y"),
        ({"y": data["y"]}, "variable does not exist; .* variable name=places"),
        ({**data, "y": ["a"]}, "Variable: y, error: string values not allowed"),
    ]
    for wrong, words in mistakes:
        with pytest.raises(bayes.BayesInputError, match=words):
            bayes.stan(library("refuses"), wrong)


def test_a_program_that_refuses_all_positions_says_why():
    with pytest.raises(bayes.BayesError, match="the program refused .*: mu is .*, always"):
        bayes.sample(bayes.stan(library("always")), engine="nuts", progress=False)


def test_the_bits_are_those_of_one_thread_with_and_without_threads():
    program = (
        "import sys, json, warnings; warnings.simplefilter('ignore'); import bayes;"
        "r = bayes.sample(bayes.stan(sys.argv[1], json.loads(sys.argv[2])), seed=3, islands=4, particles=64, progress=False);"
        "print(repr(r.log_evidence), r.draws('k').tobytes().hex()[:2000])"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program, library("ode", folder), json.dumps(DECAY)],
            env={**os.environ, "RAYON_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for folder, threads in (("", "1"), ("", "3"), ("unthreaded", "3"))
    }
    assert len(found) == 1
