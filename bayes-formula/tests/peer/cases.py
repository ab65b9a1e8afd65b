"""The regressions that `fifty.py` gives to the program `bayes` and to Bambi: data, formulas and priors.

A case is its formula for `bayes`, Bambi's formula where the two differ, and the priors that both get. Coefficients are `normal(0, b)`, the
intercept, where all columns are at their means, `student_t(3, centre, spread)`, and standard deviations of group effects
`half_student_t(3, sd)`. `further` has the priors of all other parameters, by their names in `bayes`.
"""

import numpy as np
import pandas as pd

HALF = "half_student_t(3, 2.5)"
SHAPE = "gamma(2, 0.1)"
SHARE = "beta(1, 1)"

CASES = {}


def case(name, table, family, formula, *, b=2.5, intercept=(0, 2.5), sd=2.5, bambi=None, link=None, labels=(), prepare=None, parts=None, start=None, **further):
    """One regression. `parts` are linear predictors of other parameters: by name, the formula behind `~`, and the scales of its priors. `start` has values by
    Bambi's names where its sampler cannot start at its own."""
    CASES[name] = dict(
        table=table, family=family, formula=formula, bambi=bambi or formula.replace("||", "|"), link=link, labels=list(labels),
        b=b, intercept=intercept, sd=sd, prepare=prepare, parts=parts or {}, start=start, further=further,
    )


def text(columns):
    """Labels that are numbers, with the first letter of their column before them."""
    def prepare(table):
        return table.assign(**{c: c[0] + table[c].astype(str) for c in columns})
    return prepare


def scaled(table, columns):
    """Numbers less their means, over their standard deviations."""
    return table.assign(**{c: (table[c] - table[c].mean()) / table[c].std() for c in columns})


# Gaussian responses and Student's t
case("dyestuff", "Dyestuff", "gaussian", "Yield ~ 1 + (1 | Batch)", intercept=(1500, 100), sd=100, sigma="half_student_t(3, 100)")
case("penicillin", "Penicillin", "gaussian", "diameter ~ 1 + (1 | plate) + (1 | sample)", intercept=(23, 5), sd=5, sigma="half_student_t(3, 5)")
case("pastes", "Pastes", "gaussian", "strength ~ 1 + (1 | batch/cask)", intercept=(60, 10), sd=5, sigma="half_student_t(3, 5)")
case("cake", "cake", "gaussian", "angle ~ temp * recipe + (1 | dish)", b=5, intercept=(32, 10), sd=10, labels=["recipe"], sigma="half_student_t(3, 10)",
     prepare=lambda t: t.assign(temp=(t.temp - 200) / 10, dish=t.recipe + t.replicate.astype(str)))
case("sleepstudy", "sleepstudy", "gaussian", "Reaction ~ Days + (1 + Days || Subject)", b=50, intercept=(288.7, 59.3), sd=59.3, sigma="half_student_t(3, 59.3)")
case("oxboys", "Oxboys", "gaussian", "height ~ age + (1 + age || Subject)", b=10, intercept=(150, 10), sd=10, sigma="half_student_t(3, 5)")
case("orthodont", "Orthodont", "gaussian", "distance ~ age * Sex + (1 | Subject)", b=5, intercept=(24, 5), sd=5, labels=["Sex"], sigma="half_student_t(3, 5)",
     prepare=lambda t: t.assign(age=t.age - 11))
case("rail", "Rail", "gaussian", "travel ~ 1 + (1 | Rail)", intercept=(66, 30), sd=30, sigma="half_student_t(3, 10)")
case("machines", "Machines", "gaussian", "score ~ Machine + (1 | Worker) + (1 | Worker:Machine)", b=20, intercept=(60, 10), sd=10, labels=["Machine"], sigma="half_student_t(3, 5)")
case("radon", "radon", "gaussian", "log_radon ~ basement + uranium + (1 + basement || county)", b=2, intercept=(1.3, 2.5), sd=1, sigma="half_student_t(3, 1)",
     prepare=lambda t: t.rename(columns={"log.radon": "log_radon"}))
