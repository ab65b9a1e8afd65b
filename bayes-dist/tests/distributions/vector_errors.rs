//! Error messages about parameters, components, covariances and observations of vectors.

use crate::battery::Numbers;
use bayes_autodiff::{Real, Value};
use bayes_model::dist::*;
use nalgebra::DMatrix;

pub fn parameter_error(distribution: impl Distribution<Value>) -> String {
    distribution.check().unwrap_err().to_string()
}

pub fn assert_texts<const N: usize>(cases: [(String, &str); N]) {
    for (got, wanted) in cases {
        assert_eq!(got, wanted);
    }
}

#[test]
fn parameters_of_a_wrong_length_or_value_are_named() {
    assert_texts([
        (
            parameter_error(Normal::new([0.0, 1.0], [1.0; 3])),
            "Normal: parameter `sd` has length 3, must be 2, the length of `mean`",
        ),
        (
            parameter_error(Normal::new(Vec::<f64>::new(), [1.0])),
            "Normal: parameter `sd` has length 1, must be 0, the length of `mean`",
        ),
        (
            parameter_error(Normal::new([0.0; 4], DMatrix::<f64>::repeat(2, 2, 1.0))),
            "Normal: parameter `sd` is a matrix of 2 x 2, must be a vector of length 4, as `mean` is",
        ),
        (
            parameter_error(Uniform::new(1.0, 1.0)),
            "Uniform: parameter `high` is 1, must be above `low`",
        ),
        (
            parameter_error(Dirichlet::new([1.0])),
            "Dirichlet: parameter `alpha` has length 1, must be at least 2",
        ),
        (
            parameter_error(Dirichlet::new([1.0, 0.0])),
            "Dirichlet: parameter `alpha` at index 1 is 0, must be a finite number above 0",
        ),
    ]);
}

#[test]
fn probabilities_that_are_none_are_named() {
    assert_texts([
        (
            parameter_error(Categorical::new([0.5, 0.4])),
            "Categorical: parameter `p` is 0.9, must be a vector that sums to 1 (the value shown is its sum)",
        ),
        (
            parameter_error(Categorical::new([1.5, -0.5])),
            "Categorical: parameter `p` at index 0 is 1.5, must be a number from 0 to 1",
        ),
        (
            parameter_error(CategoricalLogit::new([0.0, f64::INFINITY])),
            "CategoricalLogit: parameter `logits` at index 1 is inf, must be a finite number",
        ),
        (
            parameter_error(Multinomial::new(-1, [0.5, 0.5])),
            "Multinomial: parameter `n` is -1, must be a whole number, at least 0",
        ),
    ]);
}

#[test]
fn components_that_do_not_mix_are_named() {
    assert_texts([
        (
            parameter_error(Mixture::new([0.5, 0.5], [Normal::new(0.0, 1.0)])),
            "Mixture: parameter `weights` has length 2, must be 1, the number of components",
        ),
        (
            parameter_error(Mixture::new(
                [0.5, 0.6],
                [Normal::new(0.0, 1.0), Normal::new(0.0, 1.0)],
            )),
            "Mixture: parameter `weights` is 1.1, must be a vector that sums to 1 (the value shown is its sum)",
        ),
        (
            parameter_error(Mixture::new(
                [0.5, 0.5],
                (Normal::new(0.0, 1.0), HalfNormal::new(1.0)),
            )),
            "Mixture: component 1 has another support than component 0",
        ),
        (
            parameter_error(Mixture::new(
                [0.5, 0.5],
                [Uniform::new(0.0, 1.0), Uniform::new(0.0, 2.0)],
            )),
            "Mixture: component 1 has another support than component 0",
        ),
        (
            parameter_error(Mixture::new(
                [0.5, 0.5],
                [Normal::new(0.0, 1.0).iid(2), Normal::new(0.0, 1.0).iid(3)],
            )),
            "Mixture: component 1 has another shape than component 0",
        ),
        (
            parameter_error(Mixture::new(
                [0.5, 0.5],
                [Normal::new(0.0, 1.0), Normal::new(0.0, -1.0)],
            )),
            "Normal: parameter `sd` is -1, must be a finite number above 0",
        ),
    ]);
}

