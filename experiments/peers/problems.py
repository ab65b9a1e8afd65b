"""The densities of `experiments/src/targets` for programs in Python: log likelihoods and quantiles of the prior, of rows of points."""

import csv
from pathlib import Path

import numpy as np
from scipy.special import gammaincinv, gammaln, log_expit, ndtri

HERE = Path(__file__).parent

# Crowder (1978): seeds that germinated, of so many, of one of two kinds, with one of two extracts
GERMINATED = np.array([10, 23, 23, 26, 17, 5, 53, 55, 32, 46, 10, 8, 10, 8, 23, 0, 3, 22, 15, 32, 3.0])
OF = np.array([39, 62, 81, 51, 39, 6, 74, 72, 51, 79, 13, 16, 30, 28, 45, 4, 12, 41, 30, 51, 7.0])
BEAN = np.array([0.0] * 11 + [1.0] * 10)
EXTRACT = np.array([0.0] * 5 + [1.0] * 6 + [0.0] * 5 + [1.0] * 5)


def phase_transition(x):
    r2 = (x**2).sum(-1)
    return np.logaddexp(-r2 / 2, np.log(9e10) - 50 * r2)


def shells(x):
    rest = (x[..., 1:] ** 2).sum(-1)
    first, second = (np.sqrt(rest + (x[..., 0] - place) ** 2) - 2 for place in (3.5, -3.5))
    return np.logaddexp(-50 * first**2, -50 * second**2) - np.log(0.1 * np.sqrt(2 * np.pi))


def egg_box(x):
    return (2 + np.cos(x[..., 0] / 2) * np.cos(x[..., 1] / 2)) ** 5


def rosenbrock(x):
    across = x[..., 1:] - x[..., :-1] ** 2
    return -(100 * across**2 + (1 - x[..., :-1]) ** 2).sum(-1)


def correlated(x):
    n = x.shape[-1]
    log_determinant = (n - 1) * np.log(0.6) + np.log(0.6 + 0.4 * n)
    quadratic = ((x**2).sum(-1) - x.sum(-1) ** 2 * 0.4 / (0.6 + 0.4 * n)) / 0.6
    return -0.5 * (quadratic + log_determinant + n * np.log(2 * np.pi))


SCALES = np.geomspace(0.1, 10, 32)


def scales(x):
    return -0.5 * ((x / SCALES) ** 2 + np.log(2 * np.pi)).sum(-1) - np.log(SCALES).sum()


def many_well(x):
    a, b = x[..., ::2], x[..., 1::2]
    well = 6 * a**2 - a**4 + a / 2 - b**2 / 2
    return (well + (a**2 + b**2) / 8 + np.log(8 * np.pi)).sum(-1)


def funnel(x):
    v, rest = x[..., :1], x[..., 1:]
    return (rest**2 / 18 + np.log(3) - v / 2 - np.exp(-v) * rest**2 / 2).sum(-1)


def seeds(x):
    """Of four coefficients, the precision, and 21 standard normal values."""
    beta, tau, z = x[..., :4], x[..., 4:5], x[..., 5:]
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        eta = beta @ np.array([np.ones(21), BEAN, EXTRACT, BEAN * EXTRACT]) + z / np.sqrt(tau)
        # 0 seeds of a kind at an infinite logit count as none
        terms = np.where(GERMINATED > 0, GERMINATED * log_expit(eta), 0) + np.where(OF > GERMINATED, (OF - GERMINATED) * log_expit(-eta), 0)
    return terms.sum(-1) + (gammaln(OF + 1) - gammaln(GERMINATED + 1) - gammaln(OF - GERMINATED + 1)).sum()


def applications():
    """Design and answers of the credit data, standardised, with an intercept."""
    with open(HERE / "../../examples/data/australian.csv") as file:
        rows = np.array([[float(cell) for cell in row] for row in list(csv.reader(file))[1:]])
    x = (rows[:, :14] - rows[:, :14].mean(0)) / rows[:, :14].std(0)
    return np.column_stack([np.ones(len(x)), x]), rows[:, 14] > 0.5


DESIGN, APPROVED = applications()
SIGNED = DESIGN * np.where(APPROVED, 1.0, -1.0)[:, None]


def credit(x):
    return log_expit(x @ SIGNED.T).sum(-1)


def box(low, high):
    return lambda u: low + (high - low) * u


def normal(scale):
    return lambda u: scale * ndtri(u)


def seeds_prior(u):
    x = ndtri(u)
    x[..., :4] *= 10
    x[..., 4] = 100 * gammaincinv(0.01, u[..., 4])
    return x


# name: coordinates, log likelihood, quantiles of the prior
PROBLEMS = {
    "phase transition, 10 d": (10, phase_transition, box(-5, 5)),
    "shells, 2 d": (2, shells, box(-6, 6)),
    "shells, 10 d": (10, shells, box(-6, 6)),
    "egg box, 2 d": (2, egg_box, box(0, 10 * np.pi)),
    "Rosenbrock, 2 d": (2, rosenbrock, box(-5, 5)),
    "Rosenbrock, 10 d": (10, rosenbrock, box(-5, 5)),
    "funnel, 10 d": (10, funnel, normal(3)),
    "correlated normal, 25 d": (25, correlated, box(-5, 5)),
    "normal of many scales, 32 d": (32, scales, box(-1000, 1000)),
    "many-well, 32 d": (32, many_well, normal(2)),
    "seeds, 26 d": (26, seeds, seeds_prior),
    "credit, 15 d": (15, credit, normal(10)),
}
