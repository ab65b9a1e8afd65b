"""The log evidence of three models by `bayes.evidence`, `bayes.sample` and `pymc.sample_smc`, and the time of a gradient.

    python benches/sample_smc.py schools|intercepts|radon [SEEDS [METHOD ...]]
    python benches/sample_smc.py gradients schools|intercepts|radon
    python benches/sample_smc.py table

METHOD is evidence, sample or sample_smc. Each call is a line of `sample_smc.jsonl` beside this file as soon as it is finished, and is not made again: remove
the line to repeat it. Seconds are those of all cores of this process, which depend little on what else the machine does. Those of the first call of a process
have a compilation that later ones have not, so that the table has the median.
"""

from __future__ import annotations

import gzip
import json
import logging
import sys
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas

warnings.simplefilter("ignore")

import pymc as pm  # noqa: E402
from scipy import stats  # noqa: E402
from scipy.special import logsumexp  # noqa: E402

import bayes  # noqa: E402
from bayes import _pymc  # noqa: E402

logging.disable(logging.CRITICAL)
EFFECTS = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
ERRORS = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])
CELLS = Path(__file__).with_suffix(".jsonl")


def schools() -> pm.Model:
    """Eight schools, not centred."""
    with pm.Model() as model:
        mu, tau = pm.Normal("mu", 0, 5), pm.HalfCauchy("tau", 5)
        z = pm.Normal("z", 0, 1, shape=8)
        pm.Normal("y", mu + tau * z, ERRORS, observed=EFFECTS)
    return model


def sleep() -> dict[str, np.ndarray]:
    """Whether a subject was slow on a day: 180 rows of 18 subjects."""
    path = Path(__file__).parents[2] / "bayes-formula" / "tests" / "data" / "sleepstudy.csv"
    frame = pandas.read_csv(path)
    days, slow = frame["Days"].to_numpy(float), frame["Reaction"].to_numpy() > 300
    return {"y": slow.astype(float), "x": days / 10 - 0.45, "g": frame["Subject"].to_numpy().astype(str)}


def intercepts() -> pm.Model:
    """A logistic regression with varying intercepts, not centred."""
    data = sleep()
    names, place = np.unique(data["g"], return_inverse=True)
    with pm.Model() as model:
        intercept, slope, sd = pm.Normal("intercept", 0, 2), pm.Normal("slope", 0, 5), pm.HalfNormal("sd", 2)
        z = pm.Normal("z", 0, 1, shape=len(names))
        pm.Bernoulli("y", logit_p=intercept + slope * data["x"] + sd * z[place], observed=data["y"])
    return model


def radon() -> pm.Model:
    """Radon in 919 houses of 85 counties: intercepts and slopes that vary by county, not centred; 177 coordinates."""
    path = Path(__file__).parents[2] / "experiments/data/posteriordb/radon_mn-radon_hierarchical_intercept_noncentered.json.gz"
    data = json.loads(gzip.decompress(path.read_bytes()))["data"]
    county, floor = np.array(data["county_idx"]) - 1, np.array(data["floor_measure"], dtype=float)
    uranium = np.zeros(data["J"])
    uranium[county] = data["log_uppm"]
    with pm.Model() as model:
        a, b = pm.Normal("a", 0, 2, shape=2), pm.Normal("b", 0, 2, shape=2)
        spread, noise = pm.HalfNormal("spread", 1, shape=2), pm.HalfNormal("noise", 1)
        of_a, of_b = pm.Normal("of_a", 0, 1, shape=len(uranium)), pm.Normal("of_b", 0, 1, shape=len(uranium))
        level = (a[0] + a[1] * uranium + spread[0] * of_a)[county]
        effect = (b[0] + b[1] * uranium + spread[1] * of_b)[county]
        pm.Normal("y", level + effect * floor, noise, observed=np.array(data["log_radon"]))
    return model


def truth_of_radon() -> float:
    """By the two runs of `tests/test_beside_pymc.py`, of PyMC and in Rust; the error is 0.06."""
    return -1040.13


def truth_of_intercepts() -> float:
    """By a long run of the same model as a formula, whose error is 0.003."""
    priors = {"b": "normal(0, 5)", "intercept": "normal(0, 2)", "sd": "half_normal(2)"}
    settings = {"engine": "psmc", "islands": 32, "particles": 1024, "seed": 1, "progress": False}
    return bayes.fit("y ~ x + (1 | g)", sleep(), "bernoulli", priors, **settings).log_evidence


def truth_of_schools() -> float:
    """By quadrature over mu and tau, given which the effects are independent normals."""
    mu, u = np.linspace(-30, 30, 801), (np.arange(4000) + 0.5)[:, None] / 4000
    sd = np.sqrt(ERRORS**2 + (5 * np.tan(np.pi * u / 2)) ** 2)
    terms = [stats.norm.logpdf(EFFECTS, m, sd).sum(axis=1) + stats.norm.logpdf(m, 0, 5) for m in mu]
    return float(logsumexp(terms) - np.log(4000) + np.log(60 / 800))


