//! States by their matrices.

use super::super::{Constraint, Parameter, ParameterError, Shape};
use super::start::check_all;
use super::system::wrong_length;
use super::{Block, Coefficient, Part};
use bayes_autodiff::{Mode, PlainValue};

/// Any states with constant matrices: the general form of a part.
///
/// ```text
/// α_{t+1} = T α_t + η_t,    η_t ~ Normal(0, Q),    α_1 ~ Normal(mean, covariance),    y_t = Σ_k loadings_k α_{t,k} + ...
/// ```
///
/// Data among the matrices cost nothing where they are 0 or 1; a matrix of random numbers is multiplied in full.
#[derive(Clone, Copy, Debug)]
pub struct States<T, Q, Z, A, P> {
    transition: T,
    noise: Q,
    loadings: Z,
    mean: A,
    covariance: P,
}

const NAME: &str = "States";

/// The largest asymmetry, and the largest rounding of a pivot, relative to the variances.
const TOLERANCE: f64 = 1e-9;

impl<T, Q, Z, A, P> States<T, Q, Z, A, P> {
    /// `transition`: `T` `[K, K]`; `noise`: `Q` `[K, K]`, symmetric and positive semidefinite; `loadings` `[K]`; `mean` `[K]` and
    /// `covariance` `[K, K]`, positive semidefinite, of the first states. Of symmetric matrices the lower triangle is read.
    pub fn new(transition: T, noise: Q, loadings: Z, mean: A, covariance: P) -> Self {
        Self {
            transition,
            noise,
            loadings,
            mean,
            covariance,
        }
    }
}

/// Checks that a parameter is a finite matrix `[dim, dim]`.
fn check_matrix<M: Mode, B: Parameter<M>>(
    parameter: &'static str,
    matrix: &B,
    dim: usize,
) -> Result<Vec<f64>, ParameterError> {
    let shape = matrix.shape();
    let is_square = match shape {
        Shape::Matrix(rows, columns) => rows == dim && columns == dim,
        other => dim == 1 && other.elements() == 1,
    };
    if !is_square {
        let allowed = format!("a matrix of {dim} x {dim}, as there are {dim} loadings");
        return Err(wrong_length(NAME, parameter, shape.elements(), allowed));
    }
    let entries: Vec<f64> = (0..dim * dim).map(|i| matrix.at(i).plain_value()).collect();
    match entries.iter().position(|x| !x.is_finite()) {
        Some(i) => Err(wrong(parameter, i, entries[i], Constraint::Finite.words())),
        None => Ok(entries),
    }
}

/// An entry that is not allowed.
fn wrong(parameter: &'static str, i: usize, value: f64, allowed: &'static str) -> ParameterError {
    ParameterError::Value {
        distribution: NAME,
        parameter,
        index: Some(i),
        value,
        allowed,
    }
}

/// Checks that a parameter is a covariance matrix `[dim, dim]`, perhaps of no full rank.
fn check_covariance<M: Mode, B: Parameter<M>>(
    parameter: &'static str,
    matrix: &B,
    dim: usize,
) -> Result<(), ParameterError> {
    let entries = check_matrix(parameter, matrix, dim)?;
    let size = |i: usize, k: usize| (entries[i * dim + i] * entries[k * dim + k]).abs().sqrt();
    for i in 0..dim {
        for k in 0..i {
            let (lower, upper) = (entries[i * dim + k], entries[k * dim + i]);
            if (lower - upper).abs() > TOLERANCE * size(i, k) {
                let allowed =
                    "equal to the element across the diagonal: the matrix must be symmetric";
                return Err(wrong(parameter, i * dim + k, lower, allowed));
            }
        }
    }
    let allowed = "such that the matrix is positive semidefinite";
    match root(dim, &entries) {
        Ok(_) => Ok(()),
        Err(i) => Err(wrong(parameter, i * dim + i, entries[i * dim + i], allowed)),
    }
}

/// The lower triangle `L` `[dim, dim]` with `L Lᵀ` a positive semidefinite matrix, both row-major; a column is 0 where its pivot is.
///
/// # Errors
/// The first row that no positive semidefinite matrix has.
pub(in super::super) fn root(dim: usize, entries: &[f64]) -> Result<Vec<f64>, usize> {
    let mut lower = vec![0.0; dim * dim];
    for k in 0..dim {
        for i in k..dim {
            let known: f64 = (0..k)
                .map(|j| lower[i * dim + j] * lower[k * dim + j])
                .sum();
            let rest = entries[i * dim + k] - known;
            let size = (entries[i * dim + i] * entries[k * dim + k]).abs().sqrt();
            let pivot = lower[k * dim + k];
            lower[i * dim + k] = match i == k {
                true if rest < -TOLERANCE * size => return Err(i),
                true => match rest > TOLERANCE * size {
                    true => rest.sqrt(),
                    false => 0.0,
                },
                false if pivot > 0.0 => rest / pivot,
                false if rest.abs() > TOLERANCE.sqrt() * size => return Err(i),
                false => 0.0,
            };
        }
    }
    Ok(lower)
}

impl<M, T, Q, Z, A, P> Part<M> for States<T, Q, Z, A, P>
where
    M: Mode,
    T: Parameter<M>,
    Q: Parameter<M>,
    Z: Parameter<M>,
    A: Parameter<M>,
    P: Parameter<M>,
{
    fn dim(&self) -> usize {
        self.loadings.shape().elements()
    }
    fn write(&self, block: &mut Block<'_, M>) {
        let dim = Part::<M>::dim(self);
        for i in 0..dim {
            block.loading(i, Coefficient::of(&self.loadings, i));
            block.mean(i, Coefficient::of(&self.mean, i));
            for k in 0..dim {
                block.transition(i, k, Coefficient::of(&self.transition, i * dim + k));
            }
            for k in 0..=i {
                block.noise(i, k, Coefficient::of(&self.noise, i * dim + k));
                block.covariance(i, k, Coefficient::of(&self.covariance, i * dim + k));
            }
        }
    }
    fn check(&self, _: usize) -> Result<(), ParameterError> {
        let dim = Part::<M>::dim(self);
        if dim == 0 {
            return Err(wrong_length(NAME, "loadings", 0, "at least 1".to_owned()));
        }
        check_all(
            NAME,
            "loadings",
            &self.loadings,
            dim,
            false,
            Constraint::Finite,
        )?;
        check_matrix("transition", &self.transition, dim)?;
        check_covariance("noise", &self.noise, dim)?;
        check_all(NAME, "mean", &self.mean, dim, false, Constraint::Finite)?;
        check_covariance("covariance", &self.covariance, dim)
    }
}
