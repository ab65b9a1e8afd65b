from mpmath import mp, mpf

from references import write


def turned(x, start, drift):
    """Start and drift seen from the end of `x`."""
    return (1 - start, -drift) if x > 0 else (start, drift)


def log_density(x, boundary, non_decision, start, drift):
    """First passage of a Wiener process at the lower end (x < 0) or the upper one, by the images of the start (Feller 1968, XIV.6)."""
    t = abs(x) - non_decision
    if t <= 0:
        return mpf("-inf")
    start, drift = turned(x, start, drift)
    u = t / boundary**2
    images = max(60, int(mp.sqrt(u * mp.prec)) + 60)
    total = mp.fsum(
        (start + 2 * k) * mp.exp(-((start + 2 * k) ** 2) / (2 * u))
        for k in range(-images, images + 1)
    )
    tilt = -drift * boundary * start - drift**2 * t / 2
    return tilt + mp.log(total) - mp.log(2 * mp.pi * u**3) / 2 - 2 * mp.log(boundary)


def until(x, boundary, non_decision, start, drift):
    """The probability of the end of `x` until its time, by the images: each term of the density integrated."""
    t = abs(x) - non_decision
    if t <= 0:
        return mpf(0)
    start, drift = turned(x, start, drift)
    u, d = t / boundary**2, abs(drift * boundary)
    images = max(60, int(mp.sqrt(u * mp.prec)) + int(d * u) + 60)
    root = mp.sqrt(2 * u)

    def passage(y):
        size = abs(y)
        terms = mp.exp(-d * size) * mp.erfc((size - d * u) / root) + mp.exp(d * size) * mp.erfc((size + d * u) / root)
        return mp.sign(y) * terms / 2

    return mp.exp(-drift * boundary * start) * mp.fsum(passage(start + 2 * k) for k in range(-images, images + 1))


def end(x, boundary, start, drift):
    """The probability of the end of `x`."""
    start, drift = turned(x, start, drift)
    d = drift * boundary
    return 1 - start if d == 0 else (mp.exp(-2 * d * start) - mp.exp(-2 * d)) / (1 - mp.exp(-2 * d))


def cdf(x, boundary, non_decision, start, drift):
    early = until(x, boundary, non_decision, start, drift)
    below = end(mpf(-1), boundary, start, drift)
    return below + early if x > 0 else below - early


def sf(x, boundary, non_decision, start, drift):
    early = until(x, boundary, non_decision, start, drift)
    above = end(mpf(1), boundary, start, drift)
    return above - early if x > 0 else above + early


def checked_by_quadrature():
    """The images beside integrals of the density."""
    digits, mp.dps = mp.dps, 30
    at = [mpf(p) for p in ("1.5", "0.2", "0.4", "0.7")]
    density = lambda t: mp.exp(log_density(t, *at))
    for x in (mpf("0.6"), mpf("2.5"), mpf("-0.5"), mpf("-3")):
        low, late = at[1], mp.sign(x) * mpf(80)
        times = [mp.sign(x) * low, mp.sign(x) * (low + abs(x)) / 2, x]
        early = abs(mp.quad(density, times))
        later = abs(mp.quad(density, [x, 2 * x, 4 * x, 16 * x, late]))
        assert abs(early / until(x, *at) - 1) < mpf(10) ** -15, x
        assert abs(later / (end(x, at[0], *at[2:]) - until(x, *at)) - 1) < mpf(10) ** -15, x
    mp.dps = digits


checked_by_quadrature()
write(
    "Wiener",
    ["boundary", "non_decision", "start", "drift"],
    "density exp(-v a w - v^2 t/2)/a^2 sum_k (w + 2k) exp(-(w + 2k)^2/(2u))/sqrt(2 pi u^3) at t = |x| - t0, u = t/a^2; at the upper end w is 1 - w and v is -v",
    [
        ((1.5, 0.2, 0.5, 1.0), [0.3, 0.7, 1.05, 1.15, 2.5, -0.5, -1.0, 0.2, -0.1, 30.0, -30.0, 0.205]),
        ((2.0, 0.0, 0.3, -1.5), [0.001, -0.01, 0.5, -0.5, 1.599, 1.601, -1.6, -8.0]),
        ((1.0, 0.1, 0.001, 0.5), [-0.1000001, -0.11, 0.3, 0.49, 0.4999, 0.5001, 3.0]),
        ((0.8, 0.3, 0.9999, -3.0), [0.3000001, 0.31, -0.35, -0.5559, -0.5561, -2.0]),
        ((3.0, 0.0, 0.7, 40.0), [0.01, 0.0225, 0.05, -0.06, -0.2]),
        ((1.2, 0.15, 0.35, 0.0), [0.4, -0.4, 1.0, -1.0, -0.17, 5.0]),
        ((1.0, 0.0, 0.00001, 0.0), [-1e-10, -1e-6, -0.01, -0.39, -2.0]),
        ((1.0, 0.0, 0.5, -0.999), [-0.05, -0.3, 0.3, -1.0]),
        ((1.0, 0.0, 0.5, 1.001), [-0.05, -0.3, 0.3, 1.0]),
        ((1.0, 0.0, 0.1, -200.0), [-0.0004, -0.0005, -0.0006, -0.002, -0.03, 0.005]),
        ((1.0, 0.0, 0.9, -12.0), [-0.05, -0.075, -0.1, -0.3, 0.002, 0.05]),
    ],
    log_density,
    cdf,
    sf,
)
