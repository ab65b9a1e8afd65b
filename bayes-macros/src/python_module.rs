//! `bayes::python!`: the module of Python of a crate's models.

use crate::messages;
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Path, Token};

/// `schools, radon`: the functions of the user's models.
pub struct Call(Punctuated<Path, Token![,]>);

impl Parse for Call {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let models = Punctuated::parse_terminated(input)?;
        if models.is_empty() {
            return Err(input.error(messages::no_model_of_a_module()));
        }
        Ok(Self(models))
    }
}

/// The function by which Python makes the module `name`.
pub fn python_module(call: &Call, name: &str) -> TokenStream {
    let entries = call.0.iter().map(|model| {
        quote! {
            ::bayes::module::Entry {
                kinds: ::bayes::module::kinds(&#model),
                perform: |data, task| ::bayes::module::perform(&#model, data, task),
            }
        }
    });
    quote! {
        #[::bayes::module::pyo3::pymodule]
        #[pyo3(name = #name, crate = "::bayes::module::pyo3")]
        fn __module_of_python(
            module: &::bayes::module::pyo3::Bound<'_, ::bayes::module::pyo3::types::PyModule>,
        ) -> ::bayes::module::pyo3::PyResult<()> {
            ::bayes::module::export(module, ::std::vec::Vec::from([#(#entries),*]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::python_module;

    fn written(source: &str) -> Result<String, String> {
        let call = syn::parse_str(source).map_err(|e: syn::Error| e.to_string())?;
        let file = syn::parse2(python_module(&call, "my_models"));
        let file = file.map_err(|error| error.to_string())?;
        Ok(prettyplease::unparse(&file))
    }

    #[test]
    fn each_model_is_an_entry_of_the_module_with_the_name_of_the_crate() {
        let text = written("schools, inner::radon,").expect("these are models");
        for part in [
            "#[pyo3(name = \"my_models\", crate = \"::bayes::module::pyo3\")]",
            "kinds: ::bayes::module::kinds(&schools)",
            "|data, task| ::bayes::module::perform(",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }

    #[test]
    fn a_module_without_models_is_explained() {
        let message = written("").expect_err("there is no model");
        assert!(
            message.contains("help: name functions with `#[model]`"),
            "{message}"
        );
    }
}
