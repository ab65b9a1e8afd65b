//! The method `program`: the user's body with its statements replaced by calls of the interpreter.

use super::counters::{Counters, first_of_slice};
use super::description::Row;
use super::{context, impute, index, literals, names, observed_names};
use crate::ast::{Binding, Call, ModelFn, Verb};
use crate::dims::{self, Dim};
use crate::distribution::{is_discrete, is_not_gaussian};
use crate::sum::Summed;
use crate::text::text_of;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use std::collections::VecDeque;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, ExprCall, ExprForLoop, ExprIndex, ExprMethodCall, ExprPath, Item, Local, Macro,
    Pat, Stmt, Type, parse_quote,
};

/// The rewritten body, and facts collected while rewriting it.
pub struct Program {
    /// `use` of the names in the body.
    imports: TokenStream,
    /// Mentions of arguments that the body may leave unused.
    used: TokenStream,
    body: TokenStream,
    /// The statement table.
    pub statements: Vec<Row>,
    /// The named dimensions of statements, by their indices.
    pub dims: Vec<(usize, Vec<Dim>)>,
    /// Whether a random value is discrete.
    pub has_discrete: bool,
    /// Whether a random value has a prior that is known not to be Gaussian.
    pub has_other_prior: bool,
    /// Whether some value is learnt and not sampled.
    pub has_param: bool,
}

