//! One walk through the body: where each binding comes from, how each is used, and the loops that can be closed.

use super::known::{self, Invocation, Method};
use super::names::Names;
use super::nature::{Nature, Origin, Use};
use super::pattern::{matched, natures};
use crate::ast::{Call, Verb};
use proc_macro2::{Punct, Spacing, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit::Visit;
use syn::{
    BinOp, Block, Expr, ExprBinary, ExprCall, ExprClosure, ExprMethodCall, Item, Local, Macro, Pat,
    Stmt, Token, UnOp,
};

/// Puts brackets around the loop bodies in `body` that can be closed; `arguments` are the names of the data.
pub fn walk(arguments: impl Iterator<Item = String>, body: &mut Block) {
    let mut defines = DefinesMacros(false);
    defines.visit_block(body);
    let mut walk = Walk {
        names: Names::default(),
        defines_macros: defines.0,
    };
    walk.names.enter();
    for name in arguments {
        walk.names.bind(name, Nature::Data);
    }
    walk.block(body);
}

/// The walk: what is bound, and what the body may hide.
pub struct Walk {
    pub names: Names,
    /// Whether the body has macros of its own, which may use names that the invocation does not show.
    defines_macros: bool,
}

/// A closure as a value, and what it gives when called.
pub struct Closure {
    pub itself: Origin,
    result: Origin,
}

impl Walk {
    /// The origin of the block's value.
    pub fn block(&mut self, block: &mut Block) -> Origin {
        self.names.enter();
        let mut value = Origin::Data;
        for statement in &mut block.stmts {
            value = match statement {
                Stmt::Local(local) => self.local(local),
                Stmt::Expr(expression, _) => self.expression(expression, Use::Value),
                Stmt::Macro(statement) => self.invocation(&statement.mac),
                Stmt::Item(_) => Origin::Data,
            };
        }
        self.names.leave();
        value
    }

    fn local(&mut self, local: &mut Local) -> Origin {
        let origin = match &mut local.init {
            Some(init) => {
                let origin = match self.expression(&mut init.expr, matched(&local.pat)) {
                    // It can be handed on in copies, all of which share what it may keep.
                    Origin::Unknown if matches!(*init.expr, Expr::Reference(_)) => Origin::Writer,
                    origin => origin,
                };
                if let Some((_, diverge)) = &mut init.diverge {
                    self.expression(diverge, Use::Value);
                }
                origin
            }
            // Assigned later, once in each run of the block; by whom is not followed.
            None => Origin::Writer,
        };
        self.bind(&local.pat, origin);
        Origin::Data
    }

    /// Binds the names of a pattern that a value of this origin is taken apart by.
    pub fn bind(&mut self, pattern: &Pat, origin: Origin) {
        for (name, nature) in natures(pattern, origin) {
            self.names.bind(name, nature);
        }
    }

    /// The origin of the expression's value, given how the value is used.
    pub fn expression(&mut self, expression: &mut Expr, usage: Use) -> Origin {
        match expression {
            Expr::Lit(_) | Expr::Continue(_) => Origin::Data,
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) => self.names.mention(&name.to_string(), usage),
                None if known::mentions_state(&path) => Origin::Writer,
                None => Origin::Known,
            },
            Expr::Paren(inner) => self.expression(&mut inner.expr, usage),
            Expr::Group(inner) => self.expression(&mut inner.expr, usage),
            Expr::Field(field) => self.expression(&mut field.base, usage),
            Expr::Index(index) => {
                let origin = self.expression(&mut index.expr, usage);
                self.expression(&mut index.index, Use::Operand);
                origin
            }
            Expr::Unary(unary) => match unary.op {
                UnOp::Deref(_) => self.expression(&mut unary.expr, usage),
                _ => self.expression(&mut unary.expr, Use::Operand),
            },
            Expr::Reference(reference) if reference.mutability.is_some() => {
                self.expression(&mut reference.expr, Use::Place);
                Origin::Writer
            }
            // What is behind a shared reference is not written to.
            Expr::Reference(reference) => self.expression(&mut reference.expr, shared(usage)),
            Expr::Cast(cast) => match self.expression(&mut cast.expr, Use::Operand) {
                _ if known::is_data(&cast.ty) => Origin::Data,
                _ => Origin::Writer,
            },
            Expr::Binary(binary) => self.binary(binary),
            Expr::Assign(assignment) => {
                self.expression(&mut assignment.right, Use::Value);
                self.expression(&mut assignment.left, Use::Place);
                Origin::Data
            }
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method(call),
            other => self.compound(other, usage),
        }
    }

    /// The worst of several origins.
    pub fn all<'e>(
        &mut self,
        expressions: impl IntoIterator<Item = &'e mut Expr>,
        usage: Use,
    ) -> Origin {
        let mut worst = Origin::Data;
        for expression in expressions {
            worst = worst.max(self.expression(expression, usage));
        }
        worst
    }

    fn binary(&mut self, binary: &mut ExprBinary) -> Origin {
        if is_assignment(&binary.op) {
            self.expression(&mut binary.left, Use::Place);
            self.expression(&mut binary.right, Use::Operand);
            return Origin::Data;
        }
        let left = self.expression(&mut binary.left, Use::Operand);
        left.max(self.expression(&mut binary.right, Use::Operand))
    }

    fn call(&mut self, call: &mut ExprCall) -> Origin {
        if let Some(statement) = Call::from_call(call) {
            if matches!(statement.verb, Verb::Observe | Verb::Factor) {
                self.names.observe();
            }
            return self.all(&mut call.args, Use::Parameter).max(Origin::Known);
        }
        let Expr::Path(function) = &*call.func else {
            self.expression(&mut call.func, Use::Receiver);
            return self.all(&mut call.args, Use::Value).max(Origin::Unknown);
        };
        if known::is_arithmetic(&function.path) {
            return self.all(&mut call.args, Use::Parameter).max(Origin::Known);
        }
        if known::is_container(&function.path) {
            return self.all(&mut call.args, Use::Value).max(Origin::Known);
        }
        let function = self.expression(&mut call.func, Use::Receiver);
        self.all(&mut call.args, Use::Value)
            .max(function)
            .max(Origin::Unknown)
    }

    fn method(&mut self, call: &mut ExprMethodCall) -> Origin {
        let method = known::method(&call.method);
        let (receiver, arguments) = match method {
            Method::Arithmetic => (Use::Operand, Use::Operand),
            Method::Structural | Method::Collecting => (Use::Value, Use::Value),
            Method::Other => (Use::Receiver, Use::Value),
            Method::Writing => (Use::Place, Use::Value),
        };
        let receiver = self.expression(&mut call.receiver, receiver);
        let given = call.args.iter_mut().map(|argument| match argument {
            Expr::Closure(closure) => self.closure(closure).whole(),
            other => self.expression(other, arguments),
        });
        let made = given.fold(receiver, Origin::max);
        match method {
            _ if call.turbofish.as_ref().is_some_and(known::mentions_state) => Origin::Writer,
            Method::Arithmetic | Method::Structural => made,
            Method::Collecting => made.max(Origin::Known),
            // What data give out of data by a method of their own holds no random value yet.
            Method::Other if made == Origin::Data => Origin::Known,
            Method::Other => made.max(Origin::Unknown),
            Method::Writing => Origin::Writer,
        }
    }

    pub fn closure(&mut self, closure: &mut ExprClosure) -> Closure {
        self.names.open(true);
        self.names.enter();
        for input in &closure.inputs {
            self.bind(input, Origin::Unknown);
        }
        let result = self.expression(&mut closure.body, Use::Value);
        self.names.leave();
        let writes = self.names.close().escapes;
        let itself = if writes || result == Origin::Writer {
            Origin::Writer
        } else {
            Origin::Known
        };
        Closure { itself, result }
    }

    pub fn invocation(&mut self, invocation: &Macro) -> Origin {
        let arguments = Punctuated::<Expr, Token![,]>::parse_terminated;
        let kind = known::invocation(&invocation.path);
        let (usage, tokens) = match kind {
            _ if self.defines_macros => return self.names.unseen(),
            Invocation::Other => return self.names.unseen(),
            Invocation::Container => (Use::Value, list(invocation)),
            Invocation::Looks => (Use::Receiver, invocation.tokens.clone()),
        };
        let Ok(mut arguments) = arguments.parse2(tokens) else {
            return self.names.unseen();
        };
        let made = self.all(&mut arguments, usage);
        match kind {
            Invocation::Container => made.max(emptiness(&arguments)),
            _ => Origin::Data,
        }
    }
}

impl Closure {
    /// The origin of what is made by calling the closure.
    fn whole(&self) -> Origin {
        self.itself.max(self.result)
    }
}

/// The elements of an empty container can be anything.
pub fn emptiness(elements: &Punctuated<Expr, Token![,]>) -> Origin {
    if elements.is_empty() {
        Origin::Known
    } else {
        Origin::Data
    }
}

fn shared(usage: Use) -> Use {
    match usage {
        Use::Operand => Use::Operand,
        _ => Use::Value,
    }
}

fn is_assignment(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

/// The tokens of `vec![a; n]` as those of `vec![a, n]`.
fn list(invocation: &Macro) -> TokenStream {
    let comma = |token| match token {
        TokenTree::Punct(mark) if mark.as_char() == ';' => {
            TokenTree::Punct(Punct::new(',', Spacing::Alone))
        }
        other => other,
    };
    invocation.tokens.clone().into_iter().map(comma).collect()
}

struct DefinesMacros(bool);

impl<'ast> Visit<'ast> for DefinesMacros {
    fn visit_item(&mut self, item: &'ast Item) {
        self.0 |= matches!(item, Item::Macro(_));
    }
}
