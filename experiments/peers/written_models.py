"""Random models written as text, in Rust and in Stan: their log densities and gradients by `#[model]` and by Stan's functions.

    pip install -r experiments/peers/requirements.txt
    python experiments/peers/written_models.py write FOLDER --models 200 --seed 1
    cargo run --manifest-path FOLDER/Cargo.toml > FOLDER/points.jsonl
    python experiments/peers/written_models.py compare FOLDER

`random_models.py` compares models that a program builds while it runs. These are compiled: statements, loops, closures and functions go through the macro. A model has
some priors (scalars, vectors, chains in loops, ordered values, simplexes, correlations, bounds, non-centred coordinates), some values computed from them (vectors,
gathers, products, matrices, integrals, roots, choices) and some data (in loops, all at once, censored, truncated, mixtures, sums over classes, hidden states, a
filter). FOLDER has a package of its own, outside the repository. Both densities are taken at five positions of the same unconstrained coordinates, constants and
Jacobians included, and must agree to 1e-10: relative to the log density, and to the gradient's largest entry. Points where Stan finds no finite number are left out.
Some of Stan's distribution functions have approximate derivatives: where gradients alone differ, differences of Stan's density decide.
"""

import argparse
import json
import random
import sys
from pathlib import Path

import numpy as np

from stan_programs import derivatives, simplex

ROWS, GROUPS, COLUMNS, TRIALS = 6, 3, 2, 9
TOLERANCE = 1e-10
# of gradients beside differences
DIFFERENCES = 1e-8

DATA = {
    "x": [[0.4, -1.1], [-0.3, 0.8], [1.2, 0.1], [-0.9, -0.6], [0.5, 1.4], [0.0, -0.2]],
    "z": [0.7, -1.2, 0.3, 1.9, -0.4, 0.1],
    "y": [0.3, -1.4, 0.9, 2.1, -0.2, 1.1],
    "w": [0.8, 2.3, 0.4, 1.1, 3.2, 0.6],
    "u": [0.2, 0.7, 0.45, 0.9, 0.05, 0.6],
    "k": [2, 0, 5, 1, 0, 8],
    "b": [1, 0, 0, 1, 1, 0],
    "c": [0, 2, 1, 1, 0, 2],
    "group": [0, 1, 2, 0, 2, 1],
}

# name in Rust: (name in Stan, kinds of the parameters, values, whether Stan has its distribution function in a form that keeps digits)
FAMILIES = {
    "Normal::new": ("normal", "rp", "real", True),
    "StudentT::new": ("student_t", "prp", "real", False),
    "Cauchy::new": ("cauchy", "rp", "real", True),
    "Laplace::new": ("double_exponential", "rp", "real", True),
    "Logistic::new": ("logistic", "rp", "real", True),
    "Gumbel::new": ("gumbel", "rp", "real", True),
    "SkewNormal::new": ("skew_normal", "rpr", "real", False),
    "Gamma::new": ("gamma", "pp", "positive", False),
    "InverseGamma::new": ("inv_gamma", "pp", "positive", False),
    "LogNormal::new": ("lognormal", "rp", "positive", True),
    "Weibull::new": ("weibull", "pp", "positive", True),
    "Exponential::new": ("exponential", "p", "positive", True),
    "Frechet::new": ("frechet", "pp", "positive", True),
    "Rayleigh::new": ("rayleigh", "p", "positive", False),
    "Beta::new": ("beta", "pp", "unit", False),
    "BetaProportion::new": ("beta_proportion", "up", "unit", False),
    "Poisson::new": ("poisson", "p", "count", False),
    "PoissonLog::new": ("poisson_log", "r", "count", False),
    "NegativeBinomial::mean_dispersion": ("neg_binomial_2", "pp", "count", False),
    "Binomial::new": ("binomial", "nu", "count", False),
    "BinomialLogit::new": ("binomial_logit", "nr", "count", False),
    "BetaBinomial::new": ("beta_binomial", "npp", "count", False),
    "Bernoulli::new": ("bernoulli", "u", "flag", False),
    "BernoulliLogit::new": ("bernoulli_logit", "r", "flag", False),
}
DATA_OF = {"real": "y", "positive": "w", "unit": "u", "count": "k", "flag": "b"}
BOUNDS = {"real": "", "positive": "<lower=0>", "unit": "<lower=0, upper=1>"}
LOCATED = ["Normal::new", "StudentT::new", "Cauchy::new", "Laplace::new", "Logistic::new", "Gumbel::new"]


