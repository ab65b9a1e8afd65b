//! A distribution in the user's text: `Name::constructor(parameters)`, perhaps followed by `.iid(n)`.

use crate::catalogue::{self, Known};
use syn::{Expr, ExprCall, Ident};

/// A constructor call of some type.
#[derive(Clone, Copy)]
pub struct Construction<'a> {
    /// The type's name.
    pub name: &'a Ident,
    /// The constructor's name.
    pub constructor: &'a Ident,
    /// The call.
    pub call: &'a ExprCall,
}

impl<'a> Construction<'a> {
    /// The constructor call at the root of `expression`, inside method calls, references and parentheses.
    pub fn at_root(expression: &'a Expr) -> Option<Self> {
        let Expr::Call(call) = root(expression) else {
            return None;
        };
        Self::of(call)
    }

    /// A call as a constructor call.
    pub fn of(call: &'a ExprCall) -> Option<Self> {
        let Expr::Path(function) = &*call.func else {
            return None;
        };
        let path = &function.path;
        if path.segments.len() != 2 || path.leading_colon.is_some() || function.qself.is_some() {
            return None;
        }
        Some(Self {
            name: &path.segments[0].ident,
            constructor: &path.segments[1].ident,
            call,
        })
    }

    /// The distribution of this name, if the macro knows it.
    pub fn known(&self) -> Option<&'static Known> {
        catalogue::find(&self.name.to_string())
    }
}

/// The expression inside method calls, references and parentheses.
pub fn root(expression: &Expr) -> &Expr {
    match expression {
        Expr::MethodCall(call) => root(&call.receiver),
        Expr::Reference(reference) => root(&reference.expr),
        Expr::Paren(inner) => root(&inner.expr),
        Expr::Group(inner) => root(&inner.expr),
        other => other,
    }
}

/// Whether the values of a distribution are whole numbers; `locals` are names bound to such distributions.
///
/// A mixture is discrete if one of its components is, and so is a hidden Markov model; a product is if all of its factors are. An unknown distribution counts as continuous;
/// the type system reports an error if it is not.
pub fn is_discrete(expression: &Expr, locals: &[String]) -> bool {
    match root(expression) {
        Expr::Path(path) => path
            .path
            .get_ident()
            .is_some_and(|name| locals.iter().any(|l| name == l)),
        Expr::Array(array) => array.elems.iter().any(|e| is_discrete(e, locals)),
        Expr::Tuple(tuple) => tuple.elems.iter().any(|e| is_discrete(e, locals)),
        Expr::Call(call) => match Construction::at_root(expression) {
            Some(construction) if construction.name == "Product" => {
                all_discrete(&call.args, locals)
            }
            Some(construction) if is_of_parts(construction) => call
                .args
                .iter()
                .any(|argument| is_discrete(argument, locals)),
            Some(construction) => construction.known().is_some_and(|known| known.discrete),
            None => false,
        },
        _ => false,
    }
}

/// Whether all factors of a product are discrete: the elements of a tuple or of an array, or one that stands for all.
fn all_discrete<'a>(factors: impl IntoIterator<Item = &'a Expr>, locals: &[String]) -> bool {
    factors.into_iter().all(|factors| match root(factors) {
        Expr::Tuple(tuple) => tuple.elems.iter().all(|e| is_discrete(e, locals)),
        other => is_discrete(other, locals),
    })
}

/// Whether its values are the values of its component distributions.
fn is_of_parts(construction: Construction<'_>) -> bool {
    ["Mixture", "HiddenMarkov"]
        .iter()
        .any(|name| construction.name == name)
}

/// The families whose values are Gaussian on the unconstrained coordinates.
pub const GAUSSIAN: [&str; 9] = [
    "GaussianProcess",
    "GaussianRandomWalk",
    "IntrinsicRandomWalk",
    "LogNormal",
    "LogitNormal",
    "MatrixNormal",
    "MultivariateNormal",
    "Normal",
    "ZeroSumNormal",
];

/// Whether a distribution is known not to be Gaussian on the unconstrained coordinates: another family, or a truncated or ordered
/// distribution. `locals` are names bound to such distributions.
///
/// An unknown distribution, such as the prior of a network, counts as Gaussian; the model's first draws show if it is not.
pub fn is_not_gaussian(expression: &Expr, locals: &[String]) -> bool {
    const RESTRICTIONS: [&str; 3] = ["truncated", "within", "ordered"];
    match expression {
        Expr::MethodCall(call) => {
            RESTRICTIONS.iter().any(|name| call.method == name)
                || is_not_gaussian(&call.receiver, locals)
        }
        Expr::Reference(reference) => is_not_gaussian(&reference.expr, locals),
        Expr::Paren(inner) => is_not_gaussian(&inner.expr, locals),
        Expr::Group(inner) => is_not_gaussian(&inner.expr, locals),
        Expr::Path(path) => path
            .path
            .get_ident()
            .is_some_and(|name| locals.iter().any(|l| name == l)),
        Expr::Call(_) => Construction::at_root(expression)
            .and_then(|construction| construction.known())
            .is_some_and(|known| !GAUSSIAN.contains(&known.name)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_not_gaussian;

    #[test]
    fn priors_that_are_not_gaussian_are_seen_by_their_names() {
        let other = |text: &str| {
            let expression = syn::parse_str(text).expect("it is an expression");
            is_not_gaussian(&expression, &["shape".to_owned()])
        };
        for text in [
            "HalfCauchy::new(1.0)",
            "Gamma::new(1.0, 2.0).iid(3)",
            "Normal::new(0.0, 1.0).truncated(0.0, 1.0)",
            "(Normal::new(0.0, 1.0).iid(2).ordered())",
            "shape",
            "Mixture::new([0.5, 0.5], [Normal::new(0.0, 1.0), Normal::new(1.0, 1.0)])",
        ] {
            assert!(other(text), "{text}");
        }
        // unknown distributions are left to the first draws
        for text in [
            "Normal::new(0.0, 1.0)",
            "LogNormal::new(0.0, s).iid(k)",
            "MultivariateNormal::new(&mean, covariance)",
            "net.prior()",
            "known",
            "Mine::new(2.0)",
        ] {
            assert!(!other(text), "{text}");
        }
    }
}
