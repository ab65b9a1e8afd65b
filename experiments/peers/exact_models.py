"""The log density of a random model's Stan text in 40 digits, by mpmath: for the models where Stan's functions overflow or lose digits.

The texts are those that `experiments/src/random_models/stan.rs` writes; nothing else of Stan is understood. Densities are written from their definitions.
"""

import re

import mpmath as mp

mp.mp.dps = 40


class Numbers(list):
    """A vector with places from 1, or the elements at a list of them."""

    def __getitem__(self, place):
        if isinstance(place, list):
            return Numbers(list.__getitem__(self, each - 1) for each in place)
        return list.__getitem__(self, place - 1)

    def __setitem__(self, place, value):
        list.__setitem__(self, place - 1, value)


def normal(x, mean, sd):
    return -(((x - mean) / sd) ** 2) / 2 - mp.log(sd) - mp.log(2 * mp.pi) / 2


def beta(x, a, b):
    return (a - 1) * mp.log(x) + (b - 1) * mp.log1p(-x) - ln_beta(a, b)


def ln_beta(a, b):
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def gamma(x, shape, rate):
    return shape * mp.log(rate) - mp.loggamma(shape) + (shape - 1) * mp.log(x) - rate * x


def inverse_gamma(x, shape, scale):
    return shape * mp.log(scale) - mp.loggamma(shape) - (shape + 1) * mp.log(x) - scale / x


def student_t(x, nu, location, scale):
    constant = mp.loggamma((nu + 1) / 2) - mp.loggamma(nu / 2) - mp.log(nu * mp.pi) / 2 - mp.log(scale)
    return constant - (nu + 1) / 2 * mp.log1p(((x - location) / scale) ** 2 / nu)


def exponentially_modified(x, mean, sd, rate):
    tail = mp.erfc((mean + rate * sd**2 - x) / (mp.sqrt(2) * sd))
    return mp.log(rate / 2) + rate / 2 * (2 * mean + rate * sd**2 - 2 * x) + mp.log(tail)


def negative_binomial(k, mean, size):
    constant = mp.loggamma(k + size) - mp.loggamma(k + 1) - mp.loggamma(size)
    return constant + k * mp.log(mean / (mean + size)) + size * mp.log(size / (mean + size))


def binomial(k, n, p):
    return mp.log(mp.binomial(n, k)) + k * mp.log(p) + (n - k) * mp.log1p(-p)


def logistic(x):
    return 1 / (1 + mp.exp(-x))


DENSITIES = {
    "normal_lpdf": normal,
    "student_t_lpdf": student_t,
    "cauchy_lpdf": lambda x, m, s: -mp.log(mp.pi * s) - mp.log1p(((x - m) / s) ** 2),
    "double_exponential_lpdf": lambda x, m, s: -mp.log(2 * s) - abs(x - m) / s,
    "logistic_lpdf": lambda x, m, s: -(x - m) / s - mp.log(s) - 2 * mp.log1p(mp.exp(-(x - m) / s)),
    "gumbel_lpdf": lambda x, m, s: -mp.log(s) - (x - m) / s - mp.exp(-(x - m) / s),
    "skew_normal_lpdf": lambda x, m, s, a: normal(x, m, s) + mp.log(mp.erfc(-a * (x - m) / s / mp.sqrt(2))),
    "exp_mod_normal_lpdf": exponentially_modified,
    "lognormal_lpdf": lambda x, m, s: normal(mp.log(x), m, s) - mp.log(x),
    "loglogistic_lpdf": lambda x, a, b: mp.log(b / a) + (b - 1) * mp.log(x / a) - 2 * mp.log1p((x / a) ** b),
    "exponential_lpdf": lambda x, rate: mp.log(rate) - rate * x,
    "gamma_lpdf": gamma,
    "inv_gamma_lpdf": inverse_gamma,
    "chi_square_lpdf": lambda x, nu: gamma(x, nu / 2, mp.mpf(1) / 2),
    "scaled_inv_chi_square_lpdf": lambda x, nu, s: inverse_gamma(x, nu / 2, nu * s**2 / 2),
    "weibull_lpdf": lambda x, a, s: mp.log(a / s) + (a - 1) * mp.log(x / s) - (x / s) ** a,
    "frechet_lpdf": lambda x, a, s: mp.log(a / s) - (a + 1) * mp.log(x / s) - (x / s) ** -a,
    "rayleigh_lpdf": lambda x, s: mp.log(x) - 2 * mp.log(s) - (x / s) ** 2 / 2,
    "pareto_type_2_lpdf": lambda x, m, s, a: mp.log(a / s) - (a + 1) * mp.log1p((x - m) / s),
    "beta_lpdf": beta,
    "beta_proportion_lpdf": lambda x, m, k: beta(x, m * k, (1 - m) * k),
    "bernoulli_lpmf": lambda k, p: mp.log(p) if k else mp.log1p(-p),
    "bernoulli_logit_lpmf": lambda k, logit: -mp.log1p(mp.exp(-logit if k else logit)),
    "binomial_lpmf": binomial,
    "binomial_logit_lpmf": lambda k, n, logit: binomial(k, n, logistic(logit)),
    "beta_binomial_lpmf": lambda k, n, a, b: mp.log(mp.binomial(n, k)) + ln_beta(k + a, n - k + b) - ln_beta(a, b),
    "poisson_lpmf": lambda k, rate: k * mp.log(rate) - rate - mp.loggamma(k + 1),
    "poisson_log_lpmf": lambda k, log_rate: k * log_rate - mp.exp(log_rate) - mp.loggamma(k + 1),
    "neg_binomial_2_lpmf": negative_binomial,
}


