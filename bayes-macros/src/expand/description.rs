//! The description of a model: its name, its file, its statements and its data.

use super::rows;
use crate::ast::{ModelFn, Verb};
use proc_macro2::TokenStream;
use quote::quote;

/// A row of the statement table.
#[derive(Debug)]
pub struct Row {
    /// The action of the statement.
    pub verb: Verb,
    /// The name of the quantity or of the data, in the user's text.
    pub name: String,
    /// The text of the statement.
    pub text: String,
    /// Its line in the user's file.
    pub line: usize,
}

/// The methods `name`, `file`, `source`, `statements`, `data` and `numbers`.
pub fn description(model: &ModelFn<'_>, rows: &[Row]) -> TokenStream {
    let name = model.name.to_string();
    let source = &model.source;
    let rows = rows
        .iter()
        .map(|written| row(written, &plain_names(output_name(written, rows, model))));
    let data = data(model);
    let row_counts = model.has_rows().then(|| rows::row_counts(model));
    quote! {
        fn name(&self) -> &'static str {
            #name
        }
        fn file(&self) -> &'static str {
            ::core::file!()
        }
        fn source(&self) -> &'static str {
            #source
        }
        fn statements(&self) -> &'static [::bayes::__private::Statement] {
            #[allow(unused_imports)]
            use ::bayes::__private::{Statement, StatementKind};
            &[#(#rows),*]
        }
        #data
        #row_counts
    }
}

fn data(model: &ModelFn<'_>) -> TokenStream {
    if model.arguments.is_empty() {
        return TokenStream::new();
    }
    let fields = model.arguments.iter().map(|argument| argument.name);
    let arguments = model.arguments.iter().map(|argument| {
        let (field, name) = (argument.name, argument.plain_name());
        quote!(describe(#name, &self.#field).argument())
    });
    quote! {
        fn data(&self) -> ::std::vec::Vec<::bayes::__private::DataArgument> {
            #[allow(unused_imports)]
            use ::bayes::__private::{Known as _, Unknown as _, describe};
            ::core::convert::From::from([#(#arguments),*])
        }
        fn numbers<'__data>(&'__data self, show: &mut dyn ::core::ops::FnMut(&'__data [f64])) {
            #[allow(unused_imports)]
            use ::bayes::__private::{Known as _, Unknown as _, describe};
            #(describe("", &self.#fields).numbers().map(&mut *show);)*
        }
    }
}

/// The name in the output: `_rate` becomes `rate`, because the underscore only says that the body does not use it. The underscore stays
/// if other statements or data have the name without it.
fn output_name<'a>(row: &'a Row, rows: &[Row], model: &ModelFn<'_>) -> &'a str {
    let bare = match row.name.strip_prefix('_') {
        Some(bare) if row.verb.names_a_quantity() && bare.starts_with(char::is_alphabetic) => bare,
        _ => return &row.name,
    };
    let taken = rows.iter().any(|other| other.name == bare)
        || model.arguments.iter().any(|argument| argument.name == bare);
    if taken { &row.name } else { bare }
}

/// Names in the form that users read. The prefix of raw identifiers belongs to Rust, so `r#type` is `type` in the output, alone and in
/// `(r#type, high)`.
pub fn plain_names(names: &str) -> String {
    names.replace("r#", "")
}

fn row(row: &Row, name: &str) -> TokenStream {
    let Row { verb, text, .. } = row;
    let kind = match verb {
        Verb::Sample | Verb::SampleDiscrete => quote!(Sample),
        Verb::Param => quote!(Param),
        Verb::SumOut => quote!(SumOut),
        // an imputation is two rows, of these kinds
        Verb::Observe | Verb::Impute => quote!(Observe),
        Verb::Deterministic => quote!(Deterministic),
        Verb::Factor => quote!(Factor),
        Verb::Generate => quote!(Generate),
    };
    let line = proc_macro2::Literal::usize_unsuffixed(row.line);
    quote!(Statement { kind: StatementKind::#kind, name: #name, text: #text, line: #line })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seen to detect: names with the prefix, for which `run.mean("type")` was an unknown name.
    #[test]
    fn raw_identifiers_are_plain_in_the_output() {
        let function = syn::parse_str("fn m(r#ref: &[f64], high: &[f64]) {}").unwrap();
        let model = crate::parse::model(&function, false);
        let written = |verb, name: &str| Row {
            verb,
            name: name.to_owned(),
            text: "let r#type = sample(Normal::new(0.0, 1.0))".to_owned(),
            line: 1,
        };
        let rows = [
            written(Verb::Sample, "r#type"),
            written(Verb::Observe, "(r#ref, high)"),
            written(Verb::Sample, "rate"),
        ];
        let found = description(&model, &rows).to_string();
        for name in ["\"type\"", "\"(ref, high)\"", "\"rate\""] {
            assert!(found.contains(&format!("name : {name}")), "{found}");
        }
        assert!(
            found.contains("let r#type = sample"),
            "the statement stays as written"
        );
    }
}
