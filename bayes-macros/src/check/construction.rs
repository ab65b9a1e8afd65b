//! Rules about how a distribution is written: its name, its constructor, its parameters.

use crate::catalogue::{self, Constructor, KNOWN, Known};
use crate::distribution::{Construction, root};
use crate::messages;
use crate::nearest::nearest;
use crate::report::Report;
use crate::text::text_of;
use syn::{Expr, ExprCall};

/// Rules that hold wherever a known distribution is constructed.
pub fn expression(expression: &Expr, report: &mut Report) {
    let Expr::Call(call) = expression else { return };
    constructor_left_out(call, report);
    let Some(construction) = Construction::at_root(expression) else {
        return;
    };
    let Some(constructor) = construction
        .known()
        .and_then(|known| constructor_of(known, construction))
    else {
        return;
    };
    number_of_parameters(construction, constructor, report);
}

/// Rules that apply only where a distribution is expected, so that a user's own types are left alone
/// elsewhere.
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
                messages::constructor_left_out(known.name, &call_text(known)),
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
        let arguments = text_of(&call.args);
        report.at(
            name,
            messages::constructor_left_out(known.name, &format!("{name}::new({arguments})")),
        );
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

fn call_text(known: &Known) -> String {
    known
        .constructors
        .first()
        .map_or_else(String::new, |constructor| {
            with_parameters(known.name, constructor)
        })
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

/// A misspelt name of a distribution. A name that contains one (`MyNormal`) is the user's own.
fn misspelt(construction: Construction<'_>, report: &mut Report) {
    let written = construction.name.to_string();
    if construction.known().is_some() {
        return;
    }
    let nearest = nearest(&written, KNOWN.iter().map(|known| known.name));
    if let Some(known) = nearest.and_then(catalogue::find) {
        report.at(
            construction.name,
            messages::misspelt(&written, known.name, &call_text(known)),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::{Report, distribution};

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
}
