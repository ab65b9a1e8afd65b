from mpmath import mp, mpf

from references import write

# the two terms of the upper tail cancel
mp.dps = 400


def log_density(x, mean, shape):
    if x <= 0:
        return mpf("-inf")
    return mp.log(shape / (2 * mp.pi * x**3)) / 2 - shape * (x - mean) ** 2 / (2 * mean**2 * x)


def phi(z):
    return mp.erfc(-z / mp.sqrt(2)) / 2


def cdf(x, mean, shape):
    r = mp.sqrt(shape / x)
    return phi(r * (x / mean - 1)) + mp.exp(2 * shape / mean) * phi(-r * (x / mean + 1))


def sf(x, mean, shape):
    r = mp.sqrt(shape / x)
    return phi(-r * (x / mean - 1)) - mp.exp(2 * shape / mean) * phi(-r * (x / mean + 1))


write(
    "InverseGaussian",
    ["mean", "shape"],
    "variance mean^3/shape",
    [
        ((1.0, 1.0), [0.001, 0.05, 0.5, 1.0, 4.0, 60.0]),
        ((3.0, 0.2), [1e-4, 0.01, 0.3, 3.0, 100.0, 2000.0]),
        ((0.5, 400.0), [0.3, 0.48, 0.5, 0.55, 0.8]),
        ((20.0, 50.0), [0.5, 5.0, 20.0, 80.0]),
    ],
    log_density,
    cdf,
    sf,
)
