//! Smooth terms: `s(x)`, `s(x, k = 10)`, `s(x, by = z)`, `t2(x, z)`.

mod tensor;

use crate::coding::Named;
use crate::columns::{Column, Evaluator, Learnt};
use crate::design::{Curve, place};
use crate::syntax::Node;
use crate::terms::Smooth;
use bayes::Error;
use bayes::basis::NaturalSpline;
use nalgebra::DMatrix;

/// The parts of a smooth term: columns with unpenalised coefficients, and curves.
#[derive(Debug, Default)]
pub(crate) struct Smoothed {
    /// The straight line, and the column `by` if it holds numbers.
    pub(crate) columns: Vec<Named>,
    pub(crate) curves: Vec<Curve>,
}

/// The multiplier of a curve, and its rows.
struct By {
    /// The suffix of the curve's name.
    name: String,
    factor: Vec<f64>,
    /// The rows of the curve.
    rows: Vec<usize>,
    /// Whether the multiplier is also an unpenalised column.
    has_level: bool,
}

/// A smooth term on a table.
pub(crate) fn smoothed(smooth: &Smooth, evaluator: &mut Evaluator<'_>) -> Result<Smoothed, Error> {
    if let Some(z) = &smooth.z {
        return tensor::smoothed(smooth, z, evaluator);
    }
    let x = evaluator.numbers(&smooth.x)?;
    let mut all = Smoothed::default();
    for by in multiples(smooth, x.len(), evaluator)? {
        let basis = basis((smooth, &smooth.x), &x, &by, evaluator)?;
        let name = format!("s({}){}", smooth.x, by.name);
        let times = |column: Vec<f64>| -> Vec<f64> {
            let pairs = column.iter().zip(&by.factor);
            pairs.map(|(z, factor)| z * factor).collect()
        };
        if by.has_level {
            all.columns.push((name.clone(), by.factor.clone()));
        }
        // within a level of a factor the line sums to zero, like the curve
        let line = match smooth.by {
            Some(_) => x.iter().map(|x| x - basis.centre()).collect(),
            None => x.clone(),
        };
        all.columns.push((format!("{name}:1"), times(line)));
        let curves: Vec<Vec<f64>> = basis.columns(&x).into_iter().map(times).collect();
        all.curves.push(Curve {
            name: place(&name),
            short: place(&format!("{}{}", smooth.x, by.name)),
            z: DMatrix::from_fn(x.len(), curves.len(), |i, k| curves[k][i]),
        });
    }
    Ok(all)
}

/// The curves of a term with `by`: a single curve, one times a column of numbers, or one for each level of a factor.
fn multiples(
    smooth: &Smooth,
    rows: usize,
    evaluator: &mut Evaluator<'_>,
) -> Result<Vec<By>, Error> {
    let Some(node) = &smooth.by else {
        return Ok(vec![By {
            name: String::new(),
            factor: vec![1.0; rows],
            rows: (0..rows).collect(),
            has_level: false,
        }]);
    };
    Ok(match evaluator.column(node)? {
        Column::Numbers(factor) => vec![By {
            name: format!(":{node}"),
            factor,
            rows: (0..rows).collect(),
            has_level: true,
        }],
        Column::Labels { levels, codes, .. } => {
            let of_level = |(k, level): (usize, &String)| By {
                name: format!(":{node}{level}"),
                factor: codes
                    .iter()
                    .map(|code| f64::from(u8::from(*code == k)))
                    .collect(),
                rows: (0..rows).filter(|row| codes[*row] == k).collect(),
                has_level: false,
            };
            levels.iter().enumerate().map(of_level).collect()
        }
        Column::Basis(_) => {
            return Err(evaluator.wrong(node, "`by` is a column of numbers or of labels"));
        }
    })
}

/// The basis of a curve, from the first table.
fn basis(
    (smooth, column): (&Smooth, &Node),
    x: &[f64],
    by: &By,
    evaluator: &mut Evaluator<'_>,
) -> Result<NaturalSpline, Error> {
    let key = format!("{}{}", smooth.node, by.name);
    if evaluator.learns && !evaluator.memory.contains_key(&key) {
        let mut values = x.to_vec();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let (different, k) = (values.len(), smooth.k);
        if different < k {
            let message = format!(
                "`{}` has {different} different values, and a curve of k = {k} needs {k}; {}",
                column,
                match (different, &smooth.z) {
                    (0..3, _) => "leave the term out".to_owned(),
                    (most, None) => format!("write `s({}, k = {most})` or less", smooth.x),
                    (most, Some(z)) => format!("write `t2({}, {z}, k = {most})` or less", smooth.x),
                }
            );
            return Err(evaluator.wrong(&smooth.node, message));
        }
        let Some(basis) = NaturalSpline::of_rows(x, k, &by.rows) else {
            let message = format!(
                "`{}` has too few different values where `{}` holds, so that there is no curve",
                column,
                by.name.trim_start_matches(':')
            );
            return Err(evaluator.wrong(&smooth.node, message));
        };
        evaluator.memory.insert(key.clone(), Learnt::Spline(basis));
    }
    match evaluator.memory.get(&key) {
        Some(Learnt::Spline(basis)) => Ok(basis.clone()),
        _ => Err(evaluator.wrong(&smooth.node, "its knots are not known")),
    }
}
