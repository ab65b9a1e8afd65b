//! Families that the crate writes out: their definitions, which the scipy values of `tests/data/families.json` check, and the likelihoods of
//! grades with every link and with `disc`.

use crate::families::{At, baseline, density};
use crate::{log_likelihood, of};
use bayes::autodiff::Value;
use bayes::dist::Distribution;
use bayes::prelude::*;
use bayes_formula::{Family, Link, formula};
use serde_json::Value as Json;

/// The log density of such a family at the mean, or the probability, `mean`.
pub(crate) fn wanted(family: Family, mean: f64, at: &At, y: f64) -> f64 {
    let At {
        sigma,
        shape,
        phi,
        zi,
        hu,
        alpha,
        beta,
        kappa,
        zoi,
        coi,
        trials,
        ..
    } = *at;
    let of_beta = || density(Beta::new(mean * phi, (1.0 - mean) * phi), y);
    let or_zero = |zero: f64, rest: &dyn Fn() -> f64| match y == 0.0 {
        true => zero.ln(),
        false => (1.0 - zero).ln() + rest(),
    };
    let inflated = |count: &dyn Fn(f64) -> f64| match y == 0.0 {
        true => (zi + (1.0 - zi) * count(0.0).exp()).ln(),
        false => (1.0 - zi).ln() + count(y),
    };
    match family {
        Family::ZeroInflatedBinomial => inflated(&|y| density(Binomial::new(trials, mean), y)),
        Family::ZeroInflatedBetaBinomial => {
            inflated(&|y| density(BetaBinomial::new(trials, mean * phi, (1.0 - mean) * phi), y))
        }
        Family::SkewNormal => {
            let delta = alpha / (1.0 + alpha * alpha).sqrt();
            let share = std::f64::consts::FRAC_2_PI;
            let scale = sigma / (1.0 - share * delta * delta).sqrt();
            let location = mean - scale * delta * share.sqrt();
            density(SkewNormal::new(location, scale, alpha), y)
        }
        Family::ExGaussian => density(
            ExponentiallyModifiedNormal::new(mean - beta, sigma, 1.0 / beta),
            y,
        ),
        Family::VonMises => density(VonMises::new(mean, kappa), y),
        Family::HurdleGamma => or_zero(hu, &|| density(Gamma::new(shape, shape / mean), y)),
        Family::HurdleLogNormal => or_zero(hu, &|| density(LogNormal::new(mean, sigma), y)),
        Family::ZeroInflatedBeta => or_zero(zi, &of_beta),
        Family::ZeroOneInflatedBeta if y == 0.0 => (zoi * (1.0 - coi)).ln(),
        Family::ZeroOneInflatedBeta if y == 1.0 => (zoi * coi).ln(),
        Family::ZeroOneInflatedBeta => (1.0 - zoi).ln() + of_beta(),
        Family::Frechet | Family::Cox => of_time(family, mean, at, y),
        Family::Multinomial | Family::Dirichlet => of_columns(family, at, y),
        Family::Categorical => {
            let scores = || std::iter::once(0.0).chain(at.levels.iter().copied());
            let total: f64 = scores().map(f64::exp).sum();
            let own = scores().nth(y as usize - 1).expect("there is such a label");
            own - total.ln()
        }
        other => panic!("{other} has no test"),
    }
}

/// The log density of a time; `mean` is the mean of the family `frechet`, and the hazard ratio of `cox`.
fn of_time(family: Family, mean: f64, at: &At, y: f64) -> f64 {
    if family == Family::Cox {
        let [hazard, integral] = baseline(&at.sbhaz, y);
        return (hazard * mean).ln() - integral * mean;
    }
    let ln_gamma = Real::<Value>::constant(1.0 - 1.0 / at.nu).ln_gamma();
    density(Frechet::new(at.nu, mean / ln_gamma.primal().exp()), y)
}

/// The log density of the columns of a row; without them the logarithm of the expected response of the column `y`, which is the number of trials
/// times its probability.
fn of_columns(family: Family, at: &At, y: f64) -> f64 {
    let scores = std::iter::once(0.0).chain(at.levels.iter().copied());
    let shares: Vec<f64> = scores.map(f64::exp).collect();
    let total: f64 = shares.iter().sum();
    let shares: Vec<f64> = shares.iter().map(|share| share / total).collect();
    let row: Vec<Real<Value>> = at.row.iter().map(|y| Real::constant(*y)).collect();
    match family {
        Family::Multinomial if row.is_empty() => (at.trials as f64 * shares[y as usize - 1]).ln(),
        _ if row.is_empty() => shares[y as usize - 1].ln(),
        Family::Multinomial => {
            let trials = at.row.iter().sum::<f64>() as u64;
            let density = Multinomial::new(trials, shares).log_density_of(&row);
            density.primal()
        }
        _ => {
            let parts: Vec<f64> = shares.iter().map(|share| at.phi * share).collect();
            Dirichlet::new(parts).log_density_of(&row).primal()
        }
    }
}

