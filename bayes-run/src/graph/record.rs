//! The graph is recorded by running the model in an arithmetic that knows what each number was computed from.

use super::{GraphNode, ModelGraph};
use crate::error::{Error, ProblemKind};
use crate::model::{Model, Sources, Statement, StatementKind};
use crate::rng::{Key, Purpose};
use bayes_autodiff::fault::{self, Fault};

/// The graph of a model.
///
/// # Errors
/// [`Error::Model`] with the statement at which the model stopped.
pub fn record<Mo: Model>(model: &Mo) -> Result<ModelGraph, Error> {
    let statements = model.statements();
    let mut stream = Key::new(0, Purpose::Validation).stream();
    let mut recorder = Sources::new(statements.len(), &mut stream);
    let outcome = fault::catch(|| model.run_sources(&mut recorder));
    if let Err(fault) = outcome {
        return Err(stopped(model, &statements[recorder.statement], fault));
    }
    let ran: Vec<usize> = (0..statements.len())
        .filter(|i| recorder.found[*i].executions > 0)
        .collect();
    let node = |i: &usize| {
        let found = &recorder.found[*i];
        let place = |parent: &usize| ran.binary_search(parent).ok();
        GraphNode {
            name: statements[*i].name.to_owned(),
            kind: statements[*i].kind,
            distribution: distribution(&statements[*i]),
            size: found.elements,
            parents: found.parents.iter().filter_map(place).collect(),
        }
    };
    Ok(ModelGraph {
        model: model.name().to_owned(),
        nodes: ran.iter().map(node).collect(),
    })
}

fn stopped(model: &dyn Model, statement: &Statement, fault: Fault) -> Error {
    Error::Model {
        model: model.name().to_owned(),
        problems: vec![statement.problem(model.file(), ProblemKind::Fault(fault))],
    }
}

/// The name of a statement's distribution: the text before the last `::` ahead of its first argument.
fn distribution(statement: &Statement) -> String {
    let text = match statement.kind {
        // `impute` has its data first
        StatementKind::Sample if statement.imputes() => after(statement.text, ", "),
        StatementKind::Sample => after(statement.text, "sample("),
        StatementKind::Param => after(statement.text, "param("),
        StatementKind::Generate => after(statement.text, "generate("),
        StatementKind::SumOut => after(statement.text, "sum_out("),
        StatementKind::Observe => after(statement.text, ", "),
        StatementKind::Deterministic | StatementKind::Factor => "",
    };
    let path = text.split_once("::new").map_or("", |(path, _)| path);
    let name = path.rsplit(|c: char| !c.is_alphanumeric()).next();
    name.unwrap_or_default().to_owned()
}

fn after<'t>(text: &'t str, mark: &str) -> &'t str {
    text.split_once(mark).map_or("", |(_, rest)| rest)
}
