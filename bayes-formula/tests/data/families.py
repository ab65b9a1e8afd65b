"""Writes families.json: log densities of the families that bayes-formula writes out, by scipy, from their definitions.

    python3 bayes-formula/tests/data/families.py        # with scipy
"""

import itertools
import json
import math
import os

import numpy as np
from scipy import stats
from scipy.special import expit

cases = []


def add(family, y, log_density, **parameters):
    cases.append({"family": family, "y": y, **parameters, "log_density": float(log_density)})


def or_zero(p, y, density):
    return math.log(p) if y == 0 else math.log1p(-p) + density


for mean, sigma, alpha in [(0.3, 1.2, 2.5), (-4.0, 0.4, -6.0), (10.0, 3.0, 0.1)]:
    delta = alpha / math.sqrt(1 + alpha**2)
    scale = sigma / math.sqrt(1 - 2 / math.pi * delta**2)
    location = mean - scale * delta * math.sqrt(2 / math.pi)
    of = stats.skewnorm(alpha, location, scale)
    assert abs(of.mean() - mean) < 1e-9 and abs(of.std() - sigma) < 1e-9
    for z in [-1.0, 0.2, 2.0]:
        add("skew-normal", mean + z * sigma, of.logpdf(mean + z * sigma), mean=mean, sigma=sigma, alpha=alpha)

for mean, sigma, beta in [(0.6, 0.1, 0.3), (500.0, 40.0, 90.0)]:
    of = stats.exponnorm(beta / sigma, mean - beta, sigma)
    assert abs(of.mean() - mean) < 1e-6
    for z in [-1.5, 0.0, 2.5]:
        y = mean + z * sigma
        add("ex-gaussian", y, of.logpdf(y), mean=mean, sigma=sigma, beta=beta)

for mean, kappa in [(0.4, 2.0), (-2.9, 15.0)]:
    for y in [-3.0, 0.5, 3.1]:
        add("von-mises", y, stats.vonmises(kappa, mean).logpdf(y), mean=mean, kappa=kappa)

for mean, shape, hu in [(2.0, 3.0, 0.3), (0.1, 0.6, 0.8)]:
    for y in [0.0, 0.2, 4.0]:
        add("hurdle-gamma", y, or_zero(hu, y, stats.gamma(shape, scale=mean / shape).logpdf(y)), mean=mean, shape=shape, hu=hu)
for mean, sigma, hu in [(0.5, 1.0, 0.2), (-1.0, 0.3, 0.9)]:
    for y in [0.0, 0.2, 4.0]:
        add("hurdle-lognormal", y, or_zero(hu, y, stats.lognorm(sigma, scale=math.exp(mean)).logpdf(y)), mean=mean, sigma=sigma, hu=hu)

for mean, phi, p in [(0.3, 5.0, 0.2), (0.9, 0.8, 0.6)]:
    of = stats.beta(mean * phi, (1 - mean) * phi)
    for y in [0.0, 0.1, 0.95]:
        add("zero-inflated-beta", y, or_zero(p, y, of.logpdf(y)), mean=mean, phi=phi, zi=p)
    for y in [0.0, 0.1, 0.95, 1.0]:
        ends = {0.0: math.log(p * 0.7), 1.0: math.log(p * 0.3)}
        add("zero-one-inflated-beta", y, ends.get(y, math.log1p(-p) + of.logpdf(y) if 0 < y < 1 else 0), mean=mean, phi=phi, zoi=p, coi=0.3)

for mean, phi, zi, trials in [(0.3, 5.0, 0.2, 7), (0.01, 40.0, 0.6, 3)]:
    for y in [0, 1, 3]:
        for name, of in [
            ("zero-inflated-binomial", stats.binom(trials, mean)),
            ("zero-inflated-beta-binomial", stats.betabinom(trials, mean * phi, (1 - mean) * phi)),
        ]:
            add(name, y, math.log((zi if y == 0 else 0) + (1 - zi) * of.pmf(y)), mean=mean, phi=phi, zi=zi, trials=trials)

for mean, nu in [(2.0, 3.5), (0.3, 1.2)]:
    of = stats.invweibull(nu, scale=mean / math.gamma(1 - 1 / nu))
    for y in [0.4, 1.1, 5.0]:
        add("frechet", y, of.logpdf(y), mean=mean, nu=nu)

for levels, row in [([0.5, -1.0], [3, 0, 2]), ([2.0, 0.0, -3.0], [1, 7, 2, 0])]:
    shares = np.exp([0.0, *levels])
    shares /= shares.sum()
    add("multinomial", 0, stats.multinomial(sum(row), shares).logpmf(row), levels=levels, row=row)
for levels, phi, row in [([0.5, -1.0], 4.0, [0.3, 0.6, 0.1]), ([2.0, 0.0, -3.0], 0.7, [0.01, 0.9, 0.04, 0.05])]:
    shares = np.exp([0.0, *levels])
    shares /= shares.sum()
    add("dirichlet", 0, stats.dirichlet(phi * shares).logpdf(row), levels=levels, phi=phi, row=row)

for levels in [[0.5, -1.0], [3.0, 0.0, 8.0]]:
    scores = np.array([0.0, *levels])
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    for k, share in enumerate(shares):
        add("categorical", k + 1, math.log(share), levels=levels)

SHARES = {"logit": expit, "probit": stats.norm.cdf, "cloglog": lambda x: 1 - np.exp(-np.exp(x))}
for (link, share), eta, disc in itertools.product(SHARES.items(), [0.4, -0.8], [1.0, 1.6]):
    cutpoints = np.array([-1.0, 0.3, 0.9])
    x = disc * (cutpoints - eta)
    below = np.concatenate([[0.0], share(x), [1.0]])
    # hazards: the probability to stop at a grade, or to pass it
    stop, passing = share(x), share(-x)
    adjacent = np.array([np.prod(passing[:k]) * np.prod(1 - passing[k:]) for k in range(4)])
    shares = {
        "cumulative": np.diff(below),
        "sratio": [np.prod(1 - stop[:k]) * (stop[k] if k < 3 else 1) for k in range(4)],
        "cratio": [np.prod(passing[:k]) * (1 - passing[k] if k < 3 else 1) for k in range(4)],
        "acat": adjacent / adjacent.sum(),
    }
    for family, all_shares in shares.items():
        assert abs(sum(all_shares) - 1) < 1e-12
        for k, p in enumerate(all_shares):
            add(family, k + 1, math.log(p), link=link, eta=eta, disc=disc, cutpoints=cutpoints.tolist())

with open(os.path.join(os.path.dirname(__file__), "families.json"), "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
print(len(cases))