case("ergoStool", "ergoStool", "gaussian", "effort ~ Type + (1 | Subject)", b=5, intercept=(10, 5), sd=2.5, labels=["Type"], sigma=HALF)
case("anorexia", "anorexia", "gaussian", "Postwt ~ Prewt + Treat + offset(Prewt)", b=5, intercept=(3, 10), labels=["Treat"], sigma="half_student_t(3, 10)",
     prepare=lambda t: t.assign(Prewt=t.Prewt - 82))
case("npk", "npk", "gaussian", "yield_ ~ N * P * K + (1 | block)", b=5, intercept=(55, 10), sd=5, sigma="half_student_t(3, 5)",
     prepare=lambda t: t.rename(columns={"yield": "yield_"}))
case("penguins", "penguins", "gaussian", "mass ~ flipper + species * sex", b=2, intercept=(4.2, 2.5), labels=["species", "sex"], sigma="half_student_t(3, 1)",
     prepare=lambda t: scaled(t.dropna().assign(mass=lambda t: t.body_mass_g / 1000, flipper=lambda t: t.flipper_length_mm), ["flipper"]))
case("mtcars, polynomial", "mtcars", "gaussian", "mpg ~ poly(hp, 3) + am", b=20, intercept=(20, 5), sigma="half_student_t(3, 5)")
case("swiss", "swiss", "gaussian", "Fertility ~ Agriculture + Examination + Education + Catholic + Mortality", b=2, intercept=(70, 12), sigma="half_student_t(3, 12)",
     prepare=lambda t: t.rename(columns={"Infant.Mortality": "Mortality"}))
case("stackloss", "stackloss", "student", "loss ~ air + water + acid", b=5, intercept=(15, 6), sigma="half_student_t(3, 6)", nu="gamma(2, 0.1)",
     prepare=lambda t: t.set_axis(["air", "water", "acid", "loss"], axis=1))
case("orthodont, t", "Orthodont", "student", "distance ~ age + Sex + (1 | Subject)", b=5, intercept=(24, 5), sd=5, labels=["Sex"], sigma="half_student_t(3, 5)", nu="gamma(2, 0.1)",
     prepare=lambda t: t.assign(age=t.age - 11))
case("cats, sigma", "cats", "gaussian", "Hwt ~ Bwt * Sex; sigma ~ Bwt", b=10, intercept=(10, 5), labels=["Sex"],
     parts={"sigma": ("Bwt", 2, (0, 2.5), 2.5)})
# Bambi's boundary is `c` times the largest distance from the mean, 32.42, that of `bayes` 3.2 times half the range, 27.6
PROCESS = "hsgp(times, m=40, c=2.7241558)"
case("mcycle, process", "mcycle", "gaussian", "accel ~ gp(times, k = 40)", bambi=f"accel ~ {PROCESS}", intercept=(-13, 36), sigma="half_student_t(3, 36)",
     sdgp="half_student_t(3, 36)", lscale="inverse_gamma(6.2, 52.4)")
case("mcycle, B-spline", "mcycle", "gaussian", "accel ~ b1 + b2 + b3 + b4 + b5 + b6 + b7 + b8; sigma ~ times", b=100, intercept=(-25, 50),
     prepare=lambda t: b_splines(t), parts={"sigma": ("times", 1, (3, 2.5), 2.5)})
case("tobin, censored", "tobin", "gaussian", "durable | cens(status) ~ age + quant", bambi="censored(durable, status) ~ age + quant", b=5, intercept=(0, 10), sigma="half_student_t(3, 10)",
     prepare=lambda t: scaled(t, ["age", "quant"]).assign(status=np.where(t.durable == 0, "left", "none")))
