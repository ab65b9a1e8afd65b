//! Names for elided lifetimes, which a struct cannot elide.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::visit_mut::{self, VisitMut};
use syn::{GenericParam, Generics, Ident, Lifetime, LifetimeParam, ParenthesizedGenericArguments};
use syn::{Type, TypeFnPtr, TypeReference};

/// `ty` with every elided lifetime named after the argument; the names are added to `generics`.
pub fn name_elided(ty: &Type, argument: &Ident, generics: &mut Generics) -> Type {
    let mut ty = ty.clone();
    Namer { argument, generics }.visit_type_mut(&mut ty);
    ty
}

struct Namer<'a> {
    argument: &'a Ident,
    generics: &'a mut Generics,
}

impl Namer<'_> {
    fn fresh(&mut self, span: Span) -> Lifetime {
        let mut stem = self.argument.unraw().to_string();
        if *self.argument != stem {
            // `r#type` cannot give `'type`
            stem.push('_');
        }
        let mut name = format!("'{stem}");
        let mut tries = 1;
        while self
            .generics
            .lifetimes()
            .any(|known| known.lifetime.to_string() == name)
        {
            tries += 1;
            name = format!("'{stem}{tries}");
        }
        let lifetime = Lifetime::new(&name, span);
        let position = self.generics.lifetimes().count();
        let parameter = GenericParam::Lifetime(LifetimeParam::new(lifetime.clone()));
        self.generics.params.insert(position, parameter);
        lifetime
    }
}

impl VisitMut for Namer<'_> {
    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        if reference.lifetime.is_none() {
            reference.lifetime = Some(self.fresh(reference.and_token.span));
        }
        visit_mut::visit_type_reference_mut(self, reference);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "_" {
            *lifetime = self.fresh(lifetime.apostrophe);
        }
    }

    // Lifetimes elided inside `Fn(&T)` and `fn(&T)` belong to the call, not to the struct.
    fn visit_parenthesized_generic_arguments_mut(&mut self, _: &mut ParenthesizedGenericArguments) {
    }
    fn visit_type_fn_ptr_mut(&mut self, _: &mut TypeFnPtr) {}
}
