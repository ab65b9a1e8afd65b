//! `bayes::main!`: the function `main` of a program for a model.

use crate::messages;
use crate::text::text_of;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::{Error, Expr, ExprBlock, ExprClosure, Pat, Stmt, Token, bracketed};

/// `[bayes_cli] |data| model(..)`: the crate of the command line, and the user's text.
pub struct Call {
    library: TokenStream,
    model: Expr,
}

impl Parse for Call {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let library;
        bracketed!(library in input);
        let library = library.parse()?;
        if input.is_empty() {
            return Err(input.error(messages::no_model_of_a_program()));
        }
        let model = input.parse()?;
        input.parse::<Option<Token![;]>>()?;
        Ok(Self { library, model })
    }
}

/// `fn main` of a program that makes its model from a table, or from nothing.
pub fn main_function(call: &Call) -> syn::Result<TokenStream> {
    let Call { library, model } = call;
    let Expr::Closure(closure) = model else {
        return Ok(written(library, &quote!(None), &quote!(_), &[], model));
    };
    let table = table(closure)?;
    let (statements, model) = match &*closure.body {
        Expr::Block(block) if block.label.is_none() => parts(block)?,
        plain => (&[][..], plain),
    };
    let texts = statements.iter().map(text_of);
    let texts = texts.chain([text_of(model)]);
    let data = quote!(Some(&[#(#texts),*]));
    Ok(written(library, &data, &quote!(#table), statements, model))
}

/// The name of the table.
fn table(closure: &ExprClosure) -> syn::Result<&Pat> {
    let mut inputs = closure.inputs.iter();
    match (inputs.next(), inputs.next()) {
        (Some(Pat::Type(typed)), None) => Ok(&typed.pat),
        (Some(pattern), None) => Ok(pattern),
        _ => Err(Error::new_spanned(
            &closure.inputs,
            messages::no_model_of_a_program(),
        )),
    }
}

/// The statements of a block, and the call of the model at its end.
fn parts(block: &ExprBlock) -> syn::Result<(&[Stmt], &Expr)> {
    match block.block.stmts.split_last() {
        Some((Stmt::Expr(model, None), statements)) => Ok((statements, model)),
        Some((last, _)) => Err(Error::new_spanned(last, messages::block_without_a_model())),
        None => Err(Error::new_spanned(block, messages::no_model_of_a_program())),
    }
}

/// The statements are in the function that performs the task, because the model borrows from them.
fn written(
    library: &TokenStream,
    data: &TokenStream,
    table: &TokenStream,
    statements: &[Stmt],
    model: &Expr,
) -> TokenStream {
    let hidden = Span::mixed_site();
    let (program, task) = (Ident::new("program", hidden), Ident::new("task", hidden));
    quote_spanned! {hidden=>
        fn main() -> ::std::process::ExitCode {
            let #program = #library::Program { version: ::core::env!("CARGO_PKG_VERSION"), data: #data };
            #program.main(|#table: &#library::Table, #task: &mut #library::Task| {
                #(#statements)*
                #task.perform(&#model)
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::main_function;

    fn written(source: &str) -> Result<String, String> {
        let call =
            syn::parse_str(&format!("[lib] {source}")).map_err(|e: syn::Error| e.to_string())?;
        let tokens = main_function(&call).map_err(|error| error.to_string())?;
        let file = syn::parse2(tokens).map_err(|error| error.to_string())?;
        Ok(prettyplease::unparse(&file))
    }

    #[test]
    fn any_statements_may_stand_before_the_model() {
        let text = written(
            "|data| { let mut x = data.reals(\"x\")?; for v in &mut x { *v /= 2.0; } let (a, b): (f64, f64) = halves(&x); f(); line(&x, a) }",
        );
        let text = text.expect("it is a block with a model");
        for part in [
            "let mut x = data.reals(\"x\")?;\n            for v in &mut x {",
            "f();\n            task.perform(&line(&x, a))",
            "|data: &lib::Table, task: &mut lib::Task|",
            "\"let mut x = data.reals(\\\"x\\\")?;\"",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }

    #[test]
    fn a_model_alone_takes_no_table() {
        let text = written("funnel(10)").expect("it is a model");
        assert!(
            text.contains("data: None") && text.contains("task.perform(&funnel(10))"),
            "{text}"
        );
        let text = written("|data: &Table| line(&data.reals(\"x\")?)").expect("it is a closure");
        assert!(text.contains("|data: &lib::Table,"), "{text}");
    }

    #[test]
    fn what_makes_no_model_is_explained() {
        for source in ["", "|| line()", "|a, b| line(a, b)", "|data| {}"] {
            let message = written(source).expect_err("there is no model of a table");
            assert!(
                message.contains("help: write `bayes::main!(|data| "),
                "{message}"
            );
        }
        let message =
            written("|data| { line(&data.reals(\"x\")?); }").expect_err("a semicolon ends it");
        assert!(message.contains("without a semicolon"), "{message}");
    }
}
