"""Categories, vectors, series and small matrices: log densities from their definitions, and the arguments of the regions.

A family has at most four parameters, which have slopes; the elements of `x` have none. A series is a normal distribution with a dense
covariance or a sum over all paths of states, where the library filters. What is not here is a product or a sum of what is: `MatrixNormal`
(triangular solves, as in the multivariate normal), `GaussianProcess` (a multivariate normal whose covariance is made of numbers),
`Horseshoe` (half-Cauchy variables), `UniformSphere` (a constant), `Flat` (0).
"""

from itertools import product

from mpmath import mp, mpf

from exact import lnot, ln_norm_cdf, ln_phi
from families import ln_logistic

def ln_tau():
    return mp.log(2 * mp.pi)


class Structured:
    """`density(x, *parameters)` of a list `x`; `points(d, region)` yields parameters and `x`. In a `mixed` density terms have weights that
    are differences of log densities: its slopes are as uncertain as these."""

    def __init__(self, name, density, points, discrete=False, mixed=False):
        self.name, self.density, self.points, self.discrete, self.mixed = name, density, points, discrete, mixed


def between(tail, low, high):
    """ln(F(high) - F(low)) for a symmetric distribution, from the side where it is small; `None` is no end."""
    if low is None or high is None:
        return tail(high) if low is None else tail(-low)
    if low > 0:
        low, high = -high, -low
    upper, lower = tail(high), tail(low)
    return upper + lnot(lower - upper)


def ordered(tail):
    def f(x, eta, *cuts):
        k = int(x[0])
        ends = [None] + [c - eta for c in cuts] + [None]
        return between(tail, ends[k], ends[k + 1])
    return f


def log_sum(terms):
    top = max(terms)
    return top + mp.log(sum(mp.exp(t - top) for t in terms))


def categorical_logit(x, *logits):
    return logits[int(x[0])] - log_sum(logits)


def multinomial(x, p, q):
    p = [p, q, 1 - p - q]
    total = mp.loggamma(sum(x) + 1)
    return total + sum(k * mp.log(q) - mp.loggamma(k + 1) for k, q in zip(x, p) if k > 0)


def dirichlet(x, *alpha):
    constant = mp.loggamma(sum(alpha)) - sum(mp.loggamma(a) for a in alpha)
    return constant + sum((a - 1) * mp.log(v) for a, v in zip(alpha, x))


def whitened(x, l11, l21, l22):
    first = x[0] / l11
    return first**2 + ((x[1] - l21 * first) / l22) ** 2


def multivariate_normal(x, l11, l21, l22):
    return -whitened(x, l11, l21, l22) / 2 - mp.log(l11) - mp.log(l22) - ln_tau()


def multivariate_student_t(x, nu, l11, l21, l22):
    ratio = mp.loggamma(nu / 2 + 1) - mp.loggamma(nu / 2) - mp.log(nu * mp.pi)
    return ratio - mp.log(l11) - mp.log(l22) - (nu / 2 + 1) * mp.log1p(whitened(x, l11, l21, l22) / nu)


def normal(x, mean, sd):
    return ln_phi((x - mean) / sd) - mp.log(sd)


def gaussian_random_walk(x, first, sd, drift):
    return normal(x[0], 0, first) + sum(normal(b - a, drift, sd) for a, b in zip(x, x[1:]))


def autoregressive(x, phi, sd):
    return normal(x[0], 0, sd / mp.sqrt(1 - phi * phi)) + sum(normal(b, phi * a, sd) for a, b in zip(x, x[1:]))


def zero_sum_normal(x, sd):
    return -sum(v * v for v in x) / (2 * sd * sd) - (len(x) - 1) * (mp.log(sd) + ln_tau() / 2)


def icar(x, sd):
    """A line of three places, whose Laplacian has the eigenvalues 1 and 3."""
    square = sum((a - b) ** 2 for a, b in zip(x, x[1:]))
    return -square / (2 * sd * sd) - 2 * (mp.log(sd) + ln_tau() / 2) + mp.log(3) / 2


def intrinsic_random_walk(x, sd):
    """Second differences of three values, whose precision has the eigenvalue 6."""
    change = x[0] - 2 * x[1] + x[2]
    return -change * change / (2 * sd * sd) - mp.log(sd) - ln_tau() / 2 + mp.log(6) / 2


def hidden_markov(x, stay, mean, sd):
    """Two states that begin equally likely, with normal values about `-mean` and `mean`: the sum over all paths."""
    paths = []
    for path in product((-1, 1), repeat=len(x)):
        moves = sum(mp.log(stay) if a == b else mp.log1p(-stay) for a, b in zip(path, path[1:]))
        paths.append(moves - mp.log(2) + sum(normal(v, s * mean, sd) for s, v in zip(path, x)))
    return log_sum(paths)


