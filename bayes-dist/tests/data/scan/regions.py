"""Where the families are looked at: parameters and points of each region, seeded."""

import math
import random

LARGE = [1e3, 1e8, 1e13, 1e16, 1e19]
SMALL = [1e-3, 0.03, 0.3]
GAPS = [-12, -0.4, 1, 15]
FAR = [1e-300, 1e-200, 1e-100, 1e-20, 1e-5, 1e5, 1e20, 1e100, 1e200, 1e300]
SIZES = [1e-100, 1e-12, 1e12, 1e100]
UNIT = [1e-300, 1e-100, 1e-12, 0.003, 0.2, 0.5, 0.7, 0.99, 1 - 1e-9, 1 - 2**-52]
COUNTS = [0, 1, 2, 7, 40, 300, 10**4, 10**9, 10**15]

REAL = ["normal", "cauchy", "logistic", "laplace", "gumbel", "moyal"]
POSITIVE_SCALE = ["half_normal", "half_cauchy", "rayleigh"]
POSITIVE_SHAPE = ["gamma", "inverse_gamma", "scaled_inverse_chi_squared", "weibull", "frechet", "inverse_gaussian", "gompertz",
                  "half_student_t"]
SCALE_SHAPE = ["log_logistic", "lomax"]
BOUNDED = ["beta", "beta_proportion", "kumaraswamy", "logit_normal"]


class Draws:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def near(self, x):
        """`x` with other digits."""
        return x * self.random.uniform(0.7, 1.3)

    def size(self):
        return math.exp(self.random.gauss(0, 1))

    def place(self):
        return self.random.gauss(0, 2)


def centre_and_sd(name, p):
    """Where the mass of a large shape is."""
    a, b = p[0], p[1] if len(p) > 1 else None
    return {
        "gamma": lambda: (a / b, a**0.5 / b),
        "inverse_gamma": lambda: (b / a, b / a**1.5),
        "chi_squared": lambda: (a, (2 * a) ** 0.5),
        "scaled_inverse_chi_squared": lambda: (b * b, b * b * (2 / a) ** 0.5),
        "weibull": lambda: (b, b / a),
        "frechet": lambda: (b, b / a),
        "inverse_gaussian": lambda: (a, (a**3 / b) ** 0.5),
        "gompertz": lambda: (1 / (a * b), 0.1 / (a * b)),
        "half_student_t": lambda: (b, b / 4),
        "log_logistic": lambda: (a, a / b),
        "lomax": lambda: (a / b, a / b / 4),
        "pareto": lambda: (a * (1 + 4 / b), a / b),
        "beta": lambda: (a / (a + b), (a * b / (a + b) ** 2 / (a + b + 1)) ** 0.5),
        "beta_proportion": lambda: (a, (a * (1 - a) / (b + 1)) ** 0.5),
        "kumaraswamy": lambda: (b ** (-1 / a), 0.1 * b ** (-1 / a) / a),
        "poisson": lambda: (a, a**0.5),
        "negative_binomial.mean_dispersion": lambda: (a, (a + a * a / b) ** 0.5),
        "negative_binomial.successes_probability": lambda: (a * (1 - b) / b, (a * (1 - b)) ** 0.5 / b),
    }[name]()


