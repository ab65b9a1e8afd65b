//! Monotonic effects: `mo(x)`.
//!
//! ```text
//! b D (ζ_1 + ... + ζ_k),    ζ ~ Dirichlet(1, ..., 1),    k = x - low,  D = high - low
//! ```
//!
//! `b` is the mean difference of two neighbouring grades, `ζ` are the shares of the steps in the whole (Bürkner & Charpentier 2020).

use crate::columns::{Evaluator, Learnt};
use crate::design::place;
use crate::syntax::Node;
use bayes::Error;
use bayes::dist::{
    Continuous, Data, DataError, Dirichlet, Distribution, Drawn, ParameterError, Shape,
};
use bayes::prelude::*;
use bayes::rng::Stream;

/// The grades of a monotonic effect.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    /// `x`.
    pub(crate) name: String,
    /// The number of steps between the lowest and the highest grade.
    pub(crate) count: usize,
    /// The number of steps of each row above the lowest grade, `[rows]`.
    pub(crate) of: Vec<usize>,
}

impl Steps {
    pub(crate) fn gather(&self, rows: &[usize]) -> Self {
        Self {
            name: self.name.clone(),
            count: self.count,
            of: rows.iter().map(|row| self.of[*row]).collect(),
        }
    }
}

/// The largest number of grades.
const MOST: f64 = 100.0;

/// The grades of a column.
pub(crate) fn steps(node: &Node, evaluator: &mut Evaluator<'_>) -> Result<Steps, Error> {
    let values = evaluator.numbers(node)?;
    if let Some(row) = values.iter().position(|x| x.fract() != 0.0) {
        let message = format!(
            "`{node}` is {} in row {}; grades of `mo` are whole numbers in their order",
            values[row],
            row + 1
        );
        return Err(evaluator.wrong(node, message));
    }
    let key = format!("mo({node})");
    if evaluator.learns && !evaluator.memory.contains_key(&key) {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !(2.0..MOST).contains(&(high - low)) {
            let message = format!(
                "`{node}` goes from {low} to {high}; `mo` needs from 3 to {MOST} grades, and for two the term is `{node}` itself"
            );
            return Err(evaluator.wrong(node, message));
        }
        evaluator
            .memory
            .insert(key.clone(), Learnt::Grades([low, high]));
    }
    let Some(Learnt::Grades([low, high])) = evaluator.memory.get(&key).cloned() else {
        return Err(evaluator.wrong(node, "its grades are not known"));
    };
    if let Some(row) = values.iter().position(|x| !(low..=high).contains(x)) {
        let message = format!(
            "`{node}` is {} in row {}, and was from {low} to {high} where the model was fitted",
            values[row],
            row + 1
        );
        return Err(evaluator.wrong(node, message));
    }
    Ok(Steps {
        name: place(&node.to_string()),
        count: (high - low) as usize,
        of: values.iter().map(|x| (x - low) as usize).collect(),
    })
}

/// Concatenated vectors of shares, each with a symmetric Dirichlet prior.
#[derive(Clone, Debug)]
pub(crate) struct Shares {
    pub(crate) lengths: Vec<usize>,
    /// 1 is flat.
    pub(crate) concentration: f64,
}

impl Shares {
    fn elements(&self) -> usize {
        self.lengths.iter().sum()
    }

    /// Each vector's distribution, and the start of its elements and of its coordinates.
    fn parts(&self) -> impl Iterator<Item = (Dirichlet<Vec<f64>>, usize, usize)> {
        let mut start = 0;
        self.lengths.iter().enumerate().map(move |(k, count)| {
            let first = start;
            start += count;
            let alpha = vec![self.concentration; *count];
            (Dirichlet::new(alpha), first, first - k)
        })
    }
}

impl<M: Mode> Distribution<M> for Shares {
    type Value = Vector<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        "Shares"
    }

    fn shape(&self) -> Shape {
        Shape::Vector(self.elements())
    }

    fn dim(&self) -> usize {
        self.elements() - self.lengths.len()
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.parts()
            .try_for_each(|(one, ..)| Distribution::<M>::check(&one))
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let mut total = Real::constant(0.0);
        for (one, first, _) in self.parts() {
            let own = first..first + Distribution::<M>::shape(&one).elements();
            total += one.log_density_of(&elements[own]);
        }
        total
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        let mut log_jacobian = Real::constant(0.0);
        let mut all: Vec<Real<M>> = Vec::new();
        for (one, _, first) in self.parts() {
            let own = first..first + Distribution::<M>::dim(&one);
            let (value, jacobian) = one.constrain(&coordinates[own]);
            log_jacobian += jacobian;
            all.extend(value.iter().copied());
        }
        (Vector::from(all), log_jacobian)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        let of = |(one, first, _): (Dirichlet<Vec<f64>>, usize, usize)| {
            let own = first..first + Distribution::<M>::shape(&one).elements();
            Distribution::<M>::unconstrain(&one, &elements[own])
        };
        self.parts().flat_map(of).collect()
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        Distribution::<M>::draw_with_coordinates(self, stream).elements
    }

    fn draw_with_coordinates(&self, stream: &mut Stream) -> Drawn {
        let mut all = Drawn::default();
        for (one, ..) in self.parts() {
            let one = Distribution::<M>::draw_with_coordinates(&one, stream);
            all.elements.extend(one.elements);
            all.coordinates.extend(one.coordinates);
            all.rounding = f64::max(all.rounding, one.rounding);
            all.lost |= one.lost;
        }
        all
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        match data.shape().elements() {
            length if length == self.elements() => Ok(()),
            length => Err(DataError::Length {
                distribution: "Shares",
                length,
                allowed: format!("{}, the number of steps", self.elements()),
            }),
        }
    }
}
