from mpmath import mp, mpf

from references import write


def log_density(x, boundary, non_decision, start, drift):
    """First passage of a Wiener process at the lower end (x < 0) or the upper one, by the images of the start (Feller 1968, XIV.6)."""
    t = abs(x) - non_decision
    if t <= 0:
        return mpf("-inf")
    if x > 0:
        start, drift = 1 - start, -drift
    u = t / boundary**2
    images = max(60, int(mp.sqrt(u * mp.prec)) + 60)
    total = mp.fsum(
        (start + 2 * k) * mp.exp(-((start + 2 * k) ** 2) / (2 * u))
        for k in range(-images, images + 1)
    )
    tilt = -drift * boundary * start - drift**2 * t / 2
    return tilt + mp.log(total) - mp.log(2 * mp.pi * u**3) / 2 - 2 * mp.log(boundary)


write(
    "Wiener",
    ["boundary", "non_decision", "start", "drift"],
    "density exp(-v a w - v^2 t/2)/a^2 sum_k (w + 2k) exp(-(w + 2k)^2/(2u))/sqrt(2 pi u^3) at t = |x| - t0, u = t/a^2; at the upper end w is 1 - w and v is -v",
    [
        ((1.5, 0.2, 0.5, 1.0), [0.3, 0.7, 2.5, -0.5, -1.0, 0.2, -0.1, 30.0]),
        ((2.0, 0.0, 0.3, -1.5), [0.001, -0.01, 0.5, -0.5, 1.599, 1.601, -1.6, -8.0]),
        ((1.0, 0.1, 0.001, 0.5), [-0.1000001, -0.11, 0.3, 0.4999, 0.5001, 3.0]),
        ((0.8, 0.3, 0.9999, -3.0), [0.3000001, 0.31, -0.35, -0.5559, -0.5561, -2.0]),
        ((3.0, 0.0, 0.7, 40.0), [0.01, 0.0225, 0.05, -0.06, -0.2]),
    ],
    log_density,
)
