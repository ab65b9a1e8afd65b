"""Writes posteriors.json: posteriors of small regressions by importance sampling, from the definitions of their families and priors.

    python3 bayes-formula/tests/data/posteriors.py        # with scipy

The proposal is a multivariate Student's t around the mode. `effective` is the number of independent draws that
have the same error.
"""

import json
import math
import os

import numpy as np
from scipy import optimize, stats
from scipy.special import betaln, expit, gammaln, log_expit, logsumexp

random = np.random.default_rng(20260)
ROWS = 40
DRAWS = 150_000
X = np.round(np.linspace(-1.2, 1.2, ROWS), 4)

# positive and unit parameters have free coordinates
POSITIVE = (np.exp, lambda u: u)
UNIT = (expit, lambda u: log_expit(u) + log_expit(-u))
REAL = (lambda u: u, lambda u: 0 * u)


def exponential(x):
    return -x


def flat(x):
    return 0 * x


def normal(sd):
    return lambda x: -0.5 * (x / sd) ** 2


def student(x):
    return stats.t(3, 0, 2.5).logpdf(x)


def beta_log_density(y, mean, phi):
    a, b = mean * phi, (1 - mean) * phi
    return (a - 1) * np.log(y) + (b - 1) * np.log1p(-y) - betaln(a, b)


def zero(p, y, rest):
    return np.where(y == 0, np.log(p), np.log1p(-p) + rest(np.where(y == 0, 0.5, y)))


def inflated(p, y, log_mass):
    return np.where(y == 0, np.logaddexp(np.log(p), np.log1p(-p) + log_mass), np.log1p(-p) + log_mass)


def beta_binomial(y, n, mean, phi):
    a, b = mean * phi, (1 - mean) * phi
    return gammaln(n + 1) - gammaln(y + 1) - gammaln(n - y + 1) + betaln(y + a, n - y + b) - betaln(a, b)


def skew_normal(y, mean, sigma, alpha):
    delta = alpha / np.sqrt(1 + alpha**2)
    scale = sigma / np.sqrt(1 - 2 / math.pi * delta**2)
    z = (y - mean) / scale + delta * math.sqrt(2 / math.pi)
    return math.log(2) - np.log(scale) + stats.norm.logpdf(z) + stats.norm.logcdf(alpha * z)


def ex_gaussian(y, mean, sigma, beta):
    return stats.exponnorm.logpdf(y, beta / sigma, mean - beta, sigma)


def zero_one(y, mean, phi, zoi, coi):
    inside = np.clip(y, 0.01, 0.99)
    return np.select(
        [y == 0, y == 1],
        [np.log(zoi) + np.log1p(-coi), np.log(zoi) + np.log(coi)],
        np.log1p(-zoi) + beta_log_density(inside, mean, phi),
    )


def gamma_by_mean(y, mean, shape):
    return shape * np.log(shape / mean) + (shape - 1) * np.log(y) - shape * y / mean - gammaln(shape)


def with_ends(y, ends):
    y = y.copy()
    for value, places in ends.items():
        y[places] = value
    return y


SLOPE = 0.8 * X
MEAN = expit(0.3 + SLOPE)
MU = ("intercept", REAL, normal(2.0))
B = ("b", REAL, normal(1.0))
SIGMA, SHAPE, PHI, KAPPA = [(name, POSITIVE, exponential) for name in ("sigma", "shape", "phi", "kappa")]
ZI, HU, ZOI, COI = [(name, UNIT, flat) for name in ("zi", "hu", "zoi", "coi")]
SCALE = ("beta", POSITIVE, exponential)
ALPHA = ("alpha", REAL, normal(2.0))
TRIALS = 6