def by_evidence(model: pm.Model, seed: int) -> tuple[float, float]:
    found = bayes.evidence(model, seed=seed, progress=False)
    return found.log_evidence, found.log_evidence_se


def by_islands(model: pm.Model, seed: int) -> tuple[float, float]:
    found = bayes.sample(model, seed=seed, progress=False)
    return found.log_evidence, found.log_evidence_se


def last(of_stages: Iterable[float]) -> float:
    """The last number of the stages of a chain."""
    return [float(number) for number in of_stages if np.isfinite(number)][-1]


def by_sample_smc(model: pm.Model, seed: int) -> tuple[float, float]:
    """It prints no error: that of its chains is used."""
    with model:
        data = pm.sample_smc(random_seed=seed, progressbar=False, chains=4, cores=1, compute_convergence_checks=False)
    chains = data.sample_stats["log_marginal_likelihood"].values
    # those with different numbers of stages are lists in one chain
    of_chains = [last(chain) for chain in (chains[0] if isinstance(chains[0][0], list) else chains)]
    return float(logsumexp(of_chains) - np.log(len(of_chains))), float(np.std(of_chains, ddof=1) / np.sqrt(len(of_chains)))


PROBLEMS = {
    "schools": (schools, truth_of_schools),
    "intercepts": (intercepts, truth_of_intercepts),
    "radon": (radon, truth_of_radon),
}
METHODS = {"sample_smc": by_sample_smc, "sample": by_islands, "evidence": by_evidence}


def gradients(model: pm.Model) -> None:
    for backend in ("auto", "numba", "interpreter"):
        made = _pymc.made(model, backend, None, None)
        positions = bytes(made.density.draw_prior(0, 5000))
        best = [1e9, 1e9]
        for _ in range(5):
            for place, weights in enumerate((None, (1.0, 1.0))):
                begin = time.process_time()
                made.density.evaluate(positions, 5000, weights)
                best[place] = min(best[place], (time.process_time() - begin) / 5000)
        print(f"| {backend} | {1e6 * best[1]:.2f} | {1e6 * best[0]:.2f} |", flush=True)


def cells() -> list[dict[str, Any]]:
    """What is finished."""
    return [json.loads(line) for line in CELLS.read_text().splitlines()] if CELLS.exists() else []


def keep(cell: dict[str, Any]) -> None:
    with CELLS.open("a") as file:
        file.write(json.dumps(cell) + "\n")


def fill(problem: str, seeds: int, methods: Iterable[str]) -> None:
    """Makes the calls that are not finished."""
    make, truth = PROBLEMS[problem]
    finished = {(cell["model"], cell["by"], cell["seed"]) for cell in cells()}
    if (problem, "truth", 0) not in finished:
        keep({"model": problem, "by": "truth", "seed": 0, "log_evidence": truth()})
    for name in methods:
        for seed in range(1, seeds + 1):
            if (problem, name, seed) in finished:
                continue
            begin = time.process_time()
            value, error = METHODS[name](make(), seed)
            seconds = time.process_time() - begin
            cell = {"model": problem, "by": name, "seed": seed, "log_evidence": value, "error": error, "seconds": seconds}
            keep(cell)
            print(cell, flush=True)


def table() -> None:
    """The means over the seeds of what is finished."""
    print("| model | by | seeds | mean less truth | true error | printed error | seconds |\n|---|---|---|---|---|---|---|")
    for problem in PROBLEMS:
        of_problem = [cell for cell in cells() if cell["model"] == problem]
        exact = [cell["log_evidence"] for cell in of_problem if cell["by"] == "truth"]
        for name in METHODS:
            found = [cell for cell in of_problem if cell["by"] == name]
            if not found:
                continue
            off = np.array([cell["log_evidence"] for cell in found]) - exact
            errors, seconds = (np.array([cell[what] for cell in found]) for what in ("error", "seconds"))
            full = f"`{'pm' if name == 'sample_smc' else 'bayes'}.{name}`"
            true = np.sqrt(np.mean(off**2))
            print(
                f"| {problem} | {full} | {len(found)} | {off.mean():+.3f} | {true:.3f} | {errors.mean():.3f} | {np.median(seconds):.1f} |"
            )


def main() -> None:
    what, rest = sys.argv[1], sys.argv[2:]
    if what == "table":
        table()
    elif what == "gradients":
        print("| backend | µs a gradient | µs a value |\n|---|---|---|", flush=True)
        gradients(PROBLEMS[rest[0]][0]())
    else:
        fill(what, int(rest[0]) if rest else 10, rest[1:] or list(METHODS))


if __name__ == "__main__":
    main()
