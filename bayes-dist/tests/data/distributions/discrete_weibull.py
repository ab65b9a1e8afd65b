from mpmath import mp, mpf

from references import write


def sf(x, q, beta):
    return q ** ((x + 1) ** beta) if x >= 0 else mpf(1)


def log_density(x, q, beta):
    return mp.log(q ** (x**beta) - sf(x, q, beta)) if x >= 0 else mpf("-inf")


write(
    "DiscreteWeibull",
    ["q", "beta"],
    "P(X >= k) = q^(k^beta)",
    [
        ((0.5, 1.0), [0, 1, 5, 60, -1]),
        ((0.9, 2.5), [0, 1, 3, 9]),
        ((0.75, 0.5), [0, 1, 4, 100, 2000]),
        ((0.999, 0.875), [0, 10, 2000, 20000]),
    ],
    log_density,
    lambda x, q, beta: 1 - sf(x, q, beta),
    sf,
)