class Model:
    """The two texts of one model as they grow, and the values that later statements may use, in both languages."""

    def __init__(self, seed):
        self.choose, self.count = random.Random(seed), 0
        self.rust, self.parameters, self.stan, self.blocks = [], [], [], []
        self.scalars = {"real": [], "positive": [], "unit": []}
        self.vectors = {"real": [], "positive": [], "unit": []}
        self.short, self.tall = [], []  # real vectors of GROUPS and of COLUMNS
        self.scalar_prior()
        for _ in range(self.choose.randint(1, 3)):
            self.choose.choice(PRIORS)(self)
        for _ in range(self.choose.randint(1, 4)):
            self.choose.choice(LETS)(self)
        for _ in range(self.choose.randint(1, 3)):
            self.choose.choice(OBSERVATIONS)(self)

    def name(self, stem):
        self.count += 1
        return f"{stem}{self.count}"

    # expressions: pairs of Rust and Stan

    def literal(self, low=-1.5, high=1.5):
        x = f"{self.choose.uniform(low, high):.2f}"
        return (f"({x})", f"({x})") if x.startswith("-") else (x, x)

    def leaf(self):
        """A random number on the real line; a number of data at first."""
        pool = self.scalars["real"] + self.scalars["positive"] + self.scalars["unit"]
        if not pool:
            x = self.literal()
            return f"Real::from({x[0]})", x[1]
        name = self.choose.choice(pool)
        return name, name

    def real(self, depth=2):
        """An expression with a random value, of moderate size."""
        a, s = self.leaf()
        if depth == 0 or self.choose.random() < 0.3:
            return f"{a}.tanh()", f"tanh({s})"
        (b, t), (c, v) = self.real(depth - 1), self.literal()
        shapes = [
            (f"({b} + {c})", f"({t} + {v})"),
            (f"({c} - {b})", f"({v} - {t})"),
            (f"({b} * {a}.tanh())", f"({t} * tanh({s}))"),
            (f"({b} / ({a}.square() + 1.0))", f"({t} / (square({s}) + 1))"),
            (f"{b}.sin()", f"sin({t})"),
            (f"{b}.cos()", f"cos({t})"),
            (f"{b}.tanh().exp_m1()", f"expm1(tanh({t}))"),
            (f"{b}.square().ln_1p()", f"log1p(square({t}))"),
            (f"({b}.square() + 0.5).powf({c})", f"pow(square({t}) + 0.5, {v})"),
            (f"({b}.square() + 1.0).ln_gamma()", f"lgamma(square({t}) + 1)"),
            (f"{b}.log_add_exp({a}.tanh())", f"log_sum_exp({t}, tanh({s}))"),
            (f"{b}.max({a}.tanh())", f"fmax({t}, tanh({s}))"),
            (f"Real::select({b}.lt({c}), {a}.tanh(), {b})", f"(({t}) < {v} ? tanh({s}) : {t})"),
            (f"soft({b}, {c})", f"soft({t}, {v})"),
        ]
        return self.choose.choice(shapes)

    def positive(self):
        if self.scalars["positive"] and self.choose.random() < 0.4:
            name = self.choose.choice(self.scalars["positive"])
            return f"({name} + 0.1)", f"({name} + 0.1)"
        a, s = self.real(1)
        return self.choose.choice([(f"{a}.tanh().exp()", f"exp(tanh({s}))"), (f"({a}.square() + 0.4)", f"(square({s}) + 0.4)")])

    def unit(self):
        if self.scalars["unit"] and self.choose.random() < 0.4:
            name = self.choose.choice(self.scalars["unit"])
            return f"(0.05 + 0.9 * {name})", f"(0.05 + 0.9 * {name})"
        a, s = self.real(1)
        return f"{a}.logistic()", f"inv_logit({s})"

    def of_kind(self, kind):
        return {"r": self.real, "p": self.positive, "u": self.unit, "n": lambda: (str(TRIALS), str(TRIALS))}[kind]()

    def rows_of_kind(self, kind):
        """A parameter for all rows, or one for each of them."""
        pool = self.vectors[{"r": "real", "p": "positive", "u": "unit"}.get(kind, "real")]
        if kind != "n" and pool and self.choose.random() < 0.6:
            name = self.choose.choice(pool)
            return f"&{name}", name
        return self.of_kind(kind)

    def family(self, support=None, has_cdf=False):
        names = [n for n, f in FAMILIES.items() if (support is None or f[2] in support) and (f[3] or not has_cdf)]
        return self.choose.choice(names)

    # priors

    def declare(self, type_, name, size, change="plain"):
        self.parameters.append(f"{type_} {name};")
        self.blocks.append((change, size))

    def scalar_prior(self):
        family = self.family(BOUNDS)
        stan, kinds, support, has_cdf = FAMILIES[family]
        arguments, name = [self.of_kind(kind) for kind in kinds], self.name("a")
        rust, list_ = f"{family}({', '.join(r for r, _ in arguments)})", ", ".join(s for _, s in arguments)
        density, bounds = f"{stan}_lpdf({name} | {list_})", BOUNDS[support]
        if has_cdf and self.choose.random() < 0.4:
            low, high = ("-0.7", "1.3") if support == "real" else ("0.4", "2.1")
            kind = self.choose.choice(["both", "low", "within"])
            bounds = f"<lower={low}>" if kind == "low" else f"<lower={low}, upper={high}>"
            rust += {"both": f".truncated({low}, {high})", "low": f".truncated({low}, f64::INFINITY)", "within": f".within({low}, {high})"}[kind]
            if kind == "both":
                density += f" - log_diff_exp({stan}_lcdf({high} | {list_}), {stan}_lcdf({low} | {list_}))"
            elif kind == "low":
                density += f" - {stan}_lccdf({low} | {list_})"
        elif family in LOCATED and self.choose.random() < 0.3:
            self.non_centred(name, family, arguments)
            return
        self.rust.append(f"let {name} = sample({rust});")
        self.declare(f"real{bounds}", name, 1)
        self.stan.append(f"target += {density};")
        self.scalars[support].append(name)

    def non_centred(self, name, family, arguments):
        stan = FAMILIES[family][0]
        rust, own = ", ".join(r for r, _ in arguments), [s for _, s in arguments]
        *shape, location, scale = own
        self.rust.append(f"let {name} = sample({family}({rust}).non_centred());")
        self.declare("real", f"raw_{name}", 1)
        self.stan.append(f"target += {stan}_lpdf(raw_{name} | {', '.join([*shape, '0', '1'])});")
        self.stan.append(f"real {name} = {location} + {scale} * raw_{name};")
        self.scalars["real"].append(name)

    def vector_prior(self):
        family = self.family(BOUNDS)
        stan, kinds, support, _ = FAMILIES[family]
        name, size = self.name("v"), self.choose.choice([GROUPS, COLUMNS, ROWS])
        arguments = [self.rows_of_kind(kind) if size == ROWS else self.of_kind(kind) for kind in kinds]
        is_vector = any(r.startswith("&") for r, _ in arguments)
        ending = "" if is_vector else f".iid({size})"
        self.rust.append(f"let {name} = sample({family}({', '.join(r for r, _ in arguments)}){ending});")
        self.declare(f"vector{BOUNDS[support]}[{size}]", name, size)
        self.stan.append(f"target += {stan}_lpdf({name} | {', '.join(s for _, s in arguments)});")
        if size == ROWS:
            self.vectors[support].append(name)
        elif support == "real":
            (self.short if size == GROUPS else self.tall).append(name)

    def chain_prior(self):
        name, (a, s), (b, t) = self.name("step"), self.unit(), self.positive()
        series = self.name("series")
        self.rust += [
            f"let mut {series}: Vec<Real> = Vec::new();",
            f"let mut before: Real = Real::from(0.2);",
            f"for i in 0..z.len() {{ let {name} = sample(Normal::new({a} * before + 0.1 * z[i], {b})); before = {name}; {series}.push({name}); }}",
            f"let {series} = Vector::from({series});",
        ]
        self.declare(f"vector[{ROWS}]", name, ROWS)
        self.stan.append(f"{{ real before = 0.2; for (i in 1:{ROWS}) {{ target += normal_lpdf({name}[i] | {s} * before + 0.1 * z[i], {t}); before = {name}[i]; }} }}")
        self.stan.append(f"vector[{ROWS}] {series} = {name};")
        self.vectors["real"].append(series)

    def ordered_prior(self):
        name, (a, s), (b, t) = self.name("cut"), self.real(), self.positive()
        self.rust.append(f"let {name} = sample(Normal::new({a}, {b}).iid(2).ordered());")
        self.declare("ordered[2]", name, 2)
        self.stan.append(f"target += normal_lpdf({name} | {s}, {t}) + log(2);")
        (c, v), (d, e) = self.real(), self.real()
        self.rust.append(f"for i in 0..c.len() {{ observe(c[i], OrderedLogistic::new({c} + {d} * z[i], &{name})); }}")
        self.stan.append(f"for (i in 1:{ROWS}) target += ordered_logistic_lpmf(c[i] | {v} + {e} * z[i], {name});")

    def simplex_prior(self):
        name, (a, s) = self.name("share"), self.positive()
        self.rust.append(f"let {name} = sample(Dirichlet::new([1.3, 0.8, 2.0]));")
        self.declare("simplex[3]", name, 2, "simplex")
        self.stan.append(f"target += dirichlet_lpdf({name} | [1.3, 0.8, 2.0]');")
        self.rust.append(f"observe(c, Categorical::new(&{name}));")
        self.stan.append(f"for (i in 1:{ROWS}) target += categorical_lpmf(c[i] | {name});")

    def correlation_prior(self):
        name, (a, s), (b, t) = self.name("corr"), self.positive(), self.positive()
        self.rust.append(f"let {name} = sample(LKJCholesky::new(2, 1.7));")
        self.declare("cholesky_factor_corr[2]", name, 1)
        self.stan.append(f"target += lkj_corr_cholesky_lpdf({name} | 1.7);")
        self.rust.append(
            f"{{ let scales = [{a}, {b}]; let lower: Matrix = Matrix::from_fn(2, 2, |i, j| scales[i] * {name}[(i, j)]); observe(x, MultivariateNormal::from_cholesky(0.1, &lower).iid({ROWS})); }}"
        )
        self.stan.append(
            f"{{ matrix[2, 2] scaled = diag_pre_multiply([{s}, {t}]', {name}); for (i in 1:{ROWS}) target += multi_normal_cholesky_lpdf(x[i]' | rep_vector(0.1, 2), scaled); }}"
        )

    # values

    def let_scalar(self):
        name, (a, s) = self.name("t"), self.real(3)
        self.rust.append(f"let {name}: Real = {a};")
        self.stan.append(f"real {name} = {s};")
        self.scalars["real"].append(name)

    def let_rows(self):
        name, (a, s), (b, t) = self.name("eta"), self.real(), self.real()
        shapes = [
            (f"{a} + {b} * z", f"{s} + {t} * z"),
            (f"Vector::from_fn(z.len(), |i| {a} * z[i] + {b})", f"{s} * z + {t}"),
            (f"(z * {a}).cumulative_sum()", f"cumulative_sum(z * {s})"),
        ]
        for beta in self.tall:
            shapes.append((f"x * &{beta} + {a}", f"x * {beta} + {s}"))
            shapes.append((f"x * (&{beta} * {a})", f"x * ({beta} * {s})"))
        for effects in self.short:
            shapes.append((f"{effects}.at(group) * {a} + z", f"{effects}[group] * {s} + z"))
            shapes.append((f"group.iter().map(|g| {effects}[*g] * {b}).collect::<Vector>()", f"{effects}[group] * {t}"))
        for v in self.vectors["real"]:
            shapes.append((f"&{v} * {a} + z", f"{v} * {s} + z"))
            shapes.append((f"{v}.tanh() - {b}", f"tanh({v}) - {t}"))
            shapes.append((f"&{v} * z", f"{v} .* z"))
            shapes.append((f"{v}.softmax()", f"softmax({v})"))
            shapes.append((f"{v}.map(|e| (e + {a}).sin())", f"sin({v} + {s})"))
        rust, stan = self.choose.choice(shapes)
        self.rust.append(f"let {name}: Vector = {rust};")
        self.stan.append(f"vector[{ROWS}] {name} = {stan};")
        self.vectors["real"].append(name)

    def let_link(self):
        """Positive numbers or shares for each row."""
        pool = self.vectors["real"]
        if not pool:
            return self.let_rows()
        v, kind = self.choose.choice(pool), self.choose.choice(["positive", "unit"])
        name = self.name("rate")
        rust, stan = (f"{v}.tanh().exp()", f"exp(tanh({v}))") if kind == "positive" else (f"{v}.logistic()", f"inv_logit({v})")
        self.rust.append(f"let {name}: Vector = {rust};")
        self.stan.append(f"vector[{ROWS}] {name} = {stan};")
        self.vectors[kind].append(name)

    def let_reduced(self):
        pool = self.vectors["real"] + self.short + self.tall
        if not pool:
            return self.let_scalar()
        v, name = self.choose.choice(pool), self.name("sum")
        shapes = [
            (f"{v}.sum()", f"sum({v})"),
            (f"{v}.mean()", f"mean({v})"),
            (f"{v}.log_sum_exp()", f"log_sum_exp({v})"),
            (f"{v}.dot(&{v}.tanh())", f"dot_product({v}, tanh({v}))"),
            (f"{v}.norm_squared()", f"dot_self({v})"),
            (f"{v}[1..].sum()", f"sum({v}[2:])"),
        ]
        rust, stan = self.choose.choice(shapes)
        self.rust.append(f"let {name}: Real = ({rust}).tanh();")
        self.stan.append(f"real {name} = tanh({stan});")
        self.scalars["real"].append(name)

    def let_matrix(self):
        """A positive definite matrix and a function of it."""
        m, name = self.name("m"), self.name("t")
        (a, s), (b, t), (c, v) = self.positive(), self.real(), self.real()
        self.rust.append(f"let {m}: Matrix = Matrix::from_fn(3, 3, |i, j| (z[i] + {b}) * (z[j] + {b}) + if i == j {{ {a} + 0.2 }} else {{ Real::from(0.0) }});")
        self.stan.append(f"matrix[3, 3] {m} = add_diag((z[1:3] + {t}) * (z[1:3] + {t})', {s} + 0.2);")
        self.rust.append(f"let right_{m}: Vector = Vector::from_fn(3, |i| {c} + 0.5 * w[i]);")
        self.stan.append(f"vector[3] right_{m} = {v} + 0.5 * w[1:3];")
        shapes = [
            (f"{m}.log_determinant()", f"log_determinant({m})"),
            (f"{m}.solve(&right_{m}).sum()", f"sum({m} \\ right_{m})"),
            (f"{m}.quadratic_form(&right_{m})", f"quad_form({m}, right_{m})"),
            (f"{m}.inverse().trace()", f"sum(diagonal(inverse({m})))"),
            (f"{m}.cholesky().solve_lower(&right_{m}).norm_squared()", f"dot_self(mdivide_left_tri_low(cholesky_decompose({m}), right_{m}))"),
            (f"(&{m} * -0.3).matrix_exp().trace()", f"sum(diagonal(matrix_exp({m} * -0.3)))"),
            (f"(&{m} * &{m}).trace()", f"sum(diagonal({m} * {m}))"),
            (f"{m}.symmetric_eigenvalues()[2]", f"eigenvalues_sym({m})[3]"),
            (f"{m}.transpose().row(1).dot(&right_{m})", f"dot_product(({m}')[2], right_{m})"),
        ]
        rust, stan = self.choose.choice(shapes)
        self.rust.append(f"let {name}: Real = ({rust}).tanh();")
        self.stan.append(f"real {name} = tanh({stan});")
        self.scalars["real"].append(name)
        if self.choose.random() < 0.4:
            self.rust.append(f"observe(&y[0..3], MultivariateNormal::new(&right_{m}, &{m}));")
            self.stan.append(f"target += multi_normal_lpdf(y[1:3] | right_{m}, {m});")

    # data

    def observe_rows(self):
        family = self.family()
        stan, kinds, support, has_cdf = FAMILIES[family]
        data, suffix = DATA_OF[support], "lpmf" if support in ("count", "flag") else "lpdf"
        arguments = [self.rows_of_kind(kind) for kind in kinds]
        form = self.choose.choice(["all", "loop"] + ["censored", "truncated", "interval"] * has_cdf)
        if form == "all":
            self.rust.append(f"observe({data}, {family}({', '.join(r for r, _ in arguments)}));")
            self.stan.append(f"target += {stan}_{suffix}({data} | {', '.join(s for _, s in arguments)});")
            return
        own = ", ".join(f"{r[1:]}[i]" if r.startswith("&") else r for r, _ in arguments)
        theirs = ", ".join(f"{s}[i]" if r.startswith("&") else s for r, s in arguments)
        ends = [min(DATA[data]), max(DATA[data])]
        wide = [ends[0] - 0.3, ends[1] + 0.5]
        datum, density = f"{data}[i]", f"{stan}_{suffix}({data}[i] | {theirs})"
        cdf, rest = lambda x: f"{stan}_lcdf({x} | {theirs})", lambda x: f"{stan}_lccdf({x} | {theirs})"
        ending = {"loop": "", "censored": f".censored({ends[0]}, {ends[1]})", "truncated": f".truncated({wide[0]:.2f}, {wide[1]:.2f})", "interval": ".interval_censored()"}[form]
        if form == "censored":
            density = f"({data}[i] <= {ends[0]} ? {cdf(ends[0])} : {data}[i] >= {ends[1]} ? {rest(ends[1])} : {density})"
        elif form == "truncated":
            density += f" - log_diff_exp({cdf(f'{wide[1]:.2f}')}, {cdf(f'{wide[0]:.2f}')})"
        elif form == "interval":
            datum, density = f"({data}[i], {data}[i] + 0.7)", f"log_diff_exp({cdf(f'{data}[i] + 0.7')}, {cdf(f'{data}[i]')})"
        self.rust.append(f"for i in 0..z.len() {{ observe({datum}, {family}({own}){ending}); }}")
        self.stan.append(f"for (i in 1:{ROWS}) target += {density};")

    def observe_mixture(self):
        (p, q), (a, s), (b, t), (c, v) = self.unit(), self.real(), self.real(), self.positive()
        self.rust.append(f"{{ let p: Real = {p}; observe(y, Mixture::new([p, 1.0 - p], [Normal::new({a}, {c}), Normal::new({b}, 1.0 + {c})])); }}")
        self.stan.append(f"for (i in 1:{ROWS}) target += log_mix({q}, normal_lpdf(y[i] | {s}, {v}), normal_lpdf(y[i] | {t}, 1 + {v}));")

    def observe_zeros(self):
        (p, q), (a, s) = self.unit(), self.positive()
        self.rust.append(f"observe(k, ZeroInflated::new({p}, Poisson::new({a})));")
        self.stan.append(f"for (i in 1:{ROWS}) target += k[i] == 0 ? log_sum_exp(log({q}), log1m({q}) - {s}) : log1m({q}) + poisson_lpmf(k[i] | {s});")

    def observe_summed(self):
        (a, s), (b, t), (c, v), (d, e) = self.real(), self.positive(), self.real(), self.positive()
        self.rust.append(
            f"for i in 0..z.len() {{ let class = sum_out(BernoulliLogit::new({a} + 0.4 * z[i])); let rate: Real = if class == 1 {{ {b} }} else {{ {d} + 0.5 }};"
            f" observe(k[i], Poisson::new(rate)); observe(y[i], Normal::new({c} * class as f64, {b})); }}"
        )
        self.stan.append(
            f"for (i in 1:{ROWS}) target += log_sum_exp(bernoulli_logit_lpmf(1 | {s} + 0.4 * z[i]) + poisson_lpmf(k[i] | {t}) + normal_lpdf(y[i] | {v}, {t}),"
            f" bernoulli_logit_lpmf(0 | {s} + 0.4 * z[i]) + poisson_lpmf(k[i] | {e} + 0.5) + normal_lpdf(y[i] | 0, {t}));"
        )

    def observe_hidden(self):
        (p, q), (a, s), (b, t), (c, v) = self.unit(), self.unit(), self.real(), self.positive()
        self.rust.append(
            f"{{ let (p, q): (Real, Real) = ({p}, {a}); let moves: Matrix = Matrix::from_fn(2, 2, |i, j| {{ let stay = if i == 0 {{ p }} else {{ q }}; if i == j {{ stay }} else {{ 1.0 - stay }} }});"
            f" observe(y, HiddenMarkov::new([0.4, 0.6], &moves, [Normal::new({b}, {c}), Normal::new({b} + 1.0, {c})], {ROWS})); }}"
        )
        self.stan.append(
            f"{{ matrix[2, 2] moves = [[{q}, 1 - {q}], [1 - {s}, {s}]]; vector[2] f = [log(0.4) + normal_lpdf(y[1] | {t}, {v}), log(0.6) + normal_lpdf(y[1] | {t} + 1, {v})]';"
            f" for (i in 2:{ROWS}) {{ vector[2] g; for (j in 1:2) g[j] = log_sum_exp(f + log(moves[, j])) + normal_lpdf(y[i] | {t} + j - 1, {v}); f = g; }} target += log_sum_exp(f); }}"
        )

    def observe_filtered(self):
        (a, s), (b, t), (c, v) = self.positive(), self.positive(), self.real()
        self.rust.append(f"observe(y, StateSpace::new(Level::new({a}).start({c}, 0.9), {b}, {ROWS}));")
        self.stan.append(
            f"{{ real mean_ = {v}; real variance_ = square(0.9); for (i in 1:{ROWS}) {{ real total = variance_ + square({t}); target += normal_lpdf(y[i] | mean_, sqrt(total));"
            f" real gain = variance_ / total; mean_ += gain * (y[i] - mean_); variance_ = variance_ * (1 - gain) + square({s}); }} }}"
        )

    def observe_logits(self):
        (a, s), (b, t) = self.real(), self.real()
        self.rust.append(f"for i in 0..c.len() {{ let logits: Vector = Vector::from(vec![{a} * z[i], {b}, Real::from(0.0)]); observe(c[i], CategoricalLogit::new(&logits)); }}")
        self.stan.append(f"for (i in 1:{ROWS}) target += categorical_logit_lpmf(c[i] | [{s} * z[i], {t}, 0]');")

    def observe_functions(self):
        """A root and an integral: of x³ + x = a, and of cos(b x) from 0 to 1."""
        (a, s), (b, t) = self.real(), self.real()
        name = self.name("t")
        self.rust.append(f"let {name}: Real = solve(|r| r * r * r + r - {a}.tanh(), -2.0, 2.0).root() + integrate(|r| (r * {b}.tanh()).cos(), 0.0, 1.0).value();")
        self.stan.append(f"real {name} = root(tanh({s})) + sin(tanh({t})) / tanh({t});")
        self.rust.append(f"factor(-{name}.square());")
        self.stan.append(f"target += -square({name});")


    # texts

    def rust_text(self, name):
        body = "\n    ".join(self.rust)
        return f"#[model]\nfn {name}({', '.join(f'{n}: {t}' for n, t in TYPES.items())}) {{\n    {body}\n}}\n"

    def stan_text(self):
        parameters, body = "\n  ".join(self.parameters), "\n  ".join(self.stan)
        return f"{STAN_HEAD}parameters {{\n  {parameters}\n}}\nmodel {{\n  {body}\n}}\n"


