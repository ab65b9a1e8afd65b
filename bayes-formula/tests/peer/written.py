"""Regressions that Bambi cannot say, written out in PyMC: correlated group effects, and families that Bambi lacks."""

import numpy as np

from cases import CASES, case

WRITTEN = {}


def sampled(model, seed):
    """Draws by name. Variables of the sampler's own have names that begin with `_`."""
    import pymc as pm

    with model:
        names = [v.name for v in model.free_RVs + model.deterministics if not v.name.startswith("_")]
        fit = pm.sample(1000, tune=1000, chains=2, cores=1, random_seed=seed, progressbar=False, var_names=names)
    return {name: fit.posterior[name].values for name in names}


def linear(case, table, columns):
    """The linear predictor of columns of numbers, with their coefficients and the intercept."""
    import pymc as pm

    x = table[columns].to_numpy(dtype=float)
    centre, spread = case["intercept"]
    at_means = pm.StudentT("_at_means", nu=3, mu=centre, sigma=spread)
    slopes = [pm.Normal(f"b[{c}]", 0, case["b"]) for c in columns]
    pm.Deterministic("intercept", at_means - sum(b * m for b, m in zip(slopes, x.mean(0))))
    return at_means + sum(b * (x[:, k] - x[:, k].mean()) for k, b in enumerate(slopes))


def correlated(case, table, group, column):
    """Intercepts and slopes of groups, with `lkj(1)`."""
    import pymc as pm
    import pytensor.tensor as pt

    levels = {level: k for k, level in enumerate(sorted(table[group].unique()))}
    of = table[group].map(levels).to_numpy()
    sd = pm.HalfStudentT.dist(nu=3, sigma=case["sd"])
    factor, cor, sds = pm.LKJCholeskyCov("_lkj", n=2, eta=1, sd_dist=sd, compute_corr=True)
    effects = pt.dot(factor, pm.Normal("_z", 0, 1, shape=(2, len(levels))))
    pm.Deterministic(f"sd[{group}:Intercept]", sds[0])
    pm.Deterministic(f"sd[{group}:{column}]", sds[1])
    pm.Deterministic(f"cor[{group}:Intercept:{column}]", cor[0, 1])
    return effects[0, of] + effects[1, of] * table[column].to_numpy(dtype=float)


def written(name, *arguments, **options):
    """The function below builds the model of this case from its table."""
    def decorate(build):
        case(name, *arguments, **options)
        said = CASES.pop(name)

        def peer(table, _, seed):
            import pymc as pm

            with pm.Model() as model:
                build(said, table)
            return sampled(model, seed)

        WRITTEN[name] = {**said, "written": peer}
        return build
    return decorate


@written("sleepstudy, correlated", "sleepstudy", "gaussian", "Reaction ~ Days + (1 + Days | Subject)", b=50, intercept=(288.7, 59.3), sd=59.3, sigma="half_student_t(3, 59.3)")
def sleepstudy(case, table):
    import pymc as pm

    eta = linear(case, table, ["Days"]) + correlated(case, table, "Subject", "Days")
    pm.Normal("_y", eta, pm.HalfStudentT("sigma", nu=3, sigma=59.3), observed=table.Reaction)


@written("oxboys, correlated", "Oxboys", "gaussian", "height ~ age + (1 + age | Subject)", b=10, intercept=(150, 10), sd=10, sigma="half_student_t(3, 5)")
def oxboys(case, table):
    import pymc as pm

    eta = linear(case, table, ["age"]) + correlated(case, table, "Subject", "age")
    pm.Normal("_y", eta, pm.HalfStudentT("sigma", nu=3, sigma=5), observed=table.height)


@written("epil, correlated", "epil", "poisson", "y ~ lbase + lage + (1 + period | subject)", b=5, intercept=(1.4, 2.5), sd=2.5,
         prepare=lambda t: t.assign(period=(t.period - 2.5) / 2))
def epil(case, table):
    import pymc as pm
    import pytensor.tensor as pt

    eta = linear(case, table, ["lbase", "lage"]) + correlated(case, table, "subject", "period")
    pm.Poisson("_y", pt.exp(eta), observed=table.y)


@written("sleepstudy, ex-gaussian", "sleepstudy", "ex-gaussian", "Reaction ~ Days", b=50, intercept=(288.7, 59.3), sigma="half_student_t(3, 59.3)", beta="gamma(1, 0.1)")
def ex_gaussian(case, table):
    import pymc as pm

    beta = pm.Gamma("beta", 1, 0.1)
    mean = linear(case, table, ["Days"])
    pm.ExGaussian("_y", mu=mean - beta, sigma=pm.HalfStudentT("sigma", nu=3, sigma=59.3), nu=beta, observed=table.Reaction)


@written("cats, skew normal", "cats", "skew-normal", "Hwt ~ Bwt", b=10, intercept=(10, 5), sigma="half_student_t(3, 5)", alpha="normal(0, 4)")
def skew_normal(case, table):
    import pymc as pm
    import pytensor.tensor as pt

    sigma, alpha = pm.HalfStudentT("sigma", nu=3, sigma=5), pm.Normal("alpha", 0, 4)
    delta = alpha / pt.sqrt(1 + alpha**2)
    omega = sigma / pt.sqrt(1 - 2 / np.pi * delta**2)
    pm.SkewNormal("_y", mu=linear(case, table, ["Bwt"]) - omega * delta * np.sqrt(2 / np.pi), sigma=omega, alpha=alpha, observed=table.Hwt)


@written("airquality, lognormal", "airquality", "lognormal", "Ozone ~ Temp + Wind; sigma ~ Temp", intercept=(3.4, 2.5), parts={"sigma": ("Temp", 1, (0, 2.5), 2.5)},
         prepare=lambda t: t.assign(Temp=(t.Temp - 78) / 10, Wind=(t.Wind - 10) / 4)[["Ozone", "Temp", "Wind"]].dropna())
def lognormal(case, table):
    import pymc as pm
    import pytensor.tensor as pt

    x = table.Temp.to_numpy()
    at_means, slope = pm.StudentT("_sigma", nu=3, mu=0, sigma=2.5), pm.Normal("b[sigma:Temp]", 0, 1)
    pm.Deterministic("intercepts[sigma]", at_means - slope * x.mean())
    pm.LogNormal("_y", linear(case, table, ["Temp", "Wind"]), pt.exp(at_means + slope * (x - x.mean())), observed=table.Ozone)


@written("BCG, known errors", "BCG", "gaussian", "effect | se(error) ~ Latitude + (1 | Study)", b=1, intercept=(-0.7, 2.5), sd=1,
         prepare=lambda t: t.assign(effect=np.log((t.BCGTB / (t.BCGTB + t.BCGVacc)) / (t.NoVaccTB / (t.NoVaccTB + t.NoVacc))),
                                    error=np.sqrt(1 / t.BCGTB - 1 / (t.BCGTB + t.BCGVacc) + 1 / t.NoVaccTB - 1 / (t.NoVaccTB + t.NoVacc)), Latitude=(t.Latitude - 33) / 15))
def meta_analysis(case, table):
    import pymc as pm

    sd = pm.HalfStudentT("sd[Study:Intercept]", nu=3, sigma=1)
    eta = linear(case, table, ["Latitude"]) + sd * pm.Normal("_z", shape=len(table))
    pm.Normal("_y", eta, table.error.to_numpy(), observed=table.effect)
