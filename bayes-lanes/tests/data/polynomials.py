"""Prints the polynomials of `src/simd/math/`, ready to be copied there, each with the relative error it leaves.

Run: python3 polynomials.py [name ...]    (needs mpmath)

The exchange algorithm of Remez (1934): the polynomial of the given degree whose weighted error on the interval has
the smallest maximum, in 300 bits; the coefficients are then rounded to binary64 one by one.
"""

import sys
import mpmath as m
from mpmath import mp, mpf

mp.prec = 300


def remez(f, wanted, low, high, degree, rounds=12):
    """Coefficients of the polynomial p that minimises max |weight(x) (f(x) - p(x))| on [low, high]."""
    floor = max(abs(wanted(low)), abs(wanted(high))) / 1000

    def weight(x):
        """A weight that vanished would leave the polynomial free there, and the system singular."""
        return max(abs(wanted(x)), floor)

    middle, half = (low + high) / 2, (high - low) / 2
    count = degree + 2
    nodes = [middle + half * m.cos(m.pi * i / (count - 1)) for i in reversed(range(count))]
    grid = [middle + half * m.cos(m.pi * i / (24 * count)) for i in reversed(range(24 * count + 1))]
    target, scale = [f(x) for x in grid], [weight(x) for x in grid]
    for _ in range(rounds):
        # in the variable u on [-1, 1] the system is better conditioned
        rows = m.matrix(count, count)
        right = m.matrix(count, 1)
        for i, x in enumerate(nodes):
            u = (x - middle) / half
            for k in range(degree + 1):
                rows[i, k] = u**k
            rows[i, degree + 1] = (-1) ** i / weight(x)
            right[i] = f(x)
        solved = m.lu_solve(rows, right)
        in_u = list(solved[: degree + 1])
        errors = [w * (t - m.polyval(in_u[::-1], (x - middle) / half)) for x, t, w in zip(grid, target, scale)]
        # one extremum of the error in every run of one sign
        nodes, best = [], 0
        for i in range(1, len(grid) + 1):
            if i == len(grid) or errors[i] * errors[best] < 0:
                nodes.append(grid[best])
                best = i
            elif abs(errors[i]) > abs(errors[best]):
                best = i
        while len(nodes) > count:
            nodes.pop(0 if abs(errors[grid.index(nodes[0])]) < abs(errors[grid.index(nodes[-1])]) else -1)
        if len(nodes) < count or max(map(abs, errors)) < abs(solved[degree + 1]) * 1.02:
            break
    return substitute(in_u, 1 / half, -middle / half)


def substitute(coefficients, slope, constant):
    """The coefficients in x of a polynomial in slope x + constant."""
    result = [mpf(0)]
    for c in reversed(coefficients):
        shifted = [mpf(0)] + [slope * r for r in result]
        result = [s + constant * r for s, r in zip(shifted, result + [mpf(0)])]
        result[0] += c
    return result[: len(coefficients)]


def rust(x):
    """A number as Rust writes it."""
    text = repr(float(x))
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    groups = [fraction[i : i + 3] for i in range(0, len(fraction), 3)]
    while whole and len(whole.lstrip("-")) > 3 and "_" not in whole:
        sign = "-" if whole[0] == "-" else ""
        digits = whole.lstrip("-")
        head = len(digits) % 3 or 3
        whole = sign + "_".join([digits[:head]] + [digits[i : i + 3] for i in range(head, len(digits), 3)])
    return whole + ("." + "_".join(groups) if fraction else ".0") + (f"e{int(exponent)}" if exponent else "")


def fit(name, f, low, high, degree, weight=lambda x: mpf(1)):
    if len(sys.argv) > 1 and name not in sys.argv[1:]:
        return
    low, high = mpf(low), mpf(high)
    rounded = [float(c) for c in remez(f, weight, low, high, degree)]
    points = [low + (high - low) * i / 400 for i in range(401)]
    worst = max(abs(weight(x) * (f(x) - m.polyval([mpf(c) for c in rounded[::-1]], x))) for x in points if x != 0)
    print(f"/// Relative error {m.nstr(worst, 2)} = 2^{float(m.log(worst, 2)):.1f}.")
    print(f"const {name}: [f64; {degree + 1}] = [")
    print("\n".join(f"    {rust(c)}," for c in rounded))
    print("];")


def series(coefficients, f, radius=mpf(2) ** -24):
    """f, but by its series near 0, where its formula is 0/0."""
    return lambda x: m.polyval(coefficients[::-1], x) if abs(x) < radius else f(x)


half_ln2 = m.log(2) / 2 + mpf(2) ** -40

# eˣ = 1 + x + x² EXP(x)
fit(
    "EXP",
    series([mpf(1) / m.factorial(k + 2) for k in range(14)], lambda x: (m.exp(x) - 1 - x) / x**2),
    -half_ln2,
    half_ln2,
    9,
    lambda x: x * x / m.exp(x),
)
# the same for eˣ - 1
fit(
    "EXP_M1",
    series([mpf(1) / m.factorial(k + 2) for k in range(14)], lambda x: (m.exp(x) - 1 - x) / x**2),
    -half_ln2,
    half_ln2,
    10,
    lambda x: x,
)


def artanh_rest(z):
    s = m.sqrt(z)
    return (m.log((1 + s) / (1 - s)) - 2 * s) / (s * z)