# family: parameters besides the intercept and the slope, a sample of responses, and the log density at the linear predictor
beta_sample = np.clip(random.beta(MEAN * 6, (1 - MEAN) * 6), 0.001, 0.999)
counts = random.binomial(TRIALS, MEAN).astype(float)
FAMILIES = {
    "skew-normal": ([SIGMA, ALPHA], SLOPE + stats.skewnorm(4).rvs(ROWS, random_state=random), skew_normal),
    "ex-gaussian": ([SIGMA, SCALE], SLOPE + random.normal(0, 0.3, ROWS) + random.exponential(0.8, ROWS), ex_gaussian),
    "von-mises": ([KAPPA], 2 * np.arctan(SLOPE) + random.normal(0, 0.5, ROWS), lambda y, eta, kappa: stats.vonmises.logpdf(y, kappa, 2 * np.arctan(eta))),
    "hurdle-gamma": ([SHAPE, HU], with_ends(random.gamma(2, np.exp(SLOPE) / 2), {0: slice(3, 40, 5)}),
                     lambda y, eta, shape, hu: zero(hu, y, lambda y: gamma_by_mean(y, np.exp(eta), shape))),
    "hurdle-lognormal": ([SIGMA, HU], with_ends(np.exp(SLOPE + random.normal(0, 0.7, ROWS)), {0: slice(3, 40, 5)}),
                         lambda y, eta, sigma, hu: zero(hu, y, lambda y: stats.norm.logpdf(np.log(y), eta, sigma) - np.log(y))),
    "zero-inflated-beta": ([PHI, ZI], with_ends(beta_sample, {0: slice(3, 40, 5)}),
                           lambda y, eta, phi, zi: zero(zi, y, lambda y: beta_log_density(y, expit(eta), phi))),
    "zero-one-inflated-beta": ([PHI, ZOI, COI], with_ends(beta_sample, {0: slice(3, 40, 6), 1: slice(1, 40, 8)}),
                               lambda y, eta, phi, zoi, coi: zero_one(y, expit(eta), phi, zoi, coi)),
    "zero-inflated-binomial": ([ZI], with_ends(counts, {0: slice(3, 40, 5)}),
                               lambda y, eta, zi: inflated(zi, y, stats.binom.logpmf(y, TRIALS, expit(eta)))),
    "zero-inflated-beta-binomial": ([PHI, ZI], with_ends(counts, {0: slice(3, 40, 5)}),
                                    lambda y, eta, phi, zi: inflated(zi, y, beta_binomial(y, TRIALS, expit(eta), phi))),
}

# grades and labels: the probabilities of all outcomes
GRADES = 1.0 + np.digitize(SLOPE + random.logistic(0, 0.7, ROWS), [-0.9, 0.2, 1.1])
SHARES = {"logit": expit, "probit": stats.norm.cdf, "cloglog": lambda x: -np.expm1(-np.exp(x))}


def grade_shares(family, x, share):
    """The probabilities of grades at distances x, `[draws, rows, cutpoints]`."""
    stop, passing = share(x), share(-x)
    ones = np.ones(x.shape[:-1] + (1,))
    if family == "cumulative":
        return np.diff(np.concatenate([0 * ones, stop, ones], axis=-1))
    if family == "sratio":
        passed = np.concatenate([ones, np.cumprod(1 - stop, axis=-1)], axis=-1)
        return passed * np.concatenate([stop, ones], axis=-1)
    if family == "cratio":
        passed = np.concatenate([ones, np.cumprod(passing, axis=-1)], axis=-1)
        return passed * np.concatenate([1 - passing, ones], axis=-1)
    up = np.concatenate([ones, np.cumprod(passing, axis=-1)], axis=-1)
    down = np.concatenate([np.cumprod((1 - passing)[..., ::-1], axis=-1)[..., ::-1], ones], axis=-1)
    return up * down / (up * down).sum(axis=-1, keepdims=True)


def sample(log_density, dimension):
    """Posterior means and standard deviations of `values(u)`, by importance sampling."""
    best = min(
        (optimize.minimize(lambda u: -log_density(u[None])[0], start, method="BFGS") for start in np.vstack([np.zeros(dimension), random.normal(0, 0.3, (3, dimension))])),
        key=lambda found: found.fun,
    )
    mode, step = best.x, 1e-3
    identity = np.eye(dimension) * step
    at = lambda u: log_density(u[None])[0]
    hessian = np.array([
        [(at(mode + a + b) - at(mode + a - b) - at(mode - a + b) + at(mode - a - b)) / (4 * step**2) for b in identity]
        for a in identity
    ])
    proposal = stats.multivariate_t(mode, np.linalg.inv(-hessian) * 1.3, df=5, seed=random)
    draws = np.atleast_2d(proposal.rvs(DRAWS))
    parts = [log_density(part) for part in np.array_split(draws, 30)]
    log_weights = np.concatenate(parts) - proposal.logpdf(draws)
    weights = np.exp(log_weights - logsumexp(log_weights))
    effective = 1 / (weights**2).sum()
    assert effective > 5_000, effective
    return draws, weights


