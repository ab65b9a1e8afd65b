//! Rules about the place of a statement: the same random values must be drawn in every run.

use crate::ast::{Call, Verb};
use crate::messages;
use crate::report::Report;
use crate::text::text_of;
use proc_macro2::{Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Expr, ExprCall, ExprForLoop, ExprReturn, ExprTry, Label, Lifetime, Macro, RangeLimits};

/// The context of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Around {
    /// A block that is entered conditionally, with its keyword.
    Branch(&'static str),
    /// `while` or `loop`; its label.
    Repeat(&'static str, Option<String>),
    /// `for`: allowed, because its iterations depend only on data.
    For {
        /// Its label.
        label: Option<String>,
        /// Whether a quantity is drawn in each iteration.
        names_quantities: bool,
    },
    /// A closure, which may be called any number of times.
    Closure,
}

impl Around {
    /// `while` or `loop`.
    pub fn repeat(word: &'static str, label: Option<&Label>) -> Self {
        Self::Repeat(word, name_of(label))
    }

    /// `for`.
    pub fn over_data(repeated: &ExprForLoop) -> Self {
        let mut finder = Quantities(false);
        finder.visit_block(&repeated.body);
        Self::For {
            label: name_of(repeated.label.as_ref()),
            names_quantities: finder.0,
        }
    }

    fn label(&self) -> Option<&str> {
        match self {
            Self::Repeat(_, label) | Self::For { label, .. } => label.as_deref(),
            Self::Branch(_) | Self::Closure => None,
        }
    }

    fn is_loop(&self) -> bool {
        matches!(self, Self::Repeat(..) | Self::For { .. })
    }
}

/// The number of iterations of a loop over `0..n`, as text; `None` for other loops.
pub fn number_of_turns(iterated: &Expr) -> Option<String> {
    let Expr::Range(range) = iterated else {
        return None;
    };
    let is_from_zero = range
        .start
        .as_deref()
        .is_some_and(|start| text_of(start) == "0");
    let end = range.end.as_deref().filter(|_| is_from_zero)?;
    matches!(range.limits, RangeLimits::HalfOpen(_)).then(|| text_of(end))
}

fn name_of(label: Option<&Label>) -> Option<String> {
    label.map(|label| label.name.to_string())
}

struct Quantities(bool);

impl<'ast> Visit<'ast> for Quantities {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        self.0 |= Call::from_call(call).is_some_and(|call| call.verb.names_a_quantity());
        visit::visit_expr_call(self, call);
    }
}

/// The context of the present statement, outermost first.
#[derive(Debug, Default)]
pub struct Surroundings(Vec<Around>);

impl Surroundings {
    /// Enters a block.
    pub fn enter(&mut self, around: Around) {
        self.0.push(around);
    }

    /// Leaves the innermost block.
    pub fn leave(&mut self) {
        self.0.pop();
    }

    fn in_closure(&self) -> bool {
        self.0.contains(&Around::Closure)
    }

    /// The loop that `break` or `continue` with this label refers to.
    fn target(&self, label: Option<&Lifetime>) -> Option<&Around> {
        let label = label.map(ToString::to_string);
        self.0
            .iter()
            .rev()
            .take_while(|around| **around != Around::Closure)
            .find(|around| {
                around.is_loop() && (label.is_none() || around.label() == label.as_deref())
            })
    }
}

/// A quantity under `if`, `match`, `while`, `loop` or in a closure would exist only in some runs.
pub fn quantity(call: Call<'_>, around: &Surroundings, report: &mut Report) {
    let word = call.verb.word();
    for around in around.0.iter().rev() {
        let wrong = match around {
            Around::For { .. } => continue,
            Around::Branch(place) => messages::in_branch(word, place, &text_of(call.call)),
            Around::Repeat(place, _) => messages::in_repeat(word, place, &text_of(call.call)),
            Around::Closure => messages::in_closure(word, &text_of(call.call)),
        };
        report.at(call.word, wrong);
        return;
    }
}

/// Whether the innermost block is entered conditionally.
pub fn in_branch(around: &Surroundings) -> bool {
    matches!(around.0.last(), Some(Around::Branch(_)))
}

/// `return` would skip the statements after it.
pub fn early_return(leaving: &ExprReturn, around: &Surroundings, report: &mut Report) {
    if !around.in_closure() {
        report.at(leaving, messages::early_return());
    }
}

/// `?` would skip the statements after it, and a model cannot return an error.
pub fn question_mark(tried: &ExprTry, around: &Surroundings, report: &mut Report) {
    if !around.in_closure() {
        report.at(tried.question_token, messages::question_mark());
    }
}

/// `break` and `continue` would skip a draw in their loop.
pub fn leaves_loop(
    word: &str,
    token: impl ToTokens,
    label: Option<&Lifetime>,
    around: &Surroundings,
    report: &mut Report,
) {
    if let Some(Around::For {
        names_quantities: true,
        ..
    }) = around.target(label)
    {
        report.at(token, messages::leaves_loop(word));
    }
}

/// A statement inside a macro call is invisible; returns the number of draws among such statements.
pub fn hidden_in_macro(invocation: &Macro, report: &mut Report) -> usize {
    let mut draws = 0;
    find_statements(invocation.tokens.clone(), &mut |verb, word| {
        draws += usize::from(verb.draws());
        report.at(
            word,
            messages::hidden_in_macro(verb.word(), &text_of(&invocation.path)),
        );
    });
    draws
}

/// The same in a function, where a statement would be wrong even outside a macro call.
pub fn in_macro_of_function(invocation: &Macro, report: &mut Report) {
    find_statements(invocation.tokens.clone(), &mut |verb, word| {
        report.at(word, messages::statement_in_function(verb.word()));
    });
}

/// Calls `found` for each statement word followed by parentheses, unless it belongs to a path or value.
fn find_statements(tokens: TokenStream, found: &mut impl FnMut(Verb, &proc_macro2::Ident)) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (i, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => find_statements(group.stream(), found),
            TokenTree::Ident(word) => {
                let called = matches!(tokens.get(i + 1), Some(TokenTree::Group(group))
                    if group.delimiter() == proc_macro2::Delimiter::Parenthesis);
                let verb = Verb::from_word(&word.to_string());
                if let (true, Some(verb)) = (called && !is_qualified(&tokens, i), verb) {
                    found(verb, word);
                }
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Whether the token at `position` follows `.`, `::` or `fn`.
fn is_qualified(tokens: &[TokenTree], position: usize) -> bool {
    match position.checked_sub(1).and_then(|before| tokens.get(before)) {
        Some(TokenTree::Punct(punct)) if punct.as_char() == '.' => true,
        Some(TokenTree::Punct(punct)) if punct.as_char() == ':' => position.checked_sub(2).is_some_and(
            |at| matches!(&tokens[at], TokenTree::Punct(p) if p.as_char() == ':' && p.spacing() == Spacing::Joint),
        ),
        Some(TokenTree::Ident(word)) => word == "fn",
        _ => false,
    }
}