PRIORS = [
    Model.scalar_prior, Model.scalar_prior, Model.scalar_prior, Model.vector_prior, Model.vector_prior, Model.chain_prior, Model.ordered_prior, Model.simplex_prior,
    Model.correlation_prior,
]  # fmt: skip
LETS = [Model.let_scalar, Model.let_rows, Model.let_rows, Model.let_link, Model.let_reduced, Model.let_matrix]
OBSERVATIONS = [
    Model.observe_rows, Model.observe_rows, Model.observe_rows, Model.observe_rows, Model.observe_mixture, Model.observe_zeros, Model.observe_summed, Model.observe_hidden,
    Model.observe_filtered, Model.observe_logits, Model.observe_functions,
]  # fmt: skip

TYPES = {
    "x": "&DMatrix<f64>", "z": "&[f64]", "y": "&[f64]", "w": "&[f64]", "u": "&[f64]", "k": "&[u64]", "b": "&[bool]", "c": "&[usize]", "group": "&[usize]",
}  # fmt: skip

STAN_HEAD = f"""functions {{
  real soft(real a, real b) {{ return tanh(a - b) * 0.5 + inv_logit(a); }}
  real root(real a) {{
    // x^3 + x = a (Cardano)
    real h = sqrt(square(a) / 4 + 1.0 / 27);
    real r = cbrt(a / 2 + h);
    return r - 1 / (3 * r);
  }}
}}
data {{
  matrix[{ROWS}, {COLUMNS}] x;
  vector[{ROWS}] z;
  vector[{ROWS}] y;
  vector[{ROWS}] w;
  vector[{ROWS}] u;
  array[{ROWS}] int k;
  array[{ROWS}] int b;
  array[{ROWS}] int c;
  array[{ROWS}] int group;
}}
"""