case("affairs, truncated", "Affairs", "gaussian", "affairs | trunc(0, 15) ~ age + rating + religiousness", bambi="truncated(affairs, lb=0, ub=15) ~ age + rating + religiousness",
     b=2.5, intercept=(5, 5), sigma="half_student_t(3, 5)", prepare=lambda t: scaled(t[t.affairs > 0], ["age", "rating", "religiousness"]))
case("swiss, weighted", "swiss", "gaussian", "Fertility | weights(w) ~ Education + Catholic", bambi="weighted(Fertility, w) ~ Education + Catholic", b=2, intercept=(70, 12), sigma="half_student_t(3, 12)",
     prepare=lambda t: t.assign(w=t.Agriculture / 50))

# success and failure
case("birthwt", "birthwt", "bernoulli", "low ~ age + lwt + race + smoke + ptl + ht + ui", b=5, labels=["race"], prepare=text(["race"]))
case("bacteria", "bacteria", "bernoulli", "infected ~ trt + week + (1 | ID)", labels=["trt"], prepare=lambda t: t.assign(infected=(t.y == "y") * 1))
case("respiratory", "respiratory", "bernoulli", "outcome ~ center + treat + sex + age + baseline + (1 | id)", labels=["center", "treat", "sex"],
     prepare=lambda t: scaled(t, ["age"]).assign(id=t.center.astype(str) + "_" + t.id.astype(str), center="c" + t.center.astype(str)))
case("Pima.tr, probit", "Pima.tr", "bernoulli", "diabetes ~ npreg + glu + bmi + ped + age", link="probit",
     prepare=lambda t: scaled(t, ["npreg", "glu", "bmi", "ped", "age"]).assign(diabetes=(t.type == "Yes") * 1))
case("UCBAdmissions", "UCBAdmissions", "binomial", "Admitted | trials(n) ~ Gender + Dept", bambi="p(Admitted, n) ~ Gender + Dept", labels=["Gender", "Dept"],
     prepare=lambda t: t.pivot_table("Freq", ["Gender", "Dept"], "Admit").reset_index().assign(n=lambda t: t.Admitted + t.Rejected).astype({"Admitted": int, "n": int}))
case("cbpp", "cbpp", "binomial", "incidence | trials(size) ~ period + (1 | herd)", bambi="p(incidence, size) ~ period + (1 | herd)", b=5, labels=["period"], prepare=text(["period"]))
case("menarche, probit", "menarche", "binomial", "Menarche | trials(Total) ~ Age", bambi="p(Menarche, Total) ~ Age", link="probit", prepare=lambda t: t.assign(Age=t.Age - 13))
case("womensrole", "womensrole", "binomial", "agree | trials(n) ~ education * sex", bambi="p(agree, n) ~ education * sex", labels=["sex"],
     prepare=lambda t: t.assign(n=t.agree + t.disagree, education=t.education - 10)[lambda t: t.n > 0])
case("snails, cloglog", "snails", "binomial", "Deaths | trials(N) ~ Species + Exposure + humid + warm", bambi="p(Deaths, N) ~ Species + Exposure + humid + warm", link="cloglog", labels=["Species"],
     prepare=lambda t: t.assign(humid=(t["Rel.Hum"] - 68) / 5, warm=(t.Temp - 15) / 5, Exposure=t.Exposure - 2.5))
case("orob2, beta-binomial", "orob2", "beta-binomial", "y | trials(n) ~ seed * root", bambi="p(y, n) ~ seed * root", labels=["seed", "root"], phi=SHAPE)
case("cbpp, zeros", "cbpp", "zero-inflated-binomial", "incidence | trials(size) ~ period", bambi="p(incidence, size) ~ period", b=2.5, labels=["period"], zi=SHARE, prepare=text(["period"]))

