"""PyMC models: their evidence, their draws, and what is refused. Where PyMC is not installed there are none of these tests."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from conftest import table

import bayes

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pm = pytest.importorskip("pymc")
pytest.importorskip("numba")
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning:pytensor", "ignore::DeprecationWarning")

from scipy import stats  # noqa: E402
from scipy.special import betaln, gammaln, logsumexp  # noqa: E402

from bayes import _prior_check, _pymc  # noqa: E402
from bayes._arrays import array  # noqa: E402

#: Settings with which a run takes a second.
SMALL = {"islands": 4, "particles": 256}
SCHOOLS = [
    "Choate",
    "Deerfield",
    "Phillips Andover",
    "Phillips Exeter",
    "Hotchkiss",
    "Lawrenceville",
    "St. Paul's",
    "Mt. Hermon",
]
EFFECTS = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
ERRORS = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])


def eight_schools():
    with pm.Model(coords={"school": SCHOOLS}) as model:
        mu = pm.Normal("mu", 0, 5)
        tau = pm.HalfCauchy("tau", 5)
        z = pm.Normal("z", 0, 1, dims="school")
        theta = pm.Deterministic("theta", mu + tau * z, dims="school")
        pm.Normal("y", theta, ERRORS, observed=EFFECTS, dims="school")
    return model


def evidence_of_eight_schools():
    """By quadrature over both: given mu and tau the effects are independent normals."""
    mu = np.linspace(-30, 30, 801)[:, None, None]
    # tau = 5 tan(pi u / 2), with u uniform
    u = (np.arange(4000) + 0.5)[:, None] / 4000
    tau = 5 * np.tan(np.pi * u / 2)
    terms = np.array(
        [stats.norm.logpdf(EFFECTS, m, np.sqrt(ERRORS**2 + tau**2)).sum(axis=1) + stats.norm.logpdf(m, 0, 5) for m in mu[:, 0]]
    )
    return float(logsumexp(terms) - np.log(4000) + np.log(60 / 800))


def normal():
    y = np.array([1.2, 0.3, -0.5, 2.0])
    with pm.Model() as model:
        mu = pm.Normal("mu", 0, 2)
        pm.Normal("y", mu, 1, observed=y)
    return model, stats.multivariate_normal.logpdf(y, np.zeros(4), np.eye(4) + 4)


def beta_binomial():
    with pm.Model() as model:
        p = pm.Beta("p", 2, 3)
        pm.Binomial("y", 10, p, observed=7)
    return model, gammaln(11) - gammaln(8) - gammaln(4) + betaln(9, 6) - betaln(2, 3)


def gamma_poisson():
    y = np.array([3, 1, 4, 1, 5])
    with pm.Model() as model:
        rate = pm.Gamma("rate", 2, 0.5)
        pm.Poisson("y", rate, observed=y)
    n, total = len(y), y.sum()
    return model, 2 * np.log(0.5) - gammaln(2) + gammaln(2 + total) - (2 + total) * np.log(0.5 + n) - gammaln(y + 1).sum()


def dirichlet_multinomial():
    y, alpha = np.array([3, 5, 2]), np.array([1.0, 2.0, 1.5])
    with pm.Model(coords={"kind": ["a", "b", "c"]}) as model:
        w = pm.Dirichlet("w", alpha, dims="kind")
        pm.Multinomial("y", 10, w, observed=y)
    log_beta = lambda a: gammaln(a).sum() - gammaln(a.sum())  # noqa: E731
    return model, gammaln(11) - gammaln(y + 1).sum() + log_beta(alpha + y) - log_beta(alpha)


def hierarchical_normal():
    """The bound of one prior is another value; the evidence is that of a quadrature over it."""
    y = np.array([0.5, -1.4, 2.2])
    with pm.Model() as model:
        tau = pm.Uniform("tau", 0, 3)
        theta = pm.Normal("theta", 0, tau, shape=3)
        pm.Normal("y", theta, 1, observed=y)
    tau = (np.arange(100_000) + 0.5)[:, None] * 3 / 100_000
    return model, logsumexp(stats.norm.logpdf(y, 0, np.sqrt(1 + tau**2)).sum(axis=1)) - np.log(100_000)


@pytest.mark.parametrize(
    "make", [normal, beta_binomial, gamma_poisson, dirichlet_multinomial, hierarchical_normal], ids=lambda make: make.__name__
)
def test_the_evidence_is_the_analytic_one(make):
    model, exact = make()
    found = bayes.sample(model, seed=1, **SMALL)
    assert abs(found.log_evidence - exact) < 3 * found.log_evidence_se, (found.log_evidence, found.log_evidence_se, exact)
    assert found.log_evidence_se < 0.05 and found.warnings == []


def observed_parent():
    """`x` has its prior at the observed value of `y`, from which a draw of `y` too would be 1.4 times as wide."""
    data = np.array([1.0, 2.0, 0.3])
    with pm.Model() as model:
        y = pm.Normal("y", 0, 1, observed=0.5)
        x = pm.Normal("x", pm.math.exp(y) - 1, 1)
        pm.Normal("z", x, 0.5, observed=data)
    of_data = stats.multivariate_normal.logpdf(data, np.full(3, np.exp(0.5) - 1), 0.25 * np.eye(3) + 1)
    return model, stats.norm.logpdf(0.5) + of_data


def observed_bound():
    """The transform of `u` has the observed value in it, which is a count in a `pm.Data`."""
    with pm.Model() as model:
        n = pm.Poisson("n", 3, observed=pm.Data("count", np.array(2)))
        u = pm.Uniform("u", 0, n)
        pm.Bernoulli("z", u / 4, observed=1)
    return model, stats.poisson.logpmf(2, 3) + np.log(0.25)


def missing_value():
    """The missing one of three values is free, and `x` depends on all of them."""
    with pm.Model() as model:
        y = pm.Normal("y", 0, 1, observed=np.ma.masked_invalid([0.5, np.nan, 1.0]))
        x = pm.Normal("x", y.sum(), 1)
        pm.Normal("z", x, 1, observed=2.0)
    return model, stats.norm.logpdf([0.5, 1.0]).sum() + stats.norm.logpdf(2.0, 1.5, np.sqrt(3))


@pytest.mark.filterwarnings("ignore::pymc.exceptions.ImputationWarning")
@pytest.mark.parametrize("make", [observed_parent, observed_bound, missing_value], ids=lambda make: make.__name__)
def test_prior_draws_have_the_values_of_observed_parents(make):
    model, exact = make()
    found = bayes.sample(model, seed=1, **SMALL)
    assert abs(found.log_evidence - exact) < 3 * found.log_evidence_se, (found.log_evidence, found.log_evidence_se, exact)
    assert found.log_evidence_se < 0.05 and found.warnings == []


@pytest.fixture(scope="module")
def schools():
    return bayes.evidence(eight_schools(), seed=1)


def test_the_example_of_the_documentation(schools):
    assert schools.agree and schools.warnings == []
    assert abs(schools.log_evidence - evidence_of_eight_schools()) < 3 * schools.log_evidence_se
    assert schools.log_evidence_se < 0.03
    row = schools.summary().row("theta[Choate]")
    assert 5 < row["mean"] < 7.5
    mu, tau, z = (schools.draws(name) for name in ("mu", "tau", "z"))
    assert (tau > 0).all() and z.shape == (*mu.shape, 8)
    assert schools.draws("theta") == pytest.approx(mu[..., None] + tau[..., None] * z, rel=1e-12)


def test_arviz_has_the_dimensions_of_the_model(schools):
    data = schools.to_arviz()
    posterior = data["posterior"]
    assert posterior["theta"].dims == ("chain", "draw", "school")
    assert posterior["theta"].sel(school="St. Paul's").values.tolist() == schools.draws("theta")[:, :, 6].tolist()
    assert data["observed_data"]["y"].values.tolist() == EFFECTS.tolist()
    assert posterior.attrs["log_evidence"] == schools.log_evidence
    assert posterior.attrs["log_evidence_se"] == schools.log_evidence_se
    alone = schools.nested.to_arviz()
    assert alone["posterior"].attrs["log_evidence"] == schools.nested.log_evidence


def test_chains_have_the_same_posterior(schools):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bayes.BayesWarning)
        chains = bayes.sample(eight_schools(), engine="nuts", seed=1, var_names=["mu", "tau"])
    assert chains.names == ["mu", "tau"] and chains.log_evidence is None
    for name in ("mu", "tau"):
        first, second = chains.summary().row(name), schools.summary().row(name)
        assert abs(first["mean"] - second["mean"]) < 4 * np.hypot(first["mcse"], second["mcse"])


@pytest.mark.filterwarnings("ignore::bayes.BayesWarning")
def test_intercepts_that_vary_have_the_evidence_of_the_formula():
    frame = table("sleepstudy")
    # the intercept of a formula is that at the means of the predictors
    x, group = frame["Days"].to_numpy(float) / 10 - 0.45, frame["Subject"].to_numpy()
    y = (frame["Reaction"] > 300).to_numpy().astype(float)
    names, place = np.unique(group, return_inverse=True)
    priors = {"b": "normal(0, 5)", "intercept": "normal(0, 2)", "sd": "half_normal(2)"}
    by_formula = bayes.fit(
        "y ~ x + (1 | g)", {"y": y, "x": x, "g": group.astype(str)}, "bernoulli", priors, engine="psmc", seed=1, **SMALL
    )
    with pm.Model(coords={"subject": names}) as model:
        intercept = pm.Normal("intercept", 0, 2)
        slope = pm.Normal("slope", 0, 5)
        sd = pm.HalfNormal("sd", 2)
        z = pm.Normal("z", 0, 1, dims="subject")
        pm.Bernoulli("y", logit_p=intercept + slope * x + sd * z[place], observed=y)
    of_model = bayes.sample(model, seed=2, **SMALL)
    off = of_model.log_evidence - by_formula.log_evidence
    assert abs(off) < 3 * np.hypot(of_model.log_evidence_se, by_formula.log_evidence_se)
    assert of_model.summary().row("slope")["mean"] == pytest.approx(by_formula.summary().row("b[x]")["mean"], abs=0.2)


def many_transforms():
    with pm.Model() as model:
        a = pm.Normal("a", 1, 2)
        s = pm.HalfCauchy("s", 2)
        pm.Uniform("bounded", -s, a**2 + 1)
        pm.Beta("p", 2, 0.7)
        pm.Dirichlet("w", np.array([0.5, 2, 3]))
        pm.ZeroSumNormal("zero", shape=4)
        pm.TruncatedNormal("cut", 0, 1, lower=0.5)
        pm.LKJCholeskyCov("l", n=3, eta=2, sd_dist=pm.Exponential.dist(1, size=3))
        pm.Normal("y", a, s, observed=[0.5, 1.0])
    return model


def few_transforms():
    """Parts of the gradient that are a number, a vector and a matrix, in which numba compiles for seconds and not for a minute."""
    with pm.Model() as model:
        a = pm.Normal("a", 1, 2)
        s = pm.HalfCauchy("s", 2, shape=2)
        b = pm.Normal("b", 0, 1, shape=(2, 2))
        pm.Normal("y", a + b.sum(axis=1), s, observed=[0.5, 1.0])
    return model


@functools.cache
def all_transforms(backend):
    model = few_transforms() if backend == "numba" else many_transforms()
    return model, _pymc.made(model, backend, None, None)


@pytest.mark.parametrize("backend", ["numba", "interpreter"])
def test_densities_and_gradients_are_those_of_pymc_and_of_differences(backend):
    model, made = all_transforms(backend)
    positions = array(made.density.draw_prior(1, 6), -1, made.dim)
    found = array(made.density.evaluate(positions.tobytes(), 6, (1.0, 0.5)))
    log_prior, log_likelihood, gradient = found[:6], found[6:12], found[12:].reshape(6, -1)
    joint = model.compile_logp()
    values = model.value_vars
    shapes = [np.shape(model.initial_point()[value.name]) for value in values]
    for i, position in enumerate(positions):
        parts = np.split(position, np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1])
        point = {value.name: part.reshape(shape) for value, part, shape in zip(values, parts, shapes)}
        assert log_prior[i] + log_likelihood[i] == pytest.approx(float(joint(point)), rel=1e-10)
    step = 1e-5
    for k in range(made.dim):
        moved = np.concatenate([positions + step * np.eye(made.dim)[k], positions - step * np.eye(made.dim)[k]])
        lp, ll = array(made.density.evaluate(moved.tobytes(), 12, None)).reshape(2, 2, 6)
        slopes = ((lp[0] - lp[1]) + 0.5 * (ll[0] - ll[1])) / (2 * step)
        assert gradient[:, k] == pytest.approx(slopes, rel=1e-5, abs=1e-5), made.coordinates[k]


def simple_prior():
    with pm.Model() as model:
        s = pm.Gamma("s", 3, 1)
        pm.Uniform("u", -s, 2)
        pm.Normal("y", 0, s, observed=0.5)
    return model


def test_prior_draws_have_the_density_of_the_prior():
    """Importance sampling by the prior of a narrower normal gives its integral, 1."""
    made = _pymc.made(simple_prior(), "auto", None, None)
    n = 8_000
    positions = array(made.density.draw_prior(1, n), -1, made.dim)
    log_prior = array(made.density.evaluate(positions.tobytes(), n, None))[:n]
    narrow = stats.multivariate_normal(positions.mean(axis=0), 0.4 * np.cov(positions.T))
    ratio = np.exp(narrow.logpdf(positions) - log_prior)
    assert abs(ratio.mean() - 1) < 4 * ratio.std() / np.sqrt(n) < 0.15


def test_draws_of_all_transforms_pass_the_check_of_priors():
    _, made = all_transforms("interpreter")
    assert _prior_check.trouble(made.density, made.dim, made.coordinates, made.periodic) is None


BITS = """
import warnings; warnings.simplefilter("ignore")
import bayes, pymc as pm
with pm.Model() as model:
    s = pm.Exponential("s", 1)
    pm.Normal("y", 0, s, observed=[1.0, -2.0, 0.5])
