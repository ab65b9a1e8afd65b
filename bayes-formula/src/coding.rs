//! The columns of numbers that terms make of factors, coded as R does.

use crate::columns::{Column, Evaluator};
use crate::terms::Terms;
use bayes::Error;

/// A column of a design matrix with its name.
pub(crate) type Named = (String, Vec<f64>);

/// The columns of all terms, without that of the intercept.
///
/// The labels of a factor are one column each. In a term whose other factors are a term by themselves the first level has none, since the others
/// say it: in `1 + a`, and for the second factor of `a + a:b`.
pub(crate) fn columns(terms: &Terms, evaluator: &mut Evaluator<'_>) -> Result<Vec<Named>, Error> {
    let factors = terms.factors.iter().map(|node| evaluator.column(node));
    let factors: Vec<Column> = factors.collect::<Result<_, _>>()?;
    let rows = evaluator.table.rows();
    let mut all = Vec::new();
    for product in &terms.products {
        let mut columns: Vec<Named> = vec![(String::new(), vec![1.0; rows])];
        for factor in product {
            let rest: Vec<usize> = product.iter().copied().filter(|k| k != factor).collect();
            let is_said = match rest.is_empty() {
                true => terms.intercept,
                false => terms.products.contains(&rest),
            };
            let name = terms.factors[*factor].to_string();
            let coded = coded(&name, &factors[*factor], is_said);
            columns = crossed(&columns, &coded);
        }
        all.extend(columns);
    }
    Ok(all)
}

/// The columns of one factor; without that of the first level if the rest says it.
fn coded(name: &str, column: &Column, is_said: bool) -> Vec<Named> {
    match column {
        Column::Numbers(values) => vec![(name.to_owned(), values.clone())],
        Column::Basis(columns) => {
            let column = |(ending, values): &Named| (format!("{name}{ending}"), values.clone());
            columns.iter().map(column).collect()
        }
        Column::Labels { levels, codes } => {
            let is_at = |k: usize| -> Vec<f64> {
                let row = |code: &usize| f64::from(u8::from(*code == k));
                codes.iter().map(row).collect()
            };
            let levels = levels.iter().enumerate().skip(usize::from(is_said));
            levels
                .map(|(k, level)| (format!("{name}{level}"), is_at(k)))
                .collect()
        }
    }
}

/// The products of all pairs; the first factor varies fastest, as in R.
fn crossed(before: &[Named], next: &[Named]) -> Vec<Named> {
    let product = |(a, x): &Named, (b, y): &Named| {
        let name = if a.is_empty() {
            b.clone()
        } else {
            format!("{a}:{b}")
        };
        (name, x.iter().zip(y).map(|(x, y)| x * y).collect())
    };
    let with =
        |right: &Named| -> Vec<Named> { before.iter().map(|left| product(left, right)).collect() };
    next.iter().flat_map(with).collect()
}
