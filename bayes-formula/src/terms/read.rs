//! From the text of a formula to its response and its linear predictor.

use super::{Formula, Reader};
use crate::syntax::{Kind, Operator, parse};
use bayes::FormulaError;

/// Reads a formula on a table with these columns, which `.` means; `None` before there is a table.
pub(crate) fn read(text: &str, columns: Option<&[String]>) -> Result<Formula, FormulaError> {
    let mut reader = Reader {
        text,
        columns,
        responses: Vec::new(),
    };
    let tree = parse(text)?;
    let Kind::Binary {
        operator: Operator::Tilde,
        left,
        right,
    } = tree.kind
    else {
        return Err(reader.wrong(&tree, "a formula is a response, `~` and terms: `y ~ x`"));
    };
    let (response, additions) = reader.response(*left)?;
    response.columns(&mut reader.responses);
    additions.all_columns(&mut reader.responses);
    let predictor = reader.predictor(*right)?;
    let name = response.to_string();
    let mut factors = predictor.terms.factors.iter();
    if let Some(term) = factors.find(|term| term.to_string() == name) {
        return Err(reader.wrong(term, "the response cannot be a term too"));
    }
    Ok(Formula {
        response,
        additions,
        predictor,
    })
}
