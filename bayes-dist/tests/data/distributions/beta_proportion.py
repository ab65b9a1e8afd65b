from mpmath import mp, mpf

from references import write


def log_density(x, mu, kappa):
    a, b = mu * kappa, (1 - mu) * kappa
    if not 0 < x < 1:
        return mpf("-inf")
    return (a - 1) * mp.log(x) + (b - 1) * mp.log(1 - x) - mp.log(mp.beta(a, b))


def cdf(x, mu, kappa):
    return mp.betainc(mu * kappa, (1 - mu) * kappa, 0, x, regularized=True)


def sf(x, mu, kappa):
    return mp.betainc((1 - mu) * kappa, mu * kappa, 0, 1 - x, regularized=True)


write(
    "BetaProportion",
    ["mu", "kappa"],
    "Beta(mu kappa, (1 - mu) kappa)",
    [
        ((0.5, 4.0), [0.01, 0.3, 0.5, 0.875]),
        ((0.125, 20.0), [1e-6, 0.05, 0.125, 0.5, 0.9]),
        ((0.25, 0.75), [1e-10, 0.2, 0.75, 0.99]),
        ((0.25, 3000.0), [0.2, 0.24, 0.25, 0.28]),
    ],
    log_density,
    cdf,
    sf,
)
