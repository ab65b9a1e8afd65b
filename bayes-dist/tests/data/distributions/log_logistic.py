from mpmath import mp, mpf

from references import write


def log_density(x, scale, shape):
    if x == 0:
        return mp.log(shape / scale) if shape == 1 else mpf("inf") * (1 - shape)
    if x < 0:
        return mpf("-inf")
    z = x / scale
    return mp.log(shape / scale) + (shape - 1) * mp.log(z) - 2 * mp.log1p(z**shape)


def cdf(x, scale, shape):
    return 1 / (1 + (x / scale) ** -shape) if x > 0 else mpf(0)


def sf(x, scale, shape):
    return 1 / (1 + (x / scale) ** shape) if x > 0 else mpf(1)


write(
    "LogLogistic",
    ["scale", "shape"],
    "ln x is logistic with location ln(scale) and scale 1/shape; scale is the median",
    [
        ((1, 1), [0.0, 1e-8, 0.5, 1.0, 30.0, 1e6, -1.0]),
        ((2.5, 3.5), [0.0, 0.01, 1.0, 2.5, 4.0, 100.0]),
        ((0.01, 0.4), [1e-12, 1e-4, 0.01, 0.3, 1e5]),
        ((40.0, 60.0), [5.0, 39.0, 40.0, 41.5, 90.0]),
    ],
    log_density,
    cdf,
    sf,
)
