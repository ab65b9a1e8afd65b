//! Rules about the text of a distribution: its name, its constructor, its parameters.

use crate::catalogue::{self, Constructor, KNOWN, Known};
use crate::distribution::{Construction, root};
use crate::messages;
use crate::nearest::nearest;
use crate::report::Report;
use crate::text::text_of;
use proc_macro2::Ident;
use syn::{Expr, ExprCall, ExprMethodCall};

/// Methods that restrict a distribution.
const RESTRICTIONS: [&str; 5] = [
    "censored",
    "interval_censored",
    "ordered",
    "truncated",
    "within",
];

/// Families of several elements with a non-centred form.
const WITH_NON_CENTRED: [&str; 4] = [
    "Icar",
    "IntrinsicRandomWalk",
    "MultivariateNormal",
    "ZeroSumNormal",
];

/// Rules that hold wherever a known distribution is constructed.
pub fn expression(expression: &Expr, report: &mut Report) {
    if let Expr::MethodCall(call) = expression {
        return non_centred(call, report);
    }
    let Expr::Call(call) = expression else { return };
    constructor_left_out(call, report);
    let Some(construction) = Construction::at_root(expression) else {
        return;
    };
    let Some(known) = construction.known() else {
        return;
    };
    match constructor_of(known, construction) {
        Some(constructor) => number_of_parameters(construction, constructor, report),
        None => unknown_constructor(known, construction, report),
    }
}

/// `.non_centred()` of a distribution that has no such form, for which rustc would only say that there is no such method.
fn non_centred(call: &ExprMethodCall, report: &mut Report) {
    let construction = Construction::at_root(&call.receiver);
    let Some(known) = construction.and_then(|construction| construction.known()) else {
        return;
    };
    let mut before = methods(&call.receiver);
    let is_restriction = |name: &Ident| RESTRICTIONS.iter().any(|other| name == other);
    let clash = match call.method == "non_centred" {
        true => before.find(|name| is_restriction(name)),
        false if is_restriction(&call.method) => before.find(|name| *name == "non_centred"),
        false => None,
    };
    if let Some(other) = clash {
        let (method, other) = (call.method.to_string(), other.to_string());
        let message = match method == "non_centred" {
            true => messages::restricted_non_centred(&other, &method),
            false => messages::restricted_non_centred(&method, &other),
        };
        return report.at(&call.method, message);
    }
    // of scalar families and of copies the types say it
    let is_alone = matches!(&*call.receiver, Expr::Call(_));
    if call.method == "non_centred"
        && is_alone
        && !known.scalar
        && !WITH_NON_CENTRED.contains(&known.name)
    {
        report.at(&call.method, messages::no_non_centred(known.name));
    }
}

/// The methods of a chain, the last first.
fn methods(expression: &Expr) -> impl Iterator<Item = &Ident> {
    let mut rest = Some(expression);
    std::iter::from_fn(move || match rest? {
        Expr::MethodCall(call) => {
            rest = Some(&call.receiver);
            Some(&call.method)
        }
        _ => None,
    })
}

/// `NegativeBinomial::new(..)`, which has two parametrisations and no `new`; and constructors that are nearly one.
fn unknown_constructor(known: &'static Known, construction: Construction<'_>, report: &mut Report) {
    let written = construction.constructor.to_string();
    let names = known
        .constructors
        .iter()
        .map(|constructor| constructor.name);
    // other names may be functions of the user's own traits, or of the trait `Family`
    if written == "new" || nearest(&written, names).is_some() {
        let message = messages::unknown_constructor(known.name, &written, &calls_text(known));
        report.at(construction.constructor, message);
    }
}

/// Rules that apply only where a distribution is expected; elsewhere a user's own types are left alone.
pub fn distribution(expression: &Expr, report: &mut Report) {
    if let Some(construction) = Construction::at_root(expression) {
        misspelt(construction, report);
    } else if let Expr::Path(path) = root(expression) {
        let known = path
            .path
            .get_ident()
            .and_then(|name| catalogue::find(&name.to_string()));
        if let Some(known) = known {
            report.at(
                path,
                messages::constructor_left_out(known.name, &calls_text(known)),
            );
        }
    }
}

/// `Normal(0.0, 1.0)` without `::new`.
fn constructor_left_out(call: &ExprCall, report: &mut Report) {
    let Expr::Path(function) = &*call.func else {
        return;
    };
    let Some(name) = function.path.get_ident() else {
        return;
    };
    if let Some(known) = catalogue::find(&name.to_string()) {
        let given = call.args.len();
        let mut constructors = known.constructors.iter();
        let fitting = constructors.find(|constructor| constructor.parameters.len() == given);
        let help = match (fitting, known.constructors) {
            (Some(constructor), [_]) => {
                format!("{name}::{}({})", constructor.name, text_of(&call.args))
            }
            _ => calls_text(known),
        };
        report.at(name, messages::constructor_left_out(known.name, &help));
    }
}

fn constructor_of(
    known: &'static Known,
    construction: Construction<'_>,
) -> Option<&'static Constructor> {
    known
        .constructors
        .iter()
        .find(|constructor| construction.constructor == constructor.name)
}