# ln((1 + s)/(1 - s)) = 2s + s z LN(z), z = s²; s = f/(2 + f) for -1/4 ≤ f ≤ 1/2
fit("LN", series([mpf(2) / (2 * k + 3) for k in range(14)], artanh_rest), 0, mpf(1) / 25, 7, lambda z: z / 2)
# the same from its second term on: LN(z) = 2/3 + z LN_REST(z), for logarithms to more than 53 bits
fit(
    "LN_REST",
    series([mpf(2) / (2 * k + 5) for k in range(14)], lambda z: (artanh_rest(z) - mpf(2) / 3) / z, mpf(2) ** -12),
    0,
    mpf(1) / 25,
    7,
    lambda z: z * z / 2,
)


def ln_gamma_rest(t):
    return m.loggamma(2 + t) / t


# ln Γ(2 + t) = t LN_GAMMA(t)
ln_gamma_series = [m.psi(k, 2) / m.factorial(k + 1) for k in range(14)]
fit("LN_GAMMA", series(ln_gamma_series, ln_gamma_rest), -0.75, 0.5, 20, lambda t: 1 / ln_gamma_rest(t) if abs(t) > 1e-9 else 1 / ln_gamma_series[0])

LARGE = mpf(8)
end = 1 / LARGE**2
# ln Γ(x) = (x - ½) ln x - x + ½ ln 2π + STIRLING(u)/x for u = x⁻²
fit(
    "STIRLING",
    series([m.bernoulli(2 * k + 2) / ((2 * k + 1) * (2 * k + 2)) for k in range(14)], lambda u: (lambda x: x * (m.loggamma(x) - (x - mpf(1) / 2) * m.log(x) + x - m.log(2 * m.pi) / 2))(1 / m.sqrt(u)), mpf(10) ** -5),
    0,
    end,
    6,
    lambda u: mpf(12),
)
# ψ(x) = ln x - 1/(2x) - u DIGAMMA(u)
fit(
    "DIGAMMA",
    series([m.bernoulli(2 * k + 2) / (2 * k + 2) for k in range(14)], lambda u: (lambda x: x * x * (m.log(x) - 1 / (2 * x) - m.psi(0, x)))(1 / m.sqrt(u)), mpf(10) ** -5),
    0,
    end,
    6,
    lambda u: u / 2,
)
# ψ'(x) = 1/x + 1/(2x²) + u TRIGAMMA(u)/x
fit(
    "TRIGAMMA",
    series([m.bernoulli(2 * k + 2) for k in range(14)], lambda u: (lambda x: x**3 * (m.psi(1, x) - 1 / x - 1 / (2 * x * x)))(1 / m.sqrt(u)), mpf(10) ** -5),
    0,
    end,
    7,
    lambda u: u,
)
# ψ(x) = (x - x₀) DIGAMMA_ROOT(x - 7/4) for 1 ≤ x ≤ 5/2 and the root x₀ of ψ
ROOT = m.findroot(lambda x: m.psi(0, x), 1.46)
root = lambda t: m.psi(0, t + mpf(7) / 4) / (t + mpf(7) / 4 - ROOT)
fit("DIGAMMA_ROOT", root, -0.75, 0.75, 24, lambda t: 1 / root(t))
# ψ''(x) = -1/x² - 1/x³ - u² TETRAGAMMA(u)
fit(
    "TETRAGAMMA",
    series([m.bernoulli(2 * k + 2) * (2 * k + 3) for k in range(14)], lambda u: (lambda x: -(x**4) * (m.psi(2, x) + x**-2 + x**-3))(1 / m.sqrt(u)), mpf(10) ** -5),
    0,
    end,
    7,
    lambda u: u,
)
# erf(x) = x + x ERF(x²) for |x| ≤ 1
erf_rest = lambda z: m.erf(m.sqrt(z)) / m.sqrt(z) - 1
fit("ERF", series([2 / m.sqrt(m.pi) * (-1) ** k / (m.factorial(k) * (2 * k + 1)) - (k == 0) for k in range(14)], erf_rest), 0, 1, 12, lambda z: 1)


CENTRE = mpf(0.2)


def erfcx_rest(u):
    """√π (x + 2) erfcx(x) at u = 1/(x + 2) - 1/5."""
    w = u + CENTRE
    if w <= 0:
        return mpf(1)
    x = 1 / w - 2
    if x > 10**4:
        # DLMF 7.12.1
        return sum((-1) ** k * m.fac2(2 * k - 1) / (2 * x * x) ** k for k in range(12)) * (x + 2) / x
    return m.sqrt(m.pi) * m.exp(x * x) * m.erfc(x) * (x + 2)


# erfcx(x) = w ERFCX(w - 1/5) for x ≥ ½ and w = 1/(x + 2)
fit("ERFCX", lambda u: erfcx_rest(u) / m.sqrt(m.pi), -CENTRE, mpf(2) / 5 - CENTRE, 24, lambda u: m.sqrt(m.pi) / erfcx_rest(u))
quarter = m.pi / 4 + mpf(2) ** -20
# sin x = x + x³ SIN(x²) and cos x = 1 - x²/2 + x⁴ COS(x²) for |x| ≤ π/4
fit("SIN", series([(-1) ** (k + 1) / m.factorial(2 * k + 3) for k in range(14)], lambda z: (m.sin(m.sqrt(z)) - m.sqrt(z)) / m.sqrt(z) ** 3, mpf(2) ** -16), 0, quarter**2, 5, lambda z: z)
fit("COS", series([(-1) ** k / m.factorial(2 * k + 4) for k in range(14)], lambda z: (m.cos(m.sqrt(z)) - 1 + z / 2) / z**2, mpf(2) ** -16), 0, quarter**2, 5, lambda z: z * z)
