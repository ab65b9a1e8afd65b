"""Writes incomplete.json: reference values and derivatives of the functions in `src/function/incomplete.rs`.

Run: python3 incomplete.py > incomplete.json    (needs mpmath; the committed file came from mpmath 1.4.1)

Every argument is a binary64 number taken exactly. Power series of positive terms are summed with 3000 bits, derivatives
are central differences with a step of 2^-150 of the argument, and all is rounded to binary64 once at the end. A row is
    {"f": name, "x": arguments, "d": [f, gradient..., upper triangle of the second derivatives, row by row...]}.
"""

import json
from mpmath import mp, mpf
import mpmath as m

mp.prec = 3000
HALF = mpf(1) / 2


def total(term, ratio):
    """The sum of terms of which each is ratio(n) times the one before."""
    sum, n = term, 0
    while abs(term) > abs(sum) * mpf(2) ** -3000:
        n += 1
        term *= ratio(n)
        sum += term
    return sum


def gamma_cdf(a, x):
    return m.exp(a * m.log(x) - x - m.loggamma(a + 1)) * total(mpf(1), lambda n: x / (a + n))


def beta_series(x, y, a, b):
    scale = a * m.log(x) + b * m.log(y) - m.log(a) - m.loggamma(a) - m.loggamma(b) + m.loggamma(a + b)
    return m.exp(scale) * total(mpf(1), lambda n: (a + b + n - 1) / (a + n) * x)


def beta_cdf(z, a, b):
    x, y = 1 / (1 + m.exp(-z)), 1 / (1 + m.exp(z))
    return beta_series(x, y, a, b) if x < HALF else 1 - beta_series(y, x, b, a)


def student_cdf(nu, t):
    if t == 0:
        return HALF
    tail = beta_cdf(m.log(nu / t**2), nu / 2, HALF) / 2
    return tail if t < 0 else 1 - tail


FUNCTIONS = {
    "ln_gamma_cdf": (lambda a, x: m.log(gamma_cdf(a, x)), None),
    "ln_gamma_sf": (lambda a, x: m.log(1 - gamma_cdf(a, x)), None),
    "ln_beta_cdf": (lambda z, a, b: m.log(beta_cdf(z, a, b)), None),
    "ln_student_cdf": (lambda nu, t: m.log(student_cdf(nu, t)), None),
}
GAMMA = [(1e-10, 0.3), (1e-3, 1e-5), (1e-3, 0.999), (1e-3, 1.5), (0.3, 1e-100), (0.3, 0.2), (0.3, 5.0), (0.999, 0.99),
         (1.0, 0.5), (1.0, 3.0), (2.5, 1e-8), (2.5, 2.0), (2.5, 3.6), (2.5, 40.0), (2.5, 600.0), (30.0, 3.0),
         (30.0, 29.0), (30.0, 31.5), (30.0, 120.0), (1e3, 400.0), (1e3, 1e3), (1e3, 1100.0), (1e4, 9.9e3), (2e5, 1.995e5),
         (2e5, 2e5), (2e5, 2.001e5), (2e5, 2.03e5)]
BETA = [(0.3, 0.5, 0.5), (-40.0, 0.5, 3.0), (-2.0, 1e-10, 2.0), (-3.0, 1e-3, 5.0), (1.0, 1e-3, 1e-3), (-1.0, 0.3, 40.0),
        (-4.0, 0.9, 40.0), (0.0, 1.0, 1.0), (2.0, 1.0, 0.01), (-0.5, 2.0, 3.0), (3.0, 2.0, 3.0), (30.0, 2.0, 3.0),
        (-700.0, 2.0, 3.0), (1.5, 60.0, 20.0), (-3.0, 60.0, 20.0), (4.0, 60.0, 20.0), (0.01, 5e3, 5e3), (-9.0, 3.5, 1e4),
        (9.0, 1e4, 0.5)]
STUDENT = [(0.1, -1e30), (0.1, -0.3), (1.0, 0.0), (1.0, 1e-8), (1.0, 3.0), (1.0, -1e100), (4.0, -1.2), (4.0, 1.7), (4.0, 1.9),
           (4.0, -25.0), (30.0, 4.0), (30.0, -12.0), (1e4, -1.0), (1e4, -9.0), (1e4, 8.0)]


def step(x):
    return mpf(2) ** -150 * (abs(x) if x != 0 else 1)


def shifted(x, moves):
    return [v + moves.get(k, 0) for k, v in enumerate(x)]


def derivatives(f, x):
    x = [mpf(v) for v in x]
    h = [step(v) for v in x]
    n = len(x)
    value = f(*x)
    up = [f(*shifted(x, {k: h[k]})) for k in range(n)]
    down = [f(*shifted(x, {k: -h[k]})) for k in range(n)]
    out = [value] + [(up[k] - down[k]) / (2 * h[k]) for k in range(n)]
    for i in range(n):
        out.append((up[i] - 2 * value + down[i]) / h[i] ** 2)
        for k in range(i + 1, n):
            corners = [f(*shifted(x, {i: s * h[i], k: t * h[k]})) for s in (1, -1) for t in (1, -1)]
            out.append((corners[0] - corners[1] - corners[2] + corners[3]) / (4 * h[i] * h[k]))
    return [float(v) if abs(v) > mpf(10) ** -320 else 0.0 for v in out]


rows = []
for name, points in [("ln_gamma_cdf", GAMMA), ("ln_gamma_sf", GAMMA), ("ln_beta_cdf", BETA + [(-z, b, a) for z, a, b in BETA]), ("ln_student_cdf", STUDENT)]:
    rows += [{"f": name, "x": list(x), "d": derivatives(FUNCTIONS[name][0], x)} for x in points]
print("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]")
