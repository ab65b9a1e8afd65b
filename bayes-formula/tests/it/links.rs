//! Every link of every family: the likelihood against the definition, and refusals.

use crate::families::{At, has_outcomes};
use crate::{of, written};
use bayes::autodiff::{PlainValue, Value};
use bayes::dist::Distribution;
use bayes::prelude::*;
use bayes_formula::{Family, Link, Prior, formula};
use std::f64::consts::PI;

const X: [f64; 5] = [0.2, 0.5, 0.9, 1.3, 0.4];
const POSITIVE: [f64; 5] = [0.5, 1.2, 0.9, 3.0, 2.0];
const SHARE: [f64; 5] = [0.2, 0.5, 0.35, 0.9, 0.6];
const COUNTS: [f64; 5] = [0.0, 1.0, 2.0, 4.0, 1.0];
const BINARY: [f64; 5] = [0.0, 1.0, 0.0, 1.0, 0.0];
const GRADES: [f64; 5] = [1.0, 2.0, 1.0, 3.0, 2.0];
const TRIALS: u64 = 6;

/// The mean, by the definition of a link.
fn mean(link: Link, eta: f64) -> f64 {
    match link {
        Link::Identity => eta,
        Link::Log => eta.exp(),
        Link::Logit => 1.0 / (1.0 + (-eta).exp()),
        Link::Probit => Normal::new(0.0, 1.0).cdf(eta),
        Link::CLogLog => 1.0 - (-eta.exp()).exp(),
        Link::Cauchit => 0.5 + eta.atan() / PI,
        Link::Inverse => 1.0 / eta,
        Link::Softplus => (1.0 + eta.exp()).ln(),
        Link::Sqrt => eta * eta,
        Link::TanHalf => 2.0 * eta.atan(),
        other => panic!("{other} has no test"),
    }
}

fn density<D: Distribution<Value, Value = Real<Value>>>(distribution: D, y: f64) -> f64 {
    let density = distribution.log_density_of(&[Real::constant(y)]);
    density.plain_value()
}

/// The log density of a response with this mean.
fn wanted(family: Family, mean: f64, y: f64, of: &dyn Fn(&str) -> f64) -> f64 {
    let count = |y: f64| match family {
        Family::NegativeBinomial
        | Family::HurdleNegativeBinomial
        | Family::ZeroInflatedNegativeBinomial => {
            density(NegativeBinomial::mean_dispersion(mean, of("shape")), y)
        }
        _ => density(Poisson::new(mean), y),
    };
    match family {
        Family::Gaussian => density(Normal::new(mean, of("sigma")), y),
        Family::StudentT => density(StudentT::new(of("nu"), mean, of("sigma")), y),
        Family::LogNormal => density(LogNormal::new(mean, of("sigma")), y),
        Family::Gamma => density(Gamma::new(of("shape"), of("shape") / mean), y),
        Family::Exponential => density(Exponential::new(1.0 / mean), y),
        Family::Weibull => {
            let log_gamma = Real::<Value>::constant(1.0 + 1.0 / of("shape")).ln_gamma();
            density(
                Weibull::new(of("shape"), mean / log_gamma.primal().exp()),
                y,
            )
        }
        Family::InverseGaussian => density(InverseGaussian::new(mean, of("shape")), y),
        Family::Beta => density(Beta::new(mean * of("phi"), (1.0 - mean) * of("phi")), y),
        Family::Bernoulli => density(Bernoulli::new(mean), y),
        Family::Binomial => density(Binomial::new(TRIALS, mean), y),
        Family::BetaBinomial => density(
            BetaBinomial::new(TRIALS, mean * of("phi"), (1.0 - mean) * of("phi")),
            y,
        ),
        Family::Geometric => density(Geometric::new(1.0 / (1.0 + mean)), y),
        Family::Poisson | Family::NegativeBinomial => count(y),
        Family::ZeroInflatedPoisson | Family::ZeroInflatedNegativeBinomial if y == 0.0 => {
            (of("zi") + (1.0 - of("zi")) * count(0.0).exp()).ln()
        }
        Family::ZeroInflatedPoisson | Family::ZeroInflatedNegativeBinomial => {
            (1.0 - of("zi")).ln() + count(y)
        }
        Family::HurdlePoisson | Family::HurdleNegativeBinomial if y == 0.0 => of("hu").ln(),
        Family::HurdlePoisson | Family::HurdleNegativeBinomial => {
            (1.0 - of("hu")).ln() + count(y) - (1.0 - count(0.0).exp()).ln()
        }
        other => {
            let at = At {
                sigma: of("sigma"),
                shape: of("shape"),
                phi: of("phi"),
                zi: of("zi"),
                hu: of("hu"),
                nu: of("nu"),
                alpha: of("alpha"),
                beta: of("beta"),
                kappa: of("kappa"),
                zoi: of("zoi"),
                coi: of("coi"),
                trials: TRIALS,
                ..At::default()
            };
            written::wanted(other, mean, &at, y)
        }
    }
}

