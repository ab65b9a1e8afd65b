//! The point at which a density is evaluated: data or random values.

use super::Quantity;
use bayes_autodiff::{Matrix, Mode, Real, Vector};
use nalgebra::{DMatrix, DVector};

/// A value of the type `Q` (a `Real`, a `Vector` or a `Matrix`), random or data, at which a log density, `log_cdf_at` or `log_sf_at` is
/// evaluated. Data are numbers of any type and `bool`, by value or by reference, and slices, vectors and matrices of them by reference.
#[diagnostic::on_unimplemented(
    message = "the log density of a distribution of `{Q}` cannot be evaluated at `{Self}`",
    label = "expected data or a random value of the shape of one value of the distribution",
    note = "for a distribution of scalars write `.log_density_at(y[i])`, for one of vectors `.log_density_at(&y)`"
)]
pub trait Point<M: Mode, Q: Quantity<M>> {
    /// Applies `read` to the elements, row by row.
    fn read<T>(self, read: impl FnOnce(&[Real<M>]) -> T) -> T;
}

impl<M: Mode, Q: Quantity<M>> Point<M, Q> for &Q {
    #[inline(always)]
    fn read<T>(self, read: impl FnOnce(&[Real<M>]) -> T) -> T {
        read(self.elements())
    }
}

impl<M: Mode> Point<M, Self> for Real<M> {
    #[inline(always)]
    fn read<T>(self, read: impl FnOnce(&[Real<M>]) -> T) -> T {
        read(&[self])
    }
}

macro_rules! numbers {
    ($($number:ty => $convert:expr),* $(,)?) => {$(
        impl<M: Mode> Point<M, Real<M>> for $number {
            #[inline(always)]
            fn read<T>(self, read: impl FnOnce(&[Real<M>]) -> T) -> T {
                let convert: fn($number) -> f64 = $convert;
                read(&[Real::constant(convert(self))])
            }
        }
        impl<M: Mode> Point<M, Real<M>> for &$number {
            #[inline(always)]
            fn read<T>(self, read: impl FnOnce(&[Real<M>]) -> T) -> T {
                (*self).read(read)
            }
        }
    )*};
}
numbers!(f64 => |x| x, f32 => f64::from, bool => f64::from, u8 => f64::from, u16 => f64::from, u32 => f64::from,
    u64 => |x| x as f64, usize => |x| x as f64, i8 => f64::from, i16 => f64::from, i32 => f64::from, i64 => |x| x as f64);

/// The only element of a point of a scalar distribution.
#[inline(always)]
pub(super) fn scalar<M: Mode>(point: impl Point<M, Real<M>>) -> Real<M> {
    point.read(
        #[inline(always)]
        |elements| elements[0],
    )
}

impl<M: Mode, E: Point<M, Real<M>> + Copy> Point<M, Vector<M>> for &[E] {
    #[inline(always)]
    fn read<T>(self, read: impl FnOnce(&[Real<M>]) -> T) -> T {
        let elements = Vector::from_fn(
            self.len(),
            #[inline(always)]
            |i| scalar(self[i]),
        );
        read(&elements)
    }
}

macro_rules! sequences {
    ($([$($generic:tt)*] $container:ty),* $(,)?) => {$(
        impl<M: Mode, E: Point<M, Real<M>> + Copy, $($generic)*> Point<M, Vector<M>> for &$container {
            #[inline(always)]
            fn read<T>(self, read: impl FnOnce(&[Real<M>]) -> T) -> T {
                self.as_slice().read(read)
            }
        }
    )*};
}
sequences!([] Vec<E>, [const N: usize] [E; N], [] DVector<E>);

impl<M: Mode, E: Point<M, Real<M>> + Copy> Point<M, Matrix<M>> for &DMatrix<E> {
    #[inline(always)]
    fn read<T>(self, read: impl FnOnce(&[Real<M>]) -> T) -> T {
        let matrix = Matrix::from_fn(
            self.nrows(),
            self.ncols(),
            #[inline(always)]
            |row, column| scalar(self[(row, column)]),
        );
        read(matrix.elements())
    }
}

