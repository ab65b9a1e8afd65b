//! Functions of numbers that are methods here: `max(mu, 0.0)`, `f64::exp(mu)`.

use super::random::is_random;
use super::scope::Scope;
use crate::messages;
use crate::report::Report;
use crate::text::text_of;
use syn::{Expr, ExprCall, Path};

/// Functions of numbers in Rust and in C, and the equivalent methods of random values. Names that users might well give to a function of
/// random values, such as `logit` or `square`, are not in the list.
const FUNCTIONS: &[(&str, &str)] = &[
    ("abs", "abs"),
    ("acos", "acos"),
    ("acosh", "acosh"),
    ("asin", "asin"),
    ("asinh", "asinh"),
    ("atan", "atan"),
    ("atan2", "atan2"),
    ("atanh", "atanh"),
    ("cos", "cos"),
    ("cosh", "cosh"),
    ("exp", "exp"),
    ("exp_m1", "exp_m1"),
    ("expm1", "exp_m1"),
    ("fabs", "abs"),
    ("fmax", "max"),
    ("fmin", "min"),
    ("hypot", "hypot"),
    ("lgamma", "ln_gamma"),
    ("ln", "ln"),
    ("ln_1p", "ln_1p"),
    ("log", "ln"),
    ("log1p", "ln_1p"),
    ("max", "max"),
    ("min", "min"),
    ("pow", "pow"),
    ("powf", "powf"),
    ("powi", "powi"),
    ("recip", "recip"),
    ("sin", "sin"),
    ("sinh", "sinh"),
    ("sqrt", "sqrt"),
    ("tan", "tan"),
    ("tanh", "tanh"),
];

/// Methods with the same result after an exchange of both arguments.
const SYMMETRIC: [&str; 3] = ["hypot", "max", "min"];

/// A call of such a function with a random argument.
pub fn called(call: &ExprCall, scope: &Scope, report: &mut Report) {
    let Expr::Path(function) = &*call.func else {
        return;
    };
    let Some(method) = method(&function.path, scope) else {
        return;
    };
    let mut arguments: Vec<&Expr> = call.args.iter().collect();
    let Some(random) = arguments
        .iter()
        .position(|argument| is_random(argument, scope))
    else {
        return;
    };
    if SYMMETRIC.contains(&method) {
        arguments.swap(0, random);
    }
    let receiver = if is_random(arguments[0], scope) {
        receiver_text(arguments[0])
    } else {
        format!("Real::from({})", text_of(arguments[0]))
    };
    let others: Vec<String> = arguments[1..].iter().map(text_of).collect();
    let written = text_of(&function.path);
    let here = format!("{receiver}.{method}({})", others.join(", "));
    let own = function
        .path
        .get_ident()
        .map(|name| format!("self::{name}(...)"));
    report.at(
        &function.path,
        messages::function_is_method(&written, &here, own.as_deref()),
    );
}

/// The method that a path names as a function: `max`, `f64::max`, `std::cmp::max`.
fn method(path: &Path, scope: &Scope) -> Option<&'static str> {
    let names: Vec<String> = path
        .segments
        .iter()
        .map(|part| part.ident.to_string())
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let name = match names[..] {
        // a closure or a function in the body
        [name] if scope.nature(name).is_none() => name,
        ["f64", name] | ["std" | "core", "primitive", "f64", name] => name,
        ["cmp", name] | ["std" | "core", "cmp", name] => name,
        _ => return None,
    };
    let found = FUNCTIONS.iter().find(|(function, _)| *function == name);
    found.map(|(_, method)| *method)
}

/// An argument as the receiver of a method.
fn receiver_text(argument: &Expr) -> String {
    match argument {
        Expr::Path(_)
        | Expr::Index(_)
        | Expr::MethodCall(_)
        | Expr::Paren(_)
        | Expr::Field(_)
        | Expr::Call(_) => text_of(argument),
        Expr::Reference(inner) => receiver_text(&inner.expr),
        compound => format!("({})", text_of(compound)),
    }
}

#[cfg(test)]
mod tests {
    use super::{FUNCTIONS, called};
    use crate::check::scope::{Nature, Scope};
    use crate::methods;
    use crate::report::Report;
    use proc_macro2::{Ident, Span};

    fn message(source: &str) -> Option<String> {
        let mut scope = Scope::default();
        scope.enter();
        scope.bind("mu".into(), Nature::Random);
        scope.bind("y".into(), Nature::Data);
        scope.bind("sqrt".into(), Nature::Other);
        let mut report = Report::default();
        called(&syn::parse_str(source).unwrap(), &scope, &mut report);
        report.messages().pop()
    }

    #[test]
    fn functions_of_random_values_are_methods() {
        for (source, wanted) in [
            ("max(mu, 0.0)", "write `mu.max(0.0)`"),
            ("max(0.0, mu - 1.0)", "write `(mu - 1.0).max(0.0)`"),
            ("std::cmp::min(mu, y[0])", "write `mu.min(y[0])`"),
            ("f64::exp(-mu)", "write `(-mu).exp()`"),
            ("f64::powf(2.0, mu)", "write `Real::from(2.0).powf(mu)`"),
            ("log(mu)", "write `mu.ln()`"),
            ("fabs(&mu)", "write `mu.abs()`"),
        ] {
            let text = message(source).unwrap_or_else(|| panic!("nothing is said of {source}"));
            assert!(text.contains(wanted), "{text}");
            let bare = !source.contains("::");
            assert_eq!(text.contains("self::"), bare, "{text}");
        }
    }

    #[test]
    fn functions_of_data_and_of_the_user_are_left_alone() {
        for source in [
            "max(y[0], 1.0)",
            "f64::exp(0.5)",
            "self::max(mu, 0.0)",
            "own::exp(mu)",
            "logit(mu)",
            "sqrt(mu)",
        ] {
            assert_eq!(message(source), None, "{source}");
        }
    }

    #[test]
    fn the_methods_exist() {
        for (function, method) in FUNCTIONS {
            let method = Ident::new(method, Span::call_site());
            assert!(methods::keeps_randomness(&method), "{function}");
        }
        assert!(FUNCTIONS.is_sorted(), "the functions go by the alphabet");
    }
}
