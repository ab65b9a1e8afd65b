from mpmath import mp, mpf

from references import write


def log_density(x, scale):
    return mp.log(x / scale**2) - (x / scale) ** 2 / 2 if x > 0 else mpf("-inf")


def cdf(x, scale):
    return -mp.expm1(-((x / scale) ** 2) / 2) if x > 0 else mpf(0)


def sf(x, scale):
    return mp.exp(-((x / scale) ** 2) / 2) if x > 0 else mpf(1)


write(
    "Rayleigh",
    ["scale"],
    "density x/scale^2 exp(-x^2/(2 scale^2))",
    [
        ((1.0,), [0.0, 1e-8, 0.5, 1.0, 3.0, 30.0, -1.0]),
        ((0.02,), [1e-4, 0.02, 0.09]),
        ((250.0,), [1.0, 200.0, 250.0, 3000.0]),
    ],
    log_density,
    cdf,
    sf,
)
