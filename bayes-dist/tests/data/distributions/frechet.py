from mpmath import mp, mpf

from references import write


def log_density(x, shape, scale):
    if x <= 0:
        return mpf("-inf")
    z = x / scale
    return mp.log(shape / scale) - (1 + shape) * mp.log(z) - z**-shape


write(
    "Frechet",
    ["shape", "scale"],
    "P(X <= x) = exp(-(x/scale)^-shape)",
    [
        ((1.0, 1.0), [0.01, 0.5, 1.0, 4.0, 1e9]),
        ((4.0, 0.5), [0.125, 0.4, 0.5, 1.0, 50.0]),
        ((0.5, 20.0), [0.05, 3.0, 400.0, 1e12]),
    ],
    log_density,
    lambda x, shape, scale: mp.exp(-((x / scale) ** -shape)) if x > 0 else mpf(0),
    lambda x, shape, scale: -mp.expm1(-((x / scale) ** -shape)) if x > 0 else mpf(1),
)