def record(family, text, columns, names, values, weights, **more):
    mean = weights @ values
    sd = np.sqrt(weights @ (values - mean) ** 2)
    cases.append({
        "family": family, "formula": text, **more,
        "names": names, "effective": int(1 / (weights**2).sum()), "mean": np.round(mean, 6).tolist(), "sd": np.round(sd, 6).tolist(),
        "columns": {name: column.tolist() for name, column in columns.items()},
    })
    print(family, text, more, np.round(mean, 3), np.round(sd, 3), int(1 / (weights**2).sum()))


cases = []
for family, (others, y, density) in FAMILIES.items():
    y = np.round(y, 4)
    parameters = [MU, B, *others]

    def log_density(u):
        values = [to(u[:, k]) for k, (_, (to, _), _) in enumerate(parameters)]
        total = sum(jacobian(u[:, k]) + prior(values[k]) for k, (_, (_, jacobian), prior) in enumerate(parameters))
        eta = values[0][:, None] + values[1][:, None] * X
        return total + density(y, eta, *[value[:, None] for value in values[2:]]).sum(axis=1)

    u, weights = sample(log_density, len(parameters))
    values = np.column_stack([to(u[:, k]) for k, (_, (to, _), _) in enumerate(parameters)])
    is_binomial = "binomial" in family
    columns = {"y": y, "x": X, **({"n": np.full(ROWS, TRIALS)} if is_binomial else {})}
    text = "y | trials(n) ~ x" if is_binomial else "y ~ x"
    record(family, text, columns, [name for name, _, _ in parameters], values, weights)

for family, link, has_disc in [
    ("cumulative", "cloglog", False), ("cumulative", "logit", True), ("sratio", "logit", False),
    ("sratio", "cloglog", False), ("cratio", "probit", False), ("acat", "logit", True),
]:
    dimension = 5 if has_disc else 4

    def log_density(u):
        cuts = u[:, :3]
        total = student(cuts).sum(axis=1) + normal(1.0)(u[:, 3])
        disc = np.ones((len(u), ROWS))
        if has_disc:
            total = total + normal(0.5)(u[:, 4])
            disc = np.exp(u[:, 4:5] * X)
        x = disc[..., None] * (cuts[:, None, :] - (u[:, 3:4] * X)[..., None])
        with np.errstate(all="ignore"):
            shares = grade_shares(family, x, SHARES[link])
            own = np.take_along_axis(shares, (GRADES[None, :, None] - 1).astype(int).repeat(len(u), 0), axis=-1)[..., 0]
            own = np.where(own > 0, np.log(own), -1e10)
        ordered = (np.diff(cuts) > 0).all(axis=1) | (family != "cumulative")
        return np.where(ordered, total + own.sum(axis=1), -1e10)

    # starts near ordered cutpoints
    shift = np.array([-1.0, 0.0, 1.0] + [0.0] * (dimension - 3))
    u, weights = sample(lambda u: log_density(u + shift), dimension)
    text = "y ~ x; disc ~ x" if has_disc else "y ~ x"
    names = ["cutpoints[0]", "cutpoints[1]", "cutpoints[2]", "b[0]", "b[1]"][:dimension]
    record(family, text, {"y": GRADES, "x": X}, names, u + shift, weights, link=link)

scores = np.column_stack([np.zeros(ROWS), 0.4 + SLOPE, -0.3 - SLOPE])
labels = np.array([random.choice(3, p=np.exp(s - logsumexp(s))) for s in scores])


def log_density(u):
    a, b = u[:, 0:2], u[:, 2:4]
    total = normal(2.0)(a).sum(axis=1) + normal(1.0)(b).sum(axis=1)
    eta = np.concatenate([np.zeros((len(u), ROWS, 1)), a[:, None, :] + b[:, None, :] * X[:, None]], axis=2)
    own = np.take_along_axis(eta, labels[None, :, None].repeat(len(u), 0), axis=-1)[..., 0]
    return total + (own - logsumexp(eta, axis=2)).sum(axis=1)


u, weights = sample(log_density, 4)
record("categorical", "y ~ x", {"y": np.array(["a", "b", "c"])[labels], "x": X}, ["intercepts[0]", "intercepts[1]", "b[0]", "b[1]"], u, weights)

with open(os.path.join(os.path.dirname(__file__), "posteriors.json"), "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
