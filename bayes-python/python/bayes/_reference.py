"""The reference of a density without a prior: a Student t distribution that is fitted to draws of chains.

Islands start from draws of it, and the path goes from it to the density, whose integral is then the evidence.
"""

from __future__ import annotations

from math import lgamma, log, pi

import numpy as np

from bayes._arrays import Array
from bayes._errors import BayesInputError
from bayes._made import Made
from bayes._native import Density, Function, Run
from bayes._posterior import Labels, Posterior

#: Degrees of freedom: tails that are heavier than those of most posteriors, and a finite variance.
NU = 5.0
#: R-hat above which chains have not seen the same distribution.
_LIMIT = 1.05
#: Draws of each of four chains.
_DRAWS = 1000


def fitted(made: Made, seed: int, progress: bool) -> Made:
    """The same density, from a reference that is fitted to it by chains. They take other random numbers than a run with the seed."""
    target = made.target
    assert target is not None
    chains = Density(made.dim, "the reference", [("x", [made.dim], [], False)])
    chains.split(None, target, True)
    settings = {"chains": 4, "draws": max(_DRAWS, made.dim)}
    run, troubles, interrupted = chains.run("nuts", (seed + 2**63) % 2**64, progress, settings)
    if interrupted:
        raise KeyboardInterrupt
    notes = [f"the chains to which the reference is fitted: {words}" for words in troubles]
    student, largest = of_draws(run, made.coordinates)
    if largest > _LIMIT:
        notes.append(
            f"the chains to which the reference is fitted have not seen the same distribution: R-hat is {largest:.2f}. Islands start from that reference,"
            " and what it does not reach is missing from the evidence"
        )
    made.density.split(student, Function.rest(target, student), True)
    made.density.drawn_student(student)
    made.notes.extend(notes)
    return made


def of_draws(run: Run, coordinates: list[str]) -> tuple[Function, float]:
    """The Student t distribution of the draws of a run, and the largest R-hat of a coordinate.

    Raises BayesInputError if the draws do not move in a coordinate.
    """
    posterior = Posterior(run, Labels())
    draws: Array = posterior.draws("x").reshape(-1, len(coordinates))
    variances = draws.var(axis=0)
    still = ~(np.isfinite(variances) & (variances > 0))
    if still.any():
        name = coordinates[int(np.argmax(still))]
        raise BayesInputError(
            f"the chains do not move in the coordinate `{name}`: is the density finite, and does it depend on it?"
        )
    n, dim = draws.shape
    covariance = np.atleast_2d(np.cov(draws, rowvar=False))
    # few draws for many coordinates make correlations by chance
    kept = n / (n + dim)
    scale = kept * covariance + (1 - kept) * np.diag(np.diag(covariance))
    lower = np.linalg.cholesky(scale)
    log_normaliser = lgamma((NU + dim) / 2) - lgamma(NU / 2) - dim / 2 * log(NU * pi)
    student = Function.student(NU, draws.mean(axis=0).tolist(), lower.ravel().tolist(), log_normaliser)
    return student, float(np.nanmax(posterior.summary()["r_hat"]))
