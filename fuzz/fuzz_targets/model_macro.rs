//! `#[model]` on any text that rustc's lexer takes: it expands to items, or to `compile_error!`, and never panics.
//!
//! A procedural-macro crate cannot be linked, so its modules are compiled into this target.
#![no_main]
#![allow(dead_code, reason = "the target calls the macro's one entrance")]

#[path = "../../bayes-macros/src/ast.rs"]
mod ast;
#[path = "../../bayes-macros/src/attribute.rs"]
mod attribute;
#[path = "../../bayes-macros/src/catalogue.rs"]
mod catalogue;
#[path = "../../bayes-macros/src/check/mod.rs"]
mod check;
mod dice;
#[path = "../../bayes-macros/src/dims.rs"]
mod dims;
#[path = "../../bayes-macros/src/distribution.rs"]
mod distribution;
#[path = "../../bayes-macros/src/expand/mod.rs"]
mod expand;
#[path = "../../bayes-macros/src/fallback.rs"]
mod fallback;
#[path = "../../bayes-macros/src/lifetimes.rs"]
mod lifetimes;
#[path = "../../bayes-macros/src/marks.rs"]
mod marks;
#[path = "../../bayes-macros/src/messages/mod.rs"]
mod messages;
#[path = "../../bayes-macros/src/methods.rs"]
mod methods;
#[path = "../../bayes-macros/src/nearest.rs"]
mod nearest;
#[path = "../../bayes-macros/src/parse.rs"]
mod parse;
#[path = "../../bayes-macros/src/report.rs"]
mod report;
#[path = "../../bayes-macros/src/text.rs"]
mod text;
#[path = "../../bayes-macros/src/types.rs"]
mod types;

use dice::Dice;
use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target, fuzzer_mutate};
use proc_macro2::{TokenStream, TokenTree};

/// Deeper nesting may overflow the stack of a recursive parser, which is not the macro's fault.
const DEEPEST: usize = 64;

fuzz_target!(|data: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(data) else {
        return Corpus::Reject;
    };
    let Ok(item) = text.parse::<TokenStream>() else {
        return Corpus::Reject;
    };
    if depth(&item) > DEEPEST {
        return Corpus::Reject;
    }
    let is_function = syn::parse2::<syn::ItemFn>(item.clone()).is_ok();
    let expansion = attribute::expand_model(TokenStream::new(), item);
    if is_function && let Err(error) = syn::parse2::<syn::File>(expansion.clone()) {
        panic!("the expansion is no Rust: {error}\n{expansion}");
    }
    // Otherwise the spans of all texts so far would stay in memory.
    proc_macro2::extra::invalidate_current_thread_spans();
    Corpus::Keep
});

fn depth(tokens: &TokenStream) -> usize {
    let inner = |token| match token {
        TokenTree::Group(group) => 1 + depth(&group.stream()),
        _ => 0,
    };
    tokens.clone().into_iter().map(inner).max().unwrap_or(0)
}

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut dice = Dice::new(seed);
    match std::str::from_utf8(&data[..size]) {
        Ok(text) if dice.below(8) > 0 => {
            let mut tokens = split(text);
            for _ in 0..=dice.below(3) {
                mutate(&mut tokens, &mut dice);
            }
            let text = tokens.concat();
            let mut end = text.len().min(max_size);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            data[..end].copy_from_slice(&text.as_bytes()[..end]);
            end
        }
        _ => fuzzer_mutate(data, size, max_size),
    }
});

/// Words, runs of white space, and single characters.
fn split(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 1,
        c if c.is_whitespace() => 2,
        _ => 0,
    };
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let same = |c: char| kind(c) != kind(first);
        let end = match kind(first) {
            0 => first.len_utf8(),
            _ => rest.find(same).unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(end);
        tokens.push(token);
        rest = after;
    }
    tokens
}

fn mutate<'a>(tokens: &mut Vec<&'a str>, dice: &mut Dice) {
    let at = dice.below(tokens.len());
    let end = (at + 1 + dice.below(12)).min(tokens.len());
    match dice.below(8) {
        0 => drop(tokens.drain(at..end)),
        1 => {
            let copy = tokens[at..end].to_vec();
            let to = dice.below(tokens.len());
            tokens.splice(to..to, copy);
        }
        2 if !tokens.is_empty() => {
            let other = dice.below(tokens.len());
            tokens.swap(at, other);
        }
        3 => {
            tokens.splice(at..end.min(at + 1), [dice.one_of(WORDS)]);
        }
        4 => {
            tokens.splice(at..at, [" ", dice.one_of(WORDS), " "]);
        }
        5 => {
            let after = tokens[at..]
                .iter()
                .position(|t| matches!(*t, ";" | "{" | "}"));
            let place = after.map_or(at, |i| at + i + 1);
            tokens.splice(place..place, [dice.one_of(STATEMENTS)]);
        }
        6 => {
            let place = tokens[at..]
                .iter()
                .position(|t| matches!(*t, "(" | "," | "="));
            let place = place.map_or(at, |i| at + i + 1);
            tokens.splice(
                place..place.max(end.min(place + 1)),
                [dice.one_of(EXPRESSIONS)],
            );
        }
        _ => {
            let (open, close) = PAIRS[dice.below(PAIRS.len())];
            tokens.insert(end, close);
            tokens.insert(at, open);
        }
    }
}

