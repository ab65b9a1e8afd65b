//! Functions inside a model: they are separate items and do not see the model's mode.

use crate::messages;
use crate::report::Report;
use crate::types::is_random;
use syn::visit::Visit;
use syn::{ItemFn, PathArguments, TypePath};

/// `fn h(a: Real) -> Real` inside a model; `Real` stands for the model's `Real<M>` only outside items.
pub fn helper(function: &ItemFn, report: &mut Report) {
    // The other attribute is expanded afterwards and fills the mode in.
    if is_completed(function) {
        return;
    }
    let mut bare = Bare(Vec::new());
    bare.visit_signature(&function.sig);
    let Some(ty) = bare.0.first() else { return };
    let name = ty.path.segments[0].ident.to_string();
    report.at(ty, messages::helper(&function.sig.ident, &name));
}

/// Whether it has the attribute `#[function]`.
fn is_completed(function: &ItemFn) -> bool {
    let mut names = function
        .attrs
        .iter()
        .filter_map(|a| a.path().segments.last());
    names.any(|name| name.ident == "function")
}

/// Types of random quantities without a mode.
struct Bare<'a>(Vec<&'a TypePath>);

impl<'ast> Visit<'ast> for Bare<'ast> {
    fn visit_type_path(&mut self, ty: &'ast TypePath) {
        if let Some(segment) = ty.path.segments.first()
            && ty.path.segments.len() == 1
            && matches!(segment.arguments, PathArguments::None)
            && is_random(&segment.ident)
        {
            self.0.push(ty);
        }
        syn::visit::visit_type_path(self, ty);
    }
}
