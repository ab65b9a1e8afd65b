//! Random expressions: expressions built from random names by operators, known methods and constructors.
//!
//! Everything else counts as not random. The types still catch mistakes that are missed here, with rustc's messages; a false alarm would
//! reject a valid program.

use super::generated;
use super::scope::{Nature, Scope};
use crate::methods;
use crate::types;
use syn::{BinOp, Expr, ExprCall, ExprClosure, ExprMethodCall, Lit, Pat, UnOp};

/// Whether the value of `expression` depends on a random value, as far as its syntax shows.
pub fn is_random(expression: &Expr, scope: &Scope) -> bool {
    match expression {
        Expr::Path(path) => path
            .path
            .get_ident()
            .is_some_and(|name| scope.is_random(&name.to_string())),
        Expr::Binary(binary) => {
            is_arithmetic(&binary.op)
                && (is_random(&binary.left, scope) || is_random(&binary.right, scope))
        }
        Expr::Unary(unary) => !matches!(unary.op, UnOp::Not(_)) && is_random(&unary.expr, scope),
        Expr::Paren(inner) => is_random(&inner.expr, scope),
        Expr::Group(inner) => is_random(&inner.expr, scope),
        Expr::Reference(inner) => is_random(&inner.expr, scope),
        Expr::Index(index) => is_random(&index.expr, scope),
        Expr::Field(field) => is_random(&field.base, scope),
        Expr::Array(array) => array.elems.iter().any(|part| is_random(part, scope)),
        Expr::MethodCall(call) => {
            is_solution(call) || keeps_randomness(call) && is_random(&call.receiver, scope)
        }
        Expr::Call(call) => {
            types::is_construction(call) && call.args.iter().any(|part| is_random(part, scope))
        }
        _ => false,
    }
}

/// The closure in `ode(|t, z| .., start)`, `integrate(|x| .., lower, upper)` or `solve(|x| .., lower, upper)`, whose last argument is
/// random.
pub fn rates(call: &ExprCall) -> Option<&ExprClosure> {
    let takes_one = is_equations(call) || is_numeric(call);
    let Expr::Closure(closure) = call.args.first().filter(|_| takes_one)? else {
        return None;
    };
    Some(closure)
}

/// Whether a call is one of `integrate` or `solve`.
fn is_numeric(call: &ExprCall) -> bool {
    let is = |name| matches!(&*call.func, Expr::Path(function) if function.path.is_ident(name));
    is("integrate") || is("solve")
}

/// Whether a call is one of `ode`.
fn is_equations(call: &ExprCall) -> bool {
    matches!(&*call.func, Expr::Path(function) if function.path.is_ident("ode"))
}

/// Whether this is `ode(..)`, perhaps with settings, and `.at(..)`, or `integrate(..)` with `.value()` or `solve(..)` with `.root()`.
fn is_solution(call: &ExprMethodCall) -> bool {
    let mut receiver = &*call.receiver;
    while let Expr::MethodCall(setting) = receiver {
        receiver = &setting.receiver;
    }
    let Expr::Call(function) = receiver else {
        return false;
    };
    match call.method.to_string().as_str() {
        "at" => is_equations(function),
        "value" | "root" => is_numeric(function),
        _ => false,
    }
}

fn keeps_randomness(call: &ExprMethodCall) -> bool {
    methods::keeps_randomness(&call.method)
}

fn is_arithmetic(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_)
    )
}

/// Whether `op` compares.
pub fn is_comparison(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) | BinOp::Eq(_) | BinOp::Ne(_)
    )
}

/// The part of a condition that depends on a random value.
pub fn random_part<'a>(condition: &'a Expr, scope: &Scope) -> Option<&'a Expr> {
    match condition {
        Expr::Binary(binary) if is_comparison(&binary.op) => {
            let random = is_random(&binary.left, scope) || is_random(&binary.right, scope);
            random.then_some(condition)
        }
        Expr::Binary(binary) => {
            random_part(&binary.left, scope).or_else(|| random_part(&binary.right, scope))
        }
        Expr::Unary(unary) => random_part(&unary.expr, scope),
        Expr::Paren(inner) => random_part(&inner.expr, scope),
        Expr::Group(inner) => random_part(&inner.expr, scope),
        other => is_random(other, scope).then_some(other),
    }
}

/// The expression inside parentheses.
pub fn without_parentheses(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) => without_parentheses(&inner.expr),
        Expr::Group(inner) => without_parentheses(&inner.expr),
        other => other,
    }
}

/// Binds the pattern of a loop over `iterated`: the elements of a random vector are random, their
/// positions are not.
pub fn bind_loop(pattern: &Pat, iterated: &Expr, scope: &mut Scope) {
    if let (Pat::Tuple(pair), Expr::MethodCall(call)) = (pattern, iterated)
        && call.method == "enumerate"
        && pair.elems.len() == 2
        && yields_random(&call.receiver, scope)
    {
        scope.bind_pattern(&pair.elems[0], Nature::Counter);
        scope.bind_pattern(&pair.elems[1], Nature::Random);
        return;
    }
    let nature = if generated::within(iterated, scope).is_some() {
        Nature::Generated
    } else if yields_random(iterated, scope) {
        Nature::Random
    } else if is_count(iterated) {
        Nature::Counter
    } else {
        Nature::Other
    };
    scope.bind_pattern(pattern, nature);
}

