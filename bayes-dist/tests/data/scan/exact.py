"""Definitions of the scalar families with as many digits as asked for: log densities and both log tails.

They are the textbook formulas, which is not how the library computes them. A tail without a closed form is a sum of masses, or a
Gauss and Legendre rule over the density whose nodes do not depend on the arguments, so that its differences are smooth.
"""

from functools import lru_cache

from mpmath import mp, mpf

DIGITS = 400
NODES = 40
INF = mpf("inf")


def lnot(log_p):
    """ln(1 - e^log_p)."""
    if log_p < -mpf(10) ** 9:
        return mpf(0)
    if log_p >= 0:
        return -INF
    # the digits of a difference that is smaller than the last digit of 1
    return mp.log(-mp.expm1(log_p)) if log_p > -1 else mp.log1p(-mp.exp(log_p))


def of_hazard(hazard):
    """Both log tails of 1 - e^-hazard."""
    return (lnot(-hazard), -hazard)


def ln_norm_cdf(z):
    return mp.log(mp.erfc(-z / mp.sqrt(2)) / 2)


def normal_tails(z):
    return (ln_norm_cdf(z), ln_norm_cdf(-z))


def ln_phi(z):
    return -z * z / 2 - mp.log(2 * mp.pi) / 2


def ln_beta(a, b):
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


@lru_cache(None)
def rule(count, digits):
    """Nodes and weights of Gauss and Legendre on [0, 1]."""
    with mp.workdps(digits + 10):
        found = []
        for i in range(1, count + 1):
            z = mp.cos(mp.pi * (i - mpf(1) / 4) / (count + mpf(1) / 2))
            for _ in range(12):
                before, p = mpf(1), z
                for k in range(2, count + 1):
                    before, p = p, ((2 * k - 1) * z * p - (k - 1) * before) / k
                slope = count * (z * p - before) / (z * z - 1)
                z -= p / slope
            found.append(((1 + z) / 2, 1 / ((1 - z * z) * slope * slope)))
        return found


def integrated(log_density, x, scale, end, sign):
    """ln of the integral of the density from `x` outwards; `scale` is that of its decay, rounded, and `end` the support's."""
    start, total, low, high = log_density(x), mpf(0), mpf(0), mpf(1) / 2
    limit = abs(end - x) / scale
    while low < limit:
        top = min(high, limit)
        part = sum(w * mp.exp(log_density(x + sign * scale * (low + (top - low) * u)) - start)
                   for u, w in rule(NODES, 110)) * (top - low)
        total += part
        if part < total * mpf(10) ** -30:
            break
        low, high = high, (2 * high if high >= 1 else mpf(1))
    return start + mp.log(total * scale)


def round_scale(scale):
    """Two digits, so that it does not move with the arguments."""
    return mpf(mp.nstr(scale, 2))


def tails_of_density(log_density, x, centre, sd, low, high, constant=0):
    """Both log tails of a density with one mode near `centre`; its log is `log_density` plus `constant`."""
    with mp.workdps(110):
        step = (abs(x) if x != 0 else sd) * mpf(10) ** -40
        slope = abs(log_density(x + step) - log_density(x)) / step
        scale = round_scale(1 / max(slope, 1 / sd))
    # digits enough that `x` and `x` with its scale differ
    with mp.workdps(110 + max(0, int(mp.log10(abs(x) / scale + 1)))):
        if x < centre:
            below = constant + integrated(log_density, x, scale, low, -1)
            return (below, lnot(below))
        above = constant + integrated(log_density, x, scale, high, 1)
        return (lnot(above), above)


def tails_of_masses(log_mass, ratio, x, centre, low, high):
    """Both log tails as the sum of the masses in one of them; `ratio(k)` is that of the masses at k + 1 and k."""
    with mp.workdps(200):
        # an upper tail may be long where the lower one has few terms, and 1 less these all the digits that matter
        if x >= 2000 and x >= centre:
            return upper_masses(log_mass, ratio, x, high)
        k, term, total = x, mpf(1), mpf(1)
        while k > low and (term > total * mpf(10) ** -130 or x - k < 30):
            term /= ratio(k - 1)
            total += term
            k -= 1
        below = log_mass(x) + mp.log(total)
        if below > -mpf(10) ** -60:
            return upper_masses(log_mass, ratio, x, high)
        return (below, lnot(below))


