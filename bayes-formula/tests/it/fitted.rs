//! Expected responses against sums and integrals of the densities of the families.

use crate::families::{self, At};
use crate::{of, table};
use bayes::prelude::*;
use bayes_formula::{Family, Regression, formula};

/// The mean of a response, from its density.
fn mean(family: Family, at: &At) -> f64 {
    moment(family, at, 1)
}

/// The mean of a power of a response, from its density.
pub(crate) fn moment(family: Family, at: &At, power: i32) -> f64 {
    let density = |y: f64| families::wanted(family, at, y).exp();
    match family {
        // integrals with such heavy tails converge slowly; the density is symmetric around its location
        Family::StudentT => {
            assert_eq!(power, 1, "it has no other moments for all nu");
            at.eta
        }
        // the density has this mean, as the test of the likelihoods shows
        Family::Weibull => {
            (at.eta * f64::from(power)).exp() * families::moment_of_weibull(at.shape, power)
                / families::moment_of_weibull(at.shape, 1).powi(power)
        }
        Family::Gaussian => {
            let from = at.eta - 12.0 * at.sigma;
            sum(2_000, |k| {
                let y = from + (f64::from(k) + 0.5) * 24.0 * at.sigma / 2_000.0;
                y.powi(power) * density(y) * 24.0 * at.sigma / 2_000.0
            })
        }
        Family::SkewNormal | Family::ExGaussian => {
            let sd = at.sigma.hypot(at.beta);
            let step = 80.0 * sd / 40_000.0;
            sum(40_000, |k| {
                let y = at.eta + (f64::from(k) + 0.5) * step - 40.0 * sd;
                y.powi(power) * density(y) * step
            })
        }
        // until the end of the baseline hazard, where the others are counted
        Family::Cox => {
            let [low, high] = families::ENDS_OF_BASELINE;
            let width = (high - low) / 20_000.0;
            let events = sum(20_000, |k| {
                let y = low + (f64::from(k) + 0.5) * width;
                y.powi(power) * density(y) * width
            });
            events + high.powi(power) * (-at.eta.exp()).exp()
        }
        // by the symmetry of the density
        Family::VonMises => 2.0 * at.eta.atan(),
        Family::LogNormal
        | Family::Gamma
        | Family::Exponential
        | Family::InverseGaussian
        | Family::HurdleGamma
        | Family::Frechet
        | Family::HurdleLogNormal => {
            sum(12_000, |k| {
                // over the logarithm of the response
                let step = 120.0 / 12_000.0;
                let y = (-80.0 + (f64::from(k) + 0.5) * step).exp();
                y.powi(power) * density(y) * y * step
            })
        }
        Family::Beta | Family::ZeroInflatedBeta | Family::ZeroOneInflatedBeta => {
            moment_of_share(family, at, power)
        }
        Family::Bernoulli => density(1.0),
        Family::Binomial
        | Family::BetaBinomial
        | Family::ZeroInflatedBinomial
        | Family::ZeroInflatedBetaBinomial => sum(at.trials as u32 + 1, |k| {
            f64::from(k).powi(power) * density(f64::from(k))
        }),
        _ => sum(20_000, |k| f64::from(k).powi(power) * density(f64::from(k))),
    }
}

/// The same for a share, over its logit below one half; the upper half is the lower half of one less the response, which does not round.
fn moment_of_share(family: Family, at: &At, power: i32) -> f64 {
    let mirrored = At {
        eta: -at.eta,
        ..at.clone()
    };
    let density = |at: &At, y: f64| families::wanted(family, at, y).exp();
    let step = 700.0 / 24_000.0;
    let inside = sum(24_000, |k| {
        let y = 1.0 / (1.0 + ((f64::from(k) + 0.5) * step).exp());
        let [lower, upper] = [density(at, y), density(&mirrored, y)];
        let both = y.powi(power) * lower + (1.0 - y).powi(power) * upper;
        both * y * (1.0 - y) * step
    });
    inside + at.zoi * at.coi
}

fn sum(terms: u32, term: impl Fn(u32) -> f64) -> f64 {
    (0..terms).map(term).sum()
}

