//! One traversal of the body: scopes, contexts, and the rules that apply.

mod quantities;

use super::function::bind_arguments;
use super::placement::{Around, Surroundings};
use super::random::{bind_loop, is_random, rates};
use super::scope::{Nature, Scope};
use super::{
    arithmetic, branch, construction, dims, generated, helper, idioms, impute, list_index,
    placement, statement, sum, whole,
};
use crate::ast::{Call, Verb};
use crate::dims::call_of;
use crate::expand::{bound_name, observed_names};
use crate::marks;
use crate::parse::named;
use crate::report::Report;
use crate::text::text_of;
use std::collections::BTreeMap;
use syn::visit::{self, Visit};
use syn::{
    Arm, Block, Expr, ExprAsync, ExprBinary, ExprBreak, ExprCall, ExprClosure, ExprContinue,
    ExprForLoop, ExprIf, ExprIndex, ExprLet, ExprLoop, ExprMatch, ExprReturn, ExprTry, ExprWhile,
    FnArg, Ident, Item, ItemFn, Local, Macro, Stmt,
};

/// Applies the rules of the body; returns the number of draws, misplaced ones included.
pub fn walk(function: &ItemFn, report: &mut Report) -> usize {
    let mut walk = Walk::new(Owner::Model, report);
    walk.observed = observed_names(&function.block).into();
    let marked = function.sig.inputs.iter().filter(|input| match input {
        FnArg::Typed(typed) => marks::has_rows(&typed.attrs),
        FnArg::Receiver(_) => false,
    });
    walk.marked = marked
        .filter_map(named)
        .map(|(name, _)| name.to_string())
        .collect();
    for (name, typed) in function.sig.inputs.iter().filter_map(named) {
        walk.scope.bind(name.to_string(), Nature::Data);
        if list_index::is_list(&typed.ty) {
            walk.scope.add_list(name.to_string());
        }
        if list_index::is_whole(&typed.ty) {
            walk.scope.add_whole(name.to_string());
        }
        if idioms::is_matrix(&typed.ty) {
            walk.scope.add_matrix(name.to_string());
        }
    }
    walk.visit_block(&function.block);
    walk.clashes();
    walk.draws
}

/// Applies the rules that also hold for the body of a function of random values.
pub fn function(function: &ItemFn, report: &mut Report) {
    let mut walk = Walk::new(Owner::Function, report);
    bind_arguments(&function.sig, &mut walk.scope);
    walk.visit_block(&function.block);
}

/// The owner of a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Model,
    /// It has no statements and may return early, and its names of distributions refer to its surroundings.
    Function,
}

/// A quantity during the visit of its distribution.
struct Own {
    name: String,
    /// The text of the statement.
    statement: String,
}

struct Walk<'r> {
    owner: Owner,
    report: &'r mut Report,
    scope: Scope,
    around: Surroundings,
    /// Names of the quantities so far.
    names: Vec<String>,
    /// Names of the observed data.
    observed: Vec<String>,
    /// Names of generated quantities.
    generated: Vec<Ident>,
    /// The loops around the present place, by their number of iterations, if it is known.
    turns: Vec<Option<String>>,
    /// Quantities drawn in a loop, each with the statement that would draw it as a vector before the loop.
    in_loops: BTreeMap<String, String>,
    /// The quantity that is drawn in the present loop.
    own: Option<Own>,
    /// The name of the quantity of the present statement.
    imputed: Option<String>,
    /// The sums around the present place, outermost first.
    sums: Vec<sum::Sum>,
    /// The quantities of sums whose block is over.
    ended_sums: Vec<String>,
    /// The arguments that are marked `#[rows]`.
    marked: Vec<String>,
    /// The values that the loops around the present place iterate over, as text.
    iterated: Vec<String>,
    /// Whether the next expression is the function of a call.
    is_callee: bool,
    draws: usize,
}

impl<'r> Walk<'r> {
    fn new(owner: Owner, report: &'r mut Report) -> Self {
        let mut scope = Scope::default();
        scope.enter();
        Self {
            owner,
            report,
            scope,
            around: Surroundings::default(),
            names: Vec::new(),
            observed: Vec::new(),
            generated: Vec::new(),
            turns: Vec::new(),
            in_loops: BTreeMap::new(),
            own: None,
            imputed: None,
            sums: Vec::new(),
            ended_sums: Vec::new(),
            marked: Vec::new(),
            iterated: Vec::new(),
            is_callee: false,
            draws: 0,
        }
    }

    /// The kind of value of a name that is bound to `value`.
    fn nature(&self, value: &Expr) -> Nature {
        if generated::within(value, &self.scope).is_some() {
            Nature::Generated
        } else if is_random(value, &self.scope) {
            Nature::Random
        } else if arithmetic::is_number(value) {
            Nature::Number
        } else if statement::is_censored(value, &self.scope) {
            Nature::Censored
        } else {
            Nature::Other
        }
    }