# counts
case("epil", "epil", "poisson", "y ~ trt * lbase + lage + V4 + (1 | subject)", b=5, intercept=(1.4, 2.5), labels=["trt"])
case("epil, negative binomial", "epil", "negative-binomial", "y ~ trt * lbase + lage + V4 + (1 | subject)", b=5, intercept=(1.4, 2.5), labels=["trt"], shape=SHAPE)
case("grouseticks", "grouseticks", "poisson", "TICKS ~ year + height + (1 | BROOD) + (1 | LOCATION)", intercept=(0.4, 2.5), labels=["year"],
     prepare=lambda t: t.assign(year="y" + t.YEAR.astype(str), height=t.cHEIGHT / 35))
case("Insurance", "Insurance", "poisson", "Claims ~ District + Group + Age + offset(log(Holders))", intercept=(-2, 2.5), labels=["District", "Group", "Age"], prepare=text(["District", "Group", "Age"]))
case("ShipAccidents", "ShipAccidents", "poisson", "incidents ~ type + construction + operation + offset(log(service))", intercept=(-6, 2.5), labels=["type", "construction", "operation"],
     prepare=lambda t: t[t.service > 0].assign(construction="c" + t.construction, operation="o" + t.operation))
case("warpbreaks", "warpbreaks", "poisson", "breaks ~ wool * tension", intercept=(3.3, 2.5), labels=["wool", "tension"])
case("quine", "quine", "negative-binomial", "Days ~ Eth * Sex + Age + Lrn", b=5, intercept=(2.4, 2.5), labels=["Eth", "Sex", "Age", "Lrn"], shape="inverse_gamma(0.4, 0.3)")
case("InsectSprays", "InsectSprays", "negative-binomial", "count ~ spray", intercept=(2, 2.5), labels=["spray"], shape=SHAPE)
case("salmonella, shape", "salmonella", "negative-binomial", "y ~ d + x; shape ~ d", intercept=(3, 2.5),
     prepare=lambda t: t.assign(d=np.log10(t.dose + 10) - 2, x=t.dose / 1000), parts={"shape": ("d", 1, (3, 1), 2.5)})
case("bioChemists", "bioChemists", "zero-inflated-poisson", "art ~ fem + mar + kid5 + phd + ment", b=5, labels=["fem", "mar"], zi=SHARE)
case("bioChemists, negative binomial", "bioChemists", "zero-inflated-negative-binomial", "art ~ fem + kid5 + ment; zi ~ ment", b=2.5, labels=["fem"], shape=SHAPE,
     prepare=lambda t: scaled(t, ["ment"]), parts={"zi": ("ment", 1, (0, 1), 2.5)})
case("bioChemists, hurdle", "bioChemists", "hurdle-poisson", "art ~ fem + mar + kid5 + phd + ment; hu ~ fem + ment", b=2.5, labels=["fem", "mar"],
     prepare=lambda t: scaled(t, ["ment", "phd"]), parts={"hu": ("fem + ment", 2.5, (0, 2.5), 2.5)})
case("badhealth, hurdle", "badhealth", "hurdle-negative-binomial", "numvisit ~ badh + age", intercept=(1, 2.5), hu=SHARE, shape=SHAPE,
     prepare=lambda t: t.assign(age=(t.age - 37) / 10))

case("warpbreaks, weighted", "warpbreaks", "poisson", "breaks | weights(w) ~ wool + tension", bambi="weighted(breaks, w) ~ wool + tension", intercept=(3.3, 2.5), labels=["wool", "tension"],
     prepare=lambda t: t.assign(w=1 + t.index % 3))

# positive numbers, shares and angles
case("kidney", "kidney", "gamma", "time ~ age + sex + disease + (1 | id)", b=5, intercept=(3.7, 2.5), labels=["sex", "disease"], shape="inverse_gamma(0.4, 0.3)", prepare=text(["sex"]))
case("kidney, censored", "kidney", "weibull", "time | cens(state) ~ age + sex + disease", bambi="censored(time, state) ~ age + sex + disease", intercept=(4, 2.5), labels=["sex", "disease"], shape=SHAPE, start={"alpha": 1.0},
     prepare=lambda t: t.assign(state=np.where(t.status == 1, "none", "right"), sex="s" + t.sex.astype(str), age=(t.age - 43) / 10))
