//! Distributions of vectors and of categories: references, draws, derivatives, whole statements, errors.

use crate::battery::{Numbers, stream};
use crate::reference::{agrees, file, number};
use bayes_autodiff::{Dual, Matrix, Mode, Real, Value, Vector};
use bayes_model::dist::*;
use nalgebra::DMatrix;
use serde_json::Value as Json;

pub fn list(value: &Json) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

pub fn table(value: &Json) -> DMatrix<f64> {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(list).collect();
    DMatrix::from_fn(rows.len(), rows[0].len(), |i, k| rows[i][k])
}

/// Visits `(params, x, log_density)` of each point of a file of references.
pub fn for_each_point(name: &str, mut visit: impl FnMut(&Json, &Json, f64)) {
    for case in file(name)["cases"].as_array().unwrap() {
        for point in case["points"].as_array().unwrap() {
            visit(&case["params"], &point["x"], number(&point["log_density"]));
        }
    }
}

/// Compares the log density of data, and of a random value, with the reference.
pub fn compare<D: Distribution<Value>>(distribution: D, x: &[f64], wanted: f64) {
    assert_eq!(distribution.check(), Ok(()));
    let observed = distribution.log_likelihood(&Numbers(x.to_vec())).primal();
    assert!(
        agrees(observed, wanted),
        "{} at {x:?}: observed {observed}, wanted {wanted}",
        distribution.name()
    );
    let elements: Vec<Real<Value>> = x.iter().map(|x| Real::constant(*x)).collect();
    let sampled = distribution.log_density_of(&elements).primal();
    assert!(
        agrees(sampled, wanted),
        "{} at {x:?}: sampled {sampled}, wanted {wanted}",
        distribution.name()
    );
}

#[test]
fn categorical_agrees_with_the_reference() {
    for_each_point("categorical", |p, x, wanted| {
        compare(Categorical::new(list(&p["p"])), &[number(x)], wanted)
    });
    for_each_point("categorical_logit", |p, x, wanted| {
        compare(
            CategoricalLogit::new(list(&p["logits"])),
            &[number(x)],
            wanted,
        );
    });
}

#[test]
fn multinomial_agrees_with_the_reference() {
    for_each_point("multinomial", |p, x, wanted| {
        compare(
            Multinomial::new(number(&p["n"]), list(&p["p"])),
            &list(x),
            wanted,
        );
    });
}

#[test]
fn dirichlet_agrees_with_the_reference() {
    for_each_point("dirichlet", |p, x, wanted| {
        compare(Dirichlet::new(list(&p["alpha"])), &list(x), wanted)
    });
}

#[test]
fn multivariate_normal_agrees_with_the_reference() {
    for_each_point("multivariate_normal", |p, x, wanted| {
        compare(
            MultivariateNormal::new(list(&p["mean"]), table(&p["cov"])),
            &list(x),
            wanted,
        );
        // a random covariance takes another path: its factor is computed in the mode
        let random = Matrix::from_fn(list(x).len(), list(x).len(), |i, k| {
            Real::constant(number(&p["cov"][i][k]))
        });
        compare(
            MultivariateNormal::new(list(&p["mean"]), random),
            &list(x),
            wanted,
        );
    });
    for_each_point("multivariate_normal.from_cholesky", |p, x, wanted| {
        compare(
            MultivariateNormal::from_cholesky(list(&p["mean"]), table(&p["chol"])),
            &list(x),
            wanted,
        );
    });
}

/// `Q` with determinant 3.09, whose inverse has no simple elements.
fn precision() -> DMatrix<f64> {
    DMatrix::from_row_slice(3, 3, &[4.0, 1.0, 0.5, 1.0, 2.0, -0.6, 0.5, -0.6, 1.0])
}

/// Meant to detect: a factor of the precision that is taken for that of the covariance, or its transpose.
#[test]
fn a_multivariate_normal_with_a_precision_has_the_density_of_its_definition() {
    let (precision, mean, x) = (precision(), [3.0, 0.0, -1.0], [2.5, 0.7, -1.4]);
    let from_mean = DMatrix::from_fn(3, 1, |i, _| x[i] - mean[i]);
    let square = (from_mean.transpose() * &precision * &from_mean)[0];
    let determinant: f64 = 4.0 * (2.0 - 0.36) - (1.0 + 0.3) + 0.5 * (-0.6 - 1.0);
    let wanted = 0.5 * (determinant.ln() - square - 3.0 * std::f64::consts::TAU.ln());
    compare(
        MultivariateNormal::from_precision(mean, &precision),
        &x,
        wanted,
    );
    let random = Matrix::constant(&precision);
    compare(MultivariateNormal::from_precision(mean, random), &x, wanted);
    let by_covariance = MultivariateNormal::new(mean, precision.try_inverse().unwrap());
    compare(by_covariance, &x, wanted);
}

