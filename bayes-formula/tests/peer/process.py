"""Posterior means and standard deviations of `mcycle, process` by quadrature, for the functions of several boundaries and for the exact process.

    python bayes-formula/tests/peer/process.py

The intercept is integrated out as a scale mixture of normals, and the standard deviation of the process, the length scale and `sigma` over a grid. The
priors are those of `cases.py`.
"""

import numpy as np
from scipy import stats

from cases import CASES
from fifty import table_of

SD, CENTRE = 36, -13
LENGTHS, SDS, SIGMAS = np.linspace(3, 9.5, 40), np.linspace(np.log(18), np.log(260), 28), np.linspace(np.log(18), np.log(29), 16)
# the variances of a student_t(3), at the middles of nine equally likely parts
MIXTURE = stats.invgamma(1.5, scale=1.5).ppf((np.arange(9) + 0.5) / 9)


def functions(x, centre, boundary, count):
    """The covariance of one standard deviation by functions of a Hilbert space (Solin & Särkkä 2020)."""
    frequencies = np.pi * np.arange(1, count + 1) / (2 * boundary)
    phi = np.sin(np.outer(x - centre + boundary, frequencies)) / np.sqrt(boundary)
    return lambda length: phi * (np.sqrt(2 * np.pi) * length * np.exp(-0.5 * (length * frequencies) ** 2)) @ phi.T


def log_likelihoods(values, ones, variances):
    """Of independent values with these variances, and an intercept times `ones`."""
    squares, products, total = (values**2 / variances).sum(), (values * ones / variances).sum(), (ones**2 / variances).sum()
    spread = SD**2 * MIXTURE
    mixed = np.log1p(spread * total) - products**2 * spread / (1 + spread * total)
    return np.logaddexp.reduce(-0.5 * (np.log(variances).sum() + squares + mixed))


def moments(y, covariance):
    """The means and standard deviations of the length scale and of the standard deviation of the process."""
    log_density = np.empty((len(LENGTHS), len(SDS), len(SIGMAS)))
    for i, length in enumerate(LENGTHS):
        eigenvalues, axes = np.linalg.eigh(covariance(length))
        values, ones = axes.T @ (y - CENTRE), axes.T @ np.ones(len(y))
        for j, log_sd in enumerate(SDS):
            for k, log_sigma in enumerate(SIGMAS):
                sd, sigma = np.exp(log_sd), np.exp(log_sigma)
                variances = sd**2 * np.maximum(eigenvalues, 0) + sigma**2
                prior = stats.t.logpdf(sd / SD, 3) + log_sd + stats.t.logpdf(sigma / SD, 3) + log_sigma
                log_density[i, j, k] = log_likelihoods(values, ones, variances) + prior + stats.invgamma.logpdf(length, 6.2, scale=52.4)
    density = np.exp(log_density - log_density.max())
    density /= density.sum()
    said = []
    for name, values, weights in (("length scale", LENGTHS, density.sum((1, 2))), ("standard deviation", np.exp(SDS), density.sum((0, 2)))):
        mean = (weights * values).sum()
        said.append(f"{name} {mean:.3f} (sd {np.sqrt((weights * (values - mean) ** 2).sum()):.3f})")
    return ", ".join(said)


def main():
    table = table_of(CASES["mcycle, process"])
    x, y = table.times.to_numpy(float), table.accel.to_numpy(float)
    middle, half = (x.min() + x.max()) / 2, (x.max() - x.min()) / 2
    farthest = abs(x - x.mean()).max()
    print(f"exact: {moments(y, lambda length: np.exp(-0.5 * ((x[:, None] - x) / length) ** 2))}", flush=True)
    for centre, of in ((middle, "middle"), (x.mean(), "mean")):
        for boundary, count in ((3.2 * half, 40), (3.2 * farthest, 40), (3.2 * farthest, 80)):
            found = moments(y, functions(x, centre, boundary, count))
            print(f"{count} functions around the {of}, boundary {boundary:.1f}: {found}", flush=True)


main()
