"""Writes functions.json: reference values and derivatives of every function in `src/function/`.

Run: python3 functions.py > functions.json    (needs mpmath; the committed file came from mpmath 1.4.1)

Every argument is a binary64 number taken exactly. Everything is computed with 2600 bits, derivatives by central
differences with a step of 2^-120 of the argument (error about 2^-240), and rounded to binary64 once at the
end. A row is
    {"f": name, "x": arguments, "d": [f, f', f''] or [f, f_x, f_y, f_xx, f_xy, f_yy]}.
"""

import json
from mpmath import mp, mpf
import mpmath as m

mp.prec = 2600

sqrt2 = m.sqrt(2)


def cdf(x):
    return m.erfc(-x / sqrt2) / 2


def quantile(p):
    # from the smaller tail, so that no digits are lost
    p = mpf(p)
    if p > 0.5:
        return -quantile(1 - p)
    if p == 0.5:
        return mpf(0)
    start = -m.sqrt(-2 * m.log(p)) if p < 0.1 else (p - 0.5) * m.sqrt(2 * m.pi)
    return m.findroot(lambda z: m.log(cdf(z)) - m.log(p), start, tol=mpf(2) ** -5000, maxsteps=60)


def stirling(x):
    return m.loggamma(x + 1) - ((x + mpf(1) / 2) * m.log(x) - x + m.log(2 * m.pi) / 2)


def ln_beta(x, y):
    return m.loggamma(x) + m.loggamma(y) - m.loggamma(x + y)


SMALL = [1e-150, 1e-20, 1e-8, 0.01]
LINE = [-30.0, -3.7, -1.0, -0.3, -1e-9, 0.0, 1e-9, 0.4, 1.0, 2.9, 25.0]
POSITIVE = SMALL + [0.3, 1.0, 1.7, 9.5, 12.0, 1234.5, 1e10, 1e100]
GAMMA = [1e-20, 1e-5, 0.1, 0.5, 0.99, 1.0, 1.01, 1.46, 1.462, 1.9, 2.0, 2.05, 3.3, 7.0, 9.999, 10.0, 15.5, 100.0, 1e4, 1e8, 1e15]
UNIT = [1e-150, 1e-12, 0.01, 0.2, 0.31, 0.49, 0.5, 0.500001, 0.64, 0.7, 0.9, 0.999, 1 - 1e-12]

