//! Distributions of matrices and the multivariate Student t: references, draws, integrals, derivatives, errors.

use crate::battery::Numbers;
use crate::reference::{agrees, number};
use crate::vector_errors::{data_error, parameter_error};
use crate::vectors::{assert_expectations, assert_gradient, compare, for_each_point, list, table};
use bayes_autodiff::{Dual, Matrix, Real, Value, Vector};
use bayes_model::dist::*;
use nalgebra::DMatrix;
use serde_json::Value as Json;

/// The elements of a matrix of the reference file, row by row.
fn rows(value: &Json) -> Vec<f64> {
    value.as_array().unwrap().iter().flat_map(list).collect()
}

fn random(value: &Json) -> Matrix<Value> {
    let table = table(value);
    Matrix::from_fn(table.nrows(), table.ncols(), |i, k| {
        Real::constant(table[(i, k)])
    })
}

fn square(entries: [f64; 4]) -> DMatrix<f64> {
    DMatrix::from_row_slice(2, 2, &entries)
}

#[test]
fn mv_student_t_agrees_with_the_reference() {
    for_each_point("multivariate_student_t", |p, x, wanted| {
        let (nu, location, scale) = (number(&p["nu"]), list(&p["loc"]), table(&p["scale"]));
        compare(
            MultivariateStudentT::new(nu, &location, &scale),
            &list(x),
            wanted,
        );
        let in_mode = MultivariateStudentT::new(nu, &location, random(&p["scale"]));
        compare(in_mode, &list(x), wanted);
        let lower = scale.cholesky().unwrap().l();
        compare(
            MultivariateStudentT::from_cholesky(nu, &location, lower),
            &list(x),
            wanted,
        );
    });
}

#[test]
fn lkj_agrees_with_the_reference() {
    let size = |p: &Json| number(&p["d"]) as usize;
    for_each_point("lkj", |p, x, wanted| {
        compare(LKJ::new(size(p), number(&p["eta"])), &rows(x), wanted)
    });
    for_each_point("lkj_cholesky", |p, x, wanted| {
        compare(
            LKJCholesky::new(size(p), number(&p["eta"])),
            &rows(x),
            wanted,
        )
    });
}

#[test]
fn wisharts_agree_with_the_reference() {
    for_each_point("wishart", |p, x, wanted| {
        compare(
            Wishart::new(number(&p["nu"]), table(&p["V"])),
            &rows(x),
            wanted,
        );
        compare(
            Wishart::new(number(&p["nu"]), random(&p["V"])),
            &rows(x),
            wanted,
        );
    });
    for_each_point("inverse_wishart", |p, x, wanted| {
        let nu = number(&p["nu"]);
        compare(InverseWishart::new(nu, table(&p["Psi"])), &rows(x), wanted);
        compare(InverseWishart::new(nu, random(&p["Psi"])), &rows(x), wanted);
    });
}

/// A matrix of one row is a scalar: Wishart(ν, v) is Gamma(ν/2, 1/(2v)), and the inverse Wishart is the
/// inverse gamma.
#[test]
fn matrices_of_one_row_are_scalars() {
    let same = |matrix: Real<Value>, scalar: Real<Value>| {
        assert!(
            agrees(matrix.primal(), scalar.primal()),
            "{matrix:?}, {scalar:?}"
        );
    };
    let one = DMatrix::from_element(1, 1, 0.7);
    same(
        Wishart::new(3.0, &one).log_likelihood(&[1.3]),
        Gamma::new(1.5, 1.0 / 1.4).log_likelihood(&[1.3]),
    );
    same(
        InverseWishart::new(3.0, &one).log_likelihood(&[1.3]),
        InverseGamma::new(1.5, 0.35).log_likelihood(&[1.3]),
    );
    same(
        MultivariateStudentT::new(3.0, 0.5, &one).log_likelihood(&[1.3]),
        StudentT::new(3.0, 0.5, 0.7_f64.sqrt()).log_likelihood(&[1.3]),
    );
}