const WORDS: &[&str] = &[
    "sample",
    "sample_discrete",
    "observe",
    "deterministic",
    "factor",
    "Normal",
    "HalfCauchy",
    "Poisson",
    "Gamma",
    "Mixture",
    "Nromal",
    "new",
    "iid",
    "let",
    "mut",
    "ref",
    "if",
    "else",
    "match",
    "for",
    "in",
    "while",
    "loop",
    "break",
    "continue",
    "return",
    "async",
    "await",
    "const",
    "static",
    "unsafe",
    "extern",
    "\"C\"",
    "fn",
    "impl",
    "dyn",
    "where",
    "self",
    "Self",
    "super",
    "crate",
    "mu",
    "y",
    "x",
    "i",
    "z",
    "n",
    "data",
    "_",
    "'a",
    "'static",
    "&",
    "&&",
    "&mut",
    "*",
    "..",
    "..=",
    "=>",
    "->",
    "=",
    "==",
    "+=",
    "?",
    "!",
    "#",
    "|",
    "||",
    "<",
    ">",
    "::",
    ".",
    ",",
    ";",
    ":",
    "0",
    "1.0",
    "-1",
    "3usize",
    "f64",
    "Real",
    "Vector",
    "usize",
    "[f64]",
    "()",
    "r#fn",
    "r#\"s\"#",
    "b'x'",
    "c\"s\"",
    "@",
    "$",
    "~",
    "macro_rules",
    "union",
    "#[cfg(test)]",
    "#[model]",
    "'l:",
    "yield",
    "try",
    "move",
    "box",
    "é",
    "1e999",
    "0xff_u8",
    "len",
    "iter",
    "enumerate",
    "zip",
    "windows",
    "chunks",
    "push",
    "vec!",
    "format!",
    "__M",
    "__I",
];

const STATEMENTS: &[&str] = &[
    "let a = sample(Normal::new(0.0, 1.0));",
    "let z = sample(Normal::new(mu, 1.0).iid(y.len()));",
    "let k = sample(Poisson::new(3.0));",
    "let (a, b) = (sample(Beta::new(1.0, 1.0)), 2);",
    "let w: Real = { let raw = sample(Gamma::new(1.0, 1.0)); raw / 2.0 };",
    "let d = deterministic(mu * 2.0);",
    "factor(-mu * mu);",
    "observe(y, Normal::new(mu, 1.0));",
    "observe(y[i], Normal::new(z[i], 1.0));",
    "for i in 0..y.len() { observe(y[i], Normal::new(mu, z[i])); }",
    "for (i, v) in y.iter().enumerate() { let e = sample(Normal::new(0.0, 1.0)); observe(*v, Normal::new(e, 1.0)); }",
    "'l: loop { break 'l; }",
    "while n > 3 { n -= 1; continue; }",
    "if mu > 0.0 { return; }",
    "if y[0] > 1.0 { factor(mu) } else { factor(-mu) }",
    "match n { 0 => factor(mu), 1 | 2 if n > 1 => {} _ => {} }",
    "let Some(v) = y.first() else { return };",
    "if let Some(v) = y.first() && n > 1 { observe(*v, Normal::new(mu, 1.0)); }",
    "let f = |a: Real, b| a * b + mu;",
    "let mut past = vec![mu; 3]; past[0] = z[1]; past.rotate_right(1);",
    "fn helper<T>(x: T) -> T { x }",
    "struct S<'a> { a: &'a f64 } impl S<'_> { const C: usize = 1; }",
    "macro_rules! m { ($x:expr) => { sample($x) } }",
    "let s = S { a: mu, ..s };",
    "unsafe { y.get_unchecked(0) };",
    "let x = y.iter().map(|v| v * mu).sum::<Real>();",
    "let [a, .., b] = past;",
    "use std::f64::consts::PI;",
    "{}",
    ";",
    "();",
    "#[allow(unused)] let q = 1;",
    "println!(\"{mu} {}\", y[0]);",
];

const EXPRESSIONS: &[&str] = &[
    "mu",
    "z[i]",
    "y[i + 1]",
    "-mu",
    "x * &beta",
    "(mu + z[0]).exp()",
    "sample(Normal::new(0.0, 1.0))",
    "Normal::new(mu, 1.0)",
    "Normal::new(0.0, 1.0).iid((2, 3))",
    "[mu, z[0]]",
    "&y[1..]",
    "mu as usize",
    "|v| v * 2.0",
    "if n > 1 { mu } else { z[0] }",
    "match n { _ => mu }",
    "{ let a = mu; a }",
    "Mixture::new([0.2, 0.8], (Normal::new(mu, 1.0), Normal::new(0.0, 2.0)))",
    "vec![sample(d)]",
    "Normal::new(mu, 1.0).truncated(0.0, y[0])",
    "y.len()",
    "data.y.iter().enumerate()",
    "0..y.len()",
    "mu > 0.0",
    "x?",
    "async { mu }",
    "<f64 as Into<Real>>::into(1.0)",
    "S { a: 1 }.a",
    "&mut mu",
    "loop { break mu }",
];

const PAIRS: &[(&str, &str)] = &[
    ("(", ")"),
    ("{", "}"),
    ("[", "]"),
    ("<", ">"),
    ("if n > 1 {", "}"),
    ("if mu > 0.0 {", "} else {}"),
    ("for i in 0..n {", "}"),
    ("while n > 1 {", "}"),
    ("match n { _ => {", "} }"),
    ("|v| {", "}"),
    ("let f = || {", "};"),
    ("sample(", ")"),
    ("observe(y, ", ")"),
    ("vec![", "]"),
    ("loop {", "}"),
    ("let q = ", ";"),
    ("fn inner() {", "}"),
    ("unsafe {", "}"),
    ("/*", "*/"),
    ("\"", "\""),
    ("mod m {", "}"),
];
