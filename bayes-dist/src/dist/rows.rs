//! Data for distributions of vectors: one vector, or a matrix with one vector per row.

use super::{Constraint, Continuous, Data, DataError, Domain, Parameter, ParameterError, Shape};
use bayes_autodiff::fault::{Fault, raise};
use bayes_autodiff::{Mode, PlainValue, Real};

/// The number of vectors of length `each` in `data`.
pub(super) fn count_rows<D: Domain, T: Data<D> + ?Sized>(
    distribution: &'static str,
    each: usize,
    data: &T,
) -> Result<usize, DataError> {
    let shape = data.shape();
    match shape {
        Shape::Vector(n) if n == each && n > 0 => Ok(1),
        Shape::Matrix(rows, columns) if columns == each && rows > 0 => Ok(rows),
        _ => {
            let allowed = format!("a vector of {each}, or a matrix with rows of {each}");
            Err(DataError::Length {
                distribution,
                length: shape.elements(),
                allowed,
            })
        }
    }
}

/// Stops the model unless `data` are one series of as many values as its distribution has: `what` of it is asked for.
///
/// # Panics
/// With a [`Fault::Shape`] that names both.
pub(super) fn require_series<D: Domain, T: Data<D> + ?Sized>(
    distribution: &'static str,
    what: &'static str,
    length: usize,
    data: &T,
) {
    let shape = data.shape();
    if shape.elements() != length || matches!(shape, Shape::Matrix(..)) {
        raise(Fault::Shape {
            operation: format!(
                "{what} of a `{distribution}` of {length} values, given {}; make one for each series, as long as it",
                shape.words()
            ),
        });
    }
}

/// Checks that `data` are vectors of `each` finite numbers.
pub(super) fn check_rows<T: Data<Continuous> + ?Sized>(
    distribution: &'static str,
    each: usize,
    data: &T,
) -> Result<(), DataError> {
    let length = count_rows(distribution, each, data)? * each;
    (0..length)
        .find(|i| !data.at(*i).is_finite())
        .map_or(Ok(()), |i| {
            let allowed = "a finite number".to_owned();
            Err(DataError::Value {
                distribution,
                index: Some(i),
                value: data.at(i),
                allowed,
            })
        })
}

/// Checks that `data` are vectors of `each` finite numbers with an allowed `measure`, such as their sum.
pub(super) fn check_measure<T: Data<Continuous> + ?Sized>(
    distribution: &'static str,
    each: usize,
    data: &T,
    measure: impl Fn(&[f64]) -> (f64, bool),
    allowed: &str,
) -> Result<(), DataError> {
    check_rows(distribution, each, data)?;
    for start in (0..data.shape().elements()).step_by(each) {
        let own: Vec<f64> = (start..start + each).map(|i| data.at(i)).collect();
        let (value, is_allowed) = measure(&own);
        if !is_allowed {
            return Err(DataError::Value {
                distribution,
                index: Some(start),
                value,
                allowed: allowed.to_owned(),
            });
        }
    }
    Ok(())
}

/// Writes row `row` of `data` into `x`.
#[inline(always)]
pub(super) fn read_row<M: Mode, D: Domain, T: Data<D> + ?Sized>(
    data: &T,
    row: usize,
    x: &mut [Real<M>],
) {
    let start = row * x.len();
    for (k, x) in x.iter_mut().enumerate() {
        *x = Real::constant(data.at(start + k));
    }
}

/// Checks the location of a vector of length `dim`: finite, one number for all elements or one for each. `like` is the parameter that
/// defines `dim`.
pub(super) fn check_location<M: Mode, A: Parameter<M>>(
    distribution: &'static str,
    parameter: &'static str,
    location: &A,
    dim: usize,
    like: &str,
) -> Result<(), ParameterError> {
    let (shape, length) = (location.shape(), location.shape().elements());
    if shape != Shape::Scalar && length != dim {
        let allowed = format!("{dim}, the number of rows of `{like}`");
        return Err(ParameterError::Length {
            distribution,
            parameter,
            length,
            allowed,
        });
    }
    let wrong = (0..length).find(|i| !location.at(*i).plain_value().is_finite());
    wrong.map_or(Ok(()), |i| {
        Err(ParameterError::Value {
            distribution,
            parameter,
            index: (shape != Shape::Scalar).then_some(i),
            value: location.at(i).plain_value(),
            allowed: "a finite number",
        })
    })
}

/// Checks a parameter that must be a single allowed number.
pub(super) fn check_number<M: Mode, A: Parameter<M>>(
    distribution: &'static str,
    parameter: &'static str,
    number: &A,
    allowed: Constraint,
) -> Result<(), ParameterError> {
    let length = number.shape().elements();
    if number.shape() != Shape::Scalar {
        let allowed = "a single number".to_owned();
        return Err(ParameterError::Length {
            distribution,
            parameter,
            length,
            allowed,
        });
    }
    let value = number.at(0).plain_value();
    if allowed.holds(value) {
        return Ok(());
    }
    Err(ParameterError::Value {
        distribution,
        parameter,
        index: None,
        value,
        allowed: allowed.words(),
    })
}

/// The items of `impl Distribution<M>` shared by distributions of vectors of `$dim` real numbers that have a method `for_each_row`,
/// which visits the log density of each row: `real_vectors!(self, self.len())`.
macro_rules! real_vectors {
    ($this:ident, $dim:expr) => {
        type Value = bayes_autodiff::Vector<M>;
        type Domain = Continuous;

        fn name(&self) -> &'static str {
            NAME
        }

        #[inline(always)]
        fn shape(&$this) -> Shape {
            Shape::Vector($dim)
        }

        #[inline(always)]
        fn dim(&$this) -> usize {
            $dim
        }

        #[inline(always)]
        fn log_density_of(&$this, elements: &[Real<M>]) -> Real<M> {
            let dim = $dim;
            let mut sum = Real::constant(0.0);
            let rows = elements.len().checked_div(dim).unwrap_or(0);
            $this.for_each_row(
                rows,
                #[inline(always)]
                |row, x| x.copy_from_slice(&elements[row * dim..(row + 1) * dim]),
                #[inline(always)]
                |term| sum += term,
            );
            sum
        }

        #[inline(always)]
        fn constrain(&self, coordinates: &[Real<M>]) -> (Self::Value, Real<M>) {
            (Self::Value::from(coordinates), Real::constant(0.0))
        }

        fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
            elements.to_vec()
        }

        fn check_data<T: Data<Continuous> + ?Sized>(&$this, data: &T) -> Result<(), DataError> {
            super::rows::check_rows(NAME, $dim, data)
        }

        #[inline(always)]
        fn for_each_term<T: Data<Continuous> + ?Sized>(
            &$this,
            data: &T,
            visit: impl FnMut(Real<M>),
        ) {
            let rows = data.shape().elements().checked_div($dim).unwrap_or(0);
            $this.for_each_row(
                rows,
                #[inline(always)]
                |row, x| super::rows::read_row(data, row, x),
                visit,
            );
        }
    };
}
pub(super) use real_vectors;
