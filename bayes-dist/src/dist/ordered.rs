//! The order statistics of a sample: `.iid(n).ordered()`.

use super::data::Window;
use super::{Continuous, Data, DataError, Distribution, Iid, ParameterError, Shape};
use crate::order;
use crate::rng::Stream;
use crate::transform::ordered;
use bayes_autodiff::special::ln_factorial;
use bayes_autodiff::{Mode, Real, Vector};

/// Independent copies of the scalar distribution `D` in increasing order.
///
/// ```text
/// ln p(x) = ln n! + Σ_k ln f(x_k),    x_1 ≤ x_2 ≤ ... ≤ x_n
/// ```
///
/// The factor `n!` normalises the density on the ordered cone, so the evidence stays correct: ordering identifies the
/// copies without changing the model.
#[derive(Clone, Copy, Debug)]
pub struct Ordered<D> {
    copies: Iid<D, usize>,
}

impl<D> Ordered<D> {
    pub(super) fn new(copies: Iid<D, usize>) -> Self {
        Self { copies }
    }

    /// Independent copies of the ordered vector: the rows of a matrix.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }

    fn len(&self) -> usize {
        self.copies.count()
    }
}

/// `sum` plus `ln n!`, or minus infinity if the elements are not in increasing order.
#[inline(always)]
fn on_the_cone<M: Mode>(elements: &[Real<M>], sum: Real<M>) -> Real<M> {
    let mut log_density = sum + ln_factorial(elements.len() as f64);
    for i in 1..elements.len() {
        let increasing = elements[i - 1].le(elements[i]);
        log_density = Real::select(increasing, log_density, f64::NEG_INFINITY);
    }
    log_density
}

impl<M, D> Distribution<M> for Ordered<D>
where
    M: Mode,
    D: Distribution<M, Value = Real<M>, Domain = Continuous>,
{
    type Value = Vector<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        self.copies.base().name()
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Vector(self.len())
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.len()
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.copies.check()
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let mut sum = Real::constant(0.0);
        for own in elements.chunks_exact(self.len().max(1)) {
            sum += on_the_cone(own, self.copies.log_density_of(own));
        }
        sum
    }

    /// Every scalar transform is increasing, so ordered coordinates give ordered values.
    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        let (increasing, log_order) = ordered::constrain(coordinates);
        let (value, log_jacobian) = self.copies.constrain(&increasing);
        (value, log_order + log_jacobian)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        ordered::unconstrain(&self.copies.unconstrain(elements))
    }

    fn is_proper(&self) -> bool {
        self.copies.is_proper()
    }

    fn unnormalised(&self) -> Option<&'static str> {
        self.copies.unnormalised()
    }

    fn is_of_data(&self) -> bool {
        self.copies.is_of_data()
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let mut elements = self.copies.draw(stream);
        order::sort(&mut elements);
        elements
    }

    fn draw_exactly(&self, stream: &mut Stream) -> Option<Vec<f64>> {
        let mut elements = self.copies.draw_exactly(stream)?;
        // copies of one distribution: every order is equally probable
        order::sort(&mut elements);
        Some(elements)
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let len = data.shape().elements();
        if len == 0 || len % self.len().max(1) != 0 {
            let allowed = format!("{}, as `.iid` says", self.len());
            return Err(DataError::Length {
                distribution: self.name(),
                length: len,
                allowed,
            });
        }
        for start in (0..len).step_by(self.len()) {
            let own = Window::new(data, start, self.len());
            self.copies.check_data(&own).map_err(|e| e.shifted(start))?;
            for i in 1..self.len() {
                if own.at(i) < own.at(i - 1) {
                    let allowed = format!("at least {}, the one before it", own.at(i - 1));
                    let (index, value) = (Some(start + i), own.at(i));
                    return Err(DataError::Value {
                        distribution: self.name(),
                        index,
                        value,
                        allowed,
                    });
                }
            }
        }
        Ok(())
    }
}