#[test]
fn covariances_that_are_none_are_refused() {
    let square = |entries: [f64; 4]| DMatrix::from_row_slice(2, 2, &entries);
    let covariance = |entries| parameter_error(MultivariateNormal::new(0.0, square(entries)));
    let lower = |entries| parameter_error(MultivariateNormal::from_cholesky(0.0, square(entries)));
    let at = "MultivariateNormal: parameter";
    let symmetric = "equal to the element across the diagonal: the matrix must be symmetric";
    let cases = [
        (
            covariance([1.0, 0.5, 0.4, 1.0]),
            format!("{at} `covariance` at index 1 is 0.5, must be {symmetric}"),
        ),
        (
            covariance([1.0, 2.0, 2.0, 1.0]),
            format!(
                "{at} `covariance` at index 3 is 1, must be such that the matrix is positive definite"
            ),
        ),
        (
            covariance([1.0, f64::NAN, 2.0, 1.0]),
            format!("{at} `covariance` at index 1 is NaN, must be a finite number"),
        ),
        (
            parameter_error(MultivariateNormal::from_precision(
                0.0,
                square([1.0, 2.0, 2.0, 1.0]),
            )),
            format!(
                "{at} `precision` at index 3 is 1, must be such that the matrix is positive definite"
            ),
        ),
        (
            lower([1.0, 0.1, 2.0, 1.0]),
            format!("{at} `lower` at index 1 is 0.1, must be 0 above the diagonal"),
        ),
        (
            lower([1.0, 0.0, 2.0, 0.0]),
            format!("{at} `lower` at index 3 is 0, must be above 0 on the diagonal"),
        ),
        (
            parameter_error(MultivariateNormal::new(
                f64::NAN,
                square([1.0, 0.0, 0.0, 1.0]),
            )),
            format!("{at} `mean` is NaN, must be a finite number"),
        ),
        (
            parameter_error(MultivariateNormal::new(
                [0.0; 3],
                square([1.0, 0.0, 0.0, 1.0]),
            )),
            format!("{at} `mean` has length 3, must be 2, the number of rows of `covariance`"),
        ),
        (
            parameter_error(MultivariateNormal::new(0.0, DMatrix::<f64>::zeros(2, 3))),
            format!("{at} `covariance` is a matrix of 2 x 3, must be a square matrix"),
        ),
    ];
    for (got, wanted) in cases {
        assert_eq!(got, wanted);
    }
}

pub fn data_error<D: Distribution<Value>>(distribution: D, data: &[f64]) -> String {
    distribution
        .check_data(&Numbers(data.to_vec()))
        .unwrap_err()
        .to_string()
}

#[test]
fn observations_of_a_wrong_length_or_value_are_named() {
    assert_texts([
        (
            data_error(Normal::new(0.0, 1.0), &[1.0, f64::NAN]),
            "Normal: observation at index 1 is NaN, must be a finite number",
        ),
        (
            data_error(Normal::new([0.0; 3], 1.0), &[1.0]),
            "Normal: got 1 observations, must be 3, the length of the parameters",
        ),
        (
            data_error(Normal::new(0.0, 1.0).iid(3), &[1.0]),
            "Normal: got 1 observations, must be 3, as `.iid` says",
        ),
        (
            data_error(Gamma::new(1.0, 1.0).iid(3), &[1.0, 2.0, -3.0]),
            "Gamma: observation at index 2 is -3, must be a finite number, at least 0",
        ),
        (
            data_error(Normal::new(0.0, 1.0), &[]),
            "Normal: got 0 observations, must be at least 1",
        ),
        (
            data_error(Binomial::new(5, 0.5), &[6.0]),
            "Binomial: observation at index 0 is 6, must be a whole number from 0 to 5",
        ),
    ]);
}

#[test]
fn observed_vectors_off_their_support_are_named() {
    assert_texts([
        (
            data_error(Categorical::new([0.5, 0.5]), &[0.0, 2.0]),
            "Categorical: observation at index 1 is 2, must be a whole number from 0 to 1",
        ),
        (
            data_error(Dirichlet::new([1.0; 2]), &[0.5, 0.4]),
            "Dirichlet: observation at index 0 is 0.9, must be a vector that sums to 1 (the value shown is its sum)",
        ),
        (
            data_error(Dirichlet::new([1.0; 2]), &[1.5, -0.5]),
            "Dirichlet: observation at index 0 is 1.5, must be a number from 0 to 1",
        ),
        (
            data_error(Dirichlet::new([1.0; 2]), &[1.0]),
            "Dirichlet: got 1 observations, must be a vector of 2, or a matrix with rows of 2",
        ),
        (
            data_error(Multinomial::new(3, [0.5, 0.5]), &[1.0, 1.0]),
            "Multinomial: observation at index 0 is 2, must be counts that sum to 3 (the value shown is their sum)",
        ),
        (
            data_error(
                Mixture::new([0.5, 0.5], [Exponential::new(1.0), Exponential::new(2.0)]),
                &[1.0, -1.0],
            ),
            "Exponential: observation at index 1 is -1, must be a finite number, at least 0",
        ),
        (
            data_error(Normal::new(0.0, 1.0).iid(2).ordered(), &[1.0, 0.5]),
            "Normal: observation at index 1 is 0.5, must be at least 1, the one before it",
        ),
    ]);
}

/// A bound that a random parameter moves rejects no data: another draw of the parameter may allow the
/// data.
#[test]
fn random_bounds_reject_no_data() {
    let high = Real::<Value>::constant(1.0);
    assert_eq!(Uniform::new(0.0, high).check_data(&[5.0]), Ok(()));
    assert_eq!(
        Uniform::new(0.0, high).log_likelihood(&[5.0]).primal(),
        f64::NEG_INFINITY
    );
    let error = Uniform::new(0.0, high).check_data(&[-5.0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Uniform: observation at index 0 is -5, must be a number, at least 0"
    );
}
