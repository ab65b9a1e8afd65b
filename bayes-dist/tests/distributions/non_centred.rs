//! The non-centred form has the density, the draws and the moments of the centred form.

use crate::battery::stream;
use bayes_autodiff::{Dual, Real, Value};
use bayes_model::dist::*;
use nalgebra::DMatrix;

fn lift(numbers: &[f64]) -> Vec<Real<Value>> {
    numbers.iter().map(|x| Real::constant(*x)).collect()
}

fn assert_close(found: f64, wanted: f64, what: &str) {
    let scale = wanted.abs().max(1.0);
    assert!(
        (found - wanted).abs() < 1e-11 * scale,
        "{what}: {found} instead of {wanted}"
    );
}

/// Asserts that `placed` has the densities and draws of `centred`, and that its coordinates have a standard
/// distribution.
fn check<D: Distribution<Value, Domain = Continuous> + Copy>(
    centred: D,
    placed: impl Distribution<Value, Value = D::Value>,
) {
    let name = centred.name();
    assert_eq!(placed.name(), name);
    assert_eq!(placed.check(), Ok(()));
    let dim = placed.dim();
    assert_eq!(dim, centred.dim());
    for far in [0.3, 2.0, 40.0] {
        let z: Vec<f64> = (0..dim)
            .map(|i| far * ((i as f64 + 0.7) * 1.9).sin())
            .collect();
        let (value, log_jacobian) = placed.constrain(&lift(&z));
        let elements = value.elements();
        let plain: Vec<f64> = elements.iter().map(|x| x.primal()).collect();
        for (back, z) in placed.unconstrain(&plain).iter().zip(&z) {
            assert_close(*back, *z, name);
        }
        let of_value = centred.log_density_of(elements).primal();
        assert_close(placed.log_density_of(elements).primal(), of_value, name);
        for (jacobian, wanted) in [(true, of_value + log_jacobian.primal()), (false, of_value)] {
            let mut total = Real::constant(0.5);
            let same = placed.add_sample(&lift(&z), jacobian, &mut total);
            assert_eq!(same.elements().len(), elements.len());
            assert_close(total.primal() - 0.5, wanted, name);
        }
    }
    // both forms draw `location + scale z`: quartiles agree
    let [a, b] = [1, 2].map(|seed| {
        let mut stream = stream(seed);
        let draws = (0..4000).flat_map(|_| match seed {
            1 => centred.draw(&mut stream),
            _ => {
                let drawn = placed.draw_with_coordinates(&mut stream);
                let (value, _) = placed.constrain(&lift(&drawn.coordinates));
                for (x, element) in value.elements().iter().zip(&drawn.elements) {
                    assert_close(x.primal(), *element, name);
                }
                drawn.elements
            }
        });
        let mut draws: Vec<f64> = draws.collect();
        draws.sort_by(f64::total_cmp);
        draws
    });
    for share in [0.25, 0.5, 0.75] {
        let at = |draws: &[f64]| draws[(share * draws.len() as f64) as usize];
        // ranks of independent draws, within four errors
        let rank = a.partition_point(|x| *x < at(&b)) as f64 / a.len() as f64;
        let error = (2.0 * share * (1.0 - share) / 4000.0_f64).sqrt();
        assert!(
            (rank - share).abs() < 4.0 * error,
            "{name}: {rank} instead of {share}"
        );
    }
}

macro_rules! assert_same {
    ($($distribution:expr),* $(,)?) => {$(
        check($distribution, $distribution.non_centred());
    )*};
}

/// The mutations that it detects: a share of the scale instead of a power, the location left out of the coordinates or of the values, and the
/// ends exchanged.
#[test]
fn forms_between_the_centred_and_the_non_centred_one_are_the_same_distribution() {
    for share in [0.0, 0.3, 1.0] {
        let student = StudentT::new(4.0, -2.0, 0.7);
        check(student, student.centred(share));
        let (location, scale) = ([0.5, 2.0, -1.0], [0.1, 3.0, 1.0]);
        let each = Normal::new(&location, &scale);
        check(each, each.centred(share));
        let copies = Normal::new(3.0, 0.2).iid((2, 3));
        check(copies, Normal::new(3.0, 0.2).iid((2, 3)).centred(share));
    }
    let at = |share: f64| {
        let form = Normal::new(3.0, 0.2).centred(share);
        Distribution::<Value>::unconstrain(&form, &[3.4])[0]
    };
    assert_close(at(1.0), 3.4, "centred");
    assert_close(at(0.0), 2.0, "non-centred");
    let wrong = Distribution::<Value>::check(&Normal::new(3.0, 0.2).centred(1.5));
    let text = wrong.expect_err("it is no share").to_string();
    assert_eq!(
        text,
        "Normal: parameter `centred` is 1.5, must be from 0 to 1"
    );
}

#[test]
fn every_family_with_a_location_and_a_scale_has_one() {
    assert_same!(
        Normal::new(3.0, 0.2),
        StudentT::new(4.0, -2.0, 0.7),
        Cauchy::new(1.0, 3.0),
        Laplace::new(-1.0, 0.5),
        Logistic::new(0.5, 2.0),
        Gumbel::new(0.5, 2.0),
        SkewNormal::new(0.5, 2.0, 3.0),
        AsymmetricLaplace::new(0.5, 2.0, 1.5),
        Moyal::new(0.5, 2.0),
    );
}