RUST_MAIN = """#![allow(unused)]
PARTS
use bayes::density::{LogDensity, Particles, Posterior};
use bayes::prelude::*;
use bayes::rng::{RngExt, stream};

/// A model at five positions, as a line of JSON.
pub fn print<M: Model + Differentiable + AllSampled>(name: &str, model: M) {
    let density = match Posterior::new(&model, 1) {
        Ok(density) => density,
        Err(error) => return println!("{}", serde_json::json!({ "name": name, "error": error.to_string() })),
    };
    let dim = density.dim();
    let (mut particles, mut stream) = (Particles::new(5, dim), stream(1));
    particles.positions.iter_mut().for_each(|x| *x = stream.random_range(-1.0..1.0));
    density.evaluate_gradient([1.0, 1.0], &mut particles.block());
    let points: Vec<_> = (0..5)
        .map(|i| {
            let own = i * dim..(i + 1) * dim;
            serde_json::json!({
                "position": &particles.positions[own.clone()],
                "log_density": particles.log_prior[i] + particles.log_likelihood[i],
                "gradient": &particles.gradient[own],
            })
        })
        .collect();
    println!("{}", serde_json::json!({ "name": name, "points": points }));
}

fn main() {
CALLS
}
"""

CARGO = """[package]
name = "written-models"
version = "0.1.0"
edition = "2024"

[workspace]

[dependencies]
bayes = {{ path = {repository}, default-features = false }}
serde_json = {{ version = "1", features = ["float_roundtrip"] }}
"""
IN_A_PART = 10


