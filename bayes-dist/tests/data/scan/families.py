"""The scalar families: name, whole parameters, log density, both log tails, and the arguments of the regions."""

from mpmath import mp, mpf

from exact import (INF, beta_tails, gamma_tails, ln_beta, ln_bessel_i0, ln_norm_cdf, ln_phi, lnot, normal_tails, of_hazard, student_density,
                   student_tails, tails_of_density, tails_of_masses)

HALF = mpf(1) / 2


class Family:
    def __init__(self, name, density, tails=None, whole=(), discrete=False, ends=False):
        self.name, self.density, self.tails = name, density, tails
        self.whole, self.discrete, self.ends = whole, discrete, ends


def ln_choose(n, k):
    return -mp.log(n + 1) - ln_beta(n - k + 1, k + 1)


def binomial(x, n, log_p, log_q):
    return ln_choose(n, x) + x * log_p + (n - x) * log_q


def binomial_p(x, n, p):
    return binomial(x, n, mp.log(p), mp.log1p(-p))


def binomial_logit(x, n, t):
    return binomial(x, n, -mp.log1p(mp.exp(-t)), -mp.log1p(mp.exp(t)))


def poisson(x, rate):
    return x * mp.log(rate) - rate - mp.loggamma(x + 1)


def negative_binomial(x, r, log_p, log_q):
    return mp.loggamma(x + r) - mp.loggamma(r) - mp.loggamma(x + 1) + r * log_p + x * log_q


def mean_dispersion(x, mu, phi):
    return negative_binomial(x, phi, mp.log(phi / (mu + phi)), mp.log(mu / (mu + phi)))


def failures(x, r, p):
    return negative_binomial(x, r, mp.log(p), mp.log1p(-p))


def masses(density, ratio, centre, low=lambda *p: mpf(0), high=lambda *p: INF):
    def tails(x, *p):
        if centre(*p) > 30000 or x > 30000 + centre(*p):
            return None
        return tails_of_masses(lambda k: density(k, *p), lambda k: ratio(k, *p), x, centre(*p), low(*p), high(*p))
    return tails


def poisson_tails(x, rate):
    below, above = gamma_tails(x + 1, rate)
    return (above, below)


def gamma(x, a, rate):
    return a * mp.log(rate) - mp.loggamma(a) + (a - 1) * mp.log(x) - rate * x


def inverse_gamma(x, a, scale):
    return a * mp.log(scale) - mp.loggamma(a) - (a + 1) * mp.log(x) - scale / x


def beta(x, a, b):
    return (a - 1) * mp.log(x) + (b - 1) * mp.log1p(-x) - ln_beta(a, b)


def inverse_gaussian_tails(x, mean, shape):
    root = mp.sqrt(shape / x)
    first = normal_tails(root * (x / mean - 1))
    second = 2 * shape / mean + normal_tails(-root * (x / mean + 1))[0]
    below = first[0] + mp.log1p(mp.exp(second - first[0]))
    above = first[1] + lnot(second - first[1])
    return (below, above)


def exponentially_modified(x, mean, sd, rate):
    z = (x - mean) / sd
    return mp.log(rate) + rate * (mean - x) + (rate * sd) ** 2 / 2 + ln_norm_cdf(z - rate * sd)


def exponentially_modified_tails(x, mean, sd, rate):
    z = (x - mean) / sd
    below, above = normal_tails(z)
    other = rate * (mean - x) + (rate * sd) ** 2 / 2 + normal_tails(z - rate * sd)[0]
    return (below + lnot(other - below), above + mp.log1p(mp.exp(other - above)))


def skew_normal(x, location, scale, shape):
    z = (x - location) / scale
    return mp.log(2) - mp.log(scale) + ln_phi(z) + ln_norm_cdf(shape * z)


def skew_normal_tails(x, location, scale, shape):
    sd = scale / (1 + abs(shape)) if (x - location) * shape < 0 else scale
    centre = location
    return tails_of_density(lambda t: skew_normal(t, location, scale, shape), x, centre, sd, -INF, INF)


def von_mises(x, mu, kappa):
    return kappa * mp.cos(x - mu) - mp.log(2 * mp.pi) - ln_bessel_i0(kappa) - 0


