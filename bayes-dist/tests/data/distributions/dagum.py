from mpmath import mp, mpf

from references import write


def log_density(x, scale, shape, power):
    if x == 0:
        index = shape * power
        return mp.log(index / scale) if index == 1 else mpf("inf") * (1 - index)
    if x < 0:
        return mpf("-inf")
    z = x / scale
    return mp.log(shape * power / x) + shape * power * mp.log(z) - (power + 1) * mp.log1p(z**shape)


def log_cdf(x, scale, shape, power):
    return -power * mp.log1p((x / scale) ** -shape)


def cdf(x, *parameters):
    return mp.exp(log_cdf(x, *parameters)) if x > 0 else mpf(0)


def sf(x, *parameters):
    return -mp.expm1(log_cdf(x, *parameters)) if x > 0 else mpf(1)


FAR = [1e-300, 1e-100, 1e-8, 0.3, 1.0, 2.5, 40.0, 1e5, 1e100, 1e300]

write(
    "Dagum",
    ["scale", "shape", "power"],
    "P(X <= x) = (1 + (x/scale)^-shape)^-power",
    [
        ((1.0, 1.0, 1.0), [0.0, 1e-300, 1e-8, 0.5, 1.0, 30.0, 1e6, 1e300, -1.0]),
        ((2.5, 3.5, 0.25), [0.0, 1e-200, 0.01, 1.0, 2.5, 4.0, 100.0]),
        ((0.01, 0.4, 3.0), [1e-12, 1e-4, 0.01, 0.3, 1e5, 1e100]),
        ((40.0, 60.0, 2.0), [5.0, 39.0, 40.0, 41.5, 90.0]),
        ((1.5, 2.0, 300.0), [0.2, 3.0, 26.0, 40.0, 400.0, 1e8]),
    ],
    log_density,
    cdf,
    sf,
    scan=[
        ((1.0, 1.0, 1.0), FAR),
        ((0.7, 3.1, 0.4), FAR),
        ((2.2, 0.6, 5.3), FAR),
        ((1.3, 0.01, 0.02), FAR),
        ((1.3, 40.0, 0.03), [1e-5, 0.3, 1.0, 1.29, 1.31, 2.0, 1e3]),
        ((1.3, 1e3, 2.0), [1.0, 1.29, 1.2999, 1.3, 1.3001, 1.31, 2.0]),
        ((1.3, 1e8, 0.5), [1.2999999, 1.3, 1.3000001]),
        ((0.8, 1.7, 1e8), [1.0, 3e4, 4e4, 1e5, 1e9, 1e200]),
        ((0.8, 1.7, 1e19), [1.0, 1e11, 2e11, 1e15, 1e200]),
        ((0.8, 1.7, 1e-8), [1e-300, 1e-100, 1e-3, 0.8, 2.0, 1e100]),
        ((1e-100, 2.0, 1.5), [1e-200, 1e-101, 1e-100, 3e-100, 1e-50, 1.0]),
        ((1e100, 2.0, 1.5), [1.0, 1e50, 3e99, 1e100, 1e101, 1e200]),
    ],
)
