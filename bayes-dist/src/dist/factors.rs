//! The independent factors of a product: distributions of single numbers, of any families.

use super::{Continuous, Data, DataError, Discrete, Distribution, Domain, ParameterError, Shape};
use crate::rng::Stream;
use bayes_autodiff::{Mode, Real, Task};

/// An object-safe [`Distribution`] of a single number, whatever its domain.
pub trait Factor<M: Mode> {
    /// As [`Distribution::check`].
    ///
    /// # Errors
    /// The first parameter that is not allowed.
    fn check(&self) -> Result<(), ParameterError>;
    /// As [`Distribution::log_density_of`], of one value.
    fn log_density_of(&self, value: Real<M>) -> Real<M>;
    /// The log density of a datum.
    fn log_density_of_datum(&self, datum: f64) -> Real<M>;
    /// As [`Distribution::constrain`].
    fn constrain(&self, coordinate: Real<M>) -> (Real<M>, Real<M>);
    /// As [`Distribution::unconstrain`].
    fn unconstrain(&self, element: f64) -> f64;
    /// As [`Distribution::is_proper`].
    fn is_proper(&self) -> bool;
    /// As [`Distribution::unnormalised`].
    fn unnormalised(&self) -> Option<&'static str>;
    /// As [`Distribution::is_of_data`].
    fn is_of_data(&self) -> bool;
    /// Whether its values are whole numbers.
    fn is_discrete(&self) -> bool;
    /// As [`Distribution::draw`].
    fn draw(&self, stream: &mut Stream) -> f64;
    /// As [`Distribution::check_data`].
    ///
    /// # Errors
    /// A datum that is NaN or outside the support.
    fn check_datum(&self, datum: f64) -> Result<(), DataError>;
}

/// One number as data of any domain.
#[derive(Clone, Copy)]
struct One(f64);

impl<D: Domain> Data<D> for One {
    fn run<M: Mode, T: Task>(task: T) -> T::Output {
        task.run()
    }
    fn shape(&self) -> Shape {
        Shape::Scalar
    }
    fn at(&self, _: usize) -> f64 {
        self.0
    }
}

/// The log density of a datum or of a value as a task: code behind a dynamic call must enter the SIMD instructions itself.
struct LogDensity<'a, M: Mode, C> {
    distribution: &'a C,
    at: Result<f64, Real<M>>,
}

impl<M: Mode, C: Distribution<M>> Task for LogDensity<'_, M, C> {
    type Output = Real<M>;
    #[inline(always)]
    fn run(self) -> Real<M> {
        match self.at {
            Ok(datum) => self.distribution.log_likelihood(&One(datum)),
            Err(value) => self.distribution.log_density_of(&[value]),
        }
    }
}

impl<M: Mode, C: Distribution<M, Value = Real<M>>> Factor<M> for C {
    fn check(&self) -> Result<(), ParameterError> {
        Distribution::check(self)
    }
    fn log_density_of(&self, value: Real<M>) -> Real<M> {
        M::call(LogDensity {
            distribution: self,
            at: Err(value),
        })
    }
    fn log_density_of_datum(&self, datum: f64) -> Real<M> {
        M::call(LogDensity {
            distribution: self,
            at: Ok(datum),
        })
    }
    fn constrain(&self, coordinate: Real<M>) -> (Real<M>, Real<M>) {
        Distribution::constrain(self, &[coordinate])
    }
    fn unconstrain(&self, element: f64) -> f64 {
        Distribution::unconstrain(self, &[element])[0]
    }
    fn is_proper(&self) -> bool {
        Distribution::is_proper(self)
    }
    fn unnormalised(&self) -> Option<&'static str> {
        Distribution::unnormalised(self)
    }
    fn is_of_data(&self) -> bool {
        Distribution::is_of_data(self)
    }
    fn is_discrete(&self) -> bool {
        C::Domain::DISCRETE
    }
    fn draw(&self, stream: &mut Stream) -> f64 {
        Distribution::draw(self, stream)[0]
    }
    fn check_datum(&self, datum: f64) -> Result<(), DataError> {
        Distribution::check_data(self, &One(datum))
    }
}