/// The log probability of a grade; `share` is the distribution function of the link.
pub(crate) fn grade(family: Family, share: &dyn Fn(f64) -> f64, at: &At, y: f64) -> f64 {
    let k = y as usize - 1;
    let apart: Vec<f64> = at
        .cutpoints
        .iter()
        .map(|cut| at.disc * (cut - at.eta))
        .collect();
    let below = |k: usize| match k {
        0 => 0.0,
        k if k > apart.len() => 1.0,
        k => share(apart[k - 1]),
    };
    let probability = match family {
        Family::Cumulative => below(k + 1) - below(k),
        Family::SequentialRatio => {
            let passed: f64 = apart[..k].iter().map(|x| 1.0 - share(*x)).product();
            passed * apart.get(k).map_or(1.0, |x| share(*x))
        }
        Family::ContinuationRatio => {
            let passed: f64 = apart[..k].iter().map(|x| share(-x)).product();
            passed * apart.get(k).map_or(1.0, |x| 1.0 - share(-x))
        }
        Family::AdjacentCategory => {
            let score = |k: usize| -> f64 {
                let up: f64 = apart[..k].iter().map(|x| share(-x)).product();
                let down: f64 = apart[k..].iter().map(|x| 1.0 - share(-x)).product();
                up * down
            };
            let total: f64 = (0..=apart.len()).map(score).sum();
            score(k) / total
        }
        other => panic!("{other} has no grades"),
    };
    probability.ln()
}

fn share(link: Link) -> fn(f64) -> f64 {
    match link {
        Link::Probit => |x| Normal::new(0.0, 1.0).cdf(x),
        Link::CLogLog => |x| 1.0 - (-x.exp()).exp(),
        _ => |x| 1.0 / (1.0 + (-x).exp()),
    }
}

const FAMILIES: [Family; 4] = [
    Family::Cumulative,
    Family::SequentialRatio,
    Family::ContinuationRatio,
    Family::AdjacentCategory,
];