def upper_masses(log_mass, ratio, x, high):
    """Both log tails as the sum of the masses above `x`."""
    k = x + 1
    if k > high:
        return (mpf(0), -INF)
    part = log_mass(k)
    term, total = mpf(1), mpf(1)
    while k < high and term > total * mpf(10) ** -130:
        term *= ratio(k)
        total += term
        k += 1
    part += mp.log(total)
    return (lnot(part), part)


def gamma_tails(a, z):
    """ln P(a, z), ln Q(a, z)."""
    if z == 0:
        return (-INF, mpf(0))
    if a < 3000 and z < 20000:
        with mp.workdps(150):
            term = total = mpf(1)
            n = 1
            while term > total * mpf(10) ** -140:
                term *= z / (a + n)
                total += term
                n += 1
            below = a * mp.log(z) - z - mp.loggamma(a + 1) + mp.log(total)
        if below < -mp.log(2) or z < a + 100:
            if below < mpf(10) ** -60 * -1:
                return (below, lnot(below))
    log_density = lambda t: (a - 1) * mp.log(t) - t
    sd = mp.sqrt(a) if a > 1 else mpf(1)
    return tails_of_density(log_density, z, a, sd, mpf(0), INF, -mp.loggamma(a))


def beta_tails(x, y, a, b):
    """ln I_x(a, b) and ln(1 - I), for y = 1 - x."""
    if a + b > 2000:
        n = a + b
        if min(a, b) > 5:
            sd = mp.sqrt(a * b / n / n / (n + 1))
            log_density = lambda t: (a - 1) * mp.log(t) + (b - 1) * mp.log(1 - t)
            return tails_of_density(log_density, x, a / n, sd, mpf(0), mpf(1), -ln_beta(a, b))
    with mp.workdps(150):
        if x * (b + 1) <= y * (a + 1):
            below = beta_series(x, a, b)
            return (below, lnot(below))
        above = beta_series(y, b, a)
        return (lnot(above), above)


def beta_series(x, a, b):
    """ln of x^a (1-x)^b/(a B(a,b)) sum (a+b)...(a+b+n-1) x^n/((a+1)...(a+n)), all terms positive."""
    term = total = mpf(1)
    n = 0
    while term > total * mpf(10) ** -140:
        term *= (a + b + n) * x / (a + 1 + n)
        total += term
        n += 1
        if n > 400000:
            raise ValueError("too slow")
    return a * mp.log(x) + b * mp.log1p(-x) - mp.log(a) - ln_beta(a, b) + mp.log(total)


def student_tails(nu, t):
    """Both log tails of Student's t."""
    if nu > 30:
        log_density = lambda s: -(nu + 1) / 2 * mp.log1p(s * s / nu)
        return tails_of_density(log_density, t, mpf(0), mpf(1), -INF, INF, student_density(mpf(0), nu))
    share, rest = nu / (nu + t * t), t * t / (nu + t * t)
    tail = beta_tails(share, rest, nu / 2, mpf(1) / 2)[0] - mp.log(2)
    return (tail, lnot(tail)) if t < 0 else (lnot(tail), tail)


def student_density(t, nu):
    return (mp.loggamma((nu + 1) / 2) - mp.loggamma(nu / 2) - mp.log(nu * mp.pi) / 2
            - (nu + 1) / 2 * mp.log1p(t * t / nu))


def ln_bessel_i0(x):
    if x > 1000:
        with mp.workdps(120):
            term = total = mpf(1)
            for k in range(1, 40):
                term *= mpf((2 * k - 1) ** 2) / (8 * k * x)
                total += term
            return x - mp.log(2 * mp.pi * x) / 2 + mp.log(total)
    with mp.workdps(120):
        return mp.log(mp.besseli(0, x))
