//! Truncation and censoring: against references, closed forms, sums and integrals, and their errors.

use crate::battery::{Numbers, stream};
use crate::reference::{agrees, references};
use bayes_autodiff::special::inverse_mills;
use bayes_autodiff::{Dual, Real, Value, Vector};
use bayes_model::dist::*;

fn real(x: f64) -> Real<Value> {
    Real::constant(x)
}

#[test]
fn truncated_normal_agrees_with_the_reference() {
    let cases = references("truncated").cases;
    for point in cases.iter().flat_map(|case| &case.points) {
        let &[mean, sd, low, high] = point.parameters.as_slice() else {
            panic!("four parameters");
        };
        let distribution = Normal::new(mean, sd).truncated(low, high);
        let got = distribution.log_density_at(real(point.x)).primal();
        assert!(agrees(got, point.log_density), "{point:?}: got {got}");
        let outside =
            Distribution::<Value>::check_data(&distribution, &Numbers(vec![point.x])).is_err();
        assert_eq!(outside, point.log_density == f64::NEG_INFINITY);
    }
}

/// The trapezoidal sum of the density of the unconstrained coordinate. It is spectrally accurate, because the density
/// decays at both ends.
fn mass<D: Distribution<Value, Value = Real<Value>>>(distribution: &D) -> f64 {
    let step = 1.0 / 64.0;
    let density = |i: i32| {
        let (x, log_jacobian) = distribution.constrain(&[real(f64::from(i) * step)]);
        (distribution.log_density_at(&x) + log_jacobian)
            .primal()
            .exp()
    };
    (-64 * 60..=64 * 60).map(density).sum::<f64>() * step
}

#[test]
fn truncated_densities_integrate_to_one() {
    let infinity = f64::INFINITY;
    for (name, mass) in [
        ("normal", mass(&Normal::new(0.3, 2.0).truncated(-1.0, 2.5))),
        (
            "normal, tail",
            mass(&Normal::new(0.0, 1.0).truncated(30.0, infinity)),
        ),
        (
            "normal, narrow",
            mass(&Normal::new(0.0, 1.0).truncated(-9.5, -9.0)),
        ),
        (
            "t",
            mass(&StudentT::new(3.0, 0.0, 1.0).truncated(0.0, infinity)),
        ),
        ("gamma", mass(&Gamma::new(2.5, 0.5).truncated(1.0, 3.0))),
        (
            "gamma, one bound",
            mass(&Gamma::new(2.5, 0.5).truncated(-infinity, 3.0)),
        ),
        ("beta", mass(&Beta::new(2.0, 3.0).truncated(0.5, 4.0))),
        ("cauchy", mass(&Cauchy::new(1.0, 2.0).truncated(-3.0, 50.0))),
        (
            "no bound",
            mass(&Exponential::new(2.0).truncated(-infinity, infinity)),
        ),
    ] {
        assert!((mass - 1.0).abs() < 1e-10, "{name}: {mass}");
    }
}

#[test]
fn truncated_masses_sum_to_one() {
    fn sum<D: Distribution<Value, Value = Real<Value>>>(distribution: &D) -> f64 {
        let log_mass = |k: i32| distribution.log_density_at(real(f64::from(k))).primal();
        (-3..400).map(|k| log_mass(k).exp()).sum()
    }
    for (name, sum) in [
        ("poisson", sum(&Poisson::new(3.0).truncated(2, 7))),
        (
            "poisson, from one",
            sum(&Poisson::new(0.7).truncated(1, f64::INFINITY)),
        ),
        (
            "poisson, one value",
            sum(&Poisson::new(3.0).truncated(5, 5)),
        ),
        ("binomial", sum(&Binomial::new(20, 0.3).truncated(4, 19))),
        (
            "binomial, tail",
            sum(&BinomialLogit::new(200, -3.0).truncated(150, 190)),
        ),
        (
            "negative binomial",
            sum(&NegativeBinomial::mean_dispersion(4.0, 1.5).truncated(3, 30)),
        ),
        ("bernoulli", sum(&Bernoulli::new(0.2).truncated(1, 1))),
    ] {
        assert!((sum - 1.0).abs() < 1e-12, "{name}: {sum}");
    }
}

