//! The sum of two parts.

use super::super::ParameterError;
use super::{
    Autoregression, Block, Coefficient, Cycle, Level, Part, Regression, Season, States, Trend,
};
use bayes_autodiff::Mode;
use std::ops::Add;

/// Two parts with independent states, whose contributions to the series add up.
#[derive(Clone, Copy, Debug)]
pub struct Sum<A, B>(A, B);

impl<M: Mode, A: Part<M>, B: Part<M>> Part<M> for Sum<A, B> {
    fn dim(&self) -> usize {
        self.0.dim() + self.1.dim()
    }
    fn write(&self, block: &mut Block<'_, M>) {
        self.0.write(block);
        self.1.write(&mut block.from(self.0.dim()));
    }
    fn load(&self, time: usize, loadings: &mut [Coefficient<M>]) -> bool {
        let (first, second) = loadings.split_at_mut(self.0.dim());
        let changes = self.0.load(time, first);
        self.1.load(time, second) || changes
    }
    fn check(&self, length: usize) -> Result<(), ParameterError> {
        self.0.check(length)?;
        self.1.check(length)
    }
}

macro_rules! add_up {
    ($($part:ident<$($parameter:ident),*>),*) => {$(
        impl<Other, $($parameter),*> Add<Other> for $part<$($parameter),*> {
            type Output = Sum<Self, Other>;
            fn add(self, other: Other) -> Self::Output {
                Sum(self, other)
            }
        }
    )*};
}

add_up!(
    Autoregression<C, S>,
    Cycle<P, D, S>,
    Level<S, F>,
    Regression<X, S, F>,
    Season<S, F>,
    States<T, Q, Z, A, P>,
    Sum<A, B>,
    Trend<S, B, F>
);
