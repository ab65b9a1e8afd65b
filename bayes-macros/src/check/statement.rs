//! Rules about the form of one statement: its name, its arguments, its data.

use super::random::is_random;
use super::scope::{Nature, Scope};
use crate::ast::{Call, Verb};
use crate::distribution::{Construction, is_discrete};
use crate::messages;
use crate::nearest::nearest;
use crate::report::Report;
use crate::text::text_of;
use syn::{BinOp, Expr, ExprCall, Pat};

/// Every quantity has a unique name, which is its name in every output.
pub fn name(pattern: &Pat, call: Call<'_>, names: &mut Vec<String>, report: &mut Report) {
    let pattern = match pattern {
        Pat::Type(typed) => &*typed.pat,
        other => other,
    };
    let word = call.verb.word();
    match pattern {
        Pat::Ident(bound) if bound.subpat.is_none() && bound.by_ref.is_none() => {
            let name = bound.ident.to_string();
            if names.contains(&name) {
                report.at(
                    &bound.ident,
                    messages::name_twice(&name, &text_of(call.call), word),
                );
            }
            names.push(name);
        }
        Pat::Wild(_) => report.at(pattern, messages::no_name(word, &text_of(call.call))),
        _ => report.at(pattern, messages::pattern_name(word, &text_of(call.call))),
    }
}

/// `sample(...);` as a separate statement.
pub fn unnamed(call: Call<'_>, report: &mut Report) {
    report.at(
        call.call,
        messages::no_name(call.verb.word(), &text_of(call.call)),
    );
}

/// `2.0 * sample(...)`: the quantity has no name.
pub fn nested(call: Call<'_>, report: &mut Report) {
    report.at(
        call.call,
        messages::nested(call.verb.word(), &text_of(call.call)),
    );
}

/// Each statement word has a fixed number of arguments, data before the distribution.
pub fn arguments(call: Call<'_>, scope: &Scope, report: &mut Report) {
    let arguments: Vec<&Expr> = call.call.args.iter().collect();
    match (call.verb, arguments.as_slice()) {
        (Verb::Observe, [first, second]) if is_construction(first) && !is_construction(second) => {
            report.at(first, messages::swapped(&text_of(first), &text_of(second)));
        }
        (Verb::Observe, [_, _]) => {}
        (Verb::Observe, [only]) if is_construction(only) => {
            report.at(call.call, messages::observe_without_data(&text_of(only)));
        }
        (Verb::Observe, [only]) => {
            report.at(
                call.call,
                messages::observe_without_distribution(&text_of(only)),
            );
        }
        (Verb::Observe, given) => report.at(call.word, messages::observe_count(given.len())),
        (verb, [only]) if verb.draws() && is_censored(only, scope) => {
            report.at(only, messages::sample_censored());
        }
        (Verb::Param, [only]) if is_discrete(only, &[]) => {
            report.at(only, messages::discrete_param(&text_of(only)));
        }
        (_, [_]) => {}
        (verb, [first, second]) if verb.draws() || verb == Verb::Generate => {
            report.at(
                second,
                messages::sample_two(verb.word(), &text_of(first), &text_of(second)),
            );
        }
        (verb, given) => report.at(call.word, messages::one_argument(verb.word(), given.len())),
    }
}

pub fn is_construction(expression: &Expr) -> bool {
    Construction::at_root(expression).is_some_and(|construction| construction.known().is_some())
}

/// Whether the method `censored` or `interval_censored` is called in this expression, or in the binding of the distribution's name.
pub fn is_censored(expression: &Expr, scope: &Scope) -> bool {
    match expression {
        Expr::MethodCall(call) => {
            call.method == "censored"
                || call.method == "interval_censored"
                || is_censored(&call.receiver, scope)
        }
        Expr::Path(path) => path
            .path
            .get_ident()
            .is_some_and(|name| scope.nature(&name.to_string()) == Some(Nature::Censored)),
        Expr::Reference(reference) => is_censored(&reference.expr, scope),
        Expr::Paren(inner) => is_censored(&inner.expr, scope),
        _ => false,
    }
}

