//! The matrix normal distribution.

use super::elementary::HALF_LN_TAU;
use super::square::{Kind, Square, for_each_value};
use super::{
    Continuous, CovarianceRoot, Data, DataError, Distribution, Gaussian, Parameter, ParameterError,
    Shape,
};
use crate::rng::Stream;
use bayes_autodiff::{Matrix, Mode, PlainValue, Real, Vector};
use rand_distr::{Distribution as _, StandardNormal};

/// Matrix normal distribution of matrices `[n, p]` with a covariance `U = L Lᵀ` among rows, `[n, n]`, and a covariance
/// `V = K Kᵀ` among columns, `[p, p]`: the covariance of entries `(i, j)` and `(k, l)` is `U_ik V_jl`.
///
/// ```text
/// ln p(X) = -½ |L⁻¹ (X - mean) K⁻ᵀ|² - p Σ_i ln L_ii - n Σ_j ln K_jj - np/2 ln 2π
/// ```
///
/// Only the product of the scales of `U` and `V` matters: fix one of them in a model. Dawid (1981). Elsewhere:
/// `MatrixNormal` in PyMC and NumPyro; Stan has none.
#[derive(Clone, Copy, Debug)]
pub struct MatrixNormal<A, B, C> {
    mean: A,
    rows: Square<B>,
    columns: Square<C>,
    /// The names of the matrices in the constructor.
    names: [&'static str; 2],
}

const NAME: &str = "MatrixNormal";

impl<A, B, C> MatrixNormal<A, B, C> {
    /// `mean`: a matrix `[n, p]`, or one number for all entries; `row_covariance`, `[n, n]`, and `column_covariance`,
    /// `[p, p]`: symmetric positive definite matrices.
    pub fn new(mean: A, row_covariance: B, column_covariance: C) -> Self {
        Self {
            mean,
            rows: Square::new(row_covariance, Kind::Covariance),
            columns: Square::new(column_covariance, Kind::Covariance),
            names: ["row_covariance", "column_covariance"],
        }
    }

    /// `mean`: a matrix `[n, p]`, or one number for all entries; `row_lower`, `[n, n]`, and `column_lower`, `[p, p]`: the
    /// lower Cholesky factors of the covariances, with positive diagonals.
    pub fn from_cholesky(mean: A, row_lower: B, column_lower: C) -> Self {
        Self {
            mean,
            rows: Square::new(row_lower, Kind::Cholesky),
            columns: Square::new(column_lower, Kind::Cholesky),
            names: ["row_lower", "column_lower"],
        }
    }

    /// Visits the log density of each matrix that `each` passes to its argument, row-major.
    #[inline(always)]
    fn for_each_density<M: Mode>(
        &self,
        each: impl FnOnce(&mut dyn FnMut(&[Real<M>])),
        mut visit: impl FnMut(Real<M>),
    ) where
        A: Parameter<M>,
        B: Parameter<M>,
        C: Parameter<M>,
    {
        let (rows, columns) = (self.rows.lower::<M>(), self.columns.lower::<M>());
        let (n, p) = (rows.dim(), columns.dim());
        let log_normaliser = -rows.log_determinant() * p as f64
            - columns.log_determinant() * n as f64
            - HALF_LN_TAU * (n * p) as f64;
        let (mut table, mut column) = (Vector::zeros(n * p), Vector::zeros(n));
        each(&mut |x| {
            for k in 0..p {
                for i in 0..n {
                    column[i] = x[i * p + k] - self.mean.at(i * p + k);
                }
                rows.whiten(&mut column);
                for i in 0..n {
                    table[i * p + k] = column[i];
                }
            }
            let mut square = Real::constant(0.0);
            for row in table.chunks_exact_mut(p) {
                square += columns.whiten(row);
            }
            visit(square * -0.5 + log_normaliser);
        });
    }

