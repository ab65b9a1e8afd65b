//! The types of random quantities: generic over the mode, but written without it in a model.

use syn::{Expr, ExprCall, Ident};

/// Their names.
const RANDOM: [&str; 6] = [
    "Complex",
    "ComplexMatrix",
    "ComplexVector",
    "Matrix",
    "Real",
    "Vector",
];

/// Functions of these types whose result is random if an argument is.
const CONSTRUCTORS: [&str; 7] = [
    "from",
    "from_elements",
    "from_parts",
    "from_polar",
    "from_rows",
    "new",
    "select",
];

/// Whether `name` is the name of a type of random quantities.
pub fn is_random(name: &Ident) -> bool {
    is_random_name(&name.to_string())
}

/// The same for a name as text.
pub fn is_random_name(name: &str) -> bool {
    RANDOM.contains(&name)
}

/// Whether this is a call such as `Complex::new(a, b)`, whose result is random if an argument is.
pub fn is_construction(call: &ExprCall) -> bool {
    let Expr::Path(function) = &*call.func else {
        return false;
    };
    let mut names = function.path.segments.iter().rev().map(|s| &s.ident);
    let (Some(last), Some(owner)) = (names.next(), names.next()) else {
        return false;
    };
    is_random(owner) && CONSTRUCTORS.iter().any(|name| last == name)
}