#[cfg(test)]
mod tests {
    use crate::dist::{Bernoulli, Categorical, Distribution, MultivariateNormal, Normal, Poisson};
    use bayes_autodiff::fault::catch;
    use bayes_autodiff::{Real, Value, Vector};
    use nalgebra::DVector;

    fn real(x: f64) -> Real<Value> {
        Real::constant(x)
    }

    #[test]
    fn a_density_is_the_same_at_data_of_any_type_and_at_a_random_value() {
        let poisson = Poisson::new(real(2.5));
        let wanted = poisson.log_density_at(real(3.0)).primal();
        assert!((wanted - (3.0 * 2.5_f64.ln() - 2.5 - 6.0_f64.ln())).abs() < 1e-14);
        // as in iterations over rows
        let at_each = |counts: &[usize], numbers: &[f64]| {
            let counts = counts.iter().map(|k| poisson.log_density_at(k));
            let numbers = numbers.iter().map(|x| poisson.log_density_at(x));
            counts.chain(numbers).collect::<Vec<_>>()
        };
        let [by_count, by_number] = at_each(&[3], &[3.0])[..] else {
            panic!("one of each");
        };
        let found = [
            poisson.log_density_at(3_u64),
            by_count,
            poisson.log_density_at(3_i32),
            poisson.log_density_at(3.0),
            by_number,
            poisson.log_density_at(real(3.0)),
        ];
        assert_eq!(found.map(Real::primal), [wanted; 6]);
        let coin = Bernoulli::new(real(0.3));
        assert_eq!(
            coin.log_density_at(true).primal(),
            coin.log_density_at(1).primal()
        );
        assert_eq!(
            coin.log_density_at(false).primal(),
            coin.log_density_at(real(0.0)).primal()
        );
        let class = Categorical::new([0.2, 0.8]);
        let class: Real<Value> = class.log_density_at(1_usize);
        assert_eq!(class.primal(), 0.8_f64.ln());
    }

    #[test]
    fn distribution_functions_take_the_same_values() {
        let poisson = Poisson::new(real(2.5));
        let found = [
            poisson.log_cdf_at(3_u64),
            poisson.log_cdf_at(3_i32),
            poisson.log_cdf_at(real(3.0)),
            poisson.log_cdf_at(real(3.0)),
        ];
        assert_eq!(found.map(Real::primal), [found[0].primal(); 4]);
        let coin = Bernoulli::new(real(0.3));
        assert!((coin.log_sf_at(false).primal() - 0.3_f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn a_density_of_vectors_is_evaluated_at_lists_of_numbers() {
        let lower = nalgebra::DMatrix::from_row_slice(2, 2, &[2.0, 0.0, 0.5, 1.0]);
        let normal = MultivariateNormal::from_cholesky([real(0.5), real(-1.0)], lower);
        let y = [0.25, 0.75];
        let random: Vector<Value> = Vector::constant(&y);
        let wanted = normal.log_density_at(&random).primal();
        let found = [
            normal.log_density_at(&y),
            normal.log_density_at(&y[..]),
            normal.log_density_at(&y.to_vec()),
            normal.log_density_at(&DVector::from_column_slice(&y)),
            normal.log_density_at(random.elements()),
        ];
        assert_eq!(found.map(Real::primal), [wanted; 5]);
    }

    #[test]
    fn a_point_of_another_length_is_an_error() {
        let normal = Normal::new([real(0.0), real(1.0)], 1.0);
        let fault = catch(|| normal.log_density_at(&[0.0; 4])).expect_err("two are expected");
        let text = fault.to_string();
        assert_eq!(
            text,
            "shapes do not fit: log density of Normal, of 2 elements, at 4 elements"
        );
    }
}
