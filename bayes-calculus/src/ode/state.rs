//! What can be the state of differential equations.

use bayes_autodiff::Mode;
use bayes_autodiff::Real;
use bayes_autodiff::Vector;

/// The state of differential equations: an array or a vector of random quantities.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the state of differential equations",
    label = "expected an array `[Real; n]` or a `Vector`",
    note = "data are written as random quantities: `[Real::from(0.99), Real::from(0.01)]`, or `Vector::constant(&start)`"
)]
pub trait State<M: Mode> {
    /// The state with these elements, as many as the start has.
    fn from_elements(elements: &[Real<M>]) -> Self;
    /// The elements.
    fn elements(&self) -> &[Real<M>];
}

impl<M: Mode, const N: usize> State<M> for [Real<M>; N] {
    #[inline(always)]
    fn from_elements(elements: &[Real<M>]) -> Self {
        std::array::from_fn(
            #[inline(always)]
            |i| elements[i],
        )
    }
    #[inline(always)]
    fn elements(&self) -> &[Real<M>] {
        self
    }
}

impl<M: Mode> State<M> for Vector<M> {
    #[inline(always)]
    fn from_elements(elements: &[Real<M>]) -> Self {
        Self::from_fn(
            elements.len(),
            #[inline(always)]
            |i| elements[i],
        )
    }
    #[inline(always)]
    fn elements(&self) -> &[Real<M>] {
        self
    }
}
