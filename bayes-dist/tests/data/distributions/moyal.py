from mpmath import mp

from references import write


def log_density(x, location, scale):
    z = (x - location) / scale
    return -(z + mp.exp(-z)) / 2 - mp.log(scale) - mp.log(2 * mp.pi) / 2


def root(x, location, scale):
    return mp.exp(-(x - location) / (2 * scale)) / mp.sqrt(2)


write(
    "Moyal",
    ["location", "scale"],
    "P(X <= x) = erfc(exp(-z/2)/sqrt(2)), z = (x - location)/scale",
    [
        ((0.0, 1.0), [-4.0, -1.0, 0.0, 0.8, 5.0, 60.0]),
        ((-2.0, 0.1), [-2.3, -2.0, -1.75, 0.0]),
        ((10.0, 25.0), [-80.0, 0.0, 40.0, 900.0]),
    ],
    log_density,
    lambda x, location, scale: mp.erfc(root(x, location, scale)),
    lambda x, location, scale: mp.erf(root(x, location, scale)),
)