/// `.within(..)` is for priors: data and values that are drawn need a density that integrates to 1.
pub fn unnormalised(call: Call<'_>, report: &mut Report) {
    let is_prior = matches!(call.verb, Verb::Sample | Verb::Param);
    let mut rest = distribution(call).filter(|_| !is_prior);
    if rest
        .and_then(Construction::at_root)
        .and_then(|found| found.known())
        .is_none()
    {
        return;
    }
    while let Some(Expr::MethodCall(method)) = rest {
        if method.method == "within" {
            let word = call.verb.word();
            report.at(&method.method, messages::within_of_data(word));
        }
        rest = Some(&method.receiver);
    }
}

/// A misspelt statement word applied to a distribution; returns whether it draws.
pub fn misspelt(call: &ExprCall, report: &mut Report) -> bool {
    let Expr::Path(function) = &*call.func else {
        return false;
    };
    let Some(word) = function.path.get_ident() else {
        return false;
    };
    if !call.args.iter().any(is_construction) {
        return false;
    }
    let near = nearest(&word.to_string(), Verb::ALL.iter().map(|verb| verb.word()));
    let Some(verb) = near.and_then(Verb::from_word) else {
        return false;
    };
    let arguments = text_of(&call.args);
    report.at(
        word,
        messages::misspelt_statement(&word.to_string(), verb.word(), &arguments),
    );
    verb.draws()
}

/// A model is conditioned on data; a random value already has a distribution.
pub fn observed_data(call: Call<'_>, scope: &Scope, report: &mut Report) {
    let Some(data) = call.call.args.first() else {
        return;
    };
    if !is_random(data, scope) {
        return;
    }
    let text = text_of(data);
    report.at(
        data,
        match (is_param(data, scope), residual(data, scope)) {
            (true, _) => messages::observed_param(&text),
            (false, Some((data, mean))) => messages::observed_residual(&text, &data, &mean),
            (false, None) => messages::observed_random(&text),
        },
    );
}

/// The data and the random part of a difference, as text.
fn residual(expression: &Expr, scope: &Scope) -> Option<(String, String)> {
    match expression {
        Expr::Binary(binary) if matches!(binary.op, BinOp::Sub(_)) => {
            let is_residual = !is_random(&binary.left, scope) && is_random(&binary.right, scope);
            is_residual.then(|| (text_of(&binary.left), text_of(&binary.right)))
        }
        Expr::Paren(inner) => residual(&inner.expr, scope),
        Expr::Reference(inner) => residual(&inner.expr, scope),
        _ => None,
    }
}

/// A quantity from `generate` is found by its name, together with the observed data.
pub fn generated_name(pattern: &Pat, call: Call<'_>, scope: &Scope, report: &mut Report) {
    let name = match pattern {
        Pat::Ident(bound) => bound.ident.to_string(),
        Pat::Type(typed) => return generated_name(&typed.pat, call, scope, report),
        _ => return,
    };
    if scope.nature(&name) == Some(Nature::Data) {
        report.at(
            pattern,
            messages::generated_data(&name, &text_of(call.call)),
        );
    }
}

/// Whether this is a param or an element of one.
fn is_param(expression: &Expr, scope: &Scope) -> bool {
    match expression {
        Expr::Path(path) => path
            .path
            .get_ident()
            .is_some_and(|name| scope.nature(&name.to_string()) == Some(Nature::Param)),
        Expr::Index(index) => is_param(&index.expr, scope),
        Expr::Reference(reference) => is_param(&reference.expr, scope),
        Expr::Paren(inner) => is_param(&inner.expr, scope),
        _ => false,
    }
}

/// The distribution of a statement, if it has one.
pub fn distribution(call: Call<'_>) -> Option<&Expr> {
    match call.verb {
        Verb::Sample | Verb::SampleDiscrete | Verb::Param | Verb::SumOut | Verb::Generate => {
            call.call.args.first()
        }
        Verb::Observe | Verb::Impute => call.call.args.get(1),
        Verb::Deterministic | Verb::Factor => None,
    }
}