def ordinary(name, d):
    """Parameters of moderate size."""
    s, l, u = d.size, d.place, lambda: d.random.uniform(0.05, 0.95)
    whole = lambda low, high: float(d.random.randint(low, high))
    if name in REAL:
        return [l(), s()]
    if name in POSITIVE_SCALE or name in ("exponential", "chi_squared", "poisson"):
        return [s() * (8 if name == "poisson" else 1)]
    if name in POSITIVE_SHAPE or name in SCALE_SHAPE or name in ("beta", "kumaraswamy", "pareto", "rice"):
        return [s(), s()]
    if name in ("log_normal", "logit_normal"):
        return [l(), s()]
    return {
        "student_t": lambda: [s() * 3, l(), s()],
        "asymmetric_laplace": lambda: [l(), s(), s()],
        "skew_normal": lambda: [l(), s(), l()],
        "exponentially_modified_normal": lambda: [l(), s(), s()],
        "von_mises": lambda: [l() / 2, s()],
        "uniform": lambda: (lambda a: [a, a + s()])(l()),
        "log_uniform": lambda: (lambda a: [a, a * (1 + s())])(s()),
        "beta_proportion": lambda: [u(), s() * 5],
        "poisson_log": lambda: [l()],
        "negative_binomial.mean_dispersion": lambda: [s() * 6, s() * 3],
        "negative_binomial.successes_probability": lambda: [s() * 4, u()],
        "geometric": lambda: [u()],
        "bernoulli": lambda: [u()],
        "bernoulli_logit": lambda: [l()],
        "binomial": lambda: [whole(5, 60), u()],
        "binomial_logit": lambda: [whole(5, 60), l()],
        "beta_binomial": lambda: [whole(5, 60), s() * 2, s() * 2],
        "hypergeometric": lambda: [whole(60, 90), whole(20, 40), whole(10, 30)],
        "discrete_uniform": lambda: [whole(-5, 0), whole(1, 70)],
        "discrete_weibull": lambda: [u(), s()],
        "zipf": lambda: [1.2 + s()],
        "zero_inflated_poisson": lambda: [u(), s() * 5],
        "zero_inflated.negative_binomial": lambda: [u(), s() * 5, s() * 3],
        "hurdle.poisson": lambda: [u(), s() * 5],
        "hurdle.negative_binomial": lambda: [u(), s() * 4, u()],
        "hurdle.binomial": lambda: [u(), whole(5, 60), u()],
    }[name]()


def spread(name, p, d, scale):
    """An ordinary point, at a distance of `scale` or so from the middle."""
    sign = d.random.choice([-1, 1])
    if name in REAL + ["skew_normal", "exponentially_modified_normal", "asymmetric_laplace"]:
        return p[0] + sign * scale * p[1]
    if name == "student_t":
        return p[1] + sign * scale * p[2]
    if name == "von_mises":
        return p[0] + sign * min(scale, 3.0)
    if name == "uniform":
        return p[0] + (p[1] - p[0]) * scale / (1 + scale)
    if name == "log_uniform":
        return p[0] * (p[1] / p[0]) ** (scale / (1 + scale))
    if name == "pareto":
        return p[0] * (1 + scale)
    if name in BOUNDED:
        return d.random.uniform(0.02, 0.98)
    unit = {"log_normal": lambda: math.exp(p[0]), "gamma": lambda: p[0] / p[1], "exponential": lambda: 1 / p[0], "chi_squared": lambda: p[0],
            "scaled_inverse_chi_squared": lambda: p[1] ** 2, "inverse_gaussian": lambda: p[0], "gompertz": lambda: 1 / p[1],
            "inverse_gamma": lambda: p[1] / (1 + p[0]), "weibull": lambda: p[1], "frechet": lambda: p[1], "half_student_t": lambda: p[1]}
    return unit.get(name, lambda: p[0])() * scale


def counts(name, p):
    """Whether a count is possible."""
    n = {"binomial": 0, "binomial_logit": 0, "beta_binomial": 0, "hurdle.binomial": 1, "discrete_uniform": 1}.get(name)
    if name in ("bernoulli", "bernoulli_logit"):
        return [0, 1]
    if name == "hypergeometric":
        return [k for k in COUNTS if max(0, p[2] + p[1] - p[0]) <= k <= min(p[1], p[2])]
    least = 1 if name == "zipf" else 0
    return [k for k in COUNTS if k >= least and (n is None or k <= p[n])]


def centre(name, d, discrete):
    for _ in range(4):
        p = ordinary(name, d)
        if discrete:
            for k in d.random.sample(counts(name, p)[:6], min(3, len(counts(name, p)[:6]))):
                yield p, float(k)
        else:
            for _ in range(2):
                yield p, spread(name, p, d, d.size())


