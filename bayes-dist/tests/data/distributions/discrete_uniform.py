from mpmath import mp, mpf

from references import write


def log_density(x, low, high):
    return -mp.log(high - low + 1) if low <= x <= high else mpf("-inf")


def cdf(x, low, high):
    return min(max((x - low + 1) / (high - low + 1), mpf(0)), mpf(1))


write(
    "DiscreteUniform",
    ["low", "high"],
    "the whole numbers from low to high, both included",
    [
        ((0, 9), [0, 3, 9, 10, -1]),
        ((-5, 2), [-5, -1, 0, 2, 3]),
        ((7, 7), [7, 6]),
        ((-1000000, 1000000), [-1000000, -999999, 0, 1, 999999, 1000000]),
    ],
    log_density,
    cdf,
    lambda x, low, high: 1 - cdf(x, low, high),
)