case("airquality", "airquality", "gamma", "Ozone ~ Temp + Wind + Solar", intercept=(3.7, 2.5), shape=SHAPE,
     prepare=lambda t: scaled(t.rename(columns={"Solar.R": "Solar"}).dropna(), ["Temp", "Wind", "Solar"]))
case("trees", "trees", "inverse-gaussian", "Volume ~ girth + height", intercept=(3.3, 2.5), shape="inverse_gamma(0.4, 0.3)",
     prepare=lambda t: t.assign(girth=np.log(t.Girth / 13), height=np.log(t.Height / 76)))
case("leuk", "leuk", "exponential", "time ~ ag + white", intercept=(3.5, 2.5), labels=["ag"], prepare=lambda t: t.assign(white=np.log10(t.wbc) - 4))
case("PSID1976, hurdle gamma", "PSID1976", "hurdle-gamma", "wage ~ education + experience + city", b=1, intercept=(1.2, 2.5), labels=["city"], hu=SHARE, shape=SHAPE,
     prepare=lambda t: t.assign(education=(t.education - 12) / 2, experience=(t.experience - 10) / 8))
case("PSID1976, hurdle lognormal", "PSID1976", "hurdle-lognormal", "wage ~ education + experience; hu ~ youngkids + experience", b=1, intercept=(1.2, 2.5), sigma=HALF,
     prepare=lambda t: t.assign(education=(t.education - 12) / 2, experience=(t.experience - 10) / 8), parts={"hu": ("youngkids + experience", 2.5, (0, 2.5), 2.5)})
case("GasolineYield", "GasolineYield", "beta", "share ~ temp + (1 | batch)", intercept=(-1.5, 2.5), phi="gamma(2, 0.01)",
     prepare=lambda t: t.assign(share=t["yield"], temp=(t.temp - 330) / 70))
case("FoodExpenditure", "FoodExpenditure", "beta", "share ~ income + persons; phi ~ persons", b=1, intercept=(-1, 2.5),
     prepare=lambda t: t.assign(share=t.food / t.income, income=(t.income - 58) / 15), parts={"phi": ("persons", 1, (3, 2.5), 2.5)})
case("islay, angles", "islay", "von-mises", "angle ~ 1", intercept=(0, 0.5), link="identity", kappa=SHAPE,
     prepare=lambda t: t.assign(angle=(np.radians(t.theta) + np.pi) % (2 * np.pi) - np.pi))

# grades and labels
case("wine", "wine", "cumulative", "rating ~ warm + skin + (1 | judge)", prepare=lambda t: grades(t))
case("wine, stopping ratio", "wine", "sratio", "rating ~ warm + skin", prepare=lambda t: grades(t))
case("wine, probit", "wine", "cumulative", "rating ~ warm * skin", link="probit", prepare=lambda t: grades(t))
case("Womenlf", "Womenlf", "categorical", "partic ~ hincome + children", labels=["children"], prepare=lambda t: t.assign(hincome=(t.hincome - 15) / 7))


def grades(table):
    """Columns with the mean 0, since Bambi has no cutpoints where the columns are at their means."""
    return table.assign(warm=(table.temp == "warm") - 0.5, skin=(table.contact == "yes") - 0.5)


def b_splines(table):
    """Cubic B-splines with five inner knots at quantiles, without the first one, as `bs(times, df = 8)` of R."""
    from scipy.interpolate import BSpline
    x = table.times.to_numpy()
    inner = np.quantile(x, np.linspace(0, 1, 7)[1:-1])
    knots = np.concatenate([[x.min()] * 4, inner, [x.max()] * 4])
    basis = BSpline.design_matrix(x, knots, 3).toarray()
    columns = {f"b{k}": basis[:, k] for k in range(1, 9)}
    return pd.concat([table, pd.DataFrame(columns)], axis=1).assign(times=(x - 25) / 13)
