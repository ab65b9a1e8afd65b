//! Transforms: Jacobians against the determinant of the derivatives, round trips, extremes.

use bayes_autodiff::{Dual, Real, Value};
use bayes_core::transform::{
    Support, correlation, correlation_cholesky, covariance, covariance_cholesky, ordered,
    positive_ordered, simplex, unit_vector,
};
use nalgebra::{DMatrix, SMatrix};
use proptest::prelude::*;

fn constants<const N: usize>(x: [f64; N]) -> [Real<Dual<N>>; N] {
    std::array::from_fn(|k| Dual::variable(x[k], k))
}

fn assert_close(got: f64, wanted: f64, tolerance: f64) {
    assert!(
        (got - wanted).abs() <= tolerance * wanted.abs().max(1.0),
        "got {got}, wanted {wanted}"
    );
}

type One = Dual<1>;

fn scalar_supports() -> Vec<Support<One>> {
    let bound = Real::<One>::constant;
    vec![
        Support::Real,
        Support::positive(),
        Support::Above(bound(-3.5)),
        Support::Below(bound(2.0)),
        Support::unit(),
        Support::Interval(bound(-1.0), bound(0.0)),
        Support::Interval(bound(1.0), bound(1.0 + 1e-6)),
        Support::Interval(bound(-1e6), bound(1e6)),
    ]
}

#[test]
fn scalar_jacobians_are_the_slopes() {
    for support in scalar_supports() {
        for u in [-30.0, -3.0, -0.1, 0.0, 0.7, 5.0, 30.0] {
            let (x, log_jacobian) = support.constrain(Dual::variable(u, 0));
            let slope = Dual::gradient(x)[0];
            assert!(slope > 0.0, "{support:?}: order must be kept");
            assert_close(log_jacobian.primal(), slope.ln(), 1e-12);
        }
    }
}

/// The tolerance is the loss in the coordinate by rounding of `x` itself: half a unit in the last place divided by the
/// slope.
#[test]
fn scalar_round_trips() {
    for support in scalar_supports() {
        for u in [-30.0, -3.0, -0.1, 0.0, 0.7, 5.0, 30.0] {
            let (x, log_jacobian) = support.constrain(Real::constant(u));
            let x = x.primal();
            assert!(support.contains(x), "{support:?}: {x} from {u}");
            let lost = x.abs() * f64::EPSILON / log_jacobian.primal().exp();
            if lost < 0.1 {
                let back = support.unconstrain(x);
                assert!(
                    (back - u).abs() <= 1e-12 * u.abs() + 1e-14 + 2.0 * lost,
                    "{support:?}: {u} came back as {back}"
                );
            }
        }
    }
}

/// The Jacobian of the interval must not overflow or cancel where `σ(u)` is 0 or 1 in doubles.
#[test]
fn interval_is_exact_far_out() {
    for u in [-800.0, -100.0, 100.0, 800.0] {
        let (x, log_jacobian) = Support::<One>::unit().constrain(Dual::variable(u, 0));
        assert!((0.0..=1.0).contains(&x.primal()));
        assert_close(log_jacobian.primal(), -u.abs(), 1e-15);
        assert_close(Dual::gradient(log_jacobian)[0], -u.signum(), 1e-15);
    }
    // no value rounds to the upper bound, where a density may have a pole
    assert!(
        Support::<One>::unit()
            .constrain(Real::constant(800.0))
            .0
            .primal()
            < 1.0
    );
    // near the upper bound 0 the distance keeps all its digits
    let negative = Support::Interval(Real::<Value>::constant(-1.0), Real::constant(0.0));
    assert_close(
        negative.constrain(Real::constant(30.0)).0.primal(),
        -(-30.0_f64).exp() / (1.0 + (-30.0_f64).exp()),
        0.0,
    );
    assert_close(negative.unconstrain(-1e-200), -(1e-200_f64.ln()), 1e-15);
}

