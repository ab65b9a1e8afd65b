from mpmath import mp, mpf

from references import write


def scaled(x, mean, sd, rate):
    """exp(rate (mean - x) + (rate sd)^2 / 2) Phi((x - mean)/sd - rate sd), the density over the rate"""
    z, k = (x - mean) / sd, rate * sd
    return mp.exp(-k * z + k * k / 2) * mp.erfc((k - z) / mp.sqrt(2)) / 2


def log_density(x, mean, sd, rate):
    return mp.log(rate) + mp.log(scaled(x, mean, sd, rate))


def cdf(x, mean, sd, rate):
    return mp.erfc((mean - x) / sd / mp.sqrt(2)) / 2 - scaled(x, mean, sd, rate)


def sf(x, mean, sd, rate):
    return mp.erfc((x - mean) / sd / mp.sqrt(2)) / 2 + scaled(x, mean, sd, rate)


# the difference that the distribution function is loses more digits than there are
mp.dps = 800

write(
    "ExponentiallyModifiedNormal",
    ["mean", "sd", "rate"],
    "the sum of Normal(mean, sd) and Exponential(rate)",
    [
        ((0.0, 1.0, 1.0), [-20.0, -3.0, -0.5, 0.0, 0.7, 1.0, 5.0, 40.0, 300.0]),
        ((2.0, 0.5, 8.0), [-8.0, 0.0, 1.8, 2.2, 4.0, 6.5, 12.0]),
        ((-1.0, 3.0, 0.02), [-40.0, -5.0, 0.0, 20.0, 400.0]),
        ((0.3, 2.0, 100.0), [-9.0, -1.0, 0.3, 1.5, 12.0]),
    ],
    log_density,
    cdf,
    sf,
)
