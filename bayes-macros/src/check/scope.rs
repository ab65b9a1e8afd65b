//! Random names, scope by scope.

use crate::types;
use std::collections::BTreeMap;
use syn::visit::{self, Visit};
use syn::{GenericArgument, Pat, PatIdent, PathArguments, Type};

/// The kind of value that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// A random value, or something computed from one.
    Random,
    /// A param: random too as far as branches, loops and indices are concerned.
    Param,
    /// A quantity that `generate` draws after the run, or something computed from it: random too, but not part of the density.
    Generated,
    /// An argument of the model.
    Data,
    /// A literal number.
    Number,
    /// A censored distribution.
    Censored,
    /// The value of a quantity that is summed out, a `usize`.
    Summed,
    /// A counter of a loop over whole numbers.
    Counter,
    /// Anything else, or unknown.
    Other,
}

/// The names in scope, innermost block last.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    blocks: Vec<BTreeMap<String, Nature>>,
    /// The source text of literal numbers that are bound to names.
    numbers: BTreeMap<String, String>,
    /// Arguments that are lists.
    lists: Vec<String>,
    /// Arguments that are whole numbers.
    wholes: Vec<String>,
    /// Arguments that are matrices.
    matrices: Vec<String>,
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

    /// The number of blocks around the present place.
    pub fn depth(&self) -> usize {
        self.blocks.len()
    }

    /// Whether `name` is bound in one of the `depth` outermost blocks.
    pub fn is_bound_outside(&self, name: &str, depth: usize) -> bool {
        let innermost = self
            .blocks
            .iter()
            .rposition(|block| block.contains_key(name));
        innermost.is_some_and(|place| place < depth)
    }

    /// Whether `name` is random here.
    pub fn is_random(&self, name: &str) -> bool {
        let nature = self.nature(name);
        matches!(
            nature,
            Some(Nature::Random | Nature::Param | Nature::Generated)
        )
    }

    /// The kind of value of `name` here, if it was bound in the body.
    pub fn nature(&self, name: &str) -> Option<Nature> {
        self.blocks
            .iter()
            .rev()
            .find_map(|block| block.get(name))
            .copied()
    }

    /// Records that an argument is a list.
    pub fn add_list(&mut self, name: String) {
        self.lists.push(name);
    }

    /// Whether `name` is an argument that is a list.
    pub fn is_list(&self, name: &str) -> bool {
        self.nature(name) == Some(Nature::Data) && self.lists.iter().any(|list| list == name)
    }

    /// Notes that an argument is a whole number.
    pub fn add_whole(&mut self, name: String) {
        self.wholes.push(name);
    }

    /// Whether `name` is an argument that is a whole number.
    pub fn is_whole(&self, name: &str) -> bool {
        self.nature(name) == Some(Nature::Data) && self.wholes.iter().any(|whole| whole == name)
    }

    /// Notes that an argument is a matrix.
    pub fn add_matrix(&mut self, name: String) {
        self.matrices.push(name);
    }

    /// Whether `name` is an argument that is a matrix.
    pub fn is_matrix(&self, name: &str) -> bool {
        self.nature(name) == Some(Nature::Data) && self.matrices.iter().any(|matrix| matrix == name)
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
    /// A plain name inherits the nature, and so do the parts of arrays and tuples of random values. Parts of other destructured values
    /// are not tracked, because a false alarm would be worse than a missed mistake.
    pub fn bind_pattern(&mut self, pattern: &Pat, nature: Nature) {
        match pattern {
            Pat::Ident(name) if name.subpat.is_none() => self.bind(name.ident.to_string(), nature),
            Pat::Type(typed) if holds_only_random(&typed.ty) && nature != Nature::Generated => {
                self.bind_pattern(&typed.pat, Nature::Random);
            }
            Pat::Type(typed) => self.bind_pattern(&typed.pat, nature),
            // Among random types, only arrays and tuples of random values have parts.
            Pat::Tuple(parts) if nature == Nature::Random => self.bind_parts(&parts.elems),
            Pat::Slice(parts) if nature == Nature::Random => self.bind_parts(&parts.elems),
            Pat::Paren(inner) => self.bind_pattern(&inner.pat, nature),
            Pat::Reference(inner) => self.bind_pattern(&inner.pat, nature),
            other => self.bind_all(other),
        }
    }

    fn bind_parts<'a>(&mut self, parts: impl IntoIterator<Item = &'a Pat>) {
        for part in parts {
            self.bind_pattern(part, Nature::Random);
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

/// Whether a value of this type is random in all its parts: `Real`, `Vector`, `Complex` and so on, with or without a mode, and
/// arrays, slices, vectors, tuples of these.
pub fn holds_only_random(ty: &Type) -> bool {
    match ty {
        Type::Path(path) if path.qself.is_none() && path.path.segments.len() == 1 => {
            let last = &path.path.segments[0];
            match &last.arguments {
                PathArguments::AngleBracketed(arguments)
                    if last.ident == "Vec" || last.ident == "Box" =>
                {
                    let mut arguments = arguments.args.iter();
                    arguments
                        .all(|a| matches!(a, GenericArgument::Type(ty) if holds_only_random(ty)))
                }
                _ => types::is_random(&last.ident),
            }
        }
        Type::Reference(reference) => holds_only_random(&reference.elem),
        Type::Array(array) => holds_only_random(&array.elem),
        Type::Slice(slice) => holds_only_random(&slice.elem),
        Type::Paren(inner) => holds_only_random(&inner.elem),
        Type::Group(inner) => holds_only_random(&inner.elem),
        Type::Tuple(tuple) => !tuple.elems.is_empty() && tuple.elems.iter().all(holds_only_random),
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
