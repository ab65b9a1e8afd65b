from mpmath import mp, mpf

from references import write


def log_density(x, low, high):
    return -mp.log(x) - mp.log(mp.log(high / low)) if low <= x <= high else mpf("-inf")


def cdf(x, low, high):
    return mp.log(min(max(x, low), high) / low) / mp.log(high / low)


write(
    "LogUniform",
    ["low", "high"],
    "density 1/(x ln(high/low))",
    [
        ((1.0, 10.0), [1.0, 1.0009765625, 2.0, 9.0, 10.0, 0.5, 11.0]),
        ((0.0009765625, 1000.0), [0.001, 0.03, 1.0, 999.0]),
        ((5.0, 5.0625), [5.0, 5.03125, 5.0625]),
    ],
    log_density,
    cdf,
    lambda x, low, high: 1 - cdf(x, low, high),
)
