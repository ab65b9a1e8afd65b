from mpmath import mp, mpf

from references import write


def standard(x, mu, sigma):
    return (mp.log(x / (1 - x)) - mu) / sigma


def log_density(x, mu, sigma):
    if not 0 < x < 1:
        return mpf("-inf")
    return -(standard(x, mu, sigma) ** 2) / 2 - mp.log(sigma * x * (1 - x)) - mp.log(2 * mp.pi) / 2


write(
    "LogitNormal",
    ["mu", "sigma"],
    "ln(x/(1-x)) is Normal(mu, sigma)",
    [
        ((0.0, 1.0), [1e-6, 0.1, 0.5, 0.875, 0.9990234375]),
        ((-2.0, 0.3), [0.01, 0.1, 0.125, 0.4]),
        ((3.0, 4.0), [1e-9, 0.02, 0.5, 0.9375]),
    ],
    log_density,
    lambda x, mu, sigma: mp.erfc(-standard(x, mu, sigma) / mp.sqrt(2)) / 2,
    lambda x, mu, sigma: mp.erfc(standard(x, mu, sigma) / mp.sqrt(2)) / 2,
)