#[test]
fn whole_numbers_are_their_own_coordinates() {
    let support = Support::<One>::counts();
    let (x, log_jacobian) = support.constrain(Dual::variable(2.6, 0));
    assert_eq!(
        (x.primal(), log_jacobian.primal(), Dual::gradient(x)[0]),
        (3.0, 0.0, 0.0)
    );
    assert_eq!(support.unconstrain(7.0), 7.0);
}

#[test]
fn simplex_jacobian_is_the_determinant() {
    for u in [
        [0.0; 3],
        [1.0, -2.0, 0.5],
        [-8.0, 3.0, 6.0],
        [20.0, 0.0, -20.0],
    ] {
        let (x, log_jacobian) = simplex::constrain(&constants(u));
        let rows: Vec<[f64; 3]> = x[..3].iter().map(|x| Dual::gradient(*x)).collect();
        // triangular, so the determinant is exact even if it is tiny
        let log_determinant: f64 = (0..3).map(|k| rows[k][k].ln()).sum();
        assert!((0..3).all(|i| (i + 1..3).all(|k| rows[i][k] == 0.0)));
        assert_close(log_jacobian.primal(), log_determinant, 1e-12);
        assert_close(x.iter().map(|x| x.primal()).sum(), 1.0, 1e-15);
        let back = simplex::unconstrain(&x.iter().map(|x| x.primal()).collect::<Vec<_>>());
        back.iter()
            .zip(u)
            .for_each(|(back, u)| assert_close(*back, u, 1e-7));
    }
}

#[test]
fn simplex_survives_extremes() {
    let (x, log_jacobian) = simplex::constrain(&[30.0, -30.0, 30.0].map(Real::<Value>::constant));
    assert!(x.iter().all(|x| x.primal() > 0.0), "no element may vanish");
    assert!(log_jacobian.primal().is_finite());
    let centre = simplex::constrain(&[Real::<Value>::constant(0.0); 4]).0;
    centre
        .iter()
        .for_each(|x| assert_close(x.primal(), 0.2, 1e-15));
}

#[test]
fn ordered_jacobian_is_the_determinant() {
    for u in [[0.0; 3], [1.0, -2.0, 0.5], [-30.0, 3.0, -8.0]] {
        let (x, log_jacobian) = ordered::constrain(&constants(u));
        let jacobian = SMatrix::<f64, 3, 3>::from_fn(|i, k| Dual::gradient(x[i])[k]);
        assert_close(log_jacobian.primal(), jacobian.determinant().ln(), 1e-12);
        assert!(x.windows(2).all(|pair| pair[0].primal() < pair[1].primal()));
        let back = ordered::unconstrain(&x.iter().map(|x| x.primal()).collect::<Vec<_>>());
        back.iter()
            .zip(u)
            .for_each(|(back, u)| assert_close(*back, u, 1e-9));
    }
}

/// `ln |det ∂(selected elements)/∂u|` by forward mode.
fn log_determinant<const N: usize>(selected: &[Real<Dual<N>>]) -> f64 {
    assert_eq!(selected.len(), N);
    let jacobian = DMatrix::from_fn(N, N, |i, k| Dual::gradient(selected[i])[k]);
    jacobian.determinant().abs().ln()
}

/// The lower triangle of a matrix of `dim` rows, row by row, with the diagonal or without.
fn lower_triangle<T: Copy>(dim: usize, elements: &[T], diagonal: bool) -> Vec<T> {
    (0..dim)
        .flat_map(|i| (0..i + usize::from(diagonal)).map(move |k| (i, k)))
        .map(|(i, k)| elements[i * dim + k])
        .collect()
}

fn values<const N: usize>(elements: &[Real<Dual<N>>]) -> Vec<f64> {
    elements.iter().map(|x| x.primal()).collect()
}

/// Coordinates of moderate size, for which determinants lose no digits.
const SIX: [[f64; 6]; 3] = [
    [0.0; 6],
    [1.0, -2.0, 0.5, 0.3, -0.8, 1.7],
    [-1.5, 0.1, 2.2, -0.4, 0.9, -3.0],
];

