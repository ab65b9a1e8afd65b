//! Probabilities of intervals of the families that are written out and have a distribution function.

use super::{Form, Written, cox};
use crate::class::Class;
use crate::likelihood::by_row::{Intervals, Known};
use bayes::autodiff::PlainValue;
use bayes::dist::{Domain, Frechet};
use bayes::prelude::*;
use bayes::rng::Stream;

/// Their intervals; formulas that need intervals of other families are refused.
pub(in crate::likelihood) struct Own;

impl<M: Mode, O: Domain> Intervals<M, Written<'_, M, O>> for Own {
    fn log_mass(of: Written<'_, M, O>, ends: [f64; 2]) -> Real<M> {
        let row = of.row;
        match Form::of(row.family) {
            Some(Form::Frechet) => {
                let one = Frechet::new(row.parameter(Class::Nu), row.first);
                <Known as Intervals<M, _>>::log_mass(one, ends)
            }
            Some(Form::Cox) => cox::log_mass(&row, ends),
            _ => Real::constant(f64::NAN),
        }
    }

    fn draw_within(of: Written<'_, M, O>, bounds: [f64; 2], stream: &mut Stream) -> f64 {
        let row = of.row;
        match Form::of(row.family) {
            Some(Form::Frechet) => {
                let [nu, scale] =
                    [row.parameter(Class::Nu), row.first].map(PlainValue::plain_value);
                let one = Frechet::new(nu, scale);
                <Known as Intervals<bayes::autodiff::Value, _>>::draw_within(one, bounds, stream)
            }
            Some(Form::Cox) => cox::draw(&row, bounds, stream),
            _ => f64::NAN,
        }
    }
}