impl Program {
    /// Rewrites the model's body.
    pub fn of(model: &ModelFn<'_>) -> Self {
        let imports = names::imports(model.body);
        let arguments = model.arguments.iter().map(|a| a.name.to_string());
        let checked = index::Checked::of(arguments, model.body);
        let mut body = model.body.clone();
        let mut rewriter = Rewriter::new(names::hidden_mode(), checked);
        rewriter.observed = Some(observed_names(model.body));
        rewriter.visit_block_mut(&mut body);
        let index_imports = rewriter.checked.imports();
        // so that rustc does not report an argument as unused if it only names places
        let names = model.arguments.iter().map(|argument| argument.name);
        let names = names.filter(|name| rewriter.names_places(name));
        let used = quote!(#(let _ = &#names;)*);
        Self {
            imports: quote!(#imports #index_imports),
            used,
            body: body.to_token_stream(),
            statements: rewriter.statements,
            dims: rewriter.dims,
            has_discrete: rewriter.has_discrete,
            has_other_prior: rewriter.has_other_prior,
            has_param: rewriter.has_param,
        }
    }

    /// `fn program` with the data of the model.
    pub fn method(&self, model: &ModelFn<'_>) -> TokenStream {
        method(&self.behind(&bindings(model)))
    }

    /// The user's body after the bindings of its arguments.
    pub fn behind(&self, bindings: &TokenStream) -> TokenStream {
        let Self {
            imports,
            used,
            body,
            ..
        } = self;
        quote!(#imports #bindings #used #body)
    }
}

/// `fn program` with these statements.
pub fn method(statements: &TokenStream) -> TokenStream {
    // Mixed-site hygiene: the user's body sees neither the interpreter nor `self`.
    let context = context(Span::mixed_site());
    let parameters = parameters();
    quote_spanned! {Span::mixed_site()=>
        #[inline(always)]
        fn program<#parameters>(&self, #context: &mut __I) {
            #statements
        }
    }
}

/// The mode and the interpreter as parameters of a generated function.
pub fn parameters() -> TokenStream {
    quote_spanned! {Span::mixed_site()=>
        __M: ::bayes::__private::Mode,
        __I: ::bayes::__private::Interpreter<__M>
    }
}

/// The type of the interpreter in a generated function.
fn interpreter() -> TokenStream {
    quote_spanned!(Span::mixed_site()=> __I)
}

/// `let y = self.y;` for every argument.
pub fn bindings(model: &ModelFn<'_>) -> TokenStream {
    let this = quote_spanned!(Span::mixed_site()=> self);
    let lets = model.arguments.iter().map(|argument| {
        let name = argument.name;
        match argument.binding {
            Binding::Copied => quote!(let #name = #this.#name;),
            Binding::Borrowed => quote!(let #name = &#this.#name;),
        }
    });
    quote!(#(#lets)*)
}

/// Rewrites a body; the body of a function has no statements.
pub struct Rewriter {
    mode: Ident,
    /// The indices that are guarded.
    pub checked: index::Checked,
    statements: Vec<Row>,
    dims: Vec<(usize, Vec<Dim>)>,
    has_discrete: bool,
    has_other_prior: bool,
    has_param: bool,
    /// The counters of the loops around the present place.
    counters: Counters,
    /// The names of the data that are observed from here on; `None` in a function, where other names of distributions are possible.
    observed: Option<VecDeque<String>>,
    /// Names bound to discrete distributions.
    discrete: Vec<String>,
    /// Names bound to distributions that are not Gaussian.
    other: Vec<String>,
}

impl VisitMut for Rewriter {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let Some(summed) = Summed::take(block) else {
            return visit_mut::visit_block_mut(self, block);
        };
        visit_mut::visit_block_mut(self, block);
        let sum = self.sum(summed);
        block.stmts.push(sum);
    }

    fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
        // a wrong mark has already been reported
        let marked = dims::take(statement).map(|mark| dims::parse(&mark).unwrap_or_default());
        let first = self.statements.len();
        match impute::dims(first, statement, marked.as_deref()) {
            Some(both) => self.dims.extend(both),
            None => self.dims.extend(marked.map(|dims| (first, dims))),
        }
        match statement {
            Stmt::Local(local) => self.local(local),
            other => visit_mut::visit_stmt_mut(self, other),
        }
    }

    fn visit_expr_call_mut(&mut self, call: &mut ExprCall) {
        let text = call.to_token_stream();
        self.call(call, None, &text);
    }

    fn visit_expr_for_loop_mut(&mut self, expression: &mut ExprForLoop) {
        let around = self.counters.enter(expression);
        visit_mut::visit_expr_for_loop_mut(self, expression);
        self.counters = around;
    }

    fn visit_expr_index_mut(&mut self, expression: &mut ExprIndex) {
        let plain = expression.expr.to_token_stream();
        visit_mut::visit_expr_index_mut(self, expression);
        self.checked.guard(expression, &plain);
    }

    fn visit_expr_method_call_mut(&mut self, call: &mut ExprMethodCall) {
        if self.observed.is_some() {
            literals::arguments(call);
        }
        let plain = call.receiver.to_token_stream();
        visit_mut::visit_expr_method_call_mut(self, call);
        self.checked.guard_places(call, &plain);
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        visit_mut::visit_type_mut(self, ty);
        names::complete_type(ty, &self.mode);
    }

    fn visit_expr_path_mut(&mut self, path: &mut ExprPath) {
        visit_mut::visit_expr_path_mut(self, path);
        names::complete_path(&mut path.path, &self.mode);
    }

    fn visit_macro_mut(&mut self, invocation: &mut Macro) {
        invocation.tokens = names::complete_tokens(invocation.tokens.clone(), &self.mode);
    }

    // Items inside the body cannot use the model's mode; they are the user's own.
    fn visit_item_mut(&mut self, _: &mut Item) {}
}

impl Rewriter {
    /// A rewriter for arithmetic in `mode`.
    pub fn new(mode: Ident, checked: index::Checked) -> Self {
        Self {
            mode,
            checked,
            statements: Vec::new(),
            dims: Vec::new(),
            has_discrete: false,
            has_other_prior: false,
            has_param: false,
            counters: Counters::default(),
            observed: None,
            discrete: Vec::new(),
            other: Vec::new(),
        }
    }

    /// Whether the places of a dimension are computed from this name.
    fn names_places(&self, name: &Ident) -> bool {
        let mut dims = self.dims.iter().flat_map(|(_, dims)| dims);
        dims.any(|dim| dim.uses(name))
    }

    fn local(&mut self, local: &mut Local) {
        let name = bound_name(&local.pat).map(ToString::to_string);
        self.counters.shadow(&local.pat);
        if let Some(init) = &mut local.init {
            let (pattern, value) = (&local.pat, &init.expr);
            let text = quote!(let #pattern = #value);
            if let (Some(name), true) = (&name, is_discrete(&init.expr, &self.discrete)) {
                self.discrete.push(name.clone());
            }
            if let (Some(name), true) = (&name, is_not_gaussian(&init.expr, &self.other)) {
                self.other.push(name.clone());
            }
            if is_output(&init.expr) {
                // its name may be the name of a column, and need not be used
                local.attrs.push(parse_quote!(#[allow(unused_variables)]));
            }
            match &mut *init.expr {
                Expr::Call(call) => self.call(call, name, &text),
                other => self.visit_expr_mut(other),
            }
            if let Some((_, diverge)) = &mut init.diverge {
                self.visit_expr_mut(diverge);
            }
        }
        self.visit_pat_mut(&mut local.pat);
    }

    /// Rewrites `let k = sum_out(distribution);` and the rest of its block to a call that runs the rest for each value.
    fn sum(&mut self, summed: Summed) -> Stmt {
        let Summed {
            mut statement,
            name,
            mut rest,
        } = summed;
        // the mark of dimensions moves with the statement
        self.visit_stmt_mut(&mut statement);
        self.visit_block_mut(&mut rest);
        let Stmt::Local(Local {
            init: Some(init), ..
        }) = statement
        else {
            unreachable!("a sum is a `let` statement");
        };
        let call = init.expr;
        let Expr::Call(ExprCall { func, args, .. }) = *call else {
            unreachable!("a sum is a call");
        };
        let context = context(name.span());
        let hidden = interpreter();
        Stmt::Expr(
            Expr::Verbatim(quote! {
                #func(#args, |#context: &mut #hidden, #name: usize| #rest)
            }),
            Some(Default::default()),
        )
    }

    /// Rewrites a call; `name` is the name that a `let` binds it to, `text` the statement around it.
    fn call(&mut self, call: &mut ExprCall, name: Option<String>, text: &TokenStream) {
        let Some(statement) = Call::from_call(call) else {
            if self.observed.is_some() {
                literals::parameters(call);
            }
            visit_mut::visit_expr_call_mut(self, call);
            return;
        };
        let (verb, word) = (statement.verb, statement.word.clone());
        if verb == Verb::Impute {
            return self.imputation(call, (name, &word), text);
        }
        let discrete = verb == Verb::SampleDiscrete
            || verb == Verb::Sample
                && call
                    .args
                    .first()
                    .is_some_and(|d| is_discrete(d, &self.discrete));
        self.has_discrete |= discrete;
        self.has_param |= verb == Verb::Param;
        let distribution = call.args.first().filter(|_| verb == Verb::Sample);
        self.has_other_prior |= distribution.is_some_and(|d| is_not_gaussian(d, &self.other));
        let method = match verb {
            _ if discrete => Ident::new("sample_discrete", word.span()),
            Verb::Observe => Ident::new("observe_under", word.span()),
            _ => word.clone(),
        };
        let position = Literal::usize_unsuffixed(self.statements.len());
        let data = match verb {
            Verb::Observe => self.observed.as_mut().and_then(VecDeque::pop_front),
            _ => None,
        };
        let name = name.or(data).unwrap_or_else(|| verb.word().to_owned());
        self.statements.push(Row {
            verb,
            name,
            text: text_of(text),
            line: word.span().start().line,
        });
        let data = call.args.first().filter(|_| verb == Verb::Observe);
        let indices = data.and_then(|data| self.counters.indices(data));
        let indexed = indices.map(|indices| quote!(.indexed(&[#(&#indices),*])));
        let first = data.and_then(first_of_slice);
        let sliced = first.map(|first| quote!(.sliced(#first)));
        for argument in &mut call.args {
            self.visit_expr_mut(argument);
        }
        if verb == Verb::Observe {
            swap_arguments(call);
        }
        let context = context(word.span());
        *call.func = Expr::Verbatim(quote!(#context.at(#position)#indexed #sliced.#method));
    }
}

impl Rewriter {
    /// Rewrites `impute(data, distribution)`, which is two rows of the statement table; `name` is the name that a `let` binds it to.
    fn imputation(
        &mut self,
        call: &mut ExprCall,
        (name, word): (Option<String>, &Ident),
        text: &TokenStream,
    ) {
        let mut distribution = call.args.iter().skip(1);
        self.has_other_prior |= distribution.any(|d| is_not_gaussian(d, &self.other));
        let data = self.observed.as_mut().and_then(VecDeque::pop_front);
        let first = self.statements.len();
        let own_word = || Verb::Impute.word().to_owned();
        for (verb, name) in [(Verb::Observe, data), (Verb::Sample, name)] {
            self.statements.push(Row {
                verb,
                name: name.unwrap_or_else(own_word),
                text: text_of(text),
                line: word.span().start().line,
            });
        }
        for argument in &mut call.args {
            self.visit_expr_mut(argument);
        }
        swap_arguments(call);
        let missing = Literal::usize_unsuffixed(first + 1);
        call.args.insert(0, parse_quote!(#missing));
        let first = Literal::usize_unsuffixed(first);
        let context = context(word.span());
        *call.func = Expr::Verbatim(quote!(#context.at(#first).#word));
    }
}

/// Whether the quantity of a statement is for the output, and perhaps not for any other use.
fn is_output(value: &Expr) -> bool {
    let verb = Call::from_expr(value).map(|call| call.verb);
    matches!(verb, Some(Verb::Deterministic | Verb::Generate))
}

/// `observe(data, distribution)` to `observe_under(distribution, data)`.
fn swap_arguments(call: &mut ExprCall) {
    let arguments: Vec<Expr> = std::mem::take(&mut call.args).into_iter().collect();
    call.args = arguments.into_iter().rev().collect();
}

/// The name that a `let` pattern binds.
pub fn bound_name(pattern: &Pat) -> Option<&Ident> {
    match pattern {
        Pat::Ident(pattern) => Some(&pattern.ident),
        Pat::Type(typed) => bound_name(&typed.pat),
        _ => None,
    }
}

/// `y` of `&y[j]`, `(low, high)` of `(low[j], high[j])`.
pub fn name_of_data(data: &Expr) -> String {
    match without_indices(data) {
        Expr::Tuple(tuple) => {
            let names: Vec<String> = tuple.elems.iter().map(name_of_data).collect();
            format!("({})", names.join(", "))
        }
        other => text_of(other),
    }
}

fn without_indices(expression: &Expr) -> &Expr {
    match expression {
        Expr::Index(index) => without_indices(&index.expr),
        Expr::MethodCall(call) => without_indices(&call.receiver),
        Expr::Reference(reference) => without_indices(&reference.expr),
        Expr::Paren(inner) => without_indices(&inner.expr),
        Expr::Unary(inner) => without_indices(&inner.expr),
        Expr::Cast(cast) => without_indices(&cast.expr),
        other => other,
    }
}