def tails(name, d, discrete):
    for _ in range(2):
        p = ordinary(name, d)
        if discrete:
            yield from ((p, float(k)) for k in counts(name, p))
        elif name in BOUNDED:
            yield from ((p, x) for x in UNIT)
        elif name not in ("uniform", "log_uniform", "von_mises"):
            # below its scale, where `pareto` begins, 1 + far is 1
            far_points = [far for far in FAR if name != "pareto" or far > 1e-15]
            for far in far_points + ([30.0, 800.0] if name in REAL else []):
                yield p, spread(name, p, d, d.near(far) if far > 1e-299 and far < 1e299 else far)


def with_shape(name, shape, d):
    """Parameters with a shape of this size."""
    shape, s, u = d.near(shape), d.size, lambda: d.random.uniform(0.1, 0.9)
    return {
        "chi_squared": lambda: [shape], "inverse_gaussian": lambda: [s(), shape], "gompertz": lambda: [shape, s()],
        "log_logistic": lambda: [s(), shape], "lomax": lambda: [s(), shape], "pareto": lambda: [s(), shape],
        "beta": lambda: [shape * u(), shape * u()], "beta_proportion": lambda: [u(), shape], "kumaraswamy": lambda: [min(shape, 1e8), s()],
        "poisson": lambda: [shape], "negative_binomial.mean_dispersion": lambda: [10 * s(), shape],
        "negative_binomial.successes_probability": lambda: [shape, shape / (shape + 5 * s())], "beta_binomial": lambda: [20.0, shape * u(), shape * u()],
        "student_t": lambda: [shape, d.place(), s()], "half_student_t": lambda: [shape, s()], "von_mises": lambda: [0.0, min(shape, 1e15)],
        "poisson_log": lambda: [min(math.log(shape), 34.0)], "zero_inflated.negative_binomial": lambda: [u(), 10 * s(), shape],
        "zero_inflated_poisson": lambda: [0.0 if shape < 1e6 else u(), shape], "hurdle.negative_binomial": lambda: [u(), shape, shape / (shape + 5 * s())],
        "hurdle.poisson": lambda: [u(), shape], "rice": lambda: [shape, s()],
        "asymmetric_laplace": lambda: [d.place(), s(), min(shape, 1e8)], "skew_normal": lambda: [d.place(), s(), min(shape, 1e5)],
        "discrete_weibull": lambda: [u(), min(shape, 40.0)],
        "zipf": lambda: [min(1 + shape, 60.0)],
    }.get(name, lambda: [shape, s()])()


SHAPED = POSITIVE_SHAPE + SCALE_SHAPE + ["chi_squared", "pareto", "beta", "beta_proportion", "kumaraswamy", "poisson", "poisson_log",
                                         "negative_binomial.mean_dispersion", "negative_binomial.successes_probability",
                                         "beta_binomial", "student_t", "von_mises", "zero_inflated.negative_binomial",
                                         "zero_inflated_poisson", "hurdle.negative_binomial", "hurdle.poisson", "rice", "asymmetric_laplace",
                                         "discrete_weibull", "zipf"]


def shapes(name, d, discrete, sizes):
    for shape in sizes if name in SHAPED else []:
        p = with_shape(name, shape, d)
        if name in ("poisson", "poisson_log", "hurdle.poisson", "zero_inflated_poisson"):
            rate = math.exp(p[0]) if name == "poisson_log" else p[-1]
            points = {max(0.0, float(round(rate + gap * rate**0.5))) for gap in GAPS if rate < 1e15}
            yield from ((p, x) for x in sorted(points | {0.0, 3.0}))
        elif discrete:
            yield from ((p, float(k)) for k in (0, 1, 3, 10, 20, 40) if k >= (name == "zipf") and (name != "beta_binomial" or k <= 20))
        elif name == "student_t":
            yield from ((p, p[1] + gap * p[2]) for gap in GAPS)
        elif name == "von_mises":
            yield from ((p, p[0] + max(-3.0, min(3.0, gap / (1 + p[1]) ** 0.5))) for gap in GAPS)
        elif name in ("asymmetric_laplace", "skew_normal"):
            yield from ((p, p[0] + gap * p[1] / 4) for gap in GAPS)
        elif name == "rice":
            yield from ((p, p[0] + gap * p[1]) for gap in GAPS if p[0] + gap * p[1] > 0)
        else:
            middle, sd = centre_and_sd(name, p)
            points = {middle + gap * sd for gap in GAPS}
            if shape < 1:
                points = {middle * 10.0**k for k in (-200, -30, -3, -1, 0, 1, 3, 30, 200)} if name not in BOUNDED else set(UNIT)
            low, high = p[0] if name == "pareto" else 0.0, 1.0 if name in BOUNDED else 1e305
            yield from ((p, x) for x in sorted(points) if low < x < high)