#[test]
fn positive_ordered_jacobian_is_the_determinant() {
    for u in SIX {
        let (x, log_jacobian) = positive_ordered::constrain(&constants(u));
        assert_close(log_jacobian.primal(), log_determinant(&x), 1e-12);
        assert!(x[0].primal() > 0.0);
        assert!(x.windows(2).all(|pair| pair[0].primal() < pair[1].primal()));
    }
}

#[test]
fn correlation_jacobians_are_the_determinants() {
    for u in SIX {
        let (lower, log_jacobian) = correlation_cholesky::constrain(4, &constants(u));
        let strict = lower_triangle(4, lower.elements(), false);
        assert_close(log_jacobian.primal(), log_determinant(&strict), 1e-11);
        let (correlation, log_jacobian) = correlation::constrain(4, &constants(u));
        let strict = lower_triangle(4, correlation.elements(), false);
        assert_close(log_jacobian.primal(), log_determinant(&strict), 1e-11);
        for i in 0..4 {
            assert_close(
                lower.row(i).iter().map(|x| x.primal().powi(2)).sum(),
                1.0,
                1e-15,
            );
            assert_eq!(correlation[(i, i)].primal(), 1.0);
        }
    }
}

#[test]
fn covariance_jacobians_are_the_determinants() {
    for u in SIX {
        let (lower, log_jacobian) = covariance_cholesky::constrain(3, &constants(u));
        let triangle = lower_triangle(3, lower.elements(), true);
        assert_close(log_jacobian.primal(), log_determinant(&triangle), 1e-12);
        let (covariance, log_jacobian) = covariance::constrain(3, &constants(u));
        let triangle = lower_triangle(3, covariance.elements(), true);
        assert_close(log_jacobian.primal(), log_determinant(&triangle), 1e-11);
    }
}

/// The surface measure: the root of the Gram determinant of the derivatives.
#[test]
fn unit_vector_jacobian_is_that_of_the_surface() {
    for u in SIX {
        let (x, log_jacobian) = unit_vector::constrain(&constants(u));
        let derivatives = SMatrix::<f64, 7, 6>::from_fn(|i, k| Dual::gradient(x[i])[k]);
        let gram = derivatives.transpose() * derivatives;
        assert_close(log_jacobian.primal(), 0.5 * gram.determinant().ln(), 1e-11);
        assert_close(x.iter().map(|x| x.primal().powi(2)).sum(), 1.0, 1e-14);
    }
}

/// At 30 a partial correlation is 1 in doubles and the pivots are near 1e-39: they keep their digits, and the gradient
/// is finite.
#[test]
fn matrices_survive_extremes() {
    for u in [[30.0; 6], [-30.0; 6], [30.0, -30.0, 30.0, 0.0, -30.0, 1e-9]] {
        let (lower, log_jacobian) = correlation_cholesky::constrain(4, &constants(u));
        assert!(values(&[log_jacobian])[0].is_finite());
        assert!(Dual::gradient(log_jacobian).iter().all(|x| x.is_finite()));
        assert!((0..4).all(|i| lower[(i, i)].primal() > 0.0));
        let back = correlation_cholesky::unconstrain(4, &values(lower.elements()));
        back.iter()
            .zip(u)
            .for_each(|(back, u)| assert_close(*back, u, 1e-13));

        let (lower, log_jacobian) = covariance_cholesky::constrain(3, &constants(u));
        assert!(log_jacobian.primal().is_finite());
        let back = covariance_cholesky::unconstrain(3, &values(lower.elements()));
        back.iter()
            .zip(u)
            .for_each(|(back, u)| assert_close(*back, u, 1e-15));

        // a matrix that is singular in doubles still has coordinates, which lead back to it
        let (correlation, _) = correlation::constrain(4, &constants(u));
        let correlation = values(correlation.elements());
        let back = correlation::unconstrain(4, &correlation);
        assert!(back.iter().all(|u| u.is_finite()));
        let back: Vec<Real<Value>> = back.into_iter().map(Real::constant).collect();
        let again = correlation::constrain(4, &back).0;
        for (again, wanted) in again.elements().iter().zip(&correlation) {
            assert_close(again.primal(), *wanted, 1e-7);
        }
    }
}

