//! The prior of the first states.

use super::super::{Constraint, Parameter, ParameterError, Shape};
use super::system::{variance, wrong_length};
use super::{Block, Coefficient};
use bayes_autodiff::{Mode, PlainValue};

/// A part whose first states have no prior yet.
#[derive(Clone, Copy, Debug)]
pub struct Unknown;

/// First states that are independent and normal.
#[derive(Clone, Copy, Debug)]
pub struct First<A, S> {
    pub(super) mean: A,
    pub(super) sd: S,
}

impl<A, S> First<A, S> {
    /// Writes the moments of `dim` states.
    pub(super) fn write<M: Mode>(&self, dim: usize, block: &mut Block<'_, M>)
    where
        A: Parameter<M>,
        S: Parameter<M>,
    {
        for i in 0..dim {
            block.mean(i, Coefficient::of(&self.mean, i));
            block.covariance(i, i, variance(&self.sd, i));
        }
    }

    /// Checks that there are `dim` of each, or one number for all if `may_be_shared`.
    pub(super) fn check<M: Mode>(
        &self,
        part: &'static str,
        dim: usize,
        may_be_shared: bool,
    ) -> Result<(), ParameterError>
    where
        A: Parameter<M>,
        S: Parameter<M>,
    {
        check_all(
            part,
            "start: mean",
            &self.mean,
            dim,
            may_be_shared,
            Constraint::Finite,
        )?;
        check_all(
            part,
            "start: sd",
            &self.sd,
            dim,
            may_be_shared,
            Constraint::NonNegative,
        )
    }
}

/// Checks a parameter of `dim` numbers, or one number for all if `may_be_shared`.
pub(super) fn check_all<M: Mode, P: Parameter<M>>(
    part: &'static str,
    parameter: &'static str,
    values: &P,
    dim: usize,
    may_be_shared: bool,
    allowed: Constraint,
) -> Result<(), ParameterError> {
    let (shape, length) = (values.shape(), values.shape().elements());
    let is_number = shape == Shape::Scalar;
    let fits = match is_number {
        true => dim == 1 || may_be_shared,
        false => length == dim,
    };
    if !fits {
        let wanted = match dim {
            1 => "a single number".to_owned(),
            _ => format!("{dim}, a number for each state"),
        };
        return Err(wrong_length(part, parameter, length, wanted));
    }
    let plain = |i: usize| values.at(i).plain_value();
    let wrong = (0..length).find(|i| !allowed.holds(plain(*i)));
    wrong.map_or(Ok(()), |i| {
        Err(ParameterError::Value {
            distribution: part,
            parameter,
            index: (!is_number).then_some(i),
            value: plain(i),
            allowed: allowed.words(),
        })
    })
}