#[test]
fn draws_of_matrices_have_the_right_moments() {
    // each correlation is 2 Beta(b, b) - 1 with b = η - 1 + d/2: its square has the mean 1/(2b + 1)
    let squares = |x: &[f64]| vec![x[4], x[4] * x[4], x[8] * x[8], x[9] * x[9], x[13] * x[13]];
    let wanted = |eta: f64| {
        let square = 1.0 / (2.0 * (eta + 1.0) + 1.0);
        [0.0, square, square, square, square]
    };
    assert_expectations(LKJ::new(4, 0.7), squares, &wanted(0.7));
    assert_expectations(LKJ::new(4, 5.0), squares, &wanted(5.0));
    let through_factor = |l: &[f64]| {
        let l = DMatrix::from_row_slice(4, 4, l);
        let r = &l * l.transpose();
        squares(&(0..16).map(|i| r[(i / 4, i % 4)]).collect::<Vec<_>>())
    };
    assert_expectations(LKJCholesky::new(4, 2.0), through_factor, &wanted(2.0));

    let v = square([1.0, 0.3, 0.3, 0.5]);
    // E X = ν V, E X_ij² = ν (V_ij² + V_ii V_jj) + (ν V_ij)²
    let moments = |x: &[f64]| vec![x[0], x[1], x[2], x[3], x[0] * x[0], x[1] * x[1]];
    let second = |i: f64, ij: f64, j: f64| 4.5 * (ij * ij + i * j) + (4.5 * ij).powi(2);
    let wanted = [
        4.5,
        1.35,
        1.35,
        2.25,
        second(1.0, 1.0, 1.0),
        second(1.0, 0.3, 0.5),
    ];
    assert_expectations(Wishart::new(4.5, &v), moments, &wanted);
    let inverse = [1.0, 0.3, 0.3, 0.5].map(|x| x / 6.0);
    assert_expectations(InverseWishart::new(9.0, &v), <[f64]>::to_vec, &inverse);

    let second = |x: &[f64]| {
        vec![
            x[0],
            x[1],
            (x[0] - 1.0).powi(2),
            (x[0] - 1.0) * x[1],
            x[1] * x[1],
        ]
    };
    let wanted = [1.0, 0.0, 1.25, 0.375, 0.625];
    assert_expectations(
        MultivariateStudentT::new(10.0, [1.0, 0.0], &v),
        second,
        &wanted,
    );
}

/// The mean of `p(x) |dx/du| / q(u)` over draws of a wide normal `q` of the coordinates is the total mass.
fn assert_total_is_one<D: Distribution<Value>>(distribution: D, sd: f64) {
    let dim = distribution.dim();
    let proposal = Normal::new(0.0, sd).iid(dim);
    let mut stream = crate::battery::stream(11);
    let ratios: Vec<f64> = (0..100_000)
        .map(|_| {
            let u: Vec<Real<Value>> = Distribution::<Value>::draw(&proposal, &mut stream)
                .into_iter()
                .map(Real::constant)
                .collect();
            let (x, log_jacobian) = distribution.constrain(&u);
            let log_q = proposal.log_density_of(&u);
            (distribution.log_density_at(&x) + log_jacobian - log_q)
                .primal()
                .exp()
        })
        .collect();
    let n = ratios.len() as f64;
    let mean = ratios.iter().sum::<f64>() / n;
    let variance = ratios.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (variance / n).sqrt();
    let name = distribution.name();
    assert!(error < 0.02, "{name}: the error {error} shows nothing");
    assert!((mean - 1.0).abs() < 4.5 * error, "{name}: {mean} ± {error}");
}

/// Tests density, transform and Jacobian together.
#[test]
fn densities_of_matrices_integrate_to_one() {
    assert_total_is_one(LKJ::new(3, 1.5), 1.0);
    assert_total_is_one(LKJCholesky::new(3, 0.8), 1.3);
    assert_total_is_one(LKJCholesky::new(4, 3.0), 0.7);
    let v = square([0.5, 0.1, 0.1, 0.3]);
    assert_total_is_one(Wishart::new(6.0, &v), 1.2);
    assert_total_is_one(InverseWishart::new(6.0, square([2.0, 0.3, 0.3, 1.0])), 1.0);
}

/// A draw has finite coordinates that lead back to it, even if correlations are 1 in doubles.
#[test]
fn draws_of_factors_survive_the_transform() {
    let distribution = LKJCholesky::new(5, 0.02);
    let mut stream = crate::battery::stream(12);
    for _ in 0..200 {
        let lower = Distribution::<Value>::draw(&distribution, &mut stream);
        let u = Distribution::<Value>::unconstrain(&distribution, &lower);
        let u: Vec<Real<Value>> = u.into_iter().map(Real::constant).collect();
        let (back, log_jacobian) = distribution.constrain(&u);
        assert!(log_jacobian.primal().is_finite());
        assert!(distribution.log_density_at(&back).primal().is_finite());
        for (back, wanted) in back.elements().iter().zip(&lower) {
            assert!((back.primal() - wanted).abs() <= 1e-12 * wanted.abs() + 1e-300);
        }
    }
}

