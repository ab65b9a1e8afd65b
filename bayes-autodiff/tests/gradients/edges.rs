//! Edges where careless derivatives become NaN, and shapes that do not fit.

use bayes_autodiff::fault::{Fault, catch};
use bayes_autodiff::{
    Dual, Dual2, Matrix, Mode, PlainValue, Real, Value, Vector, dot, log_sum_exp,
};
use nalgebra::DMatrix;

type D = Dual<2>;

fn variable(x: f64) -> Real<D> {
    D::variable(x, 0)
}

/// Value and slope of `f` at `x`, which second-order duals must confirm.
fn slope(
    f: impl Fn(Real<D>) -> Real<D>,
    second: impl Fn(Real<Dual2<2>>) -> Real<Dual2<2>>,
    x: f64,
) -> (f64, f64) {
    let (first, second) = (f(variable(x)), second(Dual2::variable(x, 0)));
    let got = (first.primal(), D::gradient(first)[0]);
    assert_eq!(got, (second.primal(), Dual2::gradient(second)[0]));
    assert!(Dual2::hessian(second)[0][0].is_finite());
    got
}

macro_rules! slope {
    (|$x:ident| $body:expr, $at:expr) => {
        slope(|$x| $body, |$x| $body, $at)
    };
}

#[test]
fn edges_have_finite_derivatives() {
    assert_eq!(slope!(|x| x.powi(0), 0.0), (1.0, 0.0));
    assert_eq!(slope!(|x| x.powi(1), 0.0), (0.0, 1.0));
    assert_eq!(slope!(|x| x.powi(3), -2.0), (-8.0, 12.0));
    assert_eq!(slope!(|x| x.powi(5), -2.0), (-32.0, 80.0));
    assert_eq!(slope!(|x| x.powf(2.0), 0.0), (0.0, 0.0));
    assert_eq!(slope!(|x| x.powf(0.0), 0.0), (1.0, 0.0));
    assert_eq!(slope!(|x| Real::constant(0.0).pow(x), 2.0), (0.0, 0.0));
    assert_eq!(slope!(|x| Real::constant(0.0).x_ln_y(x), 0.0), (0.0, 0.0));
    assert_eq!(slope!(|x| x.abs(), 0.0), (0.0, 0.0));
    assert_eq!(
        slope!(|x| x.log_add_exp(f64::NEG_INFINITY), 1.5),
        (1.5, 1.0)
    );
    assert_eq!(
        slope!(|x| x.log_diff_exp(f64::NEG_INFINITY), 1.5),
        (1.5, 1.0)
    );
    assert_eq!(slope!(|x| x.logistic(), 800.0), (1.0, 0.0));
    assert_eq!(slope!(|x| x.log1p_exp(), -800.0), (0.0, 0.0));
    assert_eq!(slope!(|x| x.max(0.0), -1.0), (0.0, 0.0));
    assert_eq!(slope!(|x| x.min(0.0), -1.0), (-1.0, 1.0));
}

/// `s / e^u` is its own second derivative, also where the square of `e^u` overflows or underflows.
#[test]
fn a_quotient_by_a_large_or_small_number_keeps_its_derivatives() {
    for u in [-500.0, -370.0, 0.5, 370.0, 500.0, 600.0] {
        let first = Real::constant(1e-3) / variable(u).exp();
        let second = Real::constant(1e-3) / Dual2::<2>::variable(u, 0).exp();
        let value = 1e-3 * (-u).exp();
        let found = [
            D::gradient(first)[0],
            Dual2::gradient(second)[0],
            -Dual2::hessian(second)[0][0],
        ];
        for derivative in found {
            assert!((derivative / value + 1.0).abs() < 1e-12, "{u}: {found:?}");
        }
    }
    // the inverse of the divisor is infinite
    assert_eq!(slope!(|x| Real::constant(0.0) / x, 1e-310), (0.0, 0.0));
}