def state_space(x, step, sd, first):
    """A local level: a normal distribution with the covariance of a random walk, and noise."""
    n = len(x)
    covariance = mp.matrix(n, n)
    for i in range(n):
        for k in range(n):
            covariance[i, k] = first**2 + min(i, k) * step**2 + (sd**2 if i == k else 0)
    vector = mp.matrix(x)
    square = (vector.T * mp.lu_solve(covariance, vector))[0]
    return -square / 2 - mp.log(mp.det(covariance)) / 2 - n * ln_tau() / 2


def lkj(x, eta):
    return (eta - 1) * mp.log1p(-x[1] ** 2) - lkj_constant(eta)


def lkj_constant(eta):
    return (2 * eta - 1) * mp.log(2) + 2 * mp.loggamma(eta) - mp.loggamma(2 * eta)


def lkj_cholesky(x, eta):
    return (2 * eta - 2) * mp.log(x[3]) - lkj_constant(eta)


def ln_gamma_2(a):
    return mp.log(mp.pi) / 2 + mp.loggamma(a) + mp.loggamma(a - mpf(1) / 2)


def determinant(a, b, c):
    return a * c - b * b


def wishart(x, nu, a, b, c):
    p, q, _, r = x
    trace = (c * p - 2 * b * q + a * r) / determinant(a, b, c)
    return ((nu - 3) * mp.log(determinant(p, q, r)) - trace - 2 * nu * mp.log(2) - nu * mp.log(determinant(a, b, c))) / 2 - ln_gamma_2(nu / 2)


def inverse_wishart(x, nu, a, b, c):
    p, q, _, r = x
    trace = (a * r - 2 * b * q + c * p) / determinant(p, q, r)
    return ((nu * mp.log(determinant(a, b, c)) - (nu + 3) * mp.log(determinant(p, q, r)) - trace) / 2 - nu * mp.log(2) - ln_gamma_2(nu / 2))


def mixture(x, share, first, second, sd):
    return log_sum([mp.log(share) + normal(x[0], first, sd), mp.log1p(-share) + normal(x[0], second, sd)])


# Arguments. A region is `centre`, `tails` (a place far out), `far scale` (all scales and places times a number), or one of shapes.

PLACES = [30.0, 800.0, 1e5, 1e20, 1e100, 1e140]
SCALES = [1e-100, 1e-12, 1e12, 1e100]
# variances are doubles with all their digits
SCALES_OF_VARIANCES = [1e-140, 1e-12, 1e12, 1e140]
LARGE = [1e3, 1e8, 1e13, 1e16]
SMALL = [1e-3, 0.03, 0.3]


def categories(d, region):
    for size in {"centre": [1.0] * 3, "tails": PLACES, "far scale": SCALES}.get(region, []):
        for k in range(3):
            cuts = sorted(d.place() for _ in range(2))
            place = d.place() if region == "centre" else d.random.choice([-1, 1]) * d.near(size)
            yield [place] + cuts, [float(k)]


def logits(d, region):
    for size in {"centre": [1.0] * 3, "tails": PLACES}.get(region, []):
        for k in range(3):
            yield [d.place(), d.place(), d.place() * size], [float(k)]


def trials(d, region):
    for size in {"centre": [1.0] * 3, "tails": [1e-12, 1e-100, 1e-300], "large shape": [1e3, 1e9, 1e14]}.get(region, []):
        p = d.random.uniform(0.1, 0.4) * (size if region == "tails" else 1)
        q = d.random.uniform(0.2, 0.5)
        n = d.random.randint(5, 30) * (size if region == "large shape" else 1)
        counts = [round(n * p), round(n * q)]
        for x in (counts + [n - sum(counts)], [2, 0, 5]):
            yield [p, q], [float(k) for k in x]


def shares(d, region):
    for size in {"centre": [1.0] * 4, "large shape": LARGE, "small shape": SMALL}.get(region, []):
        alpha = [d.size() * size for _ in range(3)]
        mean = [a / sum(alpha) for a in alpha]
        yield alpha, mean
        yield alpha, [1e-200, 0.25, 0.75]


def scales_and_places(count, scale_of=lambda p, size: [v * size for v in p], scales=SCALES):
    """Parameters by `of`, and `count` places; the scales are multiplied in `far scale`, the places in `tails`."""
    def by(of):
        def points(d, region):
            for size in {"centre": [1.0] * 4, "tails": PLACES, "far scale": scales}.get(region, []):
                p, x = of(d), [d.place() for _ in range(count)]
                if region != "centre":
                    x = [v * size for v in x]
                yield (scale_of(p, size) if region == "far scale" else p), x
        return points
    return by


def first_as_it_is(p, size):
    return p[:1] + [v * size for v in p[1:]]