/// All its constructors: ``A::new(x)` or `A::at(y)``, without the outer backticks.
fn calls_text(known: &Known) -> String {
    let calls = known.constructors.iter();
    let calls: Vec<String> = calls.map(|c| with_parameters(known.name, c)).collect();
    calls.join("` or `")
}

fn with_parameters(name: &str, constructor: &Constructor) -> String {
    format!(
        "{name}::{}({})",
        constructor.name,
        constructor.parameters.join(", ")
    )
}

fn number_of_parameters(
    construction: Construction<'_>,
    constructor: &Constructor,
    report: &mut Report,
) {
    let given = construction.call.args.len();
    if given != constructor.parameters.len() {
        let name = construction.name.to_string();
        let wanted = with_parameters(&name, constructor);
        let function = format!("{name}::{}", constructor.name);
        let text =
            messages::number_of_parameters(&function, constructor.parameters.len(), given, &wanted);
        report.at(construction.call, text);
    }
}

/// A misspelt name of a distribution. A name that contains a known one (`MyNormal`) is the user's own.
fn misspelt(construction: Construction<'_>, report: &mut Report) {
    let written = construction.name.to_string();
    if construction.known().is_some() {
        return;
    }
    let nearest = nearest(&written, KNOWN.iter().map(|known| known.name));
    if let Some(known) = nearest.and_then(catalogue::find) {
        report.at(
            construction.name,
            messages::misspelt(&written, known.name, &calls_text(known)),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, Report, distribution, expression};

    fn complains(source: &str) -> bool {
        let mut report = Report::default();
        distribution(&syn::parse_str(source).unwrap(), &mut report);
        !report.is_empty()
    }

    #[test]
    fn near_misses_are_found_and_own_names_are_left_alone() {
        for near in [
            "Nromal",
            "Bernouli",
            "Poison",
            "HalfCauchey",
            "Gama",
            "Student",
        ] {
            assert!(complains(&format!("{near}::new(1.0)")), "{near}");
        }
        for own in [
            "Normal",
            "MyNormal",
            "Normal2",
            "SquaredNormal",
            "Zeta",
            "Delta",
            "Weibull",
            "InvGamma",
            "prior",
        ] {
            assert!(!complains(&format!("{own}::new(1.0)")), "{own}");
        }
        assert!(!complains("self::Nromal::new(1.0)"));
    }

    fn messages(source: &str) -> Vec<String> {
        let mut report = Report::default();
        expression(&syn::parse_str(source).unwrap(), &mut report);
        report.messages()
    }

    #[test]
    fn what_is_restricted_has_no_non_centred_form() {
        for wrong in [
            "Normal::new(m, s).truncated(0.0, 1.0).non_centred()",
            "Normal::new(m, s).iid(3).ordered().non_centred()",
            "Normal::new(m, s).non_centred().truncated(0.0, 1.0)",
        ] {
            let messages = messages(wrong);
            assert!(messages[0].contains("do not go together"), "{messages:?}");
        }
        let structured = messages("Dirichlet::symmetric(3, 1.0).non_centred()");
        assert!(
            structured[0].contains("`Dirichlet` has no location"),
            "{structured:?}"
        );
        for right in [
            "Normal::new(m, s).iid(3).non_centred()",
            "MultivariateNormal::new(m, s).non_centred()",
            "Normal::new(m, s).truncated(0.0, 1.0)",
            "Own::new(m, s).truncated(0.0, 1.0).non_centred()",
        ] {
            assert!(messages(right).is_empty(), "{right}");
        }
    }

    #[test]
    fn families_without_new_name_their_constructors() {
        for known in KNOWN {
            let written = format!("{}::new()", known.name);
            let has_new = known.constructors.iter().any(|c| c.name == "new");
            for message in messages(&written) {
                assert_eq!(
                    message.contains("no constructor `new`"),
                    !has_new,
                    "{message}"
                );
                for constructor in known.constructors.iter().filter(|_| !has_new) {
                    let name = format!("`{}::{}(", known.name, constructor.name);
                    assert!(message.contains(&name), "{message}");
                }
            }
            assert!(has_new || !messages(&written).is_empty(), "{written}");
        }
        let near = messages("NegativeBinomial::mean_dispertion(mu, phi)");
        assert!(near[0].contains("no constructor `mean_dispertion`"));
        for other in [
            "Normal::at((0.0, 1.0))",
            "Normal::log_kernel(x, p)",
            "Gamma::mean_sd(a, b)",
        ] {
            assert!(messages(other).is_empty(), "{other}");
        }
    }

    #[test]
    fn a_family_without_a_constructor_is_given_one_that_exists() {
        let left_out = messages("NegativeBinomial(mu, phi)");
        assert!(left_out[0].ends_with(
            "write `NegativeBinomial::mean_dispersion(mu, phi)` or `NegativeBinomial::successes_probability(r, p)`"
        ));
        let left_out = messages("Normal(mu, 1.0)");
        assert!(left_out[0].ends_with("write `Normal::new(mu, 1.0)`"));
    }
}