#[test]
fn unit_vectors_survive_extremes() {
    for u in [
        [30.0; 6],
        [-30.0; 6],
        [30.0, -30.0, 30.0, 0.0, 1e5, 1e-9],
        [1e-9; 6],
    ] {
        let (x, log_jacobian) = unit_vector::constrain(&constants(u));
        assert!(log_jacobian.primal().is_finite());
        let back = unit_vector::unconstrain(&values(&x));
        back.iter()
            .zip(u)
            .for_each(|(back, u)| assert_close(*back, u, 1e-13));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Each transform leads back to the coordinates, up to the loss from rounding of the value.
    #[test]
    fn round_trips(u in prop::array::uniform6(-8.0..8.0)) {
        let dual = constants(u);
        let close = |back: Vec<f64>, tolerance: f64| {
            back.iter().zip(u).all(|(back, u)| (back - u).abs() <= tolerance)
        };
        let x = values(&positive_ordered::constrain(&dual).0);
        // the smallest gap is e⁻⁸, after sums up to 6 e⁸
        prop_assert!(close(positive_ordered::unconstrain(&x), 1e-7), "{u:?}");
        let x = values(&unit_vector::constrain(&dual).0);
        prop_assert!(close(unit_vector::unconstrain(&x), 1e-12), "{u:?}");
        let x = values(correlation_cholesky::constrain(4, &dual).0.elements());
        prop_assert!(close(correlation_cholesky::unconstrain(4, &x), 1e-13), "{u:?}");
        let x = values(covariance_cholesky::constrain(3, &dual).0.elements());
        prop_assert!(close(covariance_cholesky::unconstrain(3, &x), 1e-14), "{u:?}");
    }

    /// Products of factors lose small terms beside large ones, so their coordinates are kept moderate.
    #[test]
    fn matrices_lead_back_to_their_coordinates(u in prop::array::uniform6(-1.5..1.5)) {
        let dual = constants(u);
        let close = |back: Vec<f64>| back.iter().zip(u).all(|(back, u)| (back - u).abs() <= 1e-9);
        let x = values(correlation::constrain(4, &dual).0.elements());
        prop_assert!(close(correlation::unconstrain(4, &x)), "{u:?}");
        let x = values(covariance::constrain(3, &dual).0.elements());
        prop_assert!(close(covariance::unconstrain(3, &x)), "{u:?}");
    }

    /// The log Jacobians are differentiable everywhere, and their gradients agree with differences.
    #[test]
    fn gradients_of_log_jacobians(u in prop::array::uniform6(-8.0..8.0), k in 0_usize..6) {
        let log_jacobians = |u: [Real<Dual<6>>; 6]| [
            positive_ordered::constrain(&u).1,
            unit_vector::constrain(&u).1,
            correlation_cholesky::constrain(4, &u).1,
            correlation::constrain(4, &u).1,
            covariance_cholesky::constrain(3, &u).1,
            covariance::constrain(3, &u).1,
        ];
        let moved = |h: f64| {
            let mut u = u;
            u[k] += h;
            log_jacobians(constants(u)).map(|x| x.primal())
        };
        let (above, below) = (moved(1e-5), moved(-1e-5));
        for (i, log_jacobian) in log_jacobians(constants(u)).into_iter().enumerate() {
            let slope = Dual::gradient(log_jacobian)[k];
            let difference = (above[i] - below[i]) / 2e-5;
            prop_assert!((slope - difference).abs() < 1e-8 * above[i].abs().max(10.0), "{i}: {slope}, {difference}");
        }
    }
}