#[test]
fn draws_with_a_precision_have_its_inverse_as_their_covariance() {
    let precision = precision();
    let normal = MultivariateNormal::from_precision(0.0, &precision);
    let gaussian = Distribution::<Value>::gaussian(&normal).unwrap();
    let CovarianceRoot::Lower(lower) = gaussian.factor else {
        panic!("it has a lower factor");
    };
    let lower = DMatrix::from_row_slice(3, 3, &lower);
    let identity = &lower * lower.transpose() * &precision;
    assert!((identity - DMatrix::identity(3, 3)).amax() < 1e-15);
    // a draw is the factor times three standard normal numbers
    let draws = 20_000;
    let mut sums = DMatrix::<f64>::zeros(3, 3);
    let mut source = stream(0);
    for _ in 0..draws {
        let draw = DMatrix::from_vec(3, 1, Distribution::<Value>::draw(&normal, &mut source));
        sums += &draw * draw.transpose();
    }
    let covariance = precision.try_inverse().unwrap();
    for i in 0..3 {
        for k in 0..3 {
            let (c, sd) = (
                covariance[(i, k)],
                (covariance[(i, i)] * covariance[(k, k)]).sqrt(),
            );
            let error = ((sd * sd + c * c) / f64::from(draws)).sqrt();
            let gap = sums[(i, k)] / f64::from(draws) - c;
            assert!(gap.abs() < 4.5 * error, "{i}, {k}: {gap}");
        }
    }
}

#[test]
fn normal_mixture_agrees_with_the_reference() {
    for_each_point("mixture", |p, x, wanted| {
        let (means, sds) = (list(&p["means"]), list(&p["sds"]));
        let components: Vec<_> = means
            .iter()
            .zip(&sds)
            .map(|(m, s)| Normal::new(*m, *s))
            .collect();
        compare(
            Mixture::new(list(&p["weights"]), components),
            &[number(x)],
            wanted,
        );
    });
}