#[test]
fn a_power_takes_a_number_or_a_random_exponent() {
    assert_eq!(
        slope!(|x| x.powf(-1.0 / x), 2.0),
        slope!(|x| x.pow(-1.0 / x), 2.0)
    );
    let squares: Vector<D> = [4.0, 9.0].map(variable).into_iter().collect();
    for roots in [squares.powf(0.5), squares.powf(variable(0.5))] {
        let roots: Vec<f64> = roots.iter().map(|root| root.primal()).collect();
        assert_eq!(roots, [2.0, 3.0]);
    }
}

#[test]
fn the_side_not_chosen_does_not_leak() {
    let guarded = |x: Real<D>| Real::select(x.le(0.0), 0.0, x.sqrt().ln());
    assert_eq!(D::gradient(guarded(variable(0.0))), [0.0, 0.0]);
    assert_eq!(D::gradient(guarded(variable(4.0))), [0.125, 0.0]);
}

#[test]
fn an_infinite_slope_behind_a_zero_one_is_no_dependence() {
    // e^{ln x} at 0: the slope of ln is infinite, that of exp at -∞ is 0
    let x = variable(0.0);
    assert_eq!(D::gradient(x.ln().exp()), [0.0, 0.0]);
    assert_eq!(
        D::gradient(log_sum_exp(&[x.ln(), D::variable(2.0, 1)])),
        [0.0, 1.0]
    );
}

#[test]
fn log_sum_exp_of_nothing_is_minus_infinity_without_nan() {
    fn all<M: Mode>() {
        let nothing = Real::<M>::constant(f64::NEG_INFINITY);
        assert_eq!(log_sum_exp::<M>(&[]).plain_value(), f64::NEG_INFINITY);
        assert_eq!(
            log_sum_exp(&[nothing, nothing]).plain_value(),
            f64::NEG_INFINITY
        );
        assert_eq!(
            log_sum_exp(&[nothing, Real::constant(3.0), nothing]).plain_value(),
            3.0
        );
    }
    all::<Value>();
    all::<D>();
    all::<Dual2<2>>();
    let impossible = variable(0.3) + f64::NEG_INFINITY;
    assert_eq!(
        D::gradient(log_sum_exp(&[impossible, impossible])),
        [0.0, 0.0]
    );
}

/// The bulk product against the definition, for vectors of every kind of dependence.
#[test]
fn matrix_products_carry_every_dependence() {
    type M = Dual<3>;
    let variable = |x, k| M::variable(x, k);
    let constant = |x| Real::<M>::constant(x);
    let vectors: [[Real<M>; 4]; 6] = [
        [
            variable(0.1, 0),
            variable(0.2, 2),
            variable(0.3, 1),
            constant(0.4),
        ],
        [
            variable(0.1, 0),
            variable(0.2, 0),
            constant(0.3),
            constant(0.4),
        ],
        [
            variable(0.1, 0) * variable(0.7, 1),
            variable(0.2, 0),
            variable(0.3, 2),
            constant(0.4),
        ],
        [
            variable(0.1, 0).exp(),
            2.5 * variable(0.2, 1),
            constant(0.3),
            -variable(0.4, 2),
        ],
        [constant(0.1), constant(0.2), constant(0.3), constant(0.4)],
        [
            variable(0.1, 1) - variable(0.1, 1),
            variable(0.2, 1),
            constant(0.3),
            constant(0.4),
        ],
    ];
    for rows in [0, 1, 7, 8, 9, 31, 32, 33, 65] {
        let x = DMatrix::from_fn(rows, 4, |i, k| ((3 * i + 5 * k) as f64).sin());
        for (case, elements) in vectors.iter().enumerate() {
            let product = &x * Vector::from(elements.as_slice());
            assert_eq!(product.len(), rows);
            for (i, got) in product.iter().enumerate() {
                let expected: Real<M> = (0..4).map(|k| x[(i, k)] * elements[k]).sum();
                assert!(
                    (got.primal() - expected.primal()).abs() < 1e-15,
                    "case {case}, row {i}"
                );
                for (a, b) in M::gradient(*got).iter().zip(M::gradient(expected)) {
                    assert!((a - b).abs() < 1e-15, "case {case}, row {i}: {a} {b}");
                }
            }
        }
    }
}

