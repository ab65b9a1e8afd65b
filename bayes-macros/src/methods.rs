//! The methods of random values that the macro knows by name: elementary functions from their table, all others from the lists here.
//!
//! The rules use them to find random expressions. A method of `Real` that is missing fails a test.

use syn::Ident;

macro_rules! named {
    ($($arity:ident $file:ident {
        $($(#[$doc:meta])+ $function:ident $method:ident($($other:ident)?);)+
    })+) => {
        /// Methods of random scalars that are elementary functions.
        const FUNCTIONS: &[&str] = &[$($(stringify!($method)),+),+];
    };
}
bayes_catalogue::functions!(named);

/// Other methods of random scalars whose result is random too.
const OF_SCALARS: &[&str] = &[
    "ge",
    "gt",
    "le",
    "ln_beta_cdf",
    "ln_gamma_cdf",
    "ln_gamma_sf",
    "ln_student_cdf",
    "lt",
    "max",
    "min",
    "powf",
    "powi",
];

/// The same for complex numbers, vectors and matrices, if scalars have no method with this name.
const OF_COMPLEX: &[&str] = &[
    "adjoint",
    "arg",
    "conj",
    "hermitian_form",
    "hermitian_square",
    "imaginary",
    "inner",
    "kronecker",
    "norm",
    "norm_sqr",
    "norm_squared",
    "norms_sqr",
    "outer",
    "real",
    "trace",
    "trace_of_product",
    "transpose",
];

/// The same for random vectors and matrices, and for methods of plain numbers that random values do not have: the types refuse them.
const OF_OTHERS: &[&str] = &[
    "at",
    "ceil",
    "cholesky",
    "clone",
    "cube",
    "diagonal",
    "dot",
    "exp2",
    "inverse",
    "log_determinant",
    "log_sum_exp",
    "matrix_exp",
    "mean",
    "neg",
    "quadratic_form",
    "select_rows",
    "softmax",
    "solve",
    "solve_lower",
    "solve_upper",
    "sum",
    "symmetric_eigenvalues",
];

/// Names of functions elsewhere, and their names here.
pub const OTHER_NAMES: &[(&str, &str)] = &[
    ("log", "ln"),
    ("log1p", "ln_1p"),
    ("expm1", "exp_m1"),
    ("lgamma", "ln_gamma"),
    ("expit", "logistic"),
    ("inv_logit", "logistic"),
    ("sigmoid", "logistic"),
];

/// Whether the result of the method is random if the receiver is. Excludes `len`, `iter`, `primal` and other methods whose result a model
/// may branch on.
pub fn keeps_randomness(method: &Ident) -> bool {
    let own = FUNCTIONS
        .iter()
        .chain(OF_SCALARS)
        .chain(OF_COMPLEX)
        .chain(OF_OTHERS);
    let other = OTHER_NAMES.iter().map(|(name, _)| name);
    own.chain(other).any(|known| method == known)
}

/// The table is read without the types of `bayes-autodiff`; here it is compared with their sources.
#[cfg(test)]
mod tests {
    use super::{FUNCTIONS, OF_COMPLEX, OF_SCALARS, OTHER_NAMES, keeps_randomness};
    use proc_macro2::Span;
    use std::collections::BTreeSet;
    use std::path::Path;
    use syn::{Ident, ImplItem, ImplItemFn, Item, ReturnType, Type, Visibility};

    fn is_called(ty: &Type, name: &str) -> bool {
        matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name))
    }

    /// Whether it is a public method that returns something other than a plain number.
    fn is_listed(function: &ImplItemFn) -> bool {
        let plain = matches!(&function.sig.output, ReturnType::Type(_, ty) if is_called(ty, "f64"));
        let is_public = matches!(function.vis, Visibility::Public(_));
        is_public && !plain && function.sig.receiver().is_some()
    }

    /// The methods of the types `names` that the sources in `folder` declare.
    fn methods(folder: &str, names: &[&str]) -> BTreeSet<String> {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bayes-autodiff/src");
        let mut found = BTreeSet::new();
        let entries = std::fs::read_dir(sources.join(folder)).unwrap();
        let files = entries.map(|entry| entry.unwrap().path());
        for file in files.filter(|file| file.is_file()) {
            let text = std::fs::read_to_string(file).unwrap();
            let own = syn::parse_file(&text).unwrap().items.into_iter();
            let own = own.filter_map(|item| match item {
                Item::Impl(block) if block.trait_.is_none() => Some(block),
                _ => None,
            });
            let is_one = |ty: &Type| names.iter().any(|name| is_called(ty, name));
            for block in own.filter(|block| is_one(&block.self_ty)) {
                found.extend(block.items.iter().filter_map(|item| match item {
                    ImplItem::Fn(function) => {
                        is_listed(function).then(|| function.sig.ident.to_string())
                    }
                    _ => None,
                }));
            }
        }
        found
    }

    #[test]
    fn every_public_method_of_a_random_scalar_is_known() {
        let listed: BTreeSet<String> = OF_SCALARS.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(listed, methods("real", &["Real"]));
        assert!(OF_SCALARS.is_sorted(), "the names go by the alphabet");
    }

    #[test]
    fn every_public_method_of_a_complex_number_is_known_and_no_other() {
        for method in methods("complex", &["Complex"]) {
            assert!(
                keeps_randomness(&Ident::new(&method, Span::call_site())),
                "{method}"
            );
        }
        let types = ["Complex", "ComplexVector", "ComplexMatrix"];
        let mut all = methods("complex", &types);
        all.extend(methods("complex/matrix", &types));
        for name in OF_COMPLEX {
            assert!(all.contains(*name), "there is no method {name}");
        }
        assert!(OF_COMPLEX.is_sorted(), "the names go by the alphabet");
    }

    #[test]
    fn other_names_lead_to_methods_that_exist() {
        for (other, here) in OTHER_NAMES {
            let known = OF_SCALARS.contains(here) || FUNCTIONS.contains(here);
            assert!(known, "{other} is not called {here}");
        }
        assert!(!keeps_randomness(&Ident::new("primal", Span::call_site())));
        assert!(keeps_randomness(&Ident::new("sum", Span::call_site())));
    }
}
