from mpmath import mp, mpf

from references import write


def log_density(x, a, b):
    if not 0 < x < 1:
        return mpf("-inf")
    return mp.log(a * b) + (a - 1) * mp.log(x) + (b - 1) * mp.log(1 - x**a)


write(
    "Kumaraswamy",
    ["a", "b"],
    "P(X <= x) = 1 - (1 - x^a)^b",
    [
        ((2.0, 3.0), [1e-6, 0.2, 0.5, 0.875, 0.999]),
        ((0.5, 0.5), [1e-12, 0.1, 0.5, 0.9]),
        ((1.0, 4.0), [1e-9, 0.25, 0.75]),
        ((25.0, 0.625), [0.3, 0.9, 0.96875, 0.9990234375]),
        ((1.5, 300.0), [1e-4, 0.01, 0.05, 0.2]),
    ],
    log_density,
    lambda x, a, b: 1 - (1 - x**a) ** b,
    lambda x, a, b: (1 - x**a) ** b,
)