def von_mises_tails(x, mu, kappa):
    # mu ± pi as the library's doubles: the density there is smaller than what rounding makes of the rest
    with mp.workdps(110):
        constant = ln_bessel_i0(kappa)
        density = lambda t: kappa * mp.cos(t - mu) - mp.log(2 * mp.pi) - constant
        sd = 1 / mp.sqrt(kappa) if kappa > 1 else mpf(1)
        return tails_of_density(density, x, mu, sd, mu - mp.pi, mu + mp.pi)


def rice(x, nu, sigma):
    return mp.log(x) - 2 * mp.log(sigma) - (x * x + nu * nu) / (2 * sigma * sigma) + ln_bessel_i0(x * nu / sigma**2)


def asymmetric_laplace_parts(x, location, scale, k):
    above, below = k / scale, 1 / (k * scale)
    return above, below, x - location


def asymmetric_laplace(x, *p):
    above, below, gap = asymmetric_laplace_parts(x, *p)
    return mp.log(above * below / (above + below)) + (-above * gap if gap >= 0 else below * gap)


def asymmetric_laplace_tails(x, *p):
    above, below, gap = asymmetric_laplace_parts(x, *p)
    if gap < 0:
        low = mp.log(above / (above + below)) + below * gap
        return (low, lnot(low))
    high = mp.log(below / (above + below)) - above * gap
    return (lnot(high), high)


def hypergeometric(x, population, successes, draws):
    return (ln_choose(successes, x) + ln_choose(population - successes, draws - x)
            - ln_choose(population, draws))


def zipf(x, s):
    return -s * mp.log(x) - ln_zeta(s, 1)


def ln_zeta(s, k):
    # the sum from `k` on is small beside the first terms, and differences of 1e-60 are taken of it
    with mp.workdps(250):
        return mp.log(mp.zeta(s, k))


def zipf_tails(x, s):
    if x > 1000:
        return None
    above = ln_zeta(s, x + 1) - ln_zeta(s, 1)
    return (lnot(above), above)


def inflated(density):
    def f(x, pi, *p):
        zero = density(mpf(0), *p)
        if x == 0:
            return mp.log(pi + (1 - pi) * mp.exp(zero))
        return mp.log1p(-pi) + density(x, *p)
    return f


def hurdle(density):
    def f(x, pi, *p):
        if x == 0:
            return mp.log(pi)
        return mp.log1p(-pi) + density(x, *p) - lnot(density(mpf(0), *p))
    return f


def log_logistic_z(x, scale, shape):
    return shape * mp.log(x / scale)


def ln_logistic(z):
    return -mp.log1p(mp.exp(-z)) if z > -10**6 else z


def moyal_z(x, location, scale):
    return (x - location) / scale


def moyal_tails(x, location, scale):
    # P = erfc(e^(-z/2)/√2): twice a normal tail; the other is erf
    u = mp.exp(-moyal_z(x, location, scale) / 2)
    above = mp.erf(u / mp.sqrt(2))
    return (mp.log(mp.erfc(u / mp.sqrt(2))) if u < 1e8 else -u * u / 2, mp.log(above))


def discrete_weibull(x, q, beta):
    low, high = mp.log(q) * x**beta if x > 0 else mpf(0), mp.log(q) * (x + 1) ** beta
    return low + lnot(high - low)


def half(tails):
    """Both tails of |x| from those of a symmetric x."""
    def f(x, *p):
        above = mp.log(2) + tails(x, *p)[1]
        return (lnot(above), above)
    return f


def log_uniform_tails(x, low, high):
    share = mp.log(x / low) / mp.log(high / low)
    return (mp.log(share), mp.log1p(-share))


def scaled(nu, scale):
    return nu / 2, nu * scale * scale / 2


def cauchy_tails(x, location, scale):
    z = (x - location) / scale
    above = mp.atan2(1, z) / mp.pi
    return (mp.log(mp.atan2(1, -z) / mp.pi), mp.log(above))