    fn check_mean<M: Mode>(&self, n: usize, p: usize) -> Result<(), ParameterError>
    where
        A: Parameter<M>,
    {
        let (shape, length) = (self.mean.shape(), self.mean.shape().elements());
        let fits = match shape {
            Shape::Scalar => true,
            Shape::Matrix(rows, columns) => (rows, columns) == (n, p),
            // a matrix of one row or column may be written as a vector
            Shape::Vector(length) => length == n * p && (n == 1 || p == 1),
        };
        if !fits {
            return Err(ParameterError::Shape {
                distribution: NAME,
                parameter: "mean",
                given: shape.words(),
                allowed: format!("a matrix of {n} x {p}, like the covariances"),
            });
        }
        let wrong = (0..length).find(|i| !self.mean.at(*i).plain_value().is_finite());
        wrong.map_or(Ok(()), |i| {
            Err(ParameterError::Value {
                distribution: NAME,
                parameter: "mean",
                index: (shape != Shape::Scalar).then_some(i),
                value: self.mean.at(i).plain_value(),
                allowed: "a finite number",
            })
        })
    }
}

impl<M, A, B, C> Distribution<M> for MatrixNormal<A, B, C>
where
    M: Mode,
    A: Parameter<M>,
    B: Parameter<M>,
    C: Parameter<M>,
{
    type Value = Matrix<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        NAME
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Matrix(self.rows.size(), self.columns.size())
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.rows.size() * self.columns.size()
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.rows.check(NAME, self.names[0])?;
        self.columns.check(NAME, self.names[1])?;
        self.check_mean(self.rows.size(), self.columns.size())
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let mut sum = Real::constant(0.0);
        self.for_each_density(
            |score| elements.chunks_exact(self.dim().max(1)).for_each(score),
            #[inline(always)]
            |term| sum += term,
        );
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Matrix<M>, Real<M>) {
        let (n, p) = (self.rows.size(), self.columns.size());
        let value = Matrix::from_elements(n, p, Vector::from(coordinates));
        (value, Real::constant(0.0))
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        elements.to_vec()
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let gaussian = self.gaussian_parts::<M>();
        let z: Vec<f64> = (0..gaussian.mean.len())
            .map(|_| StandardNormal.sample(stream))
            .collect();
        let dim = z.len();
        let entry = |i: usize| {
            let row = gaussian.lower[i * dim..].iter().zip(&z[..=i]);
            gaussian.mean[i] + row.map(|(l, z)| l * z).sum::<f64>()
        };
        (0..dim).map(entry).collect()
    }

    fn gaussian(&self) -> Option<Gaussian> {
        let parts = self.gaussian_parts::<M>();
        Some(Gaussian {
            mean: parts.mean,
            factor: CovarianceRoot::Lower(parts.lower),
        })
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let (n, p) = (self.rows.size(), self.columns.size());
        let length = data.shape().elements();
        let columns = match data.shape() {
            Shape::Matrix(_, columns) => columns,
            _ => 1,
        };
        if columns != p || length == 0 || length % (n * p) != 0 {
            return Err(DataError::Length {
                distribution: NAME,
                length,
                allowed: format!("a {n} x {p} matrix, or several below each other"),
            });
        }
        let wrong = (0..length).find(|i| !data.at(*i).is_finite());
        wrong.map_or(Ok(()), |i| {
            Err(DataError::Value {
                distribution: NAME,
                index: Some(i),
                value: data.at(i),
                allowed: "a finite number".to_owned(),
            })
        })
    }

    #[inline(always)]
    fn for_each_term<T: Data<Continuous> + ?Sized>(&self, data: &T, visit: impl FnMut(Real<M>)) {
        let each = self.dim();
        self.for_each_density(|score| for_each_value(each, data, score), visit);
    }
}

/// Mean and factor of the same distribution for the entries, row-major.
struct Parts {
    mean: Vec<f64>,
    /// The Kronecker product of the factors, `[np, np]`, row-major.
    lower: Vec<f64>,
}