/// Mean of draws of a truncated distribution.
fn mean_of_draws<D: Distribution<Value>>(distribution: &D, count: usize) -> f64 {
    let mut stream = stream(77);
    (0..count)
        .map(|_| distribution.draw(&mut stream)[0])
        .sum::<f64>()
        / count as f64
}

#[test]
fn draws_follow_the_truncated_density() {
    // mean and standard deviation far out: λ = φ/Φ at the bound, variance 1 - λ (λ - bound)
    for bound in [-3.0, 0.5, 8.0, 30.0, 200.0] {
        let mills = inverse_mills(-bound).0;
        let sd = (1.0 - mills * (mills - bound)).sqrt();
        let count = 20_000;
        let right = mean_of_draws(
            &Normal::new(0.0, 1.0).truncated(bound, f64::INFINITY),
            count,
        );
        let left = mean_of_draws(
            &Normal::new(0.0, 1.0).truncated(f64::NEG_INFINITY, -bound),
            count,
        );
        let bound_on_error = 4.5 * sd / (count as f64).sqrt();
        assert!(
            (right - mills).abs() < bound_on_error,
            "{bound}: {right}, want {mills}"
        );
        assert!(
            (left + mills).abs() < bound_on_error,
            "{bound}: {left}, want {}",
            -mills
        );
    }
    // Poisson(3) between 2 and 7
    let distribution = Poisson::new(3.0).truncated(2, 7);
    let masses: Vec<f64> = (2..=7)
        .map(|k| {
            distribution
                .log_density_at(real(f64::from(k)))
                .primal()
                .exp()
        })
        .collect();
    let mean: f64 = masses.iter().zip(2..).map(|(p, k)| p * f64::from(k)).sum();
    let variance: f64 = masses
        .iter()
        .zip(2..)
        .map(|(p, k)| p * (f64::from(k) - mean).powi(2))
        .sum();
    let got = mean_of_draws(&distribution, 20_000);
    assert!(
        (got - mean).abs() < 4.5 * (variance / 20_000.0).sqrt(),
        "{got}, want {mean}"
    );
}

#[test]
fn draws_lie_strictly_within_the_bounds() {
    let mut stream = stream(78);
    let distribution = Gamma::new(2.0, 1.0).truncated(40.0, 40.5);
    for _ in 0..2000 {
        let x: Vec<f64> = Distribution::<Value>::draw(&distribution, &mut stream);
        assert!(x[0] > 40.0 && x[0] < 40.5);
        let u = Distribution::<Value>::unconstrain(&distribution, &x);
        assert!(u[0].is_finite());
    }
}

#[test]
fn random_bounds_move_the_density() {
    // derivative of ln p(x) in the upper bound h of an exponential: minus the derivative of ln(1 - e^{-h}) in h, and
    // zero below x
    let at = |h: f64| {
        let high = Dual::<1>::variable(h, 0);
        let distribution = Exponential::new(1.0).truncated(0.0, high);
        distribution.log_likelihood(&[0.3, 1.0])
    };
    let got = at(2.0);
    let wanted = -1.3 - 2.0 * (-(-2.0f64).exp_m1()).ln();
    assert!((got.primal() - wanted).abs() < 1e-14);
    let slope = -2.0 * (-2.0f64).exp() / -(-2.0f64).exp_m1();
    assert!((Dual::gradient(got)[0] - slope).abs() < 1e-14);
    assert_eq!(at(0.9).primal(), f64::NEG_INFINITY);
}

