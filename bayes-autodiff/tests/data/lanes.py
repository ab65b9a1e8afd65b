"""Writes lanes.json: values of the functions that are evaluated on eight lanes at once, over their whole ranges.

Run: python3 lanes.py > lanes.json    (needs mpmath; the committed file came from mpmath 1.3.0)

Every argument is a binary64 number taken exactly. Values are computed with 1200 bits and written as two binary64
numbers whose sum has some 107 bits, so that errors can be told in fractions of an ulp. A row is
    [name, arguments, [high, low]].
Infinities and NaN are tested against the scalar functions instead.
"""

import json
import math
import random
from mpmath import mp, mpf
import mpmath as m

mp.prec = 1200
random.seed(1)


def spread(low, high, count):
    """Numbers spaced evenly, moved off round values."""
    return [low + (high - low) * (i + random.random()) / count for i in range(count)]


def scales(low, high, count):
    """Numbers whose logarithms (base 2) are spread evenly."""
    return [math.ldexp(1 + random.random(), math.floor(e)) for e in spread(low, high, count)]


def both(numbers):
    return numbers + [-x for x in numbers]


SMALL = both(scales(-1074, -1, 8) + scales(-60, -1, 14) + [5e-324, 2.0**-1022, 1e-17, 2.0**-53, 2.0**-27])
LN2 = math.log(2)
EDGES = [math.nextafter(x, side) for x in [1.0, 2.0, 0.5, 0.75, 1.5, 3.0] for side in (0, x, 9)]
POSITIVE = scales(-1074, 1023, 25) + spread(0.3, 3.5, 60) + spread(1 - 1e-5, 1 + 1e-5, 20) + EDGES
HALVES = [s * (k + 0.5) * LN2 * (1 + d) for s in (1, -1) for k in range(4) for d in (-1e-14, 0, 1e-14)]



def cdf(x):
    return m.erfc(-x / m.sqrt(2)) / 2


# also near multiples of π/2, where the reduced argument is small
ANGLES = both(spread(0, 7, 50) + spread(7, 1e5, 20) + spread(1e5, 1e6, 20) + [1e7, 1e15, 1e22, 1e300])
ANGLES += both([float(k * m.pi / 2) for k in list(range(1, 30)) + [1000, 63661, 500001, 636619]])


# from 3/2 on ln Γ rises and the beta function is below 1; below, both differences cross zero somewhere
PAIRS = [(random.uniform(1.5, 30), random.uniform(1.5, 30)) for _ in range(60)]
PAIRS += [(x, y) for x in scales(-20, 20, 6) for y in scales(-20, 20, 6)]
GAMMA = scales(-1020, 200, 20) + spread(0.01, 3, 100) + spread(2, 20, 60) + spread(0.999, 1.001, 10) + spread(1.999, 2.001, 10)
GAMMA += spread(1.46, 1.463, 10) + [0.5, 1.5, 2.5, 3.5, 8.0, 7.999999999, 1e4, 1e10, 1e15]


def powers():
    pairs = []
    for x in scales(-1074, 1023, 20) + spread(0.001, 4, 30) + spread(1 - 1e-4, 1 + 1e-4, 20):
        limit = 709 / abs(math.log(x))
        pairs += [(x, y) for y in [random.uniform(-1, 1) * limit, random.uniform(-1, 1) * min(limit, 5), 0.5]]
        pairs += [(x, -744.5 / math.log(x)), (x, 709.5 / math.log(x))]
    pairs += [(-random.uniform(0.1, 9), float(k)) for k in range(-20, 21)]
    return pairs


