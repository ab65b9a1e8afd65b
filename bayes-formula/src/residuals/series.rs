//! The series of autoregressive residuals: their rows in the order of time, without gaps.

use crate::columns::{Evaluator, Learnt};
use crate::groups::combined;
use crate::syntax::{Kind, Node};
use crate::terms::Residuals as Term;
use bayes::Error;
use std::collections::BTreeMap;

/// Two rows have a gap between them if their times differ by more than this many steps: months have from 28 to 31 days.
const GAP: f64 = 1.5;

/// A series: its name, and its rows with their times, in the order of the times.
pub(super) struct Series {
    pub(super) name: String,
    pub(super) rows: Vec<(usize, f64)>,
}

/// The series of a table, in the order of their first rows.
///
/// # Errors
/// For two rows of a series at one time, gaps, and series that continue those of the fit without their rows.
pub(super) fn series(term: &Term, evaluator: &mut Evaluator<'_>) -> Result<Vec<Series>, Error> {
    let series = by_time(term, evaluator)?;
    check_times(term, &series, evaluator)?;
    Ok(series)
}

fn by_time(term: &Term, evaluator: &mut Evaluator<'_>) -> Result<Vec<Series>, Error> {
    let times = times(&term.time, evaluator)?;
    let (names, of) = match term.by.as_slice() {
        [] => (vec![String::new()], vec![0; times.len()]),
        by => combined(&term.node, by, evaluator)?,
    };
    let mut all: Vec<Series> = names
        .into_iter()
        .map(|name| Series {
            name,
            rows: Vec::new(),
        })
        .collect();
    for (row, (series, time)) in of.into_iter().zip(times).enumerate() {
        all[series].rows.push((row, time));
    }
    for one in &mut all {
        one.rows.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    }
    Ok(all)
}

/// The times of the rows: numbers, or dates as years.
fn times(node: &Node, evaluator: &mut Evaluator<'_>) -> Result<Vec<f64>, Error> {
    if let Kind::Name(name) = &node.kind {
        evaluator.check_column(node, name)?;
        if let Ok(dates) = evaluator.table.dates(name) {
            return Ok(dates.iter().map(|date| date.decimal_year()).collect());
        }
    }
    evaluator.numbers(node)
}

/// Checks that the rows of each series follow each other in equal steps, and that a series of the fit begins where it began there.
fn check_times(term: &Term, series: &[Series], evaluator: &mut Evaluator<'_>) -> Result<(), Error> {
    // before the step is learnt, which two rows at one time would make 0
    check_twice(term, series, evaluator)?;
    let steps = series.iter().flat_map(|one| one.rows.windows(2));
    let smallest = steps.map(|pair| pair[1].1 - pair[0].1);
    let smallest = smallest.fold(f64::INFINITY, f64::min);
    let key = term.node.to_string();
    if evaluator.learns && !evaluator.memory.contains_key(&key) {
        check_length(term, series, evaluator)?;
        let start = |one: &Series| Some((one.name.clone(), one.rows.first()?.1));
        let starts: BTreeMap<String, f64> = series.iter().filter_map(start).collect();
        let learnt = Learnt::Series {
            step: smallest,
            starts,
        };
        evaluator.memory.insert(key.clone(), learnt);
    }
    let Some(Learnt::Series { step, starts }) = evaluator.memory.get(&key) else {
        return Err(evaluator.wrong(&term.node, "its series are not known"));
    };
    for one in series {
        let fault = one.rows.windows(2).find_map(|pair| match pair {
            [(a, from), (b, to)] => fault_of_step([*a, *b], to - from, *step),
            _ => None,
        });
        let fault = fault.or_else(|| {
            let start = starts.get(&one.name).filter(|_| !evaluator.learns)?;
            let (row, time) = one.rows.first()?;
            ((time - start).abs() > 0.5 * step).then_some(Fault::Start(*row))
        });
        if let Some(fault) = fault {
            return Err(evaluator.wrong(&term.node, fault.message(term, one, evaluator)));
        }
    }
    Ok(())
}

/// Refuses two rows of a series at one time.
fn check_twice(term: &Term, series: &[Series], evaluator: &Evaluator<'_>) -> Result<(), Error> {
    for one in series {
        let same = one.rows.windows(2).find(|pair| pair[0].1 == pair[1].1);
        if let Some([(a, _), (b, _)]) = same {
            let message = Fault::Twice([*a, *b]).message(term, one, evaluator);
            return Err(evaluator.wrong(&term.node, message));
        }
    }
    Ok(())
}

/// Refuses residuals before a row by more rows than any series has: their coefficients would be their priors.
fn check_length(term: &Term, series: &[Series], evaluator: &Evaluator<'_>) -> Result<(), Error> {
    let longest = series.iter().map(|one| one.rows.len()).max().unwrap_or(0);
    if longest > term.order {
        return Ok(());
    }
    let message = match term.order {
        1 => "`ar` needs a series of at least two rows, and each series has one".to_owned(),
        order => format!(
            "`p = {order}` of `ar` needs a series of more than {order} rows, and the longest one has {longest}; take a smaller `p`"
        ),
    };
    Err(evaluator.wrong(&term.node, message))
}

/// What is wrong with the times of a series.
enum Fault {
    Twice([usize; 2]),
    Gap([usize; 2]),
    /// Rows that follow each other faster than in the fit.
    Fast([usize; 2]),
    /// Another first time than in the fit.
    Start(usize),
}

fn fault_of_step(rows: [usize; 2], difference: f64, step: f64) -> Option<Fault> {
    match difference {
        _ if difference > GAP * step => Some(Fault::Gap(rows)),
        _ if GAP * difference < step => Some(Fault::Fast(rows)),
        _ => None,
    }
}

impl Fault {
    fn message(&self, term: &Term, series: &Series, evaluator: &Evaluator<'_>) -> String {
        let time = &term.time;
        let by: Vec<String> = term.by.iter().map(Node::to_string).collect();
        let of = match by.as_slice() {
            [] => String::new(),
            by => format!(" of `{}`, the group `{}`", by.join(":"), series.name),
        };
        let at = |row: &usize| {
            let text = match &time.kind {
                Kind::Name(name) => evaluator.texts(time, name).ok(),
                _ => None,
            };
            let number = || {
                let own = series.rows.iter().find(|(known, _)| known == row);
                own.map_or_else(String::new, |(_, time)| time.to_string())
            };
            text.map_or_else(number, |texts| texts[*row].clone())
        };
        match self {
            Self::Twice([a, b]) => format!(
                "`{time}` is {} in rows {} and {}{of}; `ar` has one row at each time of a series: name the column of the series by `gr`, or leave one of the rows out",
                at(a),
                a + 1,
                b + 1
            ),
            Self::Gap([a, b]) => format!(
                "`{time}` has a gap from {} to {}, rows {} and {}{of}; `ar` takes rows that follow each other as neighbours. If they are neighbours, order them by a column that counts the rows; otherwise give the rows behind the gap another label in `gr`",
                at(a),
                at(b),
                a + 1,
                b + 1
            ),
            Self::Fast([a, b]) => format!(
                "`{time}` goes from {} to {}, rows {} and {}{of}, in a smaller step than where the model was fitted; `ar` needs rows of the same step",
                at(a),
                at(b),
                a + 1,
                b + 1
            ),
            Self::Start(row) => format!(
                "`{time}` begins with {} in row {}{of}, and the series began at another time where the model was fitted; `ar` continues from the residuals of all rows before: put them into the table, with their responses",
                at(row),
                row + 1
            ),
        }
    }
}