/// Mean of the draws of each element, with its standard error.
fn means<D: Distribution<Value>>(
    distribution: &D,
    f: impl Fn(&[f64]) -> Vec<f64>,
) -> Vec<(f64, f64)> {
    let mut stream = stream(7);
    let draws: Vec<Vec<f64>> = (0..40_000)
        .map(|_| f(&distribution.draw(&mut stream)))
        .collect();
    let n = draws.len() as f64;
    let moments = |i: usize| {
        let mean = draws.iter().map(|d| d[i]).sum::<f64>() / n;
        let square = draws.iter().map(|d| (d[i] - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, (square / n).sqrt())
    };
    (0..draws[0].len()).map(moments).collect()
}

/// Asserts that draws have the expectations `wanted` within 4.5 standard errors.
pub fn assert_expectations<D: Distribution<Value>>(
    distribution: D,
    f: impl Fn(&[f64]) -> Vec<f64>,
    wanted: &[f64],
) {
    for ((mean, error), wanted) in means(&distribution, f).into_iter().zip(wanted) {
        assert!(
            (mean - wanted).abs() <= 4.5 * error,
            "{}: {mean} ± {error}, not {wanted}",
            distribution.name()
        );
    }
}

#[test]
fn draws_have_the_right_moments() {
    let alpha = [0.3, 2.0, 5.0];
    let n: f64 = alpha.iter().sum();
    let share = |i: usize| alpha[i] / n;
    let product = |i: usize, k: usize| alpha[i] * alpha[k] / (n * (n + 1.0));
    let mixed = |x: &[f64]| vec![x[0], x[1], x[2], x[0] * x[1], x[1] * x[2]];
    assert_expectations(
        Dirichlet::new(alpha),
        mixed,
        &[share(0), share(1), share(2), product(0, 1), product(1, 2)],
    );

    let p = [0.1, 0.0, 0.6, 0.3];
    let counts = |x: &[f64]| vec![x[0], x[1], x[2], x[3], x[0] * x[2], x.iter().sum()];
    assert_expectations(
        Multinomial::new(9, p),
        counts,
        &[0.9, 0.0, 5.4, 2.7, 72.0 * 0.06, 9.0],
    );

    let covariance = DMatrix::from_row_slice(2, 2, &[2.0, -0.9, -0.9, 1.5]);
    let second = |x: &[f64]| vec![x[0], x[1], x[0] * x[0], x[0] * x[1], x[1] * x[1]];
    let wanted = [1.0, -2.0, 3.0, -2.9, 5.5];
    assert_expectations(
        MultivariateNormal::new([1.0, -2.0], &covariance),
        second,
        &wanted,
    );

    let frequencies = |x: &[f64]| (0..3).map(|k| f64::from(x[0] == f64::from(k))).collect();
    assert_expectations(
        Categorical::new([0.2, 0.5, 0.3]),
        frequencies,
        &[0.2, 0.5, 0.3],
    );
    let logits = [0.2_f64.ln() + 7.0, 0.5_f64.ln() + 7.0, 0.3_f64.ln() + 7.0];
    assert_expectations(CategoricalLogit::new(logits), frequencies, &[0.2, 0.5, 0.3]);

    let mixture = Mixture::new([0.2, 0.8], (Normal::new(5.0, 1.0), Laplace::new(-1.0, 2.0)));
    assert_expectations(
        mixture,
        |x| vec![x[0], x[0] * x[0]],
        &[0.2, 0.2 * 26.0 + 0.8 * 9.0],
    );

    // order statistics of three uniforms
    let ordered = Uniform::new(0.0, 1.0).iid(3).ordered();
    assert_expectations(ordered, <[f64]>::to_vec, &[0.25, 0.5, 0.75]);
}

/// The gradient of a function of a few variables by duals, against central differences.
pub fn assert_gradient<const N: usize>(
    f: impl Fn(&[Real<Dual<N>>; N]) -> Real<Dual<N>>,
    at: [f64; N],
) {
    let variables = std::array::from_fn(|k| Dual::variable(at[k], k));
    let slopes = Dual::gradient(f(&variables));
    for k in 0..N {
        let beside = |h: f64| {
            let mut moved = at;
            moved[k] += h;
            f(&moved.map(Real::constant)).primal()
        };
        let difference = (beside(1e-5) - beside(-1e-5)) / 2e-5;
        let tolerance = 1e-7 * (1.0 + slopes[k].abs());
        assert!(
            (difference - slopes[k]).abs() < tolerance,
            "slope {k} is {}, wanted {difference}",
            slopes[k]
        );
    }
}

#[test]
fn gradients_agree_with_differences() {
    type D = Dual<6>;
    let vector = |x: &[Real<D>]| Vector::from(x.to_vec());
    let normal = |v: &[Real<D>; 6]| {
        let covariance = Matrix::from_elements(2, 2, vec![v[2], v[3], v[3], v[4]]);
        MultivariateNormal::new(vector(&v[..2]), covariance)
            .log_density_at(&vector(&[v[5], v[0] * 2.0]))
    };
    assert_gradient(normal, [0.3, -1.2, 2.0, 0.7, 1.1, 0.4]);
    let precision = |v: &[Real<D>; 6]| {
        let precision = Matrix::from_elements(2, 2, vec![v[2], v[3], v[3], v[4]]);
        MultivariateNormal::from_precision(vector(&v[..2]), precision)
            .log_density_at(&vector(&[v[5], v[0] * 2.0]))
    };
    assert_gradient(precision, [0.3, -1.2, 2.0, 0.7, 1.1, 0.4]);
    let cholesky = |v: &[Real<D>; 6]| {
        let lower = Matrix::from_elements(2, 2, vec![v[2], Real::constant(0.0), v[3], v[4]]);
        MultivariateNormal::from_cholesky(vector(&v[..2]), lower)
            .log_likelihood(&[0.4, v[5].primal()])
    };
    assert_gradient(
        |v| {
            let constant = v[5] * 0.0 + v[5] * v[5];
            cholesky(&[v[0], v[1], v[2], v[3], v[4], Real::constant(0.4)]) + constant
        },
        [0.3, -1.2, 2.0, 0.7, 1.1, 0.4],
    );
    let dirichlet =
        |v: &[Real<D>; 6]| Dirichlet::new(vector(&v[..3])).log_likelihood(&[0.2, 0.3, 0.5]) * v[3];
    assert_gradient(dirichlet, [0.5, 2.0, 10.0, 1.5, 0.0, 0.0]);
    // through the transform, whose values stay on the simplex
    let simplex = |v: &[Real<D>; 6]| {
        let dirichlet = Dirichlet::new(vector(&v[..3]));
        let (x, log_jacobian) = dirichlet.constrain(&v[3..5]);
        dirichlet.log_density_at(&x) + log_jacobian
    };
    assert_gradient(simplex, [0.5, 2.0, 10.0, 1.5, -0.7, 0.0]);
    let logits = |v: &[Real<D>; 6]| {
        CategoricalLogit::new(Matrix::from_elements(2, 3, v.to_vec())).log_likelihood(&[2_usize, 0])
    };
    assert_gradient(logits, [0.5, 2.0, -1.0, 1.5, -0.7, 0.0]);
    let mixture = |v: &[Real<D>; 6]| {
        let weight = v[0].logistic();
        let components = (
            Normal::new(v[1], v[2].exp()),
            StudentT::new(v[5].exp(), v[3], v[4].exp()),
        );
        Mixture::new([weight, 1.0 - weight], components).log_likelihood(&[0.4, -3.0, 11.0])
    };
    assert_gradient(mixture, [0.5, 2.0, -1.0, 1.5, -0.7, 0.9]);
    let multinomial = |v: &[Real<D>; 6]| {
        let p: Vector<D> = vector(&v[..4]).softmax();
        Multinomial::new(10, p).log_likelihood(&[3, 0, 5, 2])
    };
    assert_gradient(multinomial, [0.5, 2.0, -1.0, 1.5, 0.0, 0.0]);
}

/// Every value of `log_likelihood` for a matrix is the sum over its rows.
#[test]
fn rows_of_a_matrix_are_independent_observations() {
    let rows = DMatrix::from_row_slice(2, 3, &[0.2, 0.3, 0.5, 0.1, 0.1, 0.8]);
    let dirichlet = Dirichlet::new([0.5, 2.0, 10.0]);
    let one = |i: usize| -> f64 {
        let row: Vec<f64> = rows.row(i).iter().copied().collect();
        Distribution::<Value>::log_likelihood(&dirichlet, &row).primal()
    };
    let together = Distribution::<Value>::log_likelihood(&dirichlet, &rows).primal();
    assert!(agrees(together, one(0) + one(1)));
    assert_eq!(Distribution::<Value>::check_data(&dirichlet, &rows), Ok(()));

    let logits = DMatrix::from_row_slice(2, 3, &[0.0, 1.0, -2.0, 1000.0, 0.0, -1000.0]);
    compare(
        CategoricalLogit::new(&logits),
        &[1.0, 2.0],
        -0.349_012_216_768_186_4 - 2000.0,
    );
    let p = DMatrix::from_row_slice(2, 2, &[0.25, 0.75, 1.0, 0.0]);
    compare(Categorical::new(&p), &[1.0, 0.0], 0.75_f64.ln());
}

#[test]
fn copies_are_a_product_and_come_in_the_right_shape() {
    let x = [0.3, -1.0, 2.5, 0.0, 4.0, -2.0];
    let wanted: f64 = x
        .iter()
        .map(|x| {
            -0.5 * ((x - 1.0) / 2.0_f64).powi(2) - 2.0_f64.ln() - 0.5 * std::f64::consts::TAU.ln()
        })
        .sum();
    compare(Normal::new(1.0, 2.0).iid(6), &x, wanted);
    compare(Normal::new(1.0, 2.0).iid((2, 3)), &x, wanted);
    compare(Normal::new([1.0, 1.0, 1.0], 2.0).iid(2), &x, wanted);
    let covariance = DMatrix::from_diagonal_element(3, 3, 4.0);
    compare(MultivariateNormal::new(1.0, &covariance).iid(2), &x, wanted);
    let shape = |d: &dyn Fn() -> Shape| d();
    assert_eq!(
        shape(&|| Distribution::<Value>::shape(&Normal::new(0.0, 1.0).iid(6))),
        Shape::Vector(6)
    );
    assert_eq!(
        shape(&|| Distribution::<Value>::shape(&Normal::new(0.0, 1.0).iid((2, 3)))),
        Shape::Matrix(2, 3)
    );
    assert_eq!(
        shape(&|| Distribution::<Value>::shape(&Dirichlet::new([1.0; 3]).iid(2))),
        Shape::Matrix(2, 3)
    );
    assert_eq!(
        Distribution::<Value>::dim(&Dirichlet::new([1.0; 3]).iid(2)),
        4
    );
}

/// Order statistics keep the evidence: their density integrates to one over the ordered cone.
#[test]
fn ordered_copies_have_the_density_of_order_statistics() {
    let ordered = Exponential::new(1.5).iid(2).ordered();
    let log_density = |x: [f64; 2]| {
        let x = x.map(Real::<Value>::constant);
        ordered.log_density_at(&Vector::from(x.to_vec())).primal()
    };
    let wanted = 2.0_f64.ln() + 2.0 * 1.5_f64.ln() - 1.5 * (0.3 + 2.0);
    assert!(agrees(log_density([0.3, 2.0]), wanted));
    assert_eq!(log_density([2.0, 0.3]), f64::NEG_INFINITY);

    let step = 0.05;
    let grid = || (-240..=120).map(|k| f64::from(k) * step);
    let total: f64 = grid()
        .flat_map(|a| grid().map(move |b| (a, b)))
        .map(|(a, b)| {
            let (x, log_jacobian) =
                ordered.constrain(&[Real::<Value>::constant(a), Real::constant(b)]);
            assert!(x[0].primal() <= x[1].primal());
            (ordered.log_density_at(&x) + log_jacobian).exp().primal() * step * step
        })
        .sum();
    assert!((total - 1.0).abs() < 1e-4, "the total is {total}");
}

#[test]
fn a_mixture_of_vectors_chooses_once_for_the_whole() {
    fn log_density<M: Mode>(x: &Vector<M>) -> Real<M> {
        let component = |mean: f64| Normal::new(mean, 1.0).iid(3);
        Mixture::new([0.2, 0.8], [component(1.0), component(-1.0)]).log_density_at(x)
    }
    let x = [0.5, -0.2, 1.4];
    let normal = |mean: f64| -> f64 {
        x.iter()
            .map(|x| -0.5 * (x - mean) * (x - mean) - 0.5 * std::f64::consts::TAU.ln())
            .sum()
    };
    let wanted = (0.2 * normal(1.0).exp() + 0.8 * normal(-1.0).exp()).ln();
    assert!(agrees(
        log_density::<Value>(&Vector::constant(&x)).primal(),
        wanted
    ));

    let rows = DMatrix::from_row_slice(2, 3, &[0.5, -0.2, 1.4, 0.5, -0.2, 1.4]);
    let component = |mean: f64| Normal::new(mean, 1.0).iid(3);
    let mixture = Mixture::new([0.2, 0.8], [component(1.0), component(-1.0)]);
    let together = Distribution::<Value>::log_likelihood(&mixture, &rows).primal();
    assert!(agrees(together, 2.0 * wanted));
}

#[test]
fn gaussian_distributions_are_exact() {
    let gaussian = |mean: &[f64], sd: &[f64]| {
        Some(Gaussian {
            mean: mean.to_vec(),
            factor: CovarianceRoot::Diagonal(sd.to_vec()),
        })
    };
    assert_eq!(
        Distribution::<Value>::gaussian(&Normal::new(1.0, 2.0)),
        gaussian(&[1.0], &[2.0])
    );
    assert_eq!(
        Distribution::<Value>::gaussian(&LogNormal::new(1.0, 2.0)),
        gaussian(&[1.0], &[2.0])
    );
    assert_eq!(
        Distribution::<Value>::gaussian(&Normal::new([1.0, 3.0], 2.0)),
        gaussian(&[1.0, 3.0], &[2.0, 2.0])
    );
    assert_eq!(
        Distribution::<Value>::gaussian(&Normal::new(1.0, 2.0).iid(2)),
        gaussian(&[1.0, 1.0], &[2.0, 2.0])
    );
    assert_eq!(
        Distribution::<Value>::gaussian(&Laplace::new(1.0, 2.0)),
        None
    );
    assert_eq!(
        Distribution::<Value>::gaussian(&Normal::new(1.0, 2.0).iid(2).ordered()),
        None
    );
    let covariance = DMatrix::from_row_slice(2, 2, &[4.0, 2.0, 2.0, 10.0]);
    let distribution =
        Distribution::<Value>::gaussian(&MultivariateNormal::new([1.0, -1.0], &covariance).iid(2))
            .unwrap();
    assert_eq!(distribution.mean, [1.0, -1.0, 1.0, -1.0]);
    let lower = [
        [2.0, 0.0, 0.0, 0.0],
        [1.0, 3.0, 0.0, 0.0],
        [0.0, 0.0, 2.0, 0.0],
        [0.0, 0.0, 1.0, 3.0],
    ];
    assert_eq!(distribution.factor, CovarianceRoot::Lower(lower.concat()));
}
