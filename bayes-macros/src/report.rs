//! The collector: every mistake is pushed here, and all are shown at once.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Error;

/// The mistakes found so far.
#[derive(Debug, Default)]
pub struct Report {
    errors: Vec<Error>,
}

impl Report {
    /// Adds a mistake at the user's own tokens.
    pub fn at(&mut self, tokens: impl ToTokens, message: impl Into<String>) {
        self.errors.push(Error::new_spanned(tokens, message.into()));
    }

    /// Whether there are no mistakes.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// One `compile_error!` for each mistake, in the order of discovery.
    pub fn into_tokens(self) -> TokenStream {
        self.errors.iter().map(Error::to_compile_error).collect()
    }

    /// The texts of the mistakes, for tests.
    #[cfg(test)]
    pub fn messages(&self) -> Vec<String> {
        self.errors.iter().map(ToString::to_string).collect()
    }
}