def rust_data():
    lists = {n: ", ".join(map(str, v)) for n, v in DATA.items() if n not in ("x", "b")}
    x = ", ".join(str(e) for row in DATA["x"] for e in row)
    flags = ", ".join("true" if b else "false" for b in DATA["b"])
    return [f"&DMatrix::from_row_slice({ROWS}, {COLUMNS}, &[{x}])", *[f"&[{flags}]" if n == "b" else f"&[{lists[n]}]" for n in TYPES if n != "x"]]


def write(folder, models, seed, repository):
    (folder / "src").mkdir(parents=True, exist_ok=True)
    (folder / "Cargo.toml").write_text(CARGO.format(repository=json.dumps(str(repository))))
    written = {f"m{s}": Model(s) for s in range(seed, seed + models)}
    names = list(written)
    parts = [names[i : i + IN_A_PART] for i in range(0, len(names), IN_A_PART)]
    head = "use bayes::prelude::*;\n\n#[function]\nfn soft(a: Real, b: f64) -> Real {\n    (a - b).tanh() * 0.5 + a.logistic()\n}\n\n"
    for i, part in enumerate(parts):
        calls = "".join(f'    crate::print("{n}", {n}({", ".join(rust_data())}));\n' for n in part)
        text = head + "\n".join(written[n].rust_text(n) for n in part) + f"\npub fn run() {{\n{calls}}}\n"
        (folder / f"src/part{i}.rs").write_text(text)
    modules = "".join(f"mod part{i};\n" for i in range(len(parts)))
    calls = "\n".join(f"    part{i}::run();" for i in range(len(parts)))
    (folder / "src/main.rs").write_text(RUST_MAIN.replace("PARTS\n", modules).replace("CALLS", calls))
    stan = {n: {"text": m.stan_text(), "blocks": m.blocks} for n, m in written.items()}
    (folder / "stan.json").write_text(json.dumps(stan))


