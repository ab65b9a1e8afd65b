//! The macro's own view of a model function, borrowed from `syn`.

use syn::ext::IdentExt;
use syn::{Attribute, Block, Expr, ExprCall, Generics, Ident, Type, Visibility};

/// A model function with a valid signature.
pub struct ModelFn<'a> {
    /// Whether it is also compiled for dual numbers, `#[model(forward)]`.
    pub is_forward: bool,
    /// Attributes of the function, without `#[model]` itself.
    pub attributes: &'a [Attribute],
    /// Visibility of the function and of the model's type.
    pub visibility: &'a Visibility,
    /// Name of the function and of the model's type.
    pub name: &'a Ident,
    /// Generics of the model's type: the user's lifetimes, and elided lifetimes with names.
    pub generics: Generics,
    /// The data.
    pub arguments: Vec<Argument<'a>>,
    /// The statements.
    pub body: &'a Block,
    /// The text of the function, with its line breaks and without its documentation.
    pub source: String,
}

/// A data argument.
pub struct Argument<'a> {
    /// Its name.
    pub name: &'a Ident,
    /// Its type with every lifetime named.
    pub ty: Type,
    /// The form in which the body gets it.
    pub binding: Binding,
    /// Whether it has one row for each observation.
    pub has_rows: bool,
}

impl ModelFn<'_> {
    /// Whether an argument has rows.
    pub fn has_rows(&self) -> bool {
        self.arguments.iter().any(|argument| argument.has_rows)
    }
}

impl Argument<'_> {
    /// The name in the form that users read.
    pub fn plain_name(&self) -> String {
        self.name.unraw().to_string()
    }
}

/// The form in which the body gets an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// References and numbers: the field is copied out.
    Copied,
    /// All others: the body gets a reference.
    Borrowed,
}

/// The action of a statement call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// `sample(distribution)`.
    Sample,
    /// `sample_discrete(distribution)`, for discrete distributions that the macro does not know.
    SampleDiscrete,
    /// `param(start)`.
    Param,
    /// `sum_out(distribution)`.
    SumOut,
    /// `impute(data, distribution)`.
    Impute,
    /// `observe(data, distribution)`.
    Observe,
    /// `deterministic(value)`.
    Deterministic,
    /// `factor(log_weight)`.
    Factor,
    /// `generate(distribution)`.
    Generate,
}

impl Verb {
    /// The word that users write.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sample => "sample",
            Self::SampleDiscrete => "sample_discrete",
            Self::Param => "param",
            Self::SumOut => "sum_out",
            Self::Impute => "impute",
            Self::Observe => "observe",
            Self::Deterministic => "deterministic",
            Self::Factor => "factor",
            Self::Generate => "generate",
        }
    }

    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Sample,
        Self::SampleDiscrete,
        Self::Param,
        Self::SumOut,
        Self::Impute,
        Self::Observe,
        Self::Deterministic,
        Self::Factor,
        Self::Generate,
    ];

    /// The verb written as `word`.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.word() == word)
    }

    /// Whether the statement makes a quantity that needs its own name.
    pub fn names_a_quantity(self) -> bool {
        !matches!(self, Self::Observe | Self::Factor)
    }

    /// Whether the statement makes an unknown: a random quantity, or a param.
    pub fn draws(self) -> bool {
        matches!(
            self,
            Self::Sample | Self::SampleDiscrete | Self::Param | Self::Impute
        )
    }
}

/// A call of one of the statement words.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The verb of the word.
    pub verb: Verb,
    /// The word as written.
    pub word: &'a Ident,
    /// The whole call.
    pub call: &'a ExprCall,
}

impl<'a> Call<'a> {
    /// `expression` as a statement call: its function is a bare statement word.
    pub fn from_expr(expression: &'a Expr) -> Option<Self> {
        let Expr::Call(call) = expression else {
            return None;
        };
        Self::from_call(call)
    }

    /// `call` as a statement call.
    pub fn from_call(call: &'a ExprCall) -> Option<Self> {
        let Expr::Path(function) = &*call.func else {
            return None;
        };
        let word = function.path.get_ident()?;
        let verb = Verb::from_word(&word.to_string())?;
        Some(Self { verb, word, call })
    }
}