def of_vectors(density):
    """The sum over the elements of a vector."""

    def total(x, *parameters):
        if not isinstance(x, Numbers):
            return density(x, *parameters)
        rows = [[p[i] if isinstance(p, Numbers) else p for p in parameters] for i in range(1, len(x) + 1)]
        return mp.fsum(density(x[i + 1], *row) for i, row in enumerate(rows))

    return total


def log_sum_exp(*x):
    x = list(x[0]) if len(x) == 1 else x
    return mp.log(mp.fsum(mp.exp(each) for each in x))


FUNCTIONS = {
    "abs": abs,
    "atan": mp.atan,
    "dot_self": lambda v: mp.fsum(x**2 for x in v),
    "erf": mp.erf,
    "exp": mp.exp,
    "fmax": max,
    "fmin": min,
    "inv": lambda x: 1 / x,
    "inv_logit": logistic,
    "lgamma": mp.loggamma,
    "log": mp.log,
    "log1p": mp.log1p,
    "log1p_exp": lambda x: mp.log1p(mp.exp(x)),
    "log_inv_logit": lambda x: -mp.log1p(mp.exp(-x)),
    "log_sum_exp": log_sum_exp,
    "mpf": mp.mpf,
    "Numbers": Numbers,
    "Phi": mp.ncdf,
    "pow": mp.power,
    "sin": mp.sin,
    "sqrt": mp.sqrt,
    "square": lambda x: x**2,
    "sum": lambda v: mp.fsum(v),
    "tanh": mp.tanh,
    "times": lambda matrix, v: Numbers(mp.fsum(a * b for a, b in zip(row, v)) for row in matrix),
    **{name: of_vectors(density) for name, density in DENSITIES.items()},
}

# a line of Stan, and the line of Python that does the same
LINES = [
    (r"for \((\w+) in 1:(\d+)\) \{", r"for \1 in range(1, \2 + 1):"),
    (r"if \((.*)\) \{", r"if \1:"),
    (r"vector\[rows\(\w+\)\] (\w+) = (\w+) \* (\w+);", r"\1 = times(\2, \3)"),
    (r"vector\[size\(\w+\)\] (\w+) = (.*);", r"\1 = \2"),
    (r"vector\[(\d+)\] (\w+);", r"\2 = Numbers([0] * \1)"),
    (r"real (\w+ = .*);", r"\1"),
    (r"(.*);", r"\1"),
]


def python(text):
    """The block `model` as Python."""
    lines, depth = [], 0
    for line in text.split("model {\n")[1].splitlines()[:-1]:
        line = line.strip()
        if line == "}":
            depth -= 1
            continue
        pattern, replacement = next(pair for pair in LINES if re.fullmatch(pair[0], line))
        line = re.sub(pattern, replacement, line).replace(" | ", ", ")
        lines.append("    " * depth + re.sub(r"(?<![\w.])(\d+\.\d+(?:e-?\d+)?)", r'mpf("\1")', line))
        depth += line.endswith(":")
    return "\n".join(lines)


def log_density(case):
    """The log density of a case at its position, with the logarithms of the slopes of the coordinates."""
    names = dict(FUNCTIONS, target=mp.mpf(0))
    for name, value in case["data"].items():
        if name.startswith("x"):
            value = [[mp.mpf(each) for each in row] for row in value]
        elif name.startswith("d"):
            value = Numbers(mp.mpf(each) for each in value)
        names[name] = value if name.startswith("x") else Numbers(value)
    at = 0
    for name, length, support in case["parameters"]:
        x = [mp.mpf(each) for each in case["position"][at : at + (length or 1)]]
        at += length or 1
        if support == "positive":
            names["target"] += mp.fsum(x)
            x = [mp.exp(each) for each in x]
        elif support == "unit":
            x = [logistic(each) for each in x]
            names["target"] += mp.fsum(mp.log(each) + mp.log1p(-each) for each in x)
        names[name] = x[0] if length is None else Numbers(x)
    exec(python(case["text"]), names)  # noqa: S102: the text is our own
    return names["target"]