impl<A, B, C> MatrixNormal<A, B, C> {
    fn gaussian_parts<M: Mode>(&self) -> Parts
    where
        A: Parameter<M>,
        B: Parameter<M>,
        C: Parameter<M>,
    {
        let (rows, columns) = (self.rows.lower::<M>(), self.columns.lower::<M>());
        let (n, p, dim) = (rows.dim(), columns.dim(), rows.dim() * columns.dim());
        let (rows, columns) = (rows.values(), columns.values());
        let entry = |i: usize, k: usize| rows[i / p * n + k / p] * columns[i % p * p + k % p];
        Parts {
            mean: (0..dim).map(|i| self.mean.at(i).plain_value()).collect(),
            lower: (0..dim * dim).map(|i| entry(i / dim, i % dim)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MatrixNormal;
    use crate::dist::{Distribution, MultivariateNormal, Shape};
    use crate::rng::stream;
    use bayes_autodiff::{Dual, Matrix, Real, Value};
    use nalgebra::DMatrix;

    fn covariances() -> (DMatrix<f64>, DMatrix<f64>) {
        let rows = DMatrix::from_row_slice(2, 2, &[2.0, -0.6, -0.6, 0.5]);
        let columns =
            DMatrix::from_row_slice(3, 3, &[1.0, 0.3, 0.1, 0.3, 0.8, -0.2, 0.1, -0.2, 1.5]);
        (rows, columns)
    }

    fn mean() -> DMatrix<f64> {
        DMatrix::from_row_slice(2, 3, &[0.5, -1.0, 2.0, 0.0, 3.0, -0.25])
    }

    /// The entries, row-major, have the Kronecker product as their covariance.
    #[test]
    fn it_is_a_multivariate_normal_of_the_entries() {
        let (rows, columns) = covariances();
        let x = DMatrix::from_row_slice(2, 3, &[1.5, -0.5, 0.0, 2.0, 2.0, 1.0]);
        let distribution = MatrixNormal::new(mean(), &rows, &columns);
        assert_eq!(Distribution::<Value>::check(&distribution), Ok(()));
        assert_eq!(
            Distribution::<Value>::shape(&distribution),
            Shape::Matrix(2, 3)
        );
        assert_eq!(Distribution::<Value>::check_data(&distribution, &x), Ok(()));
        let entries = |m: &DMatrix<f64>| m.transpose().as_slice().to_vec();
        let flat = MultivariateNormal::new(entries(&mean()), rows.kronecker(&columns));
        let wanted = Distribution::<Value>::log_likelihood(&flat, &entries(&x)).primal();
        let got = Distribution::<Value>::log_likelihood(&distribution, &x).primal();
        assert!((got - wanted).abs() < 1e-12, "{got}, want {wanted}");
        let value = Matrix::<Value>::from_fn(2, 3, |i, k| Real::constant(x[(i, k)]));
        let sampled = distribution.log_density_at(&value).primal();
        assert!((sampled - wanted).abs() < 1e-12, "{sampled}, want {wanted}");

        let factor = |m: DMatrix<f64>| m.cholesky().expect("positive definite").l();
        let (rows, columns) = (factor(rows), factor(columns));
        let distribution = MatrixNormal::from_cholesky(mean(), &rows, &columns);
        let again = Distribution::<Value>::log_likelihood(&distribution, &x).primal();
        assert!((again - wanted).abs() < 1e-12, "{again}, want {wanted}");
        // two matrices below each other
        let twice = DMatrix::from_fn(4, 3, |i, k| x[(i % 2, k)]);
        let both = Distribution::<Value>::log_likelihood(&distribution, &twice).primal();
        assert!((both - 2.0 * wanted).abs() < 1e-11, "{both}");
    }

    #[test]
    fn draws_have_the_mean_and_the_covariance() {
        let (rows, columns) = covariances();
        let distribution = MatrixNormal::new(mean(), &rows, &columns);
        let mut stream = stream(5);
        let count = 20_000;
        let draws: Vec<Vec<f64>> = (0..count)
            .map(|_| Distribution::<Value>::draw(&distribution, &mut stream))
            .collect();
        let covariance = rows.kronecker(&columns);
        let expected = mean();
        let centre = |i: usize| expected[(i / 3, i % 3)];
        for i in 0..6 {
            let average = draws.iter().map(|x| x[i]).sum::<f64>() / f64::from(count);
            let error = (covariance[(i, i)] / f64::from(count)).sqrt();
            assert!(
                (average - centre(i)).abs() < 4.5 * error,
                "entry {i}: {average}"
            );
            for k in 0..=i {
                let products = draws
                    .iter()
                    .map(|x| (x[i] - centre(i)) * (x[k] - centre(k)));
                let average = products.sum::<f64>() / f64::from(count);
                let (own, other) = (covariance[(i, i)], covariance[(k, k)]);
                let variance = own * other + covariance[(i, k)].powi(2);
                let error = (variance / f64::from(count)).sqrt();
                let off = (average - covariance[(i, k)]).abs();
                assert!(off < 4.5 * error, "entries {i} and {k}: {average}");
            }
        }
    }

    /// Checks the gradients in the mean and in all entries of both factors.
    #[test]
    fn gradients_agree_with_differences() {
        type D = Dual<8>;
        let x = DMatrix::from_row_slice(2, 2, &[1.5, -0.5, 0.0, 2.0]);
        fn distribution<T: Copy>(v: &[T; 7], zero: T) -> (T, [T; 4], [T; 4]) {
            (v[0], [v[1], zero, v[2], v[3]], [v[4], zero, v[5], v[6]])
        }
        let at = [0.3, 1.2, -0.4, 0.8, 0.9, 0.5, 1.7];
        let variables: [Real<D>; 7] = std::array::from_fn(|k| D::variable(at[k], k));
        let (mean, rows, columns) = distribution(&variables, Real::constant(0.0));
        let matrix = |m: [Real<D>; 4]| Matrix::from_fn(2, 2, |i, k| m[2 * i + k]);
        let random = MatrixNormal::from_cholesky(mean, matrix(rows), matrix(columns));
        let slopes = Dual::gradient(random.log_likelihood(&x));
        let value = |v: [f64; 7]| {
            let (mean, rows, columns) = distribution(&v, 0.0);
            let [rows, columns] = [rows, columns].map(|m| DMatrix::from_row_slice(2, 2, &m));
            let plain = MatrixNormal::from_cholesky(mean, rows, columns);
            Distribution::<Value>::log_likelihood(&plain, &x).primal()
        };
        for (k, slope) in slopes.into_iter().take(7).enumerate() {
            let beside = |step: f64| {
                let mut v = at;
                v[k] += step;
                value(v)
            };
            let difference = (beside(1e-5) - beside(-1e-5)) / 2e-5;
            let close = (slope - difference).abs() < 1e-7 * slope.abs().max(1.0);
            assert!(close, "slope {k}: {slope}, by differences {difference}");
        }
    }

    #[test]
    fn wrong_parameters_and_data_are_named() {
        let (rows, columns) = covariances();
        let error = |distribution| {
            Distribution::<Value>::check(&distribution)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            error(MatrixNormal::new(mean(), columns.clone(), columns.clone())),
            "MatrixNormal: parameter `mean` is a matrix of 2 x 3, must be a matrix of 3 x 3, like the covariances"
        );
        let text = error(MatrixNormal::new(mean(), -rows.clone(), columns.clone()));
        assert!(
            text.starts_with("MatrixNormal: parameter `row_covariance` at index 0"),
            "{text}"
        );
        let distribution = MatrixNormal::new(mean(), rows, columns);
        let data = DMatrix::from_element(2, 2, 0.0);
        let data = Distribution::<Value>::check_data(&distribution, &data).unwrap_err();
        assert_eq!(
            data.to_string(),
            "MatrixNormal: got 4 observations, must be a 2 x 3 matrix, or several below each other"
        );
    }
}
