//! Transforms: Jacobians against the determinant of the derivatives, round trips, extremes.

use bayes_autodiff::{Dual, Real, Value};
use bayes_core::transform::{Support, ordered, simplex};
use nalgebra::SMatrix;

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

/// What rounding of `x` itself loses in the coordinate: half a unit in the last place over the slope.
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
        // triangular, so that the determinant is exact even where it is tiny
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