def with_shape(points, first):
    """The points, and points with a large or small first parameter."""
    def more(d, region):
        yield from points(d, region)
        for size in {"large shape": LARGE, "small shape": SMALL}.get(region, []):
            p, x = next(points(d, "centre"))
            yield [first(size)] + p[1:], x
    return more


def centred(points):
    """Places that sum to 0 as exactly as doubles allow."""
    def more(d, region):
        for p, x in points(d, region):
            yield p, [x[0], x[1], -(x[0] + x[1])]
    return more


def bent(points):
    """Three values without a line, which doubles represent exactly."""
    def more(d, region):
        for p, x in points(d, region):
            yield p, [x[0], -2 * x[0], x[0]]
    return more


def correlations(d, region):
    for eta in {"centre": [0.7, 1.0, 3.0], "large shape": LARGE, "small shape": SMALL}.get(region, []):
        for r in (0.3, -0.999, 1e-5):
            yield [d.near(eta)], [1.0, r, r, 1.0]


def factors(d, region):
    for eta, x in correlations(d, region):
        yield eta, [1.0, 0.0, x[1], (1 - x[1] ** 2) ** 0.5]


def matrices(spread):
    """Degrees of freedom and a scale matrix; `spread` is the size of a value beside the scale for these degrees of freedom."""
    def points(d, region):
        for size in {"centre": [1.0] * 4, "far scale": SCALES, "large shape": LARGE}.get(region, []):
            nu = 1.5 + d.size() if region != "large shape" else d.near(size)
            scale = size if region == "far scale" else 1.0
            of = lambda by: (lambda a, c, r: [a, r * (a * c) ** 0.5, c])(d.size() * by, d.size() * by, d.random.uniform(-0.8, 0.8))
            a, b, c = of(scale)
            p, q, r = of(scale * spread(nu)) if region != "large shape" else [v * spread(nu) for v in (a, b, c)]
            yield [nu, a, b, c], [p, q, q, r]
    return points


def named(name):
    """Cases that were wrong once."""
    return {
        "ordered_probit": [([1e20, -0.8, 4.1], [1.0]), ([-1e100, -3.0, 3.4], [1.0])],
        "wishart": [([1e13, 0.7, -0.8, 2.9], [7e12, -8e12, -8e12, 2.9e13])],
        "inverse_wishart": [([1e13, 1.6, -0.5, 0.3], [1.6e-13, -5e-14, -5e-14, 3e-14])],
        "state_space": [([1.7e140, 2.9e139, 4.7e140], [3.3e140, 9.6e139, -1.8e140])],
        "lkj": [([1e13], [1.0, 1e-5, 1e-5, 1.0])],
    }.get(name, [])


def line(count, of, **more):
    return scales_and_places(count, **more)(of)


STRUCTURED = [
    Structured("ordered_logistic", ordered(ln_logistic), categories, discrete=True),
    Structured("ordered_probit", ordered(ln_norm_cdf), categories, discrete=True),
    Structured("categorical_logit", categorical_logit, logits, discrete=True),
    Structured("multinomial", multinomial, trials, discrete=True),
    Structured("dirichlet", dirichlet, shares),
    Structured("multivariate_normal", multivariate_normal, line(2, lambda d: [d.size(), d.place(), d.size()])),
    Structured("multivariate_student_t", multivariate_student_t,
               with_shape(line(2, lambda d: [d.size(), d.size(), d.place(), d.size()], scale_of=first_as_it_is), lambda nu: nu)),
    Structured("gaussian_random_walk", gaussian_random_walk, line(3, lambda d: [d.size(), d.size(), d.place()])),
    Structured("autoregressive", autoregressive,
               line(3, lambda d: [d.random.uniform(-0.9, 0.9), d.size()], scale_of=first_as_it_is)),
    Structured("zero_sum_normal", zero_sum_normal, centred(line(2, lambda d: [d.size()]))),
    Structured("icar", icar, centred(line(2, lambda d: [d.size()]))),
    Structured("hidden_markov", hidden_markov,
               line(3, lambda d: [d.random.uniform(0.05, 0.95), d.size(), d.size()], scale_of=first_as_it_is), mixed=True),
    Structured("state_space", state_space, line(3, lambda d: [d.size(), d.size(), d.size()], scales=SCALES_OF_VARIANCES)),
    Structured("lkj", lkj, correlations),
    Structured("lkj_cholesky", lkj_cholesky, factors),
    Structured("wishart", wishart, matrices(lambda nu: nu)),
    Structured("inverse_wishart", inverse_wishart, matrices(lambda nu: 1 / nu)),
    Structured("mixture", mixture,
               line(1, lambda d: [d.random.uniform(0.05, 0.95), d.place(), d.place(), d.size()], scale_of=first_as_it_is), mixed=True),
    Structured("intrinsic_random_walk", intrinsic_random_walk, bent(line(1, lambda d: [d.size()]))),
]