found = bayes.sample(model, seed=5, islands=3, particles=64)
print(repr(found.log_evidence), found.draws("s").sum().hex())
"""


def test_the_number_of_threads_does_not_matter():
    found = [
        subprocess.run(
            [sys.executable, "-c", BITS],
            env={**os.environ, "RAYON_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    ]
    assert found[0] == found[1] and len(found[0].split()) == 2


def with_potential():
    """A potential of a normal density: as likelihood a second observation 0 of `x`, as prior a narrower normal."""
    with pm.Model() as model:
        x = pm.Normal("x", 0, 1)
        pm.Potential("pull", pm.logp(pm.Normal.dist(x, 1), 0.0))
        pm.Normal("y", x, 1, observed=1.5)
    return model


def test_a_potential_is_likelihood_or_prior():
    settings = {"seed": 1, **SMALL}
    with pytest.warns(bayes.BayesWarning, match="`pull`: the potentials are part of the likelihood"):
        unsaid = bayes.sample(with_potential(), **settings)
    as_likelihood = bayes.sample(with_potential(), potentials="likelihood", **settings)
    assert unsaid.log_evidence == as_likelihood.log_evidence
    exact = stats.multivariate_normal.logpdf([0, 1.5], [0, 0], [[2, 1], [1, 2]])
    assert abs(as_likelihood.log_evidence - exact) < 3 * as_likelihood.log_evidence_se
    # the prior is then a normal one of variance 1/2
    as_prior = bayes.sample(with_potential(), potentials="prior", **settings)
    exact = stats.norm.logpdf(1.5, 0, np.sqrt(1.5))
    assert abs(as_prior.log_evidence - exact) < 3 * as_prior.log_evidence_se
    assert as_prior.log_evidence_se > as_likelihood.log_evidence_se
    assert "of the potentials in the prior" in repr(as_prior)


def test_data_without_dims_and_of_three_dimensions():
    with pm.Model() as model:
        x = pm.Normal("x", 0, 1, shape=(2, 1, 3))
        pm.Data("d", np.ones(2))
        pm.Normal("y", x.sum() * model["d"], 1, observed=[0.5, 1.0])
    found = bayes.sample(model, seed=1, islands=2, particles=64, engine="smc")
    assert found.draws("x").shape[2:] == (2, 1, 3)
    assert found.to_arviz()["posterior"]["x"].dims == ("chain", "draw", "x_dim_0", "x_dim_1", "x_dim_2")
    assert found.summary().names[5] == "x[1,0,2]"
    assert found.elements("x")[5] == "x[1,0,2]"


def wrong_model(of):
    with pm.Model() as model:
        x = pm.Normal("x", 0, 1)
        of(x)
    return model


def observed(x, **others):
    pm.Normal("y", x, 1, observed=[0.5, 1.0], **others)


MISTAKES = [
    (
        lambda x: (pm.Poisson("k", 3), observed(x)),
        {},
        "`k`: a free variable with whole numbers, which the engines cannot sample",
    ),
    (lambda x: None, {}, "the model has no observed variable and no potential; there is no likelihood"),
    (
        lambda x: (pm.Flat("f"), observed(x)),
        {},
        "`psmc` begins with draws from the prior; `f`: an improper prior (Flat) has none",
    ),
    (
        lambda x: (pm.Normal("cuts", 0, 1, shape=2, transform=pm.distributions.transforms.ordered), observed(x)),
        {},
        "prior draws have no finite coordinate `cuts_ordered__[1]`",
    ),
    (
        lambda x: observed(pm.Censored("c", pm.Normal.dist(0, 1), lower=-1, upper=None)),
        {},
        "prior draws: its prior has a point mass, as a censored one",
    ),
    (
        lambda x: (pm.MvNormal("m", [x, x], np.eye(2), observed=np.ma.masked_invalid([0.5, np.nan])), observed(x)),
        {},
        "`m`: some elements of a multivariate observation are missing",
    ),
    (
        lambda x: pm.CustomDist("c", x, random=lambda x, rng=None, size=None: rng.normal(x, 1, size=size), observed=[0.5]),
        {},
        "PyMC has no log density of the model: Attempted to run logp on the CustomDist",
    ),
    (
        lambda x: observed(pm.CustomDist("c", x, logp=lambda value, x: -((value - x) ** 2))),
        {},
        "`psmc` begins with draws from the prior; PyMC cannot draw from it: Attempted to run random on the CustomDist",
    ),
    (
        lambda x: pm.Simulator("s", lambda rng, x, size: rng.normal(x, 1, size=size), x, observed=[0.5]),
        {},
        "the density draws random numbers: give all data in place of a pymc.Minibatch; a pymc.Simulator has no density",
    ),
    (
        lambda x: pm.Normal("m", x, 1, observed=pm.Minibatch(np.arange(4.0), batch_size=2)),
        {},
        "the density draws random numbers: give all data in place of a pymc.Minibatch",
    ),
    (observed, {"potentials": "both"}, "`potentials` is 'both'; it must be likelihood or prior"),
    (observed, {"backend": "jax"}, "`backend` is 'jax'; it must be auto, numba or interpreter"),
    (observed, {"var_names": ["z"]}, "`var_names` has `z`, and the model has x"),
    (observed, {"var_names": []}, "`var_names` is empty"),
    (observed, {"dim": 3}, "`dim` is of functions; a PyMC model has its own"),
    (observed, {"prior": bayes.Prior.normal()}, "`prior` is of functions; a PyMC model has its own"),
    (observed, {"particle": 3}, "there is no setting `particle`; did you mean `particles`?"),
]


@pytest.mark.filterwarnings("ignore::pymc.exceptions.ImputationWarning")
@pytest.mark.parametrize(("of", "settings", "words"), MISTAKES, ids=[words[:40] for *_, words in MISTAKES])
def test_a_mistake_is_named(of, settings, words):
    with pytest.raises(bayes.BayesInputError) as raised:
        bayes.sample(wrong_model(of), **settings)
    assert words in str(raised.value) and "Apply node" not in str(raised.value)


def test_variables_without_elements_are_refused():
    """Seen to detect: the native part panicked."""
    with pm.Model() as model:
        pm.Normal("y", pm.Normal("x", 0, 1, shape=0).sum(), 1, observed=[0.5])
    with pytest.raises(bayes.BayesInputError, match="the free variables of the model have no elements"):
        bayes.sample(model)
    with pytest.raises(TypeError, match=r"`model` is a \w+; it must be a pymc\.Model"):
        bayes.sample(pm.Model)


def test_a_likelihood_that_is_scaled_is_warned_of():
    """Seen to detect: an evidence of the fourth power of the likelihood, without a word; and warnings in a file of this package."""
    model = wrong_model(lambda x: (observed(x, total_size=8), pm.Potential("p", -(x**2))))
    with pytest.warns(bayes.BayesWarning) as warned:
        bayes.sample(model, backend="interpreter", islands=2, particles=64)
    texts = [str(warning.message) for warning in warned]
    assert texts[0].startswith("`y`: `total_size` multiplies the log likelihood, which is then no probability of data")
    assert texts[1].startswith("`p`: the potentials are part of the likelihood")
    assert {warning.filename for warning in warned} == {__file__}


def test_a_function_of_python_without_a_gradient_has_differences():
    import pytensor.tensor as pt
    from pytensor.compile.ops import as_op

    @as_op(itypes=[pt.dscalar], otypes=[pt.dscalar])
    def black_box(x):
        return np.asarray(float(x))

    model = wrong_model(lambda x: observed(black_box(x)))
    with pytest.warns(
        bayes.BayesWarning, match="no gradient of an operation of the model: gradients are differences"
    ) as warned:
        found = bayes.sample(model, seed=1, **SMALL)
    assert not any("report this" in str(warning.message) for warning in warned)
    exact = stats.multivariate_normal.logpdf([0.5, 1.0], [0, 0], [[2, 1], [1, 2]])
    assert abs(found.log_evidence - exact) < 4 * found.log_evidence_se < 0.2
    with pytest.raises(bayes.BayesInputError, match='no gradient of an operation of the model.*`backend="interpreter"`'):
        bayes.sample(model, backend="numba")


def test_an_empty_model_and_single_precision_are_refused(monkeypatch):
    with pytest.raises(bayes.BayesInputError, match="the model has no free variable"):
        bayes.sample(pm.Model())
    import pytensor

    with pytensor.config.change_flags(floatX="float32"), pytest.raises(bayes.BayesInputError, match="floatX is float32"):
        bayes.sample(wrong_model(observed))


def test_without_numba_there_is_the_interpreter(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(ImportError, match='`backend="numba"` needs numba, which is not installed: pip install numba'):
        bayes.sample(wrong_model(observed), backend="numba")
    found = bayes.sample(wrong_model(observed), seed=1, islands=2, particles=64)
    exact = stats.multivariate_normal.logpdf([0.5, 1.0], [0, 0], [[2, 1], [1, 2]])
    assert abs(found.log_evidence - exact) < 0.3


def test_an_operation_of_python_is_called_with_the_lock_and_its_exception_raised():
    """numba would call it without a frame of the interpreter, where it cannot raise."""
    import pytensor.tensor as pt
    from pytensor.compile.ops import as_op

    @as_op(itypes=[pt.dscalar], otypes=[pt.dscalar])
    def broken(x):
        raise ZeroDivisionError("no answer here")

    broken.grad = broken.L_op = broken.pullback = lambda *parts: [parts[-1][0]]
    model = wrong_model(lambda x: observed(broken(x)))
    with (
        pytest.warns(bayes.BayesWarning, match="numba cannot compile the model.*object mode"),
        pytest.raises(ZeroDivisionError),
    ):
        bayes.sample(model)
    with pytest.raises(bayes.BayesInputError, match='numba cannot compile the model.*`backend="interpreter"`'):
        bayes.sample(model, backend="numba")