/// The text of the fault that stops `body`.
fn fault(body: impl FnOnce()) -> String {
    match catch(body) {
        Err(Fault::Shape { operation } | Fault::Lengths { operation, .. }) => operation,
        other => panic!("{other:?}"),
    }
}

/// Mutation meant to be detected: an operator or a product without `#[track_caller]`, whose place is in this library.
#[test]
fn lengths_that_do_not_fit_are_reported_where_the_operation_is() {
    let (v, w) = (Vector::<Value>::zeros(3), Vector::<Value>::zeros(4));
    let operations: [&dyn Fn(); 6] = [
        &|| drop(&v * &w),
        &|| drop(&v + &[0.0; 4][..]),
        &|| drop(v.component_div(&w)),
        &|| drop(v.zip_map(&w, |a, b| a - b)),
        &|| assert!(v.dot(&w).primal().is_nan()),
        &|| assert!(v.dot(&[0.0; 4][..]).primal().is_nan()),
    ];
    let here = line!();
    for operation in operations {
        let fault = catch(operation).expect_err("3 is not 4");
        let (file, line) = fault.place().expect("it is known");
        assert_eq!(file, file!(), "{fault}");
        assert!((here - 16..here).contains(&line), "{fault}");
        assert!(
            fault.to_string().contains(&format!("at {file}:{line}:")),
            "{fault}"
        );
    }
}

#[test]
fn shapes_that_do_not_fit_are_reported_in_words() {
    let v = Vector::<Value>::zeros(14);
    let short = Vector::<Value>::zeros(2);
    let m = Matrix::<Value>::zeros(3, 2);
    let x = DMatrix::<f64>::zeros(690, 15);
    let told = [
        (
            fault(|| drop(&x * &v)),
            "matrix 690 x 15 times vector of length 14",
        ),
        (
            fault(|| drop(&v + &short)),
            "vector of length 14 plus vector of length 2",
        ),
        (
            fault(|| drop(&v - &[0.0; 3][..])),
            "vector of length 14 minus vector of length 3",
        ),
        (
            fault(|| drop(v.component_mul(&short))),
            "vector of length 14 times vector of length 2",
        ),
        (
            fault(|| _ = v.dot(&short)),
            "vector of length 14 dot vector of length 2",
        ),
        (
            fault(|| _ = dot(&[1.0], &short)),
            "vector of length 1 dot vector of length 2",
        ),
        (
            fault(|| drop(&m * &v)),
            "matrix 3 x 2 times vector of length 14",
        ),
        (fault(|| drop(&m * &m)), "matrix 3 x 2 times matrix 3 x 2"),
        (
            fault(|| drop(&x * &m)),
            "matrix 690 x 15 times matrix 3 x 2",
        ),
        (
            fault(|| drop(&m + m.transpose())),
            "matrix 3 x 2 paired with matrix 2 x 3",
        ),
        (
            fault(|| drop(Matrix::from_rows(&[v.clone(), short.clone()]))),
            "matrix of rows of length 14 with row 1 of length 2",
        ),
        (
            fault(|| drop(Matrix::<Value>::from_elements(2, 2, vec![]))),
            "matrix 2 x 2 of 0 elements",
        ),
    ];
    for (got, expected) in told {
        assert_eq!(got, expected);
    }
}

#[test]
fn an_ordinary_panic_keeps_its_message() {
    assert_eq!(
        catch(|| panic!("row {}", 7)),
        Err::<(), _>(Fault::Panic {
            message: "row 7".to_owned()
        })
    );
    assert_eq!(catch(|| 5), Ok(5));
}