UNARY = {
    "exp": (m.exp, LINE + [-700.0, 700.0]),
    "exp_m1": (m.expm1, LINE + [-700.0, 700.0]),
    "ln": (m.log, POSITIVE + [1 - 1e-12, 1 + 1e-12]),
    "ln_1p": (m.log1p, [-0.999, -0.5] + [-1e-20, 0.0] + POSITIVE),
    "sqrt": (m.sqrt, POSITIVE),
    "recip": (lambda x: 1 / x, [-1e10, -3.0, -0.01] + [1e-80, 1e-8, 0.3, 1.0, 7.0, 1e80]),
    "square": (lambda x: x * x, LINE + [1e80]),
    "abs": (abs, [x for x in LINE if x != 0.0]),
    "sin": (m.sin, LINE + [1e5]),
    "cos": (m.cos, LINE + [1e5]),
    "tan": (m.tan, LINE + [1.5707]),
    "asin": (m.asin, [-0.999999, -0.4, 1e-9, 0.0, 0.2, 0.7, 0.99999999]),
    "acos": (m.acos, [-0.999999, -0.4, 1e-9, 0.0, 0.2, 0.7, 0.99999999]),
    "atan": (m.atan, LINE + [1e10, -1e10]),
    "sinh": (m.sinh, LINE + [600.0]),
    "cosh": (m.cosh, LINE + [600.0]),
    "tanh": (m.tanh, LINE + [100.0, -300.0]),
    "asinh": (m.asinh, LINE + [1e10, -1e10]),
    "acosh": (m.acosh, [1.0000001, 1.01, 1.5, 3.0, 20.0, 1e10]),
    "atanh": (m.atanh, [-0.999999, -0.4, 1e-9, 0.0, 0.2, 0.7, 0.99999999]),
    "ln_gamma": (m.loggamma, GAMMA),
    "digamma": (lambda x: m.psi(0, x), GAMMA),
    "trigamma": (lambda x: m.psi(1, x), GAMMA),
    "ln_factorial": (lambda x: m.loggamma(x + 1), [-0.5, 0.0, 0.3, 1.0, 2.0, 3.0, 12.0, 50.0, 99.5, 170.0, 171.0, 1e4, 1e6, 1e12]),
    "stirling_error": (stirling, [1e-8, 0.01, 0.4, 0.999, 1.0, 1.5, 2.0, 4.0, 7.7, 9.99, 10.0, 15.0, 16.0, 40.0, 1e3, 1e6, 1e15]),
    "ln_bessel_i0": (lambda x: m.log(m.besseli(0, x)), [-1e10, -3.0, -1e-9, 0.0, 1e-150, 1e-20, 1e-5, 0.3, 1.0, 2.5, 7.0, 12.0, 19.9, 20.0, 33.0, 300.0, 1e4, 1e100]),
    "ln_bessel_i0_scaled": (lambda x: m.log(m.besseli(0, x)) - x, [1e-20, 1e-5, 0.3, 1.0, 2.5, 7.0, 12.0, 19.9, 20.0, 33.0, 300.0, 1e4, 1e10, 1e100]),
    "erf": (m.erf, [-5.0, -1.3, -0.4, 1e-20, 0.0, 0.2, 0.8, 1.1, 2.5, 5.5]),
    "erfc": (m.erfc, [-5.0, -1.3, -0.4, 1e-20, 0.0, 0.2, 0.8, 1.1, 2.5, 5.5, 12.0, 25.0]),
    "norm_cdf": (cdf, [-37.0, -20.0, -8.5, -3.0, -1.0, -0.2, 0.0, 0.3, 1.0, 4.0, 9.0]),
    "ln_norm_cdf": (lambda x: m.log(cdf(x)), [-1e8, -1e4, -40.0, -37.5, -20.0, -15.0, -14.0, -9.0, -6.1, -5.9, -3.0, -1.01, -0.99, -0.2, 0.0, 0.3, 1.0, 4.0, 9.0, 20.0]),
    "norm_quantile": (quantile, [1e-150, 1e-100, 1e-20, 1e-10, 1e-4, 0.01, 0.07, 0.08, 0.3, 0.4999, 0.5, 0.51, 0.9, 0.95, 0.9999]),
    "log1p_exp": (lambda x: m.log1p(m.exp(x)), LINE + [-700.0, -40.0, 40.0, 700.0, 1e10]),
    "log1m_exp": (lambda x: m.log(-m.expm1(x)), [-700.0, -40.0, -3.0, -1.0, -0.7, -0.69, -0.1, -1e-5, -1e-12, -1e-100]),
    "logistic": (lambda x: 1 / (1 + m.exp(-x)), LINE + [-700.0, -40.0, 40.0, 700.0]),
    "ln_logistic": (lambda x: -m.log1p(m.exp(-x)), LINE + [-1e10, -700.0, -40.0, 40.0, 700.0]),
    "logit": (lambda p: m.log(p / (1 - p)), UNIT),
}

PAIRS = [(0.3, 0.7), (1e-8, 2.0), (2.0, 1e-8), (1.0, 1.0), (3.5, 2.25), (9.5, 11.0), (12.0, 15.0), (0.01, 1e6), (40.0, 1e8), (1e7, 1e7), (1e5, 0.5)]

