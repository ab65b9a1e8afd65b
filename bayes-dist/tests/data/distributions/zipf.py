from mpmath import mp, mpf

from references import write


def log_density(x, s):
    return -s * mp.log(x) - mp.log(mp.zeta(s)) if x >= 1 else mpf("-inf")


def sf(x, s):
    return mp.zeta(s, x + 1) / mp.zeta(s) if x >= 1 else mpf(1)


def cdf(x, s):
    return 1 - sf(x, s)


write(
    "Zipf",
    ["s"],
    "mass k^-s / zeta(s) at k = 1, 2, ...",
    [
        ((4.5,), [1, 2, 7, 40, 1000, 1000000, 0]),
        ((6.0,), [1, 2, 3, 25, 300]),
        ((2.0,), [1, 2, 10, 15, 16, 17, 10000, 1000000000]),
        ((1.05,), [1, 2, 20, 500, 1000000]),
        ((30.0,), [1, 2, 3, 9]),
    ],
    log_density,
    cdf,
    sf,
    out_of_reach=(2, 3),
)