def theirs(blocks, position):
    """Stan's coordinates, the difference of the log Jacobians, and how a gradient of Stan's is that in ours."""
    parts, density, at, steps = [], 0.0, 0, []
    for change, size in blocks:
        u = np.array(position[at : at + size])
        if change == "simplex":
            part, more = simplex(u)
            steps.append(derivatives(simplex, u))
            density += more - 0.5 * np.log(size + 1)  # the constant that `simplex` leaves out
        else:
            part = u
            steps.append((np.eye(size), np.zeros(size)))
        parts.append(part)
        at += size

    def back(gradient):
        found, start = [], 0
        for matrix, slopes in steps:
            found.append(matrix @ gradient[start : start + len(slopes)] + slopes)
            start += len(slopes)
        return np.concatenate(found)

    return np.concatenate(parts), density, back


def by_differences(model, at):
    """The gradient of Stan's log density by central differences of eighth order, with an error of about 1e-9 at functions of moderate curvature."""
    steps, weights = 0.02 * np.arange(1, 5), [4 / 5, -1 / 5, 4 / 105, -1 / 280]
    density = lambda k, h: model.log_prob_grad(at + h * np.eye(len(at))[k])[0]
    return np.array([sum(w * (density(k, h) - density(k, -h)) for w, h in zip(weights, steps)) for k in range(len(at))]) / 0.02


