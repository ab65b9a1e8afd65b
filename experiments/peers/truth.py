"""The log evidences of `experiments/src/targets`, independently of the code there.

    pip install -r experiments/peers/requirements.txt
    python experiments/peers/truth.py > experiments/data/evidence/truth.json

Each with its standard error. Of the two posteriors of real data these are the values that the experiment uses, by importance sampling; the others check its closed
forms and quadratures.
"""

import json
import sys

import mpmath as mp
import numpy as np
from scipy import integrate, optimize
from scipy.special import erf, expit, gammaln, logsumexp
from scipy.stats import multivariate_t

from problems import APPROVED, BEAN, DESIGN, EXTRACT, GERMINATED, OF, SIGNED, credit, log_expit


def shells(dim):
    area = 2 * mp.pi ** (mp.mpf(dim) / 2) / mp.gamma(mp.mpf(dim) / 2)
    along = mp.quad(lambda r: r ** (dim - 1) * mp.npdf(r, 2, mp.mpf("0.1")), [0, 1, 1.5, 2, 2.5, 3, 4])
    return mp.log(2 * area * along) - dim * mp.log(12)


def egg_box():
    """The mean over the square on a grid of cells' middles."""
    at = (np.arange(6000) + 0.5) * 10 * np.pi / 6000
    c = np.cos(at / 2)
    rows = [logsumexp((2 + a * c) ** 5) for a in c]
    return logsumexp(rows) - 2 * np.log(6000)


def rosenbrock_2():
    """The inner integral by error functions."""

    def inner(x):
        return np.exp(-((1 - x) ** 2)) * np.sqrt(np.pi) / 20 * (erf(10 * (5 - x * x)) + erf(10 * (5 + x * x)))

    return np.log(integrate.quad(inner, -5, 5, points=[-np.sqrt(5), 0, np.sqrt(5)], epsabs=1e-13, limit=500)[0] / 100)


def rosenbrock(dim, points):
    """A product of matrices of Gauss-Legendre quadrature."""
    x, w = np.polynomial.legendre.leggauss(points)
    x, w = 5 * x, 5 * w
    kernel = np.exp(-100 * (x[None, :] - x[:, None] ** 2) ** 2 - (1 - x[:, None]) ** 2) * w
    ahead = np.ones(points)
    for _ in range(dim - 1):
        ahead = kernel @ ahead
    return np.log(w @ ahead) - dim * np.log(10)


def many_well(pairs):
    well = mp.quad(lambda x: mp.exp(6 * x**2 - x**4 + x / 2), mp.linspace(-6, 6, 25))
    return pairs * (mp.log(well) + mp.log(2 * mp.pi) / 2)


def importance(log_joint, start, draws, seed):
    """Log evidence and its standard error, by a Student t around the mode."""
    mode = optimize.minimize(lambda x: -log_joint(x[None])[0], start, method="BFGS", options={"gtol": 1e-6}).x
    step, d = 1e-3, len(start)
    hessian = np.empty((d, d))
    for i in range(d):
        for j in range(d):
            corners = np.array([mode + step * (a * np.eye(d)[i] + b * np.eye(d)[j]) for a in (1, -1) for b in (1, -1)])
            f = log_joint(corners)
            hessian[i, j] = (f[0] - f[1] - f[2] + f[3]) / (4 * step**2)
    law = multivariate_t(mode, np.linalg.inv(-(hessian + hessian.T) / 2) * 1.3, df=6, seed=seed)
    weights = []
    for _ in range(draws // 5_000):
        x = law.rvs(5_000)
        weights.append(log_joint(x) - law.logpdf(x))
    weights = np.concatenate(weights)
    scaled = np.exp(weights - weights.max())
    error = scaled.std() / scaled.mean() / np.sqrt(len(scaled))
    return weights.max() + np.log(scaled.mean()), error


def credit_joint(beta):
    return credit(beta) - (beta**2).sum(-1) / 200 - beta.shape[-1] * np.log(10 * np.sqrt(2 * np.pi))


NODES, MASSES = np.polynomial.hermite_e.hermegauss(30)


def seeds_joint(x):
    """Of four coefficients and the log of the effects' scale: the effects are integrated out one by one, by Gauss and Hermite's rule around each one's mode."""
    beta, sigma = x[:, :4], np.exp(x[:, 4:5])
    tau = sigma**-2.0
    mean = beta @ np.array([np.ones(21), BEAN, EXTRACT, BEAN * EXTRACT])
    z = np.zeros_like(mean)
    for _ in range(25):
        p = expit(mean + sigma * z)
        slope = sigma * (GERMINATED - OF * p) - z
        curvature = 1 + sigma**2 * OF * p * (1 - p)
        z = z + np.clip(slope / curvature, -1, 1)
    width = curvature**-0.5
    at = z[..., None] + width[..., None] * NODES
    eta = mean[..., None] + sigma[..., None] * at
    f = GERMINATED[:, None] * log_expit(eta) + (OF - GERMINATED)[:, None] * log_expit(-eta) - at**2 / 2 + NODES**2 / 2 + np.log(MASSES)
    effects = logsumexp(f, axis=-1) + np.log(width) - np.log(2 * np.pi) / 2
    ways = gammaln(OF + 1) - gammaln(GERMINATED + 1) - gammaln(OF - GERMINATED + 1)
    coefficients = -(beta**2).sum(-1) / 200 - 4 * np.log(10 * np.sqrt(2 * np.pi))
    # Gamma(0.01, 0.01) of tau, with the Jacobian of tau = exp(-2 log sigma)
    precision = 0.01 * np.log(0.01) - gammaln(0.01) + 0.01 * np.log(tau[:, 0]) - 0.01 * tau[:, 0] + np.log(2)
    return (effects + ways).sum(-1) + coefficients + precision


def main():
    exact = {
        "phase transition, 10 d": 10 * np.log(np.sqrt(2 * np.pi) / 10) + np.log(1 + 9),
        "shells, 2 d": shells(2),
        "shells, 10 d": shells(10),
        "egg box, 2 d": egg_box(),
        "Rosenbrock, 2 d": rosenbrock_2(),
        "Rosenbrock, 10 d": rosenbrock(10, 3000),
        "funnel, 10 d": 0,
        "correlated normal, 25 d": -25 * np.log(10),
        "normal of many scales, 32 d": -32 * np.log(2000),
        "many-well, 32 d": many_well(16),
    }
    found = {name: [round(float(value), 6), 0] for name, value in exact.items()}
    sampled = {
        "seeds, 26 d": importance(seeds_joint, np.array([-0.5, 0, 1, -0.5, -1.3]), 800_000, 1),
        "credit, 15 d": importance(credit_joint, np.zeros(15), 800_000, 1),
    }
    found |= {name: [round(float(value), 4), round(float(error), 4)] for name, (value, error) in sampled.items()}
    json.dump(found, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
