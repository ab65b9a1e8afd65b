//! The error of a rejected model: each problem once, with its statement and the number of draws.

use super::look::{Complaint, Found, look};
use super::refusal::alike;
use crate::dist::{DataError, ParameterError, advice};
use crate::error::{Error, PriorDraws, Problem, ProblemKind};
use crate::model::equations;
use crate::model::{Compiled, DataArgument, Statement};
use bayes_autodiff::fault::Fault;
use bayes_calculus::ode::{Watch, watch};

/// The error of the rejected draw.
pub(super) fn error(model: &dyn Compiled, looks: &[Found], refused: usize) -> Error {
    Error::Model {
        model: model.name().to_owned(),
        problems: all(model, looks, refused),
    }
}

/// The problems of a draw with the number of draws that have them, even if all draws do.
pub(super) fn counted(model: &dyn Compiled, looks: &[Found], draw: usize) -> Vec<Problem> {
    let (met, of) = (looks.len(), looks.len());
    let mut problems = all(model, looks, draw);
    for problem in &mut problems {
        problem.draws.get_or_insert(PriorDraws { met, of });
    }
    problems
}

/// The problems of the rejected draw; similar problems of one statement are reported once.
fn all(model: &dyn Compiled, looks: &[Found], refused: usize) -> Vec<Problem> {
    let mut problems: Vec<(&Complaint, Problem)> = Vec::new();
    for complaint in &looks[refused].problems {
        let same = |(other, _): &&mut (&Complaint, Problem)| {
            other.statement == complaint.statement && alike(&other.kind, &complaint.kind)
        };
        match problems.iter_mut().find(same) {
            Some((_, problem)) => problem.more += 1,
            None => problems.push((complaint, problem(model, looks, refused, complaint))),
        }
    }
    problems.into_iter().map(|(_, problem)| problem).collect()
}

fn problem(
    model: &dyn Compiled,
    looks: &[Found],
    refused: usize,
    complaint: &Complaint,
) -> Problem {
    let Complaint {
        statement: i,
        execution,
        kind,
        is_joint,
    } = complaint;
    let draws = draws(looks, complaint);
    let mut hint = hint(model, draws.is_some(), (kind, *is_joint));
    if kind.is_nan() || matches!(kind, ProblemKind::InvalidParameter(_)) {
        hint.push_str(&inexact_equations(model, refused));
    }
    let kind = if looks[refused].traces[*i].executions > 1 {
        indexed(kind.clone(), *execution)
    } else {
        kind.clone()
    };
    Problem {
        draws,
        hint,
        ..model.statements()[*i].problem(model.file(), kind)
    }
}

/// What else to say of a problem; `varies` says whether it is not the same at all draws, `is_joint` whether its data have one density together.
fn hint(model: &dyn Compiled, varies: bool, (kind, is_joint): (&ProblemKind, bool)) -> String {
    let of_data = match kind.is_nan() {
        true => nan_in_data(model),
        false => String::new(),
    };
    match kind {
        ProblemKind::InvalidParameter(error)
            if of_data.is_empty() && (varies || error.value().is_some_and(|x| !x.is_finite())) =>
        {
            advice(error)
        }
        ProblemKind::InvalidData(DataError::Value {
            distribution,
            value,
            ..
        }) if value.is_nan() => match (is_joint, *distribution) {
            (false, _) => MISSING,
            (true, "StateSpace") => MISSING_IN_SERIES,
            (true, "HiddenMarkov" | "Product") => MISSING_IN_HIDDEN,
            (true, _) => MISSING_TOGETHER,
        }
        .to_owned(),
        _ => of_data,
    }
}

/// What can be done about data that are missing, if each has a density of its own.
const MISSING: &str = "; where data are missing, observe the others alone, `if !y[i].is_nan() { observe(y[i], ..) }` in a loop, or sample the missing values, \
                       `let y = impute(y, Normal::new(mu, sigma));` (see `Missing values and their imputation` in the documentation)";

/// The same in a series over whose gaps a filter passes.
const MISSING_IN_SERIES: &str =
    "; where values of the series are missing, write `.skip_missing()` behind the `StateSpace`";

/// The same in a series of hidden states, or in several series together.
const MISSING_IN_HIDDEN: &str = "; where values of the series are missing, write `.skip_missing()` behind the `HiddenMarkov`, and behind each `Product` where one \
                                 of several series is";

/// The same if data have one density together.
const MISSING_TOGETHER: &str = "; its elements depend on each other, so where one is missing observe the known ones under their own joint distribution, or leave the \
                                whole vector out";

/// The number of draws with such a problem; `None` if it is the same at all of them, because then the data cause it.
fn draws(looks: &[Found], complaint: &Complaint) -> Option<PriorDraws> {
    let such = |found: &Found| {
        found
            .problem_like(complaint)
            .map(|other| other.kind.to_string())
    };
    let text = complaint.kind.to_string();
    let stopped_at_once =
        looks[0].stopped && !matches!(complaint.kind.fault(), Some(Fault::Panic { .. }));
    if stopped_at_once
        || !looks.iter().any(|found| found.stopped)
            && looks
                .iter()
                .all(|found| such(found).as_ref() == Some(&text))
    {
        return None;
    }
    Some(PriorDraws {
        met: looks.iter().filter(|found| such(found).is_some()).count(),
        of: looks.len(),
    })
}

/// The first differential equations that are not solved within their tolerance at a draw: their states may be the cause.
fn inexact_equations(model: &dyn Compiled, draw: usize) -> String {
    let (_, solutions) = watch(Watch::Fixed, || look(model, draw));
    match equations::suspect(&solutions) {
        text if text.is_empty() => text,
        text => format!("; {text}"),
    }
}

/// The data arguments that contain NaN, each with the position of the first NaN, except those whose missing values are sampled.
fn nan_in_data(model: &dyn Compiled) -> String {
    let is_imputed = |name: &str| Statement::impute(model.statements(), name);
    let place = |argument: DataArgument| {
        let at = argument.first_nan.filter(|_| !is_imputed(argument.name))?;
        Some(format!("; data `{}` is NaN at {at}", argument.name))
    };
    model.data().into_iter().filter_map(place).collect()
}

/// The index of a scalar in a loop (observed or a parameter) is the number of previous runs of its statement, unless the loop leaves some out.
pub(in crate::model) fn indexed(kind: ProblemKind, execution: usize) -> ProblemKind {
    match kind {
        ProblemKind::InvalidData(DataError::Value {
            distribution,
            index: None,
            value,
            allowed,
        }) => ProblemKind::InvalidData(DataError::Value {
            distribution,
            index: Some(execution),
            value,
            allowed,
        }),
        ProblemKind::InvalidParameter(ParameterError::Value {
            distribution,
            parameter,
            index: None,
            value,
            allowed,
        }) => ProblemKind::InvalidParameter(ParameterError::Value {
            distribution,
            parameter,
            index: Some(execution),
            value,
            allowed,
        }),
        other => other,
    }
}
