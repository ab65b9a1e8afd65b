from mpmath import mp, mpf

from references import write


def log_density(x, nu, scale):
    if x <= 0:
        return mpf("-inf")
    half = nu / 2
    return (
        half * mp.log(half)
        - mp.loggamma(half)
        + nu * mp.log(scale)
        - (half + 1) * mp.log(x)
        - half * scale**2 / x
    )


def cdf(x, nu, scale):
    return mp.gammainc(nu / 2, a=nu * scale**2 / (2 * x), regularized=True)


def sf(x, nu, scale):
    return mp.gammainc(nu / 2, a=0, b=nu * scale**2 / (2 * x), regularized=True)


write(
    "ScaledInverseChiSquared",
    ["nu", "scale"],
    "InverseGamma(nu/2, nu scale^2/2)",
    [
        ((3.0, 1.0), [0.0625, 0.5, 1.0, 4.0, 1000.0]),
        ((40.0, 0.5), [0.125, 0.25, 0.3125, 0.75]),
        ((0.75, 10.0), [2.0, 50.0, 700.0, 1e6]),
    ],
    log_density,
    cdf,
    sf,
)
