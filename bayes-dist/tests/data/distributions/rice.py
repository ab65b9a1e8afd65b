from mpmath import mp, mpf

from references import write


def log_density(x, nu, sigma):
    if x <= 0:
        return mpf("-inf")
    return (
        mp.log(x / sigma**2)
        - (x**2 + nu**2) / (2 * sigma**2)
        + mp.log(mp.besseli(0, x * nu / sigma**2))
    )


write(
    "Rice",
    ["nu", "sigma"],
    "density x/sigma^2 exp(-(x^2 + nu^2)/(2 sigma^2)) I0(x nu/sigma^2)",
    [
        ((1.0, 1.0), [0.0, 1e-6, 0.5, 1.5, 6.0, -1.0]),
        ((0.0, 2.0), [0.01, 2.0, 9.0]),
        ((30.0, 0.5), [25.0, 29.5, 30.0, 31.25]),
        ((0.25, 10.0), [0.5, 10.0, 45.0]),
    ],
    log_density,
)
