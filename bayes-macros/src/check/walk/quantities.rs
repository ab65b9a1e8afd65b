//! The statements of a body and their quantities: where a name has a value.

use super::{Own, Owner, Walk};
use crate::ast::{Call, Verb};
use crate::check::{construction, generated, idioms, impute, statement, sum};
use crate::expand::bound_name;
use crate::messages;
use crate::text::text_of;
use syn::visit::Visit;
use syn::{Expr, Local};

impl Walk<'_> {
    /// A statement word in a function.
    fn misplaced(&mut self, call: Call<'_>) {
        let message = messages::statement_in_function(call.verb.word());
        self.report.at(call.word, message);
        for argument in &call.call.args {
            self.visit_expr(argument);
        }
    }

    /// The parts of a statement call to which the rules for expressions apply.
    pub(super) fn call(&mut self, call: Call<'_>) {
        if self.owner == Owner::Function {
            return self.misplaced(call);
        }
        if call.verb.draws() {
            self.draws += 1;
        }
        if call.verb == Verb::Impute {
            let name = self.imputed.take();
            impute::arguments(call, name.as_deref(), &self.scope, self.report);
        } else {
            statement::arguments(call, &self.scope, self.report);
        }
        if call.verb == Verb::Observe {
            statement::observed_data(call, &self.scope, self.report);
            idioms::observed(call, &self.scope, self.report);
        }
        sum::distribution(call, self.report);
        statement::unnormalised(call, self.report);
        if let Some(distribution) = statement::distribution(call) {
            construction::distribution(distribution, self.report);
        }
        for argument in &call.call.args {
            if call.verb != Verb::Generate {
                generated::used(argument, call.verb.word(), &self.scope, self.report);
            }
            self.visit_expr(argument);
        }
    }

    /// The quantity that `local` draws in a loop.
    pub(super) fn own_of(&self, local: &Local, call: Call<'_>) -> Option<Own> {
        let name = bound_name(&local.pat).filter(|_| !self.turns.is_empty())?;
        let distribution = text_of(call.call.args.first()?);
        Some(Own {
            name: name.to_string(),
            statement: format!("let {name} = {}({distribution});", call.verb.word()),
        })
    }

    /// Records a quantity that is drawn in a loop; its name ends with the loop.
    pub(super) fn drawn_in_loop(&mut self, local: &Local, call: Call<'_>) {
        // in nested loops it is an array, and the help would have to guess its shape
        let (Some(name), [turns]) = (bound_name(&local.pat), &self.turns[..]) else {
            return;
        };
        let Some(distribution) = call.call.args.first().filter(|_| call.verb != Verb::SumOut)
        else {
            return;
        };
        let (word, distribution) = (call.verb.word(), text_of(distribution));
        let size = turns.as_deref().unwrap_or("n");
        let vector = format!("let {name} = {word}({distribution}.iid({size}));");
        self.in_loops.insert(name.to_string(), vector);
    }

    /// A sum begins: every later binding is made for each value.
    pub(super) fn begin_sum(&mut self, local: &Local, call: Call<'_>) {
        let Some(name) = bound_name(&local.pat).filter(|_| call.verb == Verb::SumOut) else {
            return;
        };
        sum::rows(name, &self.iterated, &self.marked, self.report);
        sum::binding(local, name, self.report);
        self.sums.push(sum::Sum {
            name: name.to_string(),
            depth: self.scope.depth(),
        });
        self.scope.enter();
    }

    /// A name of a loop or of a sum that is over.
    pub(super) fn after_its_block(&mut self, expression: &Expr) {
        let is_callee = std::mem::take(&mut self.is_callee);
        let Expr::Path(path) = expression else { return };
        let Some(name) = path.path.get_ident().filter(|_| !is_callee) else {
            return;
        };
        let text = name.to_string();
        if self.scope.nature(&text).is_some() {
            return;
        }
        if let Some(own) = self.own.as_ref().filter(|own| own.name == text) {
            let message = messages::own_value(&text, &own.statement);
            self.report.at(name, message);
        } else if let Some(vector) = self.in_loops.get(&text) {
            self.report.at(name, messages::after_loop(&text, vector));
        } else if self.ended_sums.contains(&text) {
            self.report.at(name, messages::after_sum(&text));
        }
    }

    /// Data and generated quantities with the same name: predictions are found by their names.
    pub(super) fn clashes(&mut self) {
        for name in &self.generated {
            let text = name.to_string();
            if self.observed.contains(&text) {
                self.report.at(name, messages::generated_observed(&text));
            }
        }
    }
}