/// The responses of a family, and the text before `~`.
fn response(family: &str) -> ([f64; 5], &'static str) {
    match family {
        "beta" => (SHARE, "y"),
        "bernoulli" => (BINARY, "y"),
        "binomial" | "beta-binomial" | "zero-inflated-binomial" | "zero-inflated-beta-binomial" => {
            (COUNTS, "y | trials(n)")
        }
        "zero-inflated-beta" | "zero-one-inflated-beta" => (SHARE, "y"),
        "skew-normal" | "ex-gaussian" | "von-mises" | "hurdle-gamma" | "hurdle-lognormal"
        | "gaussian" | "student" | "lognormal" | "gamma" | "exponential" | "weibull"
        | "inverse-gaussian" | "frechet" => (POSITIVE, "y"),
        "cumulative" => (GRADES, "y"),
        _ => (COUNTS, "y"),
    }
}

/// Compares the log likelihoods of a few draws; priors near one place keep means within the range of each family.
fn compare(name: &str, family: Family, link: Link) {
    let (y, left) = response(name);
    let rows: String = (0..5)
        .map(|i| format!("{},{},{TRIALS}\n", y[i], X[i]))
        .collect();
    let centre = if mean(link, -0.7) > 0.0 && link != Link::Sqrt {
        -0.7
    } else {
        0.4
    };
    let regression = formula(&format!("{left} ~ x"))
        .expect("it is a formula")
        .family(family)
        .link(link)
        .prior("b", Prior::normal(0.0, 0.03))
        .prior("intercept", Prior::normal(centre, 0.03))
        .on(&of(&format!("y,x,n\n{rows}")));
    let regression = regression.unwrap_or_else(|error| panic!("{name}, {link}: {error}"));
    let engine = Inference::nuts().chains(1).draws(4).burn_in(4).seed(2);
    let run = engine.progress(false).run(&regression);
    let run = run.unwrap_or_else(|error| panic!("{name}, {link}: {error}"));
    let group = &run.groups[0];
    let draws = group.draws.chunks(run.layout.elements());
    for (values, found) in draws.zip(&group.log_likelihood) {
        let at = |name: &str| {
            let found = run.layout.find(name);
            found.map_or(f64::NAN, |variable| values[variable.range().start])
        };
        let term = |i: usize| {
            let eta = at("intercept") + at("b") * X[i];
            wanted(family, mean(link, eta), y[i], &at)
        };
        let total: f64 = (0..5).map(term).sum();
        let is_close = (found - total).abs() < 1e-8 * total.abs().max(1.0);
        assert!(is_close, "{name}, {link}: {found}, {total}");
    }
}

#[test]
fn every_link_has_the_likelihood_of_its_definition() {
    let mut compared = 0;
    for (name, family) in Family::ALL {
        for (_, link) in Link::ALL {
            // grades and labels have tests of their own, and `cox` has one link
            let has_own = has_outcomes(family) || family == Family::Cox;
            if family.links().contains(&link) && !has_own {
                compare(name, family, link);
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 114);
}

#[test]
fn grades_may_be_cut_from_a_normal_variable() {
    let rows: String = (0..5)
        .map(|i| format!("{},{}\n", GRADES[i], X[i]))
        .collect();
    let regression = formula("y ~ x")
        .expect("it is a formula")
        .family(Family::Cumulative)
        .link(Link::Probit)
        .on(&of(&format!("y,x\n{rows}")))
        .expect("it fits");
    let engine = Inference::nuts().chains(1).draws(4).burn_in(4).seed(2);
    let run = engine.progress(false).run(&regression).expect("it runs");
    let values = &run.groups[0].draws[..run.layout.elements()];
    let at = |name: &str, k: usize| {
        values[run.layout.find(name).expect("it is there").range().start + k]
    };
    let below = |grade: usize, eta: f64| match grade {
        0 => 0.0,
        3 => 1.0,
        k => Normal::new(0.0, 1.0).cdf(at("cutpoints", k - 1) - eta),
    };
    let term = |i: usize| {
        let (eta, grade) = (at("b", 0) * X[i], GRADES[i] as usize);
        (below(grade, eta) - below(grade - 1, eta)).ln()
    };
    let total: f64 = (0..5).map(term).sum();
    assert!((run.groups[0].log_likelihood[0] - total).abs() < 1e-9);
}

#[test]
fn links_that_a_family_does_not_have_are_refused() {
    let made = formula("y ~ x").map(|formula| formula.link(Link::Probit));
    let error = made.and_then(|formula| formula.on(&of("y,x\n1,2\n2,3\n4,1\n")));
    assert_eq!(
        error.err().expect("it is refused").to_string(),
        "setting `link` is probit, must be identity, log, inverse, softplus, for the family gaussian"
    );
    let error = "probitt".parse::<Link>().expect_err("there is none");
    assert!(
        error.starts_with("there is no link `probitt`; known are identity, log"),
        "{error}"
    );
}

#[test]
fn means_that_no_prior_keeps_within_their_range_are_named() {
    let table = of("y,x\n1,2\n0,3\n1,1\n0,4\n");
    let regression =
        formula("y ~ x").map(|formula| formula.family(Family::Bernoulli).link(Link::Identity));
    let regression = regression
        .and_then(|formula| formula.on(&table))
        .expect("it fits");
    let error = Inference::nuts().progress(false).run(&regression);
    let error = error.expect_err("probabilities above 1").to_string();
    assert!(
        error.contains("the family with this link: parameter `eta` at index ")
            && error.contains("within the range of means"),
        "{error}"
    );
}