UNARY = {
    "exp": (m.exp, SMALL + spread(-745, 709.7, 75) + spread(-2, 2, 40) + HALVES + [709.782712893384, -745.1332191019411, -708.4, -708.3, -744.9, -720.5]),
    "exp_m1": (m.expm1, SMALL + spread(-60, 60, 50) + spread(-3, 3, 80) + spread(60, 709.7, 30) + HALVES + [709.782712893384, -745.0]),
    "ln": (m.log, POSITIVE),
    "ln_1p": (m.log1p, [x for x in SMALL if x > -1] + [x - 1 for x in spread(0.001, 3.5, 70)] + scales(1, 1023, 20) + [-1 + 2.0**-53, -1 + 2.0**-30, -0.25, 0.5, math.nextafter(0.5, 1), -0.2500000001, -0.5]),
    "sqrt": (m.sqrt, scales(-1074, 1023, 30)),
    "recip": (lambda x: 1 / x, both(scales(-1022, 1022, 30))),
    "log1p_exp": (lambda x: m.log1p(m.exp(x)), SMALL + spread(-745, 709, 30) + spread(-40, 40, 60) + spread(-2, 2, 30)),
    "logistic": (lambda x: 1 / (1 + m.exp(-x)), SMALL + spread(-745, 709, 30) + spread(-40, 40, 60) + spread(-2, 2, 30)),
    "ln_logistic": (lambda x: -m.log1p(m.exp(-x)), SMALL + spread(-709, 745, 30) + spread(-40, 40, 60) + spread(-2, 2, 30)),
    "tanh": (m.tanh, SMALL + spread(-22, 22, 30) + spread(-2, 2, 50) + spread(-0.4, 0.4, 20) + spread(8, 20, 20)),
    "erf": (m.erf, SMALL + spread(-6, 6, 100)),
    "erfc": (m.erfc, SMALL + spread(-6, 6, 80) + spread(0.4, 27.2, 50)),
    "norm_cdf": (cdf, SMALL + spread(-8, 8, 80) + spread(-38.4, -1, 40)),
    "ln_norm_cdf": (lambda x: m.log(cdf(x)), spread(-38, 8, 80) + spread(-1.3, 1, 20) + [-1e3, -1e10, 37.0, 20.0, 0.0, -0.0]),
    "sin": (m.sin, SMALL + ANGLES),
    "cos": (m.cos, SMALL + ANGLES),
    "tan": (m.tan, SMALL + ANGLES),
    "sinh": (m.sinh, SMALL + spread(-5, 5, 50) + spread(-710.4, 710.4, 30)),
    "cosh": (m.cosh, SMALL + spread(-5, 5, 30) + spread(-710.4, 710.4, 30)),
    "logit": (lambda p: m.log(p / (1 - p)), scales(-1074, -2, 20) + spread(0, 1, 80) + [1 - 2.0**-53, 0.5 + 1e-9]),
    "log1m_exp": (lambda x: m.log(-m.expm1(x)), [-x for x in scales(-1020, -1, 20)] + spread(-5, 0, 50) + spread(-700, -5, 20)),
    "ln_factorial": (lambda x: m.loggamma(x + 1), [float(k) for k in range(2, 40, 3)] + [170.0, 171.0, 1e4] + spread(2, 200, 30) + spread(-0.5, -0.1, 10)),
    "stirling_error": (lambda x: m.loggamma(x + 1) - (x + mpf(1) / 2) * m.log(x) + x - m.log(2 * m.pi) / 2, spread(1, 30, 20) + scales(4, 60, 20)),
    "ln_gamma": (m.loggamma, GAMMA + [1e300, 2.5e305]),
    "digamma": (lambda x: m.psi(0, x), GAMMA + [1e300]),
    "trigamma": (lambda x: m.psi(1, x), [x for x in GAMMA if x > 1e-153]),
}

BINARY = {
    "ln_bernoulli_logit": (lambda x, y: y * x - m.log1p(m.exp(x)), [(x, y) for x in spread(-700, 700, 20) + spread(-40, 40, 30) + spread(-2, 2, 30) for y in (0.0, 1.0)] + [(x, 0.3) for x in spread(-40, 40, 20)]),
    "pow": (lambda x, y: m.power(x, y), powers()),
    "x_ln_y": (lambda x, y: x * m.log(y), [(x, y) for x in (3.7, -1e-5) for y in spread(0.01, 3, 20) + scales(-1074, 1023, 20)]),
    "log_diff_exp": (lambda x, y: m.log(m.exp(x) - m.exp(y)), [(70.0, y) for y in spread(-20, 70, 40)]),
    "ln_beta": (lambda x, y: m.loggamma(x) + m.loggamma(y) - m.loggamma(x + y), PAIRS),
    "ln_gamma_delta": (lambda x, a: m.loggamma(x + a) - m.loggamma(x), PAIRS + [(x + y, -y) for x, y in PAIRS[:40]]),
    "ln_choose": (lambda n, k: m.loggamma(n + 1) - m.loggamma(k + 1) - m.loggamma(n - k + 1), [(float(n), float(k)) for n in (1, 2, 5, 9, 17, 40, 1000, 10**6) for k in {1, 2, n // 3, n // 2, n - 1} if 0 < k < n]),
    "deviance": (lambda x, y: x * m.log(x / y) + y - x, [(x, x * q) for x in (0.37, 12.0, 1e5) for q in spread(0.01, 3, 20) + spread(0.98, 1.02, 10)]),
    "log_add_exp": (lambda x, y: m.log(m.exp(x) + m.exp(y)), [(x, y) for x in (1.0, 20.0, 500.0) for y in spread(0.1, 60, 20)]),
}


def parts(x):
    """The nearest number and the rest; the largest number where the value rounds to infinity."""
    high = float(x)
    return [high, float(x - mpf(high))] if math.isfinite(high) else [math.copysign(1.7976931348623157e308, high), 0.0]


rows = []
for name, (f, points) in UNARY.items():
    rows += [[name, [x], parts(f(mpf(x)))] for x in points]
for name, (f, points) in BINARY.items():
    rows += [[name, [x, y], parts(f(mpf(x), mpf(y)))] for x, y in points]
print("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]")