/// The domain of numbers of this domain and of another together: whole numbers if both are.
pub trait Beside<D: Domain>: Domain {
    /// The common domain.
    type Both: Domain;
}

impl<D: Domain> Beside<D> for Continuous {
    type Both = Continuous;
}
impl Beside<Continuous> for Discrete {
    type Both = Continuous;
}
impl Beside<Discrete> for Discrete {
    type Both = Discrete;
}

/// Distributions of single numbers: a tuple of two to four of any families, or an array or a `Vec` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the factors of a product",
    label = "expected a tuple of two to four distributions of single numbers, or an array or a `Vec` of one family",
    note = "write `Product::new((Normal::new(mu, sd), Poisson::new(rate)))`"
)]
pub trait Factors<M: Mode> {
    /// Whole numbers if the values of all factors are.
    type Domain: Domain;
    /// The number of factors.
    fn count(&self) -> usize;
    /// Factor `k`.
    fn get(&self, k: usize) -> &dyn Factor<M>;
}

impl<M: Mode, C: Distribution<M, Value = Real<M>>, const N: usize> Factors<M> for [C; N] {
    type Domain = C::Domain;
    fn count(&self) -> usize {
        N
    }
    fn get(&self, k: usize) -> &dyn Factor<M> {
        &self[k]
    }
}

impl<M: Mode, C: Distribution<M, Value = Real<M>>> Factors<M> for Vec<C> {
    type Domain = C::Domain;
    fn count(&self) -> usize {
        self.len()
    }
    fn get(&self, k: usize) -> &dyn Factor<M> {
        &self[k]
    }
}

/// The domain of two factors.
type Two<M, A, B> =
    <<A as Distribution<M>>::Domain as Beside<<B as Distribution<M>>::Domain>>::Both;

impl<M, A, B> Factors<M> for (A, B)
where
    M: Mode,
    A: Distribution<M, Value = Real<M>>,
    B: Distribution<M, Value = Real<M>>,
    A::Domain: Beside<B::Domain>,
{
    type Domain = Two<M, A, B>;
    fn count(&self) -> usize {
        2
    }
    fn get(&self, k: usize) -> &dyn Factor<M> {
        match k {
            0 => &self.0,
            _ => &self.1,
        }
    }
}

impl<M, A, B, C> Factors<M> for (A, B, C)
where
    M: Mode,
    A: Distribution<M, Value = Real<M>>,
    B: Distribution<M, Value = Real<M>>,
    C: Distribution<M, Value = Real<M>>,
    A::Domain: Beside<B::Domain>,
    Two<M, A, B>: Beside<C::Domain>,
{
    type Domain = <Two<M, A, B> as Beside<C::Domain>>::Both;
    fn count(&self) -> usize {
        3
    }
    fn get(&self, k: usize) -> &dyn Factor<M> {
        match k {
            0 => &self.0,
            1 => &self.1,
            _ => &self.2,
        }
    }
}

impl<M, A, B, C, E> Factors<M> for (A, B, C, E)
where
    M: Mode,
    A: Distribution<M, Value = Real<M>>,
    B: Distribution<M, Value = Real<M>>,
    C: Distribution<M, Value = Real<M>>,
    E: Distribution<M, Value = Real<M>>,
    A::Domain: Beside<B::Domain>,
    C::Domain: Beside<E::Domain>,
    Two<M, A, B>: Beside<Two<M, C, E>>,
{
    type Domain = <Two<M, A, B> as Beside<Two<M, C, E>>>::Both;
    fn count(&self) -> usize {
        4
    }
    fn get(&self, k: usize) -> &dyn Factor<M> {
        match k {
            0 => &self.0,
            1 => &self.1,
            2 => &self.2,
            _ => &self.3,
        }
    }
}