BINARY = {
    "pow": (lambda x, y: m.power(x, y), [(0.3, 0.7), (2.0, 3.0), (1e-8, 0.5), (1e8, -1.5), (1.0, 5.0), (4.0, 0.0), (2.5, 1.0), (1.0000001, 1e6)]),
    "x_ln_y": (lambda x, y: x * m.log(y), [(0.3, 0.7), (-2.0, 3.0), (1e-8, 1e-150), (1e8, 7.0)]),
    "hypot": (lambda x, y: m.sqrt(x * x + y * y), [(3.0, 4.0), (-1.0, 1e-8), (1e150, 1e150), (0.2, -0.7)]),
    "atan2": (lambda x, y: m.atan2(x, y), [(3.0, 4.0), (-1.0, 1e-8), (1e10, -1.0), (0.2, -0.7)]),
    "log_add_exp": (lambda x, y: m.log(m.exp(x) + m.exp(y)), [(0.3, 0.7), (-700.0, -702.0), (1e3, 998.5), (5.0, -30.0), (-800.0, 3.0), (1.0, 1.0), (1e6, 1e6 - 1)]),
    "log_diff_exp": (lambda x, y: m.log(m.exp(x) - m.exp(y)), [(0.7, 0.3), (-700.0, -702.0), (1e3, 998.5), (5.0, -30.0), (3.0, -90.0), (2.5, 2.0), (1.0, 1 - 1e-9)]),
    "ln_bernoulli_logit": (lambda x, y: y * x - m.log1p(m.exp(x)), [(x, y) for x in [-700.0, -36.0, -1.3, 0.0, 0.2, 40.0, 650.0] for y in [0.0, 0.25, 1.0]]),
    "ln_beta": (ln_beta, PAIRS + [(b, a) for a, b in PAIRS]),
    "ln_choose": (lambda n, k: -m.log(n + 1) - ln_beta(n - k + 1, k + 1), [(5.0, 2.0), (10.0, 5.0), (7.5, 3.25), (100.0, 1.0), (1e6, 3e5), (1e6, 2.0), (1e9, 5e8), (60.0, 59.0)]),
    "ln_gamma_delta": (lambda x, a: m.loggamma(x + a) - m.loggamma(x), [(0.3, 0.7), (0.5, 0.2), (2.2, -0.4), (3.0, 0.01), (7.0, 1e-9), (9.0, 3.0), (10.0, 0.5), (20.0, -7.0), (5e7, 0.5), (1e8, 0.5), (1e12, 3.0), (2.5, 1e6), (1e6, 1e6), (400.0, 1e-6), (1e-6, 0.25)]),
    "deviance": (lambda x, y: x * m.log(x / y) + y - x, [(3.0, 4.0), (1.0, 1e-8), (1e-8, 1.0), (1e6, 1e6 + 100), (1e6, 1.3e6), (5.0, 5.0000001), (50.0, 61.0), (50.0, 61.2), (1e300, 2e300), (12.0, 700.0)]),
}


def step(x):
    return mpf(2) ** -120 * (abs(x) if x != 0 else 1)


def clean(derivative, scale):
    """A derivative that is exactly zero comes out as rounding noise."""
    return 0.0 if abs(derivative) < mpf(2) ** -2000 * scale else float(derivative)


def unary(f, x):
    x = mpf(x)
    h = step(x)
    low, middle, high = f(x - h), f(x), f(x + h)
    scale = abs(middle) + abs(high)
    return [
        float(middle),
        clean((high - low) / (2 * h), scale / h),
        clean((high - 2 * middle + low) / h**2, scale / h**2),
    ]


def binary(f, x, y):
    x, y = mpf(x), mpf(y)
    h, k = step(x), step(y)
    along_x, along_y = unary(lambda t: f(t, y), x), unary(lambda t: f(x, t), y)
    corners = f(x + h, y + k) - f(x + h, y - k) - f(x - h, y + k) + f(x - h, y - k)
    mixed = clean(corners / (4 * h * k), (abs(f(x, y)) + abs(f(x + h, y + k))) / (h * k))
    return [along_x[0], along_x[1], along_y[1], along_x[2], mixed, along_y[2]]


rows = []
for name, (f, points) in UNARY.items():
    rows += [{"f": name, "x": [x], "d": unary(f, x)} for x in points]
for name, (f, points) in BINARY.items():
    rows += [{"f": name, "x": [x, y], "d": binary(f, x, y)} for x, y in points]
print("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]")
