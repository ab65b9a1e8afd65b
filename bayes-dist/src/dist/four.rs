//! Four parameters of a scalar family.

use super::{Broadcast, Parameter, Parameters, Shape};
use bayes_autodiff::{Mode, Real};

/// The form of two parameters together.
type Both<A, B> = <A as Broadcast<B>>::Output;

impl<M, A, B, C, D> Parameters<M, 4> for (A, B, C, D)
where
    M: Mode,
    A: Parameter<M>,
    B: Parameter<M>,
    C: Parameter<M>,
    D: Parameter<M>,
    A::Form: Broadcast<B::Form>,
    C::Form: Broadcast<D::Form>,
    Both<A::Form, B::Form>: Broadcast<Both<C::Form, D::Form>>,
{
    type Form = Both<Both<A::Form, B::Form>, Both<C::Form, D::Form>>;
    const DATA: [bool; 4] = [A::DATA, B::DATA, C::DATA, D::DATA];
    #[inline(always)]
    fn shapes(&self) -> [Shape; 4] {
        [
            self.0.shape(),
            self.1.shape(),
            self.2.shape(),
            self.3.shape(),
        ]
    }
    #[inline(always)]
    fn at(&self, i: usize) -> [Real<M>; 4] {
        [self.0.at(i), self.1.at(i), self.2.at(i), self.3.at(i)]
    }
}