#[test]
fn gradients_of_matrix_distributions_agree_with_differences() {
    type D = Dual<6>;
    let vector = |x: &[Real<D>]| Vector::from(x.to_vec());
    let symmetric = |x: &[Real<D>]| Matrix::from_elements(2, 2, vec![x[0], x[1], x[1], x[2]]);
    assert_gradient(
        |v| {
            let distribution =
                MultivariateStudentT::new(v[5].exp(), vector(&v[..2]), symmetric(&v[2..5]));
            distribution.log_density_at(&vector(&[v[0] * 2.0, v[5]]))
                + distribution.log_likelihood(&[0.3, 4.0])
        },
        [0.3, -1.2, 2.0, 0.7, 1.1, 0.4],
    );
    assert_gradient(
        |v| {
            let distribution = LKJCholesky::new(3, v[3].exp());
            let (lower, log_jacobian) = distribution.constrain(&v[..3]);
            let distribution = LKJ::new(3, v[3].exp());
            let (correlation, log_volume) = distribution.constrain(&v[..3]);
            LKJCholesky::new(3, v[3].exp()).log_density_at(&lower) * 1.3
                + log_jacobian
                + distribution.log_density_at(&correlation)
                + log_volume * 0.7
        },
        [0.3, -1.2, 0.8, 0.7, 0.0, 0.0],
    );
    assert_gradient(
        |v| {
            let distribution = Wishart::new(v[5].exp() + 1.0, symmetric(&v[2..5]));
            let (x, log_jacobian) = distribution.constrain(&[v[0], v[1], v[2]]);
            distribution.log_density_at(&x)
                + log_jacobian
                + distribution.log_likelihood(&[2.0, 0.3, 0.3, 1.0])
        },
        [0.3, -1.2, 2.0, 0.7, 1.1, 0.4],
    );
    assert_gradient(
        |v| {
            let distribution = InverseWishart::new(v[5].exp() + 1.0, symmetric(&v[2..5]));
            let (x, log_jacobian) = distribution.constrain(&[v[0], v[1], v[2]]);
            distribution.log_density_at(&x)
                + log_jacobian
                + distribution.log_likelihood(&[2.0, 0.3, 0.3, 1.0])
        },
        [0.3, -1.2, 2.0, 0.7, 1.1, 0.4],
    );
}

#[test]
fn matrices_outside_the_support_have_no_density() {
    let at = |distribution: &dyn Fn(&[Real<Value>]) -> Real<Value>, x: [f64; 4]| {
        distribution(&x.map(Real::constant)).primal()
    };
    let none = f64::NEG_INFINITY;
    let indefinite = [1.0, 2.0, 2.0, 1.0];
    let eye = DMatrix::<f64>::identity(2, 2);
    assert_eq!(
        at(&|x| LKJ::new(2, 1.0).log_density_of(x), indefinite),
        none
    );
    assert_eq!(
        at(
            &|x| LKJ::new(2, 1.0).log_density_of(x),
            [2.0, 0.1, 0.1, 2.0]
        ),
        none
    );
    assert_eq!(
        at(&|x| Wishart::new(3.0, &eye).log_density_of(x), indefinite),
        none
    );
    assert_eq!(
        at(
            &|x| InverseWishart::new(3.0, &eye).log_density_of(x),
            indefinite
        ),
        none
    );
    let factor = |x| at(&|x| LKJCholesky::new(2, 1.0).log_density_of(x), x);
    assert_eq!(factor([1.0, 0.0, 0.6, 0.7]), none);
    assert_eq!(factor([1.0, 0.0, 0.6, -0.8]), none);
    assert_eq!(factor([1.0, 0.1, 0.6, 0.8]), none);
    assert!(factor([1.0, 0.0, 0.6, 0.8]).is_finite());
}