/// Whether this is a range from a whole number on, such as `0..n`.
fn is_count(iterated: &Expr) -> bool {
    let Expr::Range(range) = without_parentheses(iterated) else {
        return false;
    };
    let start = range.start.as_deref();
    start.is_some_and(
        |start| matches!(start, Expr::Lit(literal) if matches!(literal.lit, Lit::Int(_))),
    )
}

/// Methods of iterators that return the same elements, or some of them.
const SAME_ELEMENTS: &[&str] = &[
    "iter",
    "into_iter",
    "copied",
    "cloned",
    "rev",
    "elements",
    "filter",
    "skip",
    "take",
    "step_by",
];

/// Whether `expression` is certainly an iterator; vectors and matrices have their own `map` and `sum`.
pub fn is_iterator(expression: &Expr) -> bool {
    match without_parentheses(expression) {
        Expr::Range(_) => true,
        Expr::MethodCall(call) if call.method == "iter" || call.method == "into_iter" => true,
        Expr::MethodCall(call) => is_iterator(&call.receiver),
        _ => false,
    }
}

/// Whether the elements of `iterated` are random.
pub fn yields_random(iterated: &Expr, scope: &Scope) -> bool {
    match iterated {
        Expr::MethodCall(call) if SAME_ELEMENTS.iter().any(|method| call.method == method) => {
            yields_random(&call.receiver, scope)
        }
        Expr::MethodCall(call) if call.method == "map" => maps_to_random(call, scope),
        other => is_random(other, scope),
    }
}

/// Whether the closure of `.map(..)` returns random values.
fn maps_to_random(call: &ExprMethodCall, scope: &Scope) -> bool {
    let Some(Expr::Closure(closure)) = call.args.first() else {
        return yields_random(&call.receiver, scope);
    };
    let mut inner = scope.clone();
    inner.enter();
    closure
        .inputs
        .iter()
        .for_each(|input| bind_element(input, &call.receiver, &mut inner));
    is_random(&closure.body, &inner)
}

/// Binds the pattern of an element of `iterated`; the parts of a pair from `zip` are treated separately.
fn bind_element(pattern: &Pat, iterated: &Expr, scope: &mut Scope) {
    if let (Pat::Tuple(pair), Expr::MethodCall(call)) = (pattern, iterated)
        && call.method == "zip"
        && let (Some(left), Some(right), Some(other)) =
            (pair.elems.get(0), pair.elems.get(1), call.args.first())
    {
        bind_element(left, &call.receiver, scope);
        bind_element(right, other, scope);
        return;
    }
    bind_loop(pattern, iterated, scope);
}

#[cfg(test)]
mod tests {
    use super::{Nature, Scope, is_random, random_part};

    fn scope() -> Scope {
        let mut scope = Scope::default();
        scope.enter();
        scope.bind("mu".into(), Nature::Random);
        scope.bind("z".into(), Nature::Random);
        scope.bind("y".into(), Nature::Other);
        scope
    }

    #[test]
    fn arithmetic_and_known_methods_keep_randomness() {
        for source in [
            "mu",
            "-mu",
            "2.0 * (mu + 1.0)",
            "z[3]",
            "mu.exp().sqrt()",
            "*z",
            "&z",
            "Complex::new(0.0, mu)",
            "Complex::new(mu, 1.0).re",
            "(Complex::from(mu) * 2.0).norm_sqr()",
            "ComplexMatrix::from_parts(1, 1, &z, &z).adjoint().trace()",
        ] {
            assert!(
                is_random(&syn::parse_str(source).unwrap(), &scope()),
                "{source}"
            );
        }
    }

    #[test]
    fn lengths_data_and_unknown_calls_are_not_random() {
        for source in [
            "z.len()",
            "y[2]",
            "y.len() * 2",
            "f(mu)",
            "Complex::new(y[0], 1.0)",
            "Own::new(mu)",
            "z.iter().count()",
            "mu.primal()",
            "self.mu",
            "!mu",
        ] {
            assert!(
                !is_random(&syn::parse_str(source).unwrap(), &scope()),
                "{source}"
            );
        }
    }

    #[test]
    fn conditions_are_random_through_a_comparison_or_a_mask() {
        for source in [
            "mu > 0.0",
            "y[0] > 1.0 && 0.0 < mu",
            "!(mu == 0.0)",
            "mu.lt(0.0)",
        ] {
            assert!(
                random_part(&syn::parse_str(source).unwrap(), &scope()).is_some(),
                "{source}"
            );
        }
        for source in [
            "z.len() > 3",
            "y[0] > 1.0",
            "z.is_empty()",
            "let Some(a) = z.get(3)",
        ] {
            assert!(
                random_part(&syn::parse_str(source).unwrap(), &scope()).is_none(),
                "{source}"
            );
        }
    }
}
