//! The columns of numbers that terms make from factors, coded as in R.

use crate::columns::{Column, Contrasts, Evaluator};
use crate::terms::Terms;
use bayes::Error;

/// A column of a design matrix with its name.
pub(crate) type Named = (String, Vec<f64>);

/// The columns of all terms, without the intercept.
///
/// Each label of a factor is one column, except the first level (or what its contrasts leave out) if earlier terms already span it: in `1 + a`,
/// and for the second factor of `a + a:b`. Without an intercept the first factor of labels has all of its levels. These are the rules of R's `model.matrix`.
pub(crate) fn columns(terms: &Terms, evaluator: &mut Evaluator<'_>) -> Result<Vec<Named>, Error> {
    let factors = terms.factors.iter().map(|node| evaluator.column(node));
    let factors: Vec<Column> = factors.collect::<Result<_, _>>()?;
    let is_labels = |factor: &usize| matches!(factors[*factor], Column::Labels { .. });
    let mut products = terms.products.iter().enumerate();
    let first =
        products.find_map(|(t, product)| Some((t, *product.iter().find(|k| is_labels(k))?)));
    let full = first.filter(|_| !terms.intercept);
    let mut all = Vec::new();
    for (t, product) in terms.products.iter().enumerate() {
        let mut columns: Option<Vec<Named>> = None;
        for factor in product {
            let mut rest = product.iter().filter(|k| *k != factor);
            let is_said = match product.len() {
                1 => true,
                _ => {
                    let rest: Vec<&usize> = rest.by_ref().collect();
                    let has_rest = |earlier: &Vec<usize>| rest.iter().all(|k| earlier.contains(k));
                    terms.products[..t].iter().any(has_rest)
                }
            };
            let is_said = is_said && full != Some((t, *factor));
            let name = terms.factors[*factor].to_string();
            let next = coded(&name, &factors[*factor], is_said);
            columns = Some(match columns {
                None => next,
                Some(before) => crossed(&before, &next),
            });
        }
        all.extend(columns.into_iter().flatten());
    }
    Ok(all)
}

/// The columns of one factor; without the first level if the other terms span it.
fn coded(name: &str, column: &Column, is_said: bool) -> Vec<Named> {
    match column {
        Column::Numbers(values) => vec![(name.to_owned(), values.clone())],
        Column::Basis(columns) => {
            let column = |(ending, values): &Named| (format!("{name}{ending}"), values.clone());
            columns.iter().map(column).collect()
        }
        Column::Labels {
            levels,
            codes,
            contrasts,
        } => {
            let count = levels.len();
            // all levels have the columns of treatment contrasts, as in R
            let (contrasts, shown) = match is_said {
                true => (*contrasts, contrasts.of_columns(count)),
                false => (Contrasts::Treatment, 0..count),
            };
            let column = |k: usize| {
                let values = (0..count).map(|code| contrasts.value(k, code, count));
                let values: Vec<f64> = values.collect();
                let rows = codes.iter().map(|code| values[*code]);
                let ending = contrasts.ending(k, levels);
                (format!("{name}{ending}"), rows.collect())
            };
            shown.map(column).collect()
        }
    }
}

/// The products of all pairs; the first factor varies fastest, as in R.
fn crossed(before: &[Named], next: &[Named]) -> Vec<Named> {
    let product = |(a, x): &Named, (b, y): &Named| {
        let product = x.iter().zip(y).map(|(x, y)| x * y);
        (format!("{a}:{b}"), product.collect())
    };
    let with =
        |right: &Named| -> Vec<Named> { before.iter().map(|left| product(left, right)).collect() };
    next.iter().flat_map(with).collect()
}