#[test]
fn parameters_of_matrix_distributions_are_named() {
    let eye = DMatrix::<f64>::identity(2, 2);
    let cases = [
        (
            parameter_error(LKJCholesky::new(1, 1.0)),
            "LKJCholesky: parameter `d` is 1, must be a whole number, at least 2",
        ),
        (
            parameter_error(LKJCholesky::new(3, 0.0)),
            "LKJCholesky: parameter `eta` is 0, must be a finite number above 0",
        ),
        (
            parameter_error(LKJ::new(3, -1.0)),
            "LKJ: parameter `eta` is -1, must be a finite number above 0",
        ),
        (
            parameter_error(LKJ::new(3, [1.0, 2.0])),
            "LKJ: parameter `eta` has length 2, must be a single number",
        ),
        (
            parameter_error(MultivariateStudentT::new(0.0, 0.0, &eye)),
            "MultivariateStudentT: parameter `nu` is 0, must be a finite number above 0",
        ),
        (
            parameter_error(MultivariateStudentT::new(1.0, [0.0; 3], &eye)),
            "MultivariateStudentT: parameter `location` has length 3, must be 2, the number of rows of `scale`",
        ),
        (
            parameter_error(MultivariateStudentT::from_cholesky(
                1.0,
                0.0,
                square([1.0, 0.0, 0.0, -1.0]),
            )),
            "MultivariateStudentT: parameter `lower` at index 3 is -1, must be above 0 on the diagonal",
        ),
        (
            parameter_error(Wishart::new(1.0, &eye)),
            "Wishart: parameter `nu` is 1, must be above d - 1 for matrices of d rows",
        ),
        (
            parameter_error(Wishart::new(3.0, square([1.0, 0.5, 0.4, 1.0]))),
            "Wishart: parameter `v` at index 1 is 0.5, must be equal to the element across the diagonal: the matrix must be symmetric",
        ),
        (
            parameter_error(InverseWishart::new(3.0, square([1.0, 2.0, 2.0, 1.0]))),
            "InverseWishart: parameter `psi` at index 3 is 1, must be such that the matrix is positive definite",
        ),
        (
            parameter_error(InverseWishart::new(3.0, DMatrix::<f64>::zeros(2, 3))),
            "InverseWishart: parameter `psi` is a matrix of 2 x 3, must be a square matrix",
        ),
    ];
    for (got, wanted) in cases {
        assert_eq!(got, wanted);
    }
}

fn matrix_error<D: Distribution<Value, Domain = Continuous>>(
    distribution: D,
    entries: [f64; 4],
) -> String {
    distribution
        .check_data(&square(entries))
        .unwrap_err()
        .to_string()
}

#[test]
fn observed_matrices_off_their_support_are_named() {
    let eye = DMatrix::<f64>::identity(2, 2);
    let good = [1.0, 0.5, 0.5, 1.0];
    assert_eq!(
        Distribution::<Value>::check_data(&LKJ::new(2, 1.0), &square(good)),
        Ok(())
    );
    assert_eq!(
        Distribution::<Value>::check_data(&Wishart::new(3.0, &eye), &square(good)),
        Ok(())
    );
    let several = DMatrix::from_row_slice(4, 2, &[1.0, 0.5, 0.5, 1.0, 2.0, 0.5, 0.5, 1.0]);
    assert_eq!(
        Distribution::<Value>::check_data(&Wishart::new(3.0, &eye), &several),
        Ok(())
    );
    let both = Distribution::<Value>::log_likelihood(&Wishart::new(3.0, &eye), &several).primal();
    let one = |x: &[f64]| -> f64 {
        let distribution = Wishart::new(3.0, &eye);
        Distribution::<Value>::log_likelihood(&distribution, &Numbers(x.to_vec())).primal()
    };
    assert!(agrees(both, one(&good) + one(&[2.0, 0.5, 0.5, 1.0])));
    let cases = [
        (
            Distribution::<Value>::check_data(&LKJ::new(2, 1.0), &several)
                .unwrap_err()
                .to_string(),
            "LKJ: observation at index 4 is 2, must be 1 on the diagonal",
        ),
        (
            matrix_error(LKJ::new(2, 1.0), [1.0, 1.0, 1.0, 1.0]),
            "LKJ: observation at index 3 is 1, must be such that the matrix is positive definite",
        ),
        (
            matrix_error(LKJCholesky::new(2, 1.0), [1.0, 0.0, 0.6, 0.7]),
            "LKJCholesky: observation at index 3 is 0.7, must be such that the squares of its row sum to 1",
        ),
        (
            matrix_error(Wishart::new(3.0, &eye), [1.0, 0.5, 0.4, 1.0]),
            "Wishart: observation at index 1 is 0.5, must be equal to the element across the diagonal: the matrix must be symmetric",
        ),
        (
            matrix_error(LKJ::new(3, 1.0), good),
            "LKJ: got 4 observations, must be a 3 x 3 matrix, or several below each other",
        ),
        (
            data_error(
                MultivariateStudentT::new(3.0, 0.0, &eye),
                &[1.0, f64::INFINITY],
            ),
            "MultivariateStudentT: observation at index 1 is inf, must be a finite number",
        ),
    ];
    for (got, wanted) in cases {
        assert_eq!(got, wanted);
    }
}
