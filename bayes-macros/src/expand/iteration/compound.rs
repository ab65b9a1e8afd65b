//! Expressions made of several others: blocks, branches and loops.

use super::bracket;
use super::nature::{Nature, Origin, Use};
use super::pattern::{matched, natures};
use super::walk::{Walk, emptiness};
use syn::{Block, Expr, ExprForLoop, ExprIf, ExprMatch, ExprStruct, ExprWhile, Pat};

impl Walk {
    /// Expressions that are made of several others, or of blocks.
    pub fn compound(&mut self, expression: &mut Expr, usage: Use) -> Origin {
        match expression {
            Expr::Infer(_) => Origin::Data,
            Expr::Array(array) => {
                let empty = emptiness(&array.elems);
                self.all(&mut array.elems, usage).max(empty)
            }
            Expr::Tuple(tuple) => self.all(&mut tuple.elems, usage),
            Expr::Repeat(repeat) => {
                self.expression(&mut repeat.len, Use::Operand);
                self.expression(&mut repeat.expr, usage)
            }
            Expr::Range(range) => {
                let bounds = [&mut range.start, &mut range.end].into_iter().flatten();
                self.all(bounds.map(|bound| &mut **bound), Use::Operand)
            }
            Expr::Struct(literal) => self.literal(literal, usage),
            Expr::Block(block) if block.label.is_none() => self.block(&mut block.block),
            Expr::If(branching) => self.branching(branching),
            Expr::Match(branching) => self.matching(branching),
            Expr::Let(bound) => {
                let origin = self.expression(&mut bound.expr, matched(&bound.pat));
                self.bind(&bound.pat, origin);
                Origin::Data
            }
            Expr::ForLoop(repeated) => self.for_loop(repeated),
            Expr::While(repeated) => self.while_loop(repeated),
            Expr::Loop(repeated) => {
                self.block(&mut repeated.body);
                Origin::Unknown
            }
            Expr::Closure(closure) => self.closure(closure).itself,
            Expr::Macro(invocation) => self.invocation(&invocation.mac),
            Expr::Break(leaving) => match &mut leaving.expr {
                Some(value) => {
                    self.expression(value, Use::Value);
                    // Without a label it leaves a `loop`, in which no closed loop can stand around it.
                    leaving
                        .label
                        .as_ref()
                        .map_or(Origin::Data, |_| self.names.jump())
                }
                None => Origin::Data,
            },
            Expr::Return(leaving) => {
                if let Some(value) = &mut leaving.expr {
                    self.expression(value, Use::Value);
                }
                self.names.jump()
            }
            Expr::Try(tried) => {
                self.names.jump();
                self.expression(&mut tried.expr, Use::Value)
            }
            // A labelled block, whose value may come from anywhere in it, and what no model needs.
            _ => self.names.unseen(),
        }
    }

    fn literal(&mut self, literal: &mut ExprStruct, usage: Use) -> Origin {
        let fields = self.all(literal.fields.iter_mut().map(|f| &mut f.expr), usage);
        let rest = literal.rest.as_deref_mut();
        let rest = rest.map(|rest| self.expression(rest, usage));
        fields.max(rest.unwrap_or(Origin::Known))
    }

    fn branching(&mut self, branching: &mut ExprIf) -> Origin {
        // Names bound in the condition hold in the first branch only.
        self.names.enter();
        self.expression(&mut branching.cond, Use::Operand);
        let mut value = self.block(&mut branching.then_branch);
        self.names.leave();
        if let Some((_, otherwise)) = &mut branching.else_branch {
            value = value.max(self.expression(otherwise, Use::Value));
        }
        value
    }

    fn matching(&mut self, branching: &mut ExprMatch) -> Origin {
        let writes = branching
            .arms
            .iter()
            .any(|arm| matched(&arm.pat) == Use::Place);
        let usage = if writes { Use::Place } else { Use::Value };
        let origin = self.expression(&mut branching.expr, usage);
        let mut value = Origin::Data;
        for arm in &mut branching.arms {
            self.names.enter();
            self.bind(&arm.pat, origin);
            if let Pat::Guard(guarded) = &mut arm.pat {
                self.expression(&mut guarded.guard, Use::Operand);
            }
            value = value.max(self.expression(&mut arm.body, Use::Value));
            self.names.leave();
        }
        value
    }

    fn for_loop(&mut self, repeated: &mut ExprForLoop) -> Origin {
        let origin = self.expression(&mut repeated.expr, Use::Value);
        self.repeat(&repeated.pat, origin, &mut repeated.body);
        Origin::Data
    }

    fn while_loop(&mut self, repeated: &mut ExprWhile) -> Origin {
        // The condition runs outside the brackets; what it binds is made there.
        self.names.enter();
        self.expression(&mut repeated.cond, Use::Operand);
        self.names.open(false);
        self.turns(&mut repeated.body);
        self.names.leave();
        Origin::Data
    }

    /// The turns of a loop over values of this origin.
    fn repeat(&mut self, pattern: &Pat, origin: Origin, body: &mut Block) {
        let natures = natures(pattern, origin);
        // What may be shared between turns is outside; a value of its own belongs to the turn.
        let (shared, own): (Vec<_>, Vec<_>) = natures
            .into_iter()
            .partition(|(_, nature)| matches!(nature, Nature::Opaque | Nature::Outlet));
        self.names.enter();
        for (name, nature) in shared {
            self.names.bind(name, nature);
        }
        self.names.open(false);
        self.names.enter();
        for (name, nature) in own {
            self.names.bind(name, nature);
        }
        self.turns(body);
        self.names.leave();
        self.names.leave();
    }

    fn turns(&mut self, body: &mut Block) {
        self.block(body);
        let frame = self.names.close();
        if frame.observes && !frame.escapes {
            bracket(body);
        }
    }
}
