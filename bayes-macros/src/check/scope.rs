//! Which names are random, scope by scope.

use std::collections::BTreeMap;
use syn::visit::{self, Visit};
use syn::{Pat, PatIdent, Type};

/// The kind of value that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// A random value, or something computed from one.
    Random,
    /// An argument of the model.
    Data,
    /// A literal number.
    Number,
    /// A censored distribution.
    Censored,
    /// Anything else, or unknown.
    Other,
}

/// The names in scope, innermost block last.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    blocks: Vec<BTreeMap<String, Nature>>,
    /// The source text of the literal numbers to which names were bound.
    numbers: BTreeMap<String, String>,
}

impl Scope {
    /// Enters a block.
    pub fn enter(&mut self) {
        self.blocks.push(BTreeMap::new());
    }

    /// Leaves the innermost block.
    pub fn leave(&mut self) {
        self.blocks.pop();
    }

    /// Whether `name` is random here.
    pub fn is_random(&self, name: &str) -> bool {
        self.nature(name) == Some(Nature::Random)
    }

    /// The kind of value that `name` stands for here, if it was bound in the body.
    pub fn nature(&self, name: &str) -> Option<Nature> {
        self.blocks
            .iter()
            .rev()
            .find_map(|block| block.get(name))
            .copied()
    }

    /// The source text of the literal number to which `name` was bound last.
    pub fn number(&self, name: &str) -> &str {
        self.numbers.get(name).map_or("0.0", String::as_str)
    }

    /// Stores the source text of a literal number to which a pattern is bound.
    pub fn remember_number(&mut self, pattern: &Pat, text: &str) {
        let mut names = Names::default();
        names.visit_pat(pattern);
        for name in names.0 {
            self.numbers.insert(name, text.to_owned());
        }
    }

    /// Binds a name in the innermost block.
    pub fn bind(&mut self, name: String, nature: Nature) {
        if let Some(block) = self.blocks.last_mut() {
            block.insert(name, nature);
        }
    }

    /// Binds the names of a pattern whose value has the given nature.
    ///
    /// Only a plain name inherits the nature. Parts of a destructured value are not followed,
    /// because a false alarm would be worse than a missed mistake.
    pub fn bind_pattern(&mut self, pattern: &Pat, nature: Nature) {
        match pattern {
            Pat::Ident(name) if name.subpat.is_none() => self.bind(name.ident.to_string(), nature),
            Pat::Type(typed) if names_a_random_type(&typed.ty) => {
                self.bind_pattern(&typed.pat, Nature::Random);
            }
            Pat::Type(typed) => self.bind_pattern(&typed.pat, nature),
            Pat::Paren(inner) => self.bind_pattern(&inner.pat, nature),
            Pat::Reference(inner) => self.bind_pattern(&inner.pat, nature),
            other => self.bind_all(other),
        }
    }

    fn bind_all(&mut self, pattern: &Pat) {
        let mut names = Names::default();
        names.visit_pat(pattern);
        for name in names.0 {
            self.bind(name, Nature::Other);
        }
    }
}

/// `Real`, `Vector` and `Matrix` as a model writes them.
fn names_a_random_type(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => path
            .path
            .get_ident()
            .is_some_and(|name| ["Real", "Vector", "Matrix"].iter().any(|t| name == t)),
        Type::Reference(reference) => names_a_random_type(&reference.elem),
        _ => false,
    }
}

#[derive(Default)]
struct Names(Vec<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        self.0.push(pattern.ident.to_string());
        visit::visit_pat_ident(self, pattern);
    }
}