#[test]
fn vectors_are_products_of_scalars() {
    let means = [0.2, -1.0, 3.0];
    let lows = [0.0, -2.0, 2.5];
    let x = [0.4, -1.5, 9.0];
    let one = |i: usize| {
        let distribution = Normal::new(means[i], 1.5).truncated(lows[i], 10.0);
        distribution.log_density_at(real(x[i])).primal()
    };
    let sum: f64 = (0..3).map(one).sum();
    let distribution = Normal::new(means, 1.5).truncated(lows, 10.0);
    assert_eq!(
        Distribution::<Value>::shape(&distribution),
        Shape::Vector(3)
    );
    let value = Vector::<Value>::constant(&x);
    assert!((distribution.log_density_at(&value).primal() - sum).abs() < 1e-13);
    let likelihood: Real<Value> = distribution.log_likelihood(&x);
    assert!((likelihood.primal() - sum).abs() < 1e-13);

    // limits alone make a vector, and independent copies share them
    let limits = Normal::new(0.3, 1.5).truncated(lows, 10.0);
    assert_eq!(Distribution::<Value>::shape(&limits), Shape::Vector(3));
    let copies = Normal::new(0.3, 1.5).truncated(-2.0, 10.0).iid(3);
    let likelihood: Real<Value> = copies.log_likelihood(&x);
    let scalar = Normal::new(0.3, 1.5).truncated(-2.0, 10.0);
    let sum: f64 = x
        .iter()
        .map(|x| scalar.log_density_at(real(*x)).primal())
        .sum();
    assert!((likelihood.primal() - sum).abs() < 1e-13);
}

#[test]
fn censored_lifetimes_have_their_closed_form() {
    // five deaths and three survivors of eight: ln L = d ln λ - λ Σ t
    let times = [0.3, 2.0, 1.1, 2.0, 0.7, 2.0, 1.9, 0.1];
    let total: f64 = times.iter().sum();
    let rate = Dual::<1>::variable(0.8, 0);
    let distribution = Exponential::new(rate).censored(f64::NEG_INFINITY, 2.0);
    let got = distribution.log_likelihood(&times);
    assert!((got.primal() - (5.0 * 0.8f64.ln() - 0.8 * total)).abs() < 1e-13);
    assert!((Dual::gradient(got)[0] - (5.0 / 0.8 - total)).abs() < 1e-12);

    // a limit for each observation, and terms one by one
    let limits = [9.0, 2.0, 9.0, 2.0, 9.0, 2.0, 9.0, 9.0];
    let distribution = Exponential::new(rate).censored(0.0, limits);
    let mut terms = Vec::new();
    distribution.for_each_term(&times, |term: Real<Dual<1>>| terms.push(term.primal()));
    for (i, term) in terms.iter().enumerate() {
        let event = if limits[i] == times[i] {
            0.0
        } else {
            0.8f64.ln()
        };
        assert!((term - (event - 0.8 * times[i])).abs() < 1e-14);
    }
    assert!((distribution.log_likelihood(&times).primal() - got.primal()).abs() < 1e-13);
}

#[test]
fn censored_masses_sum_to_one() {
    // all possible observations: at the limits and between them
    let distribution = Poisson::new(3.0).censored(1, 6);
    let sum: f64 = (1..=6)
        .map(|k| {
            distribution
                .log_density_at(real(f64::from(k)))
                .primal()
                .exp()
        })
        .sum();
    assert!((sum - 1.0).abs() < 1e-14, "{sum}");
    let likelihood: Real<Value> = distribution.log_likelihood(&[6u64, 1, 1, 3, 6]);
    let each: f64 = [6.0, 1.0, 1.0, 3.0, 6.0]
        .iter()
        .map(|k| distribution.log_density_at(real(*k)).primal())
        .sum();
    assert!((likelihood.primal() - each).abs() < 1e-13);

    let mut stream = stream(79);
    let draws: Vec<f64> = (0..4000)
        .map(|_| Distribution::<Value>::draw(&distribution, &mut stream)[0])
        .collect();
    let share = draws.iter().filter(|k| **k == 1.0).count() as f64 / 4000.0;
    let wanted = 4.0 * (-3.0f64).exp();
    assert!((share - wanted).abs() < 4.5 * (wanted * (1.0 - wanted) / 4000.0).sqrt());
}