/// Positions are `b`, the cutpoints, and `b` of `disc` in the order of the model.
#[test]
fn grades_have_the_probabilities_of_their_definitions_with_every_link_and_disc() {
    let x = [0.2, 0.5, -0.9, 1.3, 0.4, -0.3];
    let grades = [1.0, 2.0, 1.0, 4.0, 2.0, 3.0];
    let rows: String = (0..6)
        .map(|i| format!("{},{}\n", grades[i], x[i]))
        .collect();
    let table = of(&format!("y,x\n{rows}"));
    for family in FAMILIES {
        for link in [Link::Logit, Link::Probit, Link::CLogLog] {
            for with_disc in [false, true] {
                let text = if with_disc {
                    "y ~ x; disc ~ x"
                } else {
                    "y ~ x"
                };
                let made = formula(text).expect("it is a formula").family(family);
                let regression = made.link(link).on(&table).expect("it fits");
                let engine = Inference::nuts().chains(1).draws(3).burn_in(4).seed(2);
                let run = engine.progress(false).run(&regression).expect("it runs");
                let group = &run.groups[0];
                let fitted = regression.fitted(&run).draws().expect("its run");
                let draws = group.draws.chunks(run.layout.elements());
                for ((values, found), fitted) in draws.zip(&group.log_likelihood).zip(fitted.rows())
                {
                    let vector =
                        |name: &str| &values[run.layout.find(name).expect("it is there").range()];
                    let b = vector("b");
                    let at = |i: usize| At {
                        eta: b[0] * x[i],
                        disc: b.get(1).map_or(1.0, |b| (b * x[i]).exp()),
                        cutpoints: vector("cutpoints").to_vec(),
                        ..At::default()
                    };
                    let one = |i: usize, y: f64| grade(family, &share(link), &at(i), y);
                    let total: f64 = (0..6).map(|i| one(i, grades[i])).sum();
                    let context = format!("{family}, {link}, {text}");
                    // the definitions lose digits in the tails
                    assert!(
                        (found - total).abs() < 1e-6 * total.abs().max(1.0),
                        "{context}: {found}, {total}"
                    );
                    for i in 0..6 {
                        let sum: f64 = fitted[4 * i..4 * i + 4].iter().sum();
                        assert!((sum - 1.0).abs() < 1e-9, "{context}: {sum}");
                        for k in 0..4 {
                            let wanted = one(i, k as f64 + 1.0).exp();
                            let found = fitted[4 * i + k];
                            assert!((found - wanted).abs() < 1e-9, "{context}: {found}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn definitions_have_the_log_densities_of_scipy() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/families.json");
    let text = std::fs::read_to_string(path).expect("it is in the repository");
    let cases: Vec<Json> = serde_json::from_str(&text).expect("it is JSON");
    assert!(cases.len() > 60);
    for case in cases {
        let name = case["family"].as_str().expect("a name");
        let family: Family = name.parse().expect("a family");
        let number = |key: &str| case[key].as_f64().unwrap_or(0.0);
        let numbers = |key: &str| -> Vec<f64> {
            let list = case[key].as_array();
            let list = list.map_or(&[][..], Vec::as_slice);
            list.iter().filter_map(Json::as_f64).collect()
        };
        let at = At {
            eta: number("eta"),
            nu: number("nu"),
            row: numbers("row"),
            sigma: number("sigma"),
            shape: number("shape"),
            phi: number("phi"),
            zi: number("zi"),
            hu: number("hu"),
            alpha: number("alpha"),
            beta: number("beta"),
            kappa: number("kappa"),
            zoi: number("zoi"),
            coi: number("coi"),
            disc: number("disc"),
            trials: number("trials") as u64,
            cutpoints: numbers("cutpoints"),
            levels: numbers("levels"),
            ..At::default()
        };
        let (y, reference) = (number("y"), number("log_density"));
        let found = match FAMILIES.contains(&family) {
            true => {
                let link: Link = case["link"].as_str().expect("a link").parse().expect("one");
                grade(family, &share(link), &at, y)
            }
            false => wanted(family, number("mean"), &at, y),
        };
        assert!(
            (found - reference).abs() < 1e-9 * reference.abs().max(1.0),
            "{case}: {found}"
        );
    }
}

/// With the same terms for two labels a categorical regression is a logistic one: the same likelihood at the same position.
#[test]
fn two_labels_have_the_likelihood_of_a_logistic_regression() {
    let table = of("y,x\nno,0.3\nyes,1.2\nno,-0.4\nyes,0.1\nyes,2\n");
    let of_family = |family| {
        let made = formula("y ~ x").expect("it is a formula").family(family);
        made.on(&table).expect("it fits")
    };
    let [categorical, bernoulli] = [Family::Categorical, Family::Bernoulli].map(of_family);
    for position in [[0.4, -0.3], [-2.0, 1.5]] {
        let [a, b] = [&categorical, &bernoulli].map(|one| log_likelihood(one, &position));
        assert!((a - b).abs() < 1e-12, "{a}, {b}");
    }
}

/// The log odds of `cloglog` are exponentials of the linear predictor, and beyond 709 those are infinite.
#[test]
fn grades_have_their_probabilities_far_in_both_tails() {
    let at = |rows: &str, b: f64| {
        let made = formula("y ~ x").expect("it is a formula");
        let made = made.family(Family::AdjacentCategory).link(Link::CLogLog);
        let regression = made
            .on(&of(&format!("y,x\n{rows}2,0\n3,0\n")))
            .expect("it fits");
        log_likelihood(&regression, &[b, 0.0, 0.0, 0.0])
    };
    // the two rows in the middle, whose linear predictor is 0
    let odds = (1.0 - (-1.0_f64).exp()).ln() + 1.0;
    let total = (0..4)
        .map(|k| (f64::from(k) * odds).exp())
        .sum::<f64>()
        .ln();
    let middle = 3.0 * odds - 2.0 * total;
    for b in [60.0, 700.0, 800.0, 1e5] {
        let found = at("4,1\n1,-1\n", b);
        assert!((found - middle).abs() < 1e-9, "{b}: {found}, {middle}");
        let unlikely = at("1,1\n4,-1\n", b);
        assert!(unlikely.is_finite() && unlikely < -1e20, "{b}: {unlikely}");
    }
}