#[test]
fn vectors_and_matrices_have_one() {
    let (means, sds) = ([1.0, -2.0, 4.0], [0.5, 2.0, 0.01]);
    assert_same!(
        Normal::new(means, 0.3),
        Normal::new(means, sds),
        Normal::new(2.0, 0.3).iid(5),
        StudentT::new(3.0, 2.0, 0.3).iid((2, 3)),
        Normal::new(means, sds).iid(4),
    );
    check(
        Normal::new(2.0, 0.3).iid(5),
        Normal::new(2.0, 0.3).non_centred().iid(5),
    );
}

#[test]
fn several_normals_have_one() {
    let covariance =
        DMatrix::from_row_slice(3, 3, &[4.0, 1.0, 0.5, 1.0, 2.0, -0.6, 0.5, -0.6, 1.0]);
    let lower = DMatrix::from_row_slice(2, 2, &[0.5, 0.0, -0.3, 0.01]);
    let mean = [3.0, 0.0, -100.0];
    let by_covariance = || MultivariateNormal::new(&mean, &covariance);
    let by_factor = || MultivariateNormal::from_cholesky(1.5, &lower);
    check(by_covariance(), by_covariance().non_centred());
    check(by_covariance().iid(3), by_covariance().iid(3).non_centred());
    check(by_factor().iid(4), by_factor().non_centred().iid(4));
    let by_precision = || MultivariateNormal::from_precision(&mean, &covariance);
    check(by_precision().iid(2), by_precision().non_centred().iid(2));
}

#[test]
fn effects_that_sum_to_zero_have_one() {
    let effects = || ZeroSumNormal::new(0.3, 5);
    check(effects(), effects().non_centred());
    check(effects().iid(3), effects().non_centred().iid(3));
}

#[test]
fn small_scales_lose_no_digits() {
    // computed from the values, `z` would have no digit left
    let placed = Normal::new(1e6, 1e-12).non_centred();
    let mut total = Real::<Value>::constant(0.0);
    placed.add_sample(&lift(&[1.25]), true, &mut total);
    let wanted = Normal::new(0.0, 1.0).log_density_at(1.25);
    assert_close(total.primal(), Real::<Value>::primal(wanted), "Normal");
}

/// The centred form is NaN there too, which a run counts and reports.
#[test]
fn a_scale_below_zero_has_no_density() {
    fn at(distribution: impl Distribution<Value>, jacobian: bool) -> f64 {
        let mut total = Real::constant(0.0);
        let z = lift(&vec![0.5; distribution.dim()]);
        distribution.add_sample(&z, jacobian, &mut total);
        total.primal()
    }
    let lower = DMatrix::from_row_slice(2, 2, &[0.5, 0.0, -0.3, -0.1]);
    for jacobian in [true, false] {
        assert!(at(Normal::new(0.0, -1.0).iid(3).non_centred(), jacobian).is_nan());
        assert!(at(Normal::new(0.0, [1.0, -1.0]).non_centred(), jacobian).is_nan());
        assert!(at(ZeroSumNormal::new(-1.0, 3).non_centred(), jacobian).is_nan());
        let normal = MultivariateNormal::from_cholesky(0.0, &lower);
        assert!(at(normal.non_centred(), jacobian).is_nan());
    }
}

#[test]
fn derivatives_are_those_of_the_same_by_hand() {
    type D = Dual<3>;
    let [mu, tau, z] = [0.4, 0.7, -1.3];
    let [mu, tau, z]: [Real<D>; 3] = [D::variable(mu, 0), D::variable(tau, 1), D::variable(z, 2)];
    let mut total = Real::constant(0.0);
    let theta = Normal::new(mu, tau)
        .non_centred()
        .add_sample(&[z], true, &mut total);
    total += Normal::new(theta, 0.1).log_density_at(0.3);
    let by_hand = Normal::new(0.0, 1.0).log_density_at(z)
        + Normal::new(mu + tau * z, 0.1).log_density_at(0.3);
    for (found, wanted) in D::gradient(total).iter().zip(D::gradient(by_hand)) {
        assert_close(*found, wanted, "Normal");
    }
}

#[test]
fn coordinates_of_normal_values_are_standard_normal() {
    let of_vector = Normal::new(4.0, 0.1).iid(2).non_centred();
    let gaussian = Distribution::<Value>::gaussian(&of_vector).expect("they are");
    assert_eq!(gaussian.mean, [0.0, 0.0]);
    let of_t = StudentT::new(3.0, 4.0, 0.1).non_centred();
    assert!(Distribution::<Value>::gaussian(&of_t).is_none());
}

#[test]
fn parameters_are_checked_by_their_names() {
    let distribution = Normal::new(0.0, -1.0).iid(3).non_centred();
    let error = Distribution::<Value>::check(&distribution).expect_err("below 0");
    assert!(
        error.to_string().contains("parameter `sd` is -1"),
        "{error}"
    );
}