/// The error message of a distribution whose bounds are not allowed.
fn complaint<D: Distribution<Value>>(distribution: &D) -> String {
    distribution
        .check()
        .expect_err("a bound that is not allowed")
        .to_string()
}

#[test]
fn wrong_bounds_are_named() {
    let normal = Normal::new(0.0, 1.0);
    assert_eq!(
        complaint(&normal.truncated(2.0, 1.0)),
        "Truncated: parameter `high` is 1, must be above `low`"
    );
    assert_eq!(
        complaint(&normal.truncated(f64::NAN, 1.0)),
        "Truncated: parameter `low` is NaN, must be a number, or minus infinity"
    );
    assert_eq!(
        complaint(&normal.truncated(0.0, f64::NAN)),
        "Truncated: parameter `high` is NaN, must be a number, or infinity"
    );
    assert_eq!(
        complaint(&normal.truncated([0.0, 1.0], [1.0, 1.0])),
        "Truncated: parameter `high` at index 1 is 1, must be above `low`"
    );
    assert_eq!(
        complaint(&Poisson::new(1.0).truncated(1.5, 3)),
        "Truncated: parameter `low` is 1.5, must be a whole number, or minus infinity"
    );
    assert_eq!(
        complaint(&Poisson::new(1.0).censored(0, [3.0, 2.5])),
        "Censored: parameter `high` at index 1 is 2.5, must be a whole number, or infinity"
    );
    assert_eq!(
        complaint(&Poisson::new(1.0).truncated(3, 2)),
        "Truncated: parameter `high` is 2, must be at least `low`"
    );
    assert_eq!(
        complaint(&Beta::new(1.0, 1.0).truncated(1.0, 3.0)),
        "Truncated: parameter `low` is 1, must be below the largest value of the distribution"
    );
    assert_eq!(
        complaint(&Exponential::new(1.0).censored(-2.0, 0.0)),
        "Censored: parameter `high` is 0, must be above the smallest value of the distribution"
    );
    assert_eq!(
        complaint(&normal.censored(f64::NEG_INFINITY, real(1.0))),
        "Censored: parameter `high` is 1, must be data: a random limit cannot say which observations are censored"
    );
    assert_eq!(
        complaint(&Normal::new([0.0, 1.0], 1.0).truncated(0.0, [1.0, 2.0, 3.0])),
        "Truncated: parameter `high` has length 3, must be 2, the length of the parameters"
    );
    assert_eq!(
        complaint(&Normal::new(0.0, -1.0).truncated(0.0, 1.0)),
        "Normal: parameter `sd` is -1, must be a finite number above 0"
    );
}

#[test]
fn data_beyond_the_bounds_are_located() {
    let distribution = Normal::new(0.0, 1.0).truncated(-1.0, 2.0);
    let error = Distribution::<Value>::check_data(&distribution, &[0.0, 2.5]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Normal: observation at index 1 is 2.5, must be a number from -1 to 2"
    );
    let distribution = Exponential::new(1.0).censored(f64::NEG_INFINITY, 2.0);
    let error = Distribution::<Value>::check_data(&distribution, &[0.5, 2.0, 3.0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Exponential: observation at index 2 is 3, must be a finite number, at most 2"
    );
    let distribution = Exponential::new(1.0).truncated(0.0, [1.0, 2.0]);
    let error = Distribution::<Value>::check_data(&distribution, &[0.5, 1.0, 0.2]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Exponential: got 3 observations, must be 2, the length of the bounds"
    );
    // a random bound excludes nothing before the density does
    let distribution = Exponential::new(1.0).truncated(0.0, real(2.0));
    assert_eq!(
        Distribution::<Value>::check_data(&distribution, &[5.0]),
        Ok(())
    );
}