    /// A call that is no statement.
    fn function_call(&mut self, call: &ExprCall) {
        let Some(closure) = rates(call) else {
            return visit::visit_expr_call(self, call);
        };
        self.visit_expr(&call.func);
        let natures: &[Nature] = match closure.inputs.len() {
            // of `integrate` or `solve`
            1 => &[Nature::Random],
            _ => &[Nature::Other, Nature::Random],
        };
        self.closure(closure, natures);
        for argument in call.args.iter().skip(1) {
            self.visit_expr(argument);
        }
    }

    /// A closure whose first arguments have these natures.
    fn closure(&mut self, closure: &ExprClosure, natures: &[Nature]) {
        self.within(Around::Closure, |walk| {
            for (i, input) in closure.inputs.iter().enumerate() {
                let nature = natures.get(i).copied().unwrap_or(Nature::Other);
                walk.scope.bind_pattern(input, nature);
            }
            walk.visit_expr(&closure.body);
        });
    }

    /// A block that is entered conditionally or repeatedly.
    fn within(&mut self, around: Around, visit: impl FnOnce(&mut Self)) {
        self.around.enter(around);
        self.scope.enter();
        visit(self);
        self.scope.leave();
        self.around.leave();
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_block(&mut self, block: &'ast Block) {
        sum::value_of_block(block, self.report);
        let (sums, depth) = (self.sums.len(), self.scope.depth());
        self.scope.enter();
        visit::visit_block(self, block);
        let ended = self.sums.drain(sums..).map(|sum| sum.name);
        self.ended_sums.extend(ended);
        while self.scope.depth() > depth {
            self.scope.leave();
        }
    }

    fn visit_local(&mut self, local: &'ast Local) {
        // a function has no statements, so a mark there is always misplaced
        let call = call_of(local).filter(|_| self.owner == Owner::Model);
        dims::marks(&local.attrs, call, &self.scope, self.report);
        let Some(init) = &local.init else {
            self.scope.bind_pattern(&local.pat, Nature::Other);
            return;
        };
        let quantity = Call::from_expr(&init.expr).filter(|call| call.verb.names_a_quantity());
        let nature = match quantity {
            Some(call) => {
                if self.owner == Owner::Model {
                    statement::name(&local.pat, call, &mut self.names, self.report);
                    placement::quantity(call, &self.around, self.report);
                    sum::quantity(call, &self.sums, self.report);
                    impute::data(call, !self.turns.is_empty(), &self.scope, self.report);
                    impute::marks(&local.attrs, call, self.report);
                    self.imputed = bound_name(&local.pat).map(ToString::to_string);
                    self.own = self.own_of(local, call);
                }
                if call.verb == Verb::Generate {
                    statement::generated_name(&local.pat, call, &self.scope, self.report);
                    self.generated.extend(bound_name(&local.pat).cloned());
                }
                self.call(call);
                self.own = None;
                if self.owner == Owner::Model {
                    self.drawn_in_loop(local, call);
                    self.begin_sum(local, call);
                }
                match call.verb {
                    Verb::SumOut => Nature::Summed,
                    Verb::Param => Nature::Param,
                    Verb::Generate => Nature::Generated,
                    _ => Nature::Random,
                }
            }
            None => {
                self.visit_expr(&init.expr);
                arithmetic::bound_sum(local, &self.scope, self.report);
                self.nature(&init.expr)
            }
        };
        if let Some((_, diverge)) = &init.diverge {
            self.within(Around::Branch("let else"), |walk| walk.visit_expr(diverge));
        }
        self.scope.bind_pattern(&local.pat, nature);
        if nature == Nature::Number {
            self.scope.remember_number(&local.pat, &text_of(&init.expr));
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(Expr::Call(call), _) = statement {
            let statement = Call::from_call(call).filter(|_| self.owner == Owner::Model);
            dims::marks(&call.attrs, statement, &self.scope, self.report);
        }
        match statement {
            Stmt::Expr(expression, _) => match Call::from_expr(expression) {
                Some(call) if call.verb.names_a_quantity() && self.owner == Owner::Model => {
                    if placement::in_branch(&self.around) {
                        placement::quantity(call, &self.around, self.report);
                    } else {
                        statement::unnamed(call, self.report);
                    }
                    self.call(call);
                }
                _ => self.visit_expr(expression),
            },
            other => visit::visit_stmt(self, other),
        }
    }

    fn visit_expr_call(&mut self, expression: &'ast ExprCall) {
        match Call::from_call(expression) {
            Some(call) => {
                if call.verb.names_a_quantity() && self.owner == Owner::Model {
                    if placement::in_branch(&self.around) {
                        placement::quantity(call, &self.around, self.report);
                    } else {
                        statement::nested(call, self.report);
                    }
                }
                self.call(call);
            }
            None if self.owner == Owner::Function => self.function_call(expression),
            None => {
                self.draws += usize::from(statement::misspelt(expression, self.report));
                // a function may have the same name as a quantity
                self.is_callee = true;
                self.function_call(expression);
            }
        }
    }

    fn visit_expr_if(&mut self, branching: &'ast ExprIf) {
        sum::condition("if", &branching.cond, &self.scope, self.report);
        let right = branch::if_condition(branching, &self.scope, self.report);
        self.within(Around::Branch("if"), |walk| {
            if right {
                walk.visit_expr(&branching.cond);
            }
            walk.visit_block(&branching.then_branch);
        });
        if let Some((_, otherwise)) = &branching.else_branch {
            self.within(Around::Branch("else"), |walk| walk.visit_expr(otherwise));
        }
    }

    fn visit_expr_while(&mut self, repeated: &'ast ExprWhile) {
        sum::condition("while", &repeated.cond, &self.scope, self.report);
        let right = branch::while_condition(&repeated.cond, &self.scope, self.report);
        self.within(Around::repeat("while", repeated.label.as_ref()), |walk| {
            if right {
                walk.visit_expr(&repeated.cond);
            }
            walk.visit_block(&repeated.body);
        });
    }

    fn visit_expr_loop(&mut self, repeated: &'ast ExprLoop) {
        self.within(Around::repeat("loop", repeated.label.as_ref()), |walk| {
            walk.visit_block(&repeated.body)
        });
    }

    fn visit_expr_for_loop(&mut self, repeated: &'ast ExprForLoop) {
        dims::marks(&repeated.attrs, None, &self.scope, self.report);
        branch::turns(&repeated.expr, &self.scope, self.report);
        self.visit_expr(&repeated.expr);
        self.turns.push(placement::number_of_turns(&repeated.expr));
        self.iterated.push(text_of(&repeated.expr));
        self.within(Around::over_data(repeated), |walk| {
            bind_loop(&repeated.pat, &repeated.expr, &mut walk.scope);
            walk.visit_block(&repeated.body);
        });
        self.turns.pop();
        self.iterated.pop();
    }

    fn visit_expr_match(&mut self, branching: &'ast ExprMatch) {
        branch::matched(&branching.expr, &self.scope, self.report);
        self.visit_expr(&branching.expr);
        for arm in &branching.arms {
            self.within(Around::Branch("match"), |walk| walk.visit_arm(arm));
        }
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        self.scope.bind_pattern(&arm.pat, Nature::Other);
        visit::visit_arm(self, arm);
    }

    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        self.closure(closure, &[]);
    }

    fn visit_expr_async(&mut self, block: &'ast ExprAsync) {
        self.within(Around::Closure, |walk| walk.visit_block(&block.block));
    }

    fn visit_expr_let(&mut self, bound: &'ast ExprLet) {
        self.visit_expr(&bound.expr);
        self.scope.bind_pattern(&bound.pat, Nature::Other);
    }

    fn visit_expr_binary(&mut self, binary: &'ast ExprBinary) {
        branch::comparison(binary, &self.scope, self.report);
        self.visit_expr(&binary.left);
        if branch::is_lazy(&binary.op) {
            self.around.enter(Around::Branch("&&"));
            self.visit_expr(&binary.right);
            self.around.leave();
        } else {
            self.visit_expr(&binary.right);
        }
    }

    fn visit_expr_index(&mut self, index: &'ast ExprIndex) {
        branch::index(index, &self.scope, self.report);
        list_index::index(index, &self.scope, self.report);
        visit::visit_expr_index(self, index);
    }

    fn visit_expr_return(&mut self, leaving: &'ast ExprReturn) {
        if self.owner == Owner::Model {
            placement::early_return(leaving, &self.around, self.report);
        }
        visit::visit_expr_return(self, leaving);
    }

    fn visit_expr_try(&mut self, tried: &'ast ExprTry) {
        if self.owner == Owner::Model {
            placement::question_mark(tried, &self.around, self.report);
        }
        visit::visit_expr_try(self, tried);
    }

    fn visit_expr_break(&mut self, leaving: &'ast ExprBreak) {
        placement::leaves_loop(
            "break",
            leaving.break_token,
            leaving.label.as_ref(),
            &self.around,
            self.report,
        );
        visit::visit_expr_break(self, leaving);
    }

    fn visit_expr_continue(&mut self, next: &'ast ExprContinue) {
        placement::leaves_loop(
            "continue",
            next.continue_token,
            next.label.as_ref(),
            &self.around,
            self.report,
        );
    }

    fn visit_macro(&mut self, invocation: &'ast Macro) {
        match self.owner {
            Owner::Model => self.draws += placement::hidden_in_macro(invocation, self.report),
            Owner::Function => placement::in_macro_of_function(invocation, self.report),
        }
        arithmetic::read_in_macro(invocation, self.report);
    }

    // Items inside the body are the user's own functions; their `sample` is not a statement.
    fn visit_item(&mut self, item: &'ast Item) {
        if let Item::Fn(function) = item {
            helper::helper(function, self.report);
            self.scope
                .bind(function.sig.ident.to_string(), Nature::Other);
        }
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        if self.owner == Owner::Model {
            construction::expression(expression, self.report);
        }
        self.after_its_block(expression);
        sum::change(expression, &self.scope, &self.sums, self.report);
        whole::calculation(expression, &self.scope, self.report);
        arithmetic::expression(expression, &self.scope, self.report);
        idioms::expression(expression, &self.scope, self.report);
        visit::visit_expr(self, expression);
    }
}