def differences(model, blocks, point):
    """The differences of the log density and of the gradient, relative to their sizes; `None` if Stan has none. Where the gradients differ, Stan's density has the
    last word: the third number is then the error of our gradient beside differences of it, else 0."""
    at, change, back = theirs(blocks, point["position"])
    try:
        log_density, gradient = model.log_prob_grad(at)
    except RuntimeError:
        return None
    if not np.isfinite(log_density):
        return None
    wanted = [log_density + change, back(np.asarray(gradient))]
    found = [np.nan if point["log_density"] is None else point["log_density"], np.array(point["gradient"], dtype=float)]
    off = [np.max(np.abs(f - w)) / max(1.0, np.max(np.abs(w))) for f, w in zip(found, wanted)]
    if off[1] <= TOLERANCE:
        return [*off, 0.0]
    size = max(1.0, np.max(np.abs(wanted[1])))
    return [*off, np.max(np.abs(found[1] - back(by_differences(model, at)))) / size]


def compare(folder):
    import stanli

    stan = json.loads((folder / "stan.json").read_text())
    data = {n: [e + 1 for e in v] if n in ("c", "group") else v for n, v in DATA.items()}
    cases = [json.loads(line) for line in open(folder / "points.jsonl")]
    lacking = set(stan) - {case["name"] for case in cases}
    if lacking:
        sys.exit(f"points.jsonl lacks {len(lacking)} of {len(stan)} models, such as {min(lacking)}: run the written package again")
    worst, points, missing, wrong, refused, inexact, empty = np.zeros(2), 0, 0, [], [], [], []
    for case in cases:
        name = case["name"]
        if "error" in case:
            refused.append(name)
            print(f"{name}: {case['error']}")
            continue
        try:
            model = stanli.Model(stan_code=stan[name]["text"], data=data)
        except Exception as error:
            wrong.append(name)
            print(f"{name}: {error}\n{stan[name]['text']}")
            continue
        all_ = [differences(model, stan[name]["blocks"], point) for point in case["points"]]
        kept = np.array([d for d in all_ if d is not None])
        points, missing = points + len(kept), missing + len(all_) - len(kept)
        if not len(kept):
            empty.append(name)
        if len(kept) and np.all(kept[:, 0] <= TOLERANCE) and np.any(kept[:, 1] > TOLERANCE) and np.all(kept[:, 2] <= DIFFERENCES):
            inexact.append(f"{name} ({np.max(kept[:, 1]):.1e})")
        elif len(kept) and not np.all(kept[:, :2] <= TOLERANCE):
            wrong.append(name)
            print(f"{name}: log density and gradient off by {np.max(kept, axis=0)}\n{stan[name]['text']}")
        elif len(kept):
            worst = np.maximum(worst, np.max(kept[:, :2], axis=0))
    print(f"{len(stan)} models: {points} points are equal within {worst[0]:.1e} (log density) and {worst[1]:.1e} (gradient); Stan has no number at {missing} others")
    print(f"{len(inexact)} where Stan's gradient is not that of its own density, by differences, and ours is: {', '.join(inexact)}")
    print(f"{len(empty)} have no point at which Stan has a number: {', '.join(empty)}")
    print(f"{len(wrong)} others differ: {', '.join(wrong)}; {len(refused)} are refused: {', '.join(refused)}")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["write", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.command == "write":
        repository = Path(__file__).resolve().parents[2]
        return write(arguments.folder, arguments.models, arguments.seed, repository)
    return compare(arguments.folder)


if __name__ == "__main__":
    sys.exit(main())
