from mpmath import mp, mpf

from references import write


def sf(x, scale, shape):
    return (1 + x / scale) ** -shape if x > 0 else mpf(1)


def log_density(x, scale, shape):
    return mp.log(shape / scale) - (shape + 1) * mp.log(1 + x / scale) if x >= 0 else mpf("-inf")


write(
    "Lomax",
    ["scale", "shape"],
    "P(X > x) = (1 + x/scale)^-shape",
    [
        ((1.0, 1.0), [0.0, 1e-12, 0.5, 3.0, 1e8, -1.0]),
        ((20.0, 3.5), [0.001, 5.0, 40.0, 1e5]),
        ((0.01, 0.5), [1e-6, 0.02, 7.0, 1e10]),
    ],
    log_density,
    lambda x, scale, shape: 1 - sf(x, scale, shape),
    sf,
)