#[test]
fn every_family_has_the_mean_of_its_density() {
    for (name, family) in Family::ALL {
        let (regression, run) = families::run(name, family);
        let linear = regression.fitted(&run).linear().draws().expect("its run");
        let fitted = regression.fitted(&run).draws().expect("its run");
        let places = fitted.elements / 6;
        let group = &run.groups[0];
        let draws = group.draws.chunks(run.layout.elements());
        for ((values, found), linear) in draws.zip(fitted.rows()).zip(linear.rows()) {
            let vector = |name: &str| {
                run.layout
                    .find(name)
                    .map_or(&[][..], |variable| &values[variable.range()])
            };
            for i in 0..6 {
                let at = families::at(&vector, i);
                let near = |found: f64, wanted: f64| {
                    let within = 1e-4 * wanted.abs().max(1e-3);
                    assert!((found - wanted).abs() < within, "{name}: {found}, {wanted}");
                };
                let etas = match at.levels.as_slice() {
                    [] => std::slice::from_ref(&at.eta),
                    levels => levels,
                };
                for (k, eta) in etas.iter().enumerate() {
                    let found = linear[etas.len() * i + k];
                    assert!((found - eta).abs() < 1e-9 * eta.abs().max(1.0), "{name}");
                }
                if families::has_outcomes(family) {
                    for grade in 0..places {
                        let density = families::wanted(family, &at, grade as f64 + 1.0);
                        near(found[i * places + grade], density.exp());
                    }
                } else {
                    near(found[i], mean(family, &at));
                }
            }
        }
    }
}

#[test]
fn fitted_rows_have_their_moments() {
    let (regression, run) = families::run("poisson", Family::Poisson);
    let fitted = regression.fitted(&run);
    let draws = fitted.draws().expect("its run");
    let table = fitted.table().expect("its run");
    assert_eq!((table.rows.len(), draws.elements), (6, 6));
    for (k, row) in table.rows.iter().enumerate() {
        let values: Vec<f64> = draws.rows().map(|row| row[k]).collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let square: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        assert!((row.summary.mean.mean - mean).abs() < 1e-12 * mean.abs());
        assert!((row.summary.sd - (square / (n - 1.0)).sqrt()).abs() < 1e-9 * row.summary.sd);
        assert_eq!(
            row.summary.quantiles[2],
            draws.quantile(0.5).expect("a median")[k]
        );
    }
    let csv = table.to_csv();
    assert!(
        csv.starts_with("row,mean,mcse,sd,q5,q25,q50,q75,q95\n0,"),
        "{csv}"
    );
    // as many digits as predictions have
    let cells = csv.lines().skip(1).flat_map(|line| line.split(','));
    let numbers = cells.map(|cell| cell.parse::<f64>().expect("a number"));
    for number in numbers.filter(|number| !number.is_nan()) {
        assert_eq!(format!("{number:.9e}").parse(), Ok(number), "{csv}");
    }
}

const SLEEP: &str = "Reaction ~ Days + (1 + Days | Subject)";

fn sleep() -> (Regression, Run) {
    let regression = formula(SLEEP).and_then(|formula| formula.on(&table("sleepstudy")));
    let regression = regression.expect("it fits the table");
    let engine = Inference::nuts().draws(200).seed(2).progress(false);
    let run = engine.run(&regression).expect("it runs");
    (regression, run)
}

#[test]
fn a_new_table_has_its_groups_or_those_of_the_population() {
    let (regression, run) = sleep();
    let names = run.layout.element_names();
    let element = |name: &str| {
        names
            .iter()
            .position(|known| known == name)
            .expect("it is there")
    };
    let [intercept, slope] = ["intercept", "b[Days]"].map(element);
    let own = ["r[Subject:337:Intercept]", "r[Subject:337:Days]"].map(element);
    let group = &run.groups[0];
    let first = &group.draws[..run.layout.elements()];
    let population = first[intercept] + 4.0 * first[slope];
    let with_own = population + first[own[0]] + 4.0 * first[own[1]];
    let row = |regression: Regression| {
        let draws = regression.fitted(&run).draws().expect("its run");
        draws.rows().next().expect("a draw")[0]
    };
    let new = regression
        .of(&of("Days,Subject\n4,337\n"))
        .expect("it fits");
    assert!((row(new) - with_own).abs() < 1e-9 * with_own.abs());
    let new = regression.of_population(&of("Days\n4\n")).expect("it fits");
    assert!((row(new) - population).abs() < 1e-9 * population.abs());
    let new = Regression::of_run_to_population(&run, &of("Days,Subject\n4,337\n"));
    assert!((row(new.expect("it fits")) - population).abs() < 1e-9 * population.abs());
}

// The effects of a new group have the standard deviations of the run, and the predictor varies by them.
#[test]
fn new_groups_are_refused_or_drawn() {
    let (regression, run) = sleep();
    let new = regression
        .of(&of("Days,Subject\n0,999\n"))
        .expect("it fits");
    let error = new.fitted(&run).draws().expect_err("nobody knows it");
    assert!(error.to_string().contains("999"), "{error}");
    let drawn = new.fitted(&run).new_groups(NewGroups::Draw).table();
    let sd = drawn.expect("it is drawn").rows[0].summary.sd;
    let known = run.mean_estimates("sd").expect("standard deviations")[0].mean;
    let spread = run.sd("intercept").expect("an intercept")[0];
    let wanted = known.hypot(spread);
    assert!((sd / wanted - 1.0).abs() < 0.2, "{sd}, {wanted}");
}