FAMILIES = [
    Family("normal", lambda x, m, s: ln_phi((x - m) / s) - mp.log(s), lambda x, m, s: normal_tails((x - m) / s)),
    Family("half_normal", lambda x, s: mp.log(2) + ln_phi(x / s) - mp.log(s), half(lambda x, s: normal_tails(x / s))),
    Family("log_normal", lambda x, m, s: ln_phi((mp.log(x) - m) / s) - mp.log(s) - mp.log(x),
           lambda x, m, s: normal_tails((mp.log(x) - m) / s)),
    Family("logit_normal", lambda x, m, s: ln_phi((mp.log(x / (1 - x)) - m) / s) - mp.log(s) - mp.log(x) - mp.log1p(-x),
           lambda x, m, s: normal_tails((mp.log(x / (1 - x)) - m) / s)),
    Family("cauchy", lambda x, m, s: -mp.log(mp.pi * s) - mp.log1p(((x - m) / s) ** 2), cauchy_tails),
    Family("half_cauchy", lambda x, s: mp.log(2 / (mp.pi * s)) - mp.log1p((x / s) ** 2),
           half(lambda x, s: cauchy_tails(x, 0, s))),
    Family("student_t", lambda x, nu, m, s: student_density((x - m) / s, nu) - mp.log(s),
           lambda x, nu, m, s: student_tails(nu, (x - m) / s)),
    Family("half_student_t", lambda x, nu, s: mp.log(2) + student_density(x / s, nu) - mp.log(s),
           half(lambda x, nu, s: student_tails(nu, x / s))),
    Family("logistic", lambda x, m, s: ln_logistic((x - m) / s) + ln_logistic((m - x) / s) - mp.log(s),
           lambda x, m, s: (ln_logistic((x - m) / s), ln_logistic((m - x) / s))),
    Family("log_logistic", lambda x, c, k: ln_logistic(log_logistic_z(x, c, k)) + ln_logistic(-log_logistic_z(x, c, k))
           + mp.log(k) - mp.log(x),
           lambda x, c, k: (ln_logistic(log_logistic_z(x, c, k)), ln_logistic(-log_logistic_z(x, c, k)))),
    Family("laplace", lambda x, m, s: asymmetric_laplace(x, m, s, 1), lambda x, m, s: asymmetric_laplace_tails(x, m, s, 1)),
    Family("asymmetric_laplace", asymmetric_laplace, asymmetric_laplace_tails),
    Family("gumbel", lambda x, m, s: -mp.log(s) - (x - m) / s - mp.exp((m - x) / s),
           lambda x, m, s: of_hazard(mp.exp((m - x) / s))[::-1]),
    Family("moyal", lambda x, m, s: -mp.log(s) - mp.log(2 * mp.pi) / 2 - (moyal_z(x, m, s) + mp.exp(-moyal_z(x, m, s))) / 2,
           moyal_tails),
    Family("exponentially_modified_normal", exponentially_modified, exponentially_modified_tails),
    Family("skew_normal", skew_normal, skew_normal_tails),
    Family("von_mises", von_mises, von_mises_tails),
    Family("uniform", lambda x, a, b: -mp.log(b - a), lambda x, a, b: (mp.log((x - a) / (b - a)), mp.log((b - x) / (b - a)))),
    Family("exponential", lambda x, r: mp.log(r) - r * x, lambda x, r: of_hazard(r * x)),
    Family("gamma", gamma, lambda x, a, r: gamma_tails(a, r * x)),
    Family("inverse_gamma", inverse_gamma, lambda x, a, s: gamma_tails(a, s / x)[::-1]),
    Family("chi_squared", lambda x, nu: gamma(x, nu / 2, HALF), lambda x, nu: gamma_tails(nu / 2, x / 2)),
    Family("scaled_inverse_chi_squared", lambda x, nu, s: inverse_gamma(x, *scaled(nu, s)),
           lambda x, nu, s: gamma_tails(nu / 2, nu * s * s / 2 / x)[::-1]),
    Family("inverse_gaussian", lambda x, m, k: mp.log(k / (2 * mp.pi * x**3)) / 2 - k * (x - m) ** 2 / (2 * m * m * x),
           inverse_gaussian_tails),
    Family("weibull", lambda x, k, c: mp.log(k / c) + (k - 1) * mp.log(x / c) - (x / c) ** k, lambda x, k, c: of_hazard((x / c) ** k)),
    Family("rayleigh", lambda x, s: mp.log(x) - 2 * mp.log(s) - (x / s) ** 2 / 2, lambda x, s: of_hazard((x / s) ** 2 / 2)),
    Family("frechet", lambda x, k, c: mp.log(k / c) - (k + 1) * mp.log(x / c) - (x / c) ** -k,
           lambda x, k, c: of_hazard((x / c) ** -k)[::-1]),
    Family("gompertz", lambda x, c, r: mp.log(c * r) + r * x - c * mp.expm1(r * x), lambda x, c, r: of_hazard(c * mp.expm1(r * x))),
    Family("pareto", lambda x, c, k: mp.log(k) + k * mp.log(c) - (k + 1) * mp.log(x), lambda x, c, k: of_hazard(k * mp.log(x / c))),
    Family("lomax", lambda x, c, k: mp.log(k / c) - (k + 1) * mp.log1p(x / c), lambda x, c, k: of_hazard(k * mp.log1p(x / c))),
    Family("log_uniform", lambda x, a, b: -mp.log(x) - mp.log(mp.log(b / a)), log_uniform_tails),
    Family("rice", rice),
    Family("beta", beta, lambda x, a, b: beta_tails(x, 1 - x, a, b)),
    Family("beta_proportion", lambda x, m, k: beta(x, m * k, (1 - m) * k), lambda x, m, k: beta_tails(x, 1 - x, m * k, (1 - m) * k)),
    Family("kumaraswamy", lambda x, a, b: mp.log(a * b) + (a - 1) * mp.log(x) + (b - 1) * mp.log1p(-(x**a)),
           lambda x, a, b: of_hazard(-b * mp.log1p(-(x**a)))),
    Family("poisson", poisson, poisson_tails, discrete=True),
    Family("poisson_log", lambda x, t: poisson(x, mp.exp(t)), lambda x, t: poisson_tails(x, mp.exp(t)), discrete=True),
    Family("negative_binomial.mean_dispersion", mean_dispersion, masses(mean_dispersion, lambda k, m, r: (k + r) / (k + 1) * m / (m + r), lambda m, r: m), discrete=True),
    Family("negative_binomial.successes_probability", failures, masses(failures, lambda k, r, p: (k + r) / (k + 1) * (1 - p), lambda r, p: r * (1 - p) / p), discrete=True),
    Family("geometric", lambda x, p: mp.log(p) + x * mp.log1p(-p), lambda x, p: of_hazard(-(x + 1) * mp.log1p(-p)), discrete=True),
    Family("binomial", binomial_p, masses(binomial_p, lambda k, n, p: (n - k) / (k + 1) * p / (1 - p), lambda n, p: n * p, high=lambda n, p: n), whole=(0,), discrete=True),
    Family("binomial_logit", binomial_logit, masses(binomial_logit, lambda k, n, t: (n - k) / (k + 1) * mp.exp(t), lambda n, t: n / (1 + mp.exp(-t)), high=lambda n, t: n), whole=(0,),
           discrete=True),
    Family("bernoulli", lambda x, p: mp.log(p) if x else mp.log1p(-p), discrete=True),
    Family("bernoulli_logit", lambda x, t: binomial_logit(x, 1, t), discrete=True),
    Family("beta_binomial", lambda x, n, a, b: ln_choose(n, x) + ln_beta(x + a, n - x + b) - ln_beta(a, b),
           masses(lambda x, n, a, b: ln_choose(n, x) + ln_beta(x + a, n - x + b) - ln_beta(a, b),
                  lambda k, n, a, b: (n - k) * (k + a) / (k + 1) / (n - k - 1 + b), lambda n, a, b: n * a / (a + b),
                  high=lambda n, a, b: n), whole=(0,), discrete=True),
    Family("hypergeometric", hypergeometric, masses(hypergeometric, lambda k, t, s, d: (s - k) * (d - k) / (k + 1) / (t - s - d + k + 1), lambda t, s, d: mp.floor(d * s / t), low=lambda t, s, d: max(0, d + s - t),
           high=lambda t, s, d: min(s, d)), whole=(0, 1, 2), discrete=True),
    Family("discrete_uniform", lambda x, a, b: -mp.log(b - a + 1), whole=(0, 1), discrete=True),
    Family("discrete_weibull", discrete_weibull, lambda x, q, b: of_hazard(-mp.log(q) * (x + 1) ** b), discrete=True),
    Family("zipf", zipf, zipf_tails, discrete=True),
    Family("zero_inflated_poisson", inflated(poisson), discrete=True, ends=True),
    Family("zero_inflated.negative_binomial", inflated(mean_dispersion), discrete=True, ends=True),
    Family("hurdle.poisson", hurdle(poisson), discrete=True),
    Family("hurdle.negative_binomial", hurdle(failures), discrete=True),
    Family("hurdle.binomial", hurdle(binomial_p), whole=(1,), discrete=True),
]
