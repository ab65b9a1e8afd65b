from mpmath import mp

from references import write


def log_density(x, location, scale, asymmetry):
    z, k = (x - location) / scale, asymmetry
    return -mp.log(scale * (k + 1 / k)) - (z * k if z >= 0 else -z / k)


def cdf(x, location, scale, asymmetry):
    z, k = (x - location) / scale, asymmetry
    return k * k / (1 + k * k) * mp.exp(z / k) if z < 0 else 1 - sf(x, location, scale, asymmetry)


def sf(x, location, scale, asymmetry):
    z, k = (x - location) / scale, asymmetry
    return mp.exp(-k * z) / (1 + k * k) if z >= 0 else 1 - cdf(x, location, scale, asymmetry)


write(
    "AsymmetricLaplace",
    ["location", "scale", "asymmetry"],
    "rates asymmetry/scale above the location, 1/(asymmetry scale) below",
    [
        ((0.0, 1.0, 1.0), [-30.0, -1.5, 0.0, 0.25, 4.0, 200.0]),
        ((2.0, 0.5, 3.0), [-20.0, 0.0, 1.9, 2.0, 2.25, 9.0]),
        ((-1.0, 4.0, 0.125), [-6.0, -1.0, 0.5, 30.0, 900.0]),
    ],
    log_density,
    cdf,
    sf,
    kink="location",
)
