//! The log likelihood of every observation at every draw of a saved run: one more interpreter.

use bayes::autodiff::Value;
use bayes::dist::Data;
use bayes::model::Interpreter;
use bayes::prelude::*;

/// Evaluates each observation separately.
struct Pointwise<'a> {
    coordinates: &'a [f64],
    terms: Vec<f64>,
}

impl Interpreter<Value> for Pointwise<'_> {
    fn random<D: Distribution<Value>>(&mut self, distribution: D) -> D::Value {
        let (mine, rest) = self.coordinates.split_at(distribution.dim());
        self.coordinates = rest;
        let mine: Vec<Real<Value>> = mine.iter().map(|x| Real::constant(*x)).collect();
        distribution.constrain(&mine).0
    }
    fn observe_under<D: Distribution<Value>, T: Data<D::Domain>>(&mut self, by: D, data: T) {
        by.for_each_term(&data, |term| self.terms.push(term.primal()));
    }
}

/// `[draws][observations]`, in the order of the run's draws.
pub fn pointwise<Mo: Model>(model: &Mo, run: &Run) -> Vec<Vec<f64>> {
    let rows = run
        .groups
        .iter()
        .flat_map(|group| group.positions.chunks_exact(run.layout.dim));
    let terms = |coordinates| {
        let mut pointwise = Pointwise {
            coordinates,
            terms: Vec::new(),
        };
        model.program::<Value, _>(&mut pointwise);
        pointwise.terms
    };
    rows.map(terms).collect()
}
