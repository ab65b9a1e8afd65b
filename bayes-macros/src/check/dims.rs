//! Rules about `#[dims(..)]`.

use super::scope::{Nature, Scope};
use crate::ast::{Call, Verb};
use crate::dims::{is_mark, parse};
use crate::messages;
use crate::report::Report;
use syn::Attribute;

/// The mark among the attributes of a statement stands on a quantity or on data, and names arguments.
pub fn marks(attributes: &[Attribute], call: Option<Call<'_>>, scope: &Scope, report: &mut Report) {
    let marks = || attributes.iter().filter(|attribute| is_mark(attribute));
    for again in marks().skip(1) {
        report.at(again, messages::dims_form());
    }
    for mark in marks().take(1) {
        if call.is_none_or(|call| call.verb == Verb::Factor) {
            report.at(mark, messages::dims_of_no_statement());
            continue;
        }
        let Ok(dims) = parse(mark) else {
            report.at(mark, messages::dims_form());
            continue;
        };
        for dim in dims.iter().filter(|dim| dim.places.is_none()) {
            if scope.nature(&dim.name.to_string()) != Some(Nature::Data) {
                report.at(&dim.name, messages::dims_of_no_argument(&dim.name));
            }
        }
    }
}