def sizes(name, d, discrete):
    """Locations and scales far from 1, the point with them."""
    index = {"exponential": [0], "half_normal": [0], "half_cauchy": [0], "rayleigh": [0], "gamma": [1], "inverse_gamma": [1], "weibull": [1],
             "frechet": [1], "scaled_inverse_chi_squared": [1], "half_student_t": [1], "gompertz": [1], "log_logistic": [0], "lomax": [0],
             "pareto": [0], "normal": [0, 1], "cauchy": [0, 1], "logistic": [0, 1], "laplace": [0, 1], "gumbel": [0, 1], "moyal": [0, 1],
             "student_t": [1, 2], "uniform": [0, 1], "log_uniform": [0, 1], "inverse_gaussian": [0, 1]}.get(name, [])
    for size in SIZES if index else []:
        for _ in range(3):
            p = ordinary(name, d)
            for k in index:
                p[k] *= size
            yield p, spread(name, p, d, d.size())


def named(name):
    """Cases that were wrong once."""
    return {
        "negative_binomial.mean_dispersion": [([5.0, phi], 1.0) for phi in (3.7e7, 3.7e9, 1e10, 1e12, 3.7e13, 3.7e14, 1e16, 1e18)]
        + [([5.0, phi], 40.0) for phi in (1e17, 1e18, 1e20, 1e21)],
        "beta_binomial": [([10.0, 1.15e14, 1.15e14], 0.0), ([20.0, 3e15, 1e15], 4.0)],
        "gumbel": [([0.0, 1.0], 800.0), ([0.0, 1.0], 1e300)],
        "frechet": [([3.0, 1.0], 1e290), ([2.0, 1.0], 1e300)],
        "weibull": [([2.0, 1.0], 1e-300), ([1.5, 3.0], 1e-250)],
        "rayleigh": [([1.0], 1e-300)],
        "kumaraswamy": [([2.0, 3.0], 1e-300)],
        "log_uniform": [([1e-10, 1e300], 5.0), ([1e-300, 1e300], 1e-250), ([1e-300, 1e300], 1e250)],
        "zero_inflated_poisson": [([0.0, 800.0], 0.0), ([0.0, 3000.0], 0.0), ([1e-300, 900.0], 0.0)],
        "zero_inflated.negative_binomial": [([0.0, 900.0, 1e9], 0.0)],
        "scaled_inverse_chi_squared": [([1e16, 1.5], 2.25)],
        "beta_proportion": [([0.3, 1e16], 0.3), ([0.3, 1e15], 0.30000001)],
        "exponentially_modified_normal": [([-1.5, 15.6, 2.9], 1.8e21), ([1.2, 0.6, 0.17], 6e199)],
        "inverse_gaussian": [([1.5, 0.3], 1.3e20), ([0.6, 1.9], 7e199), ([1.5, 0.3], 1e-200), ([1.7, 0.001], 1.7e200)],
        "inverse_gamma": [([0.7, 17.0], 8e200), ([0.03, 2.5], 7e201)],
        "moyal": [([1.2, 0.8], 1e5), ([-3.0, 3.6], 3e100)],
        "cauchy": [([-1.6, 0.8], 8e199)],
        "half_cauchy": [([3.3], 3e200)],
        "zipf": [([60.0], 20.0), ([300.0], 7.0), ([40.0], 1000.0)],
    }.get(name, [])
