//! Additional knowledge about the rows of a response: weights, censoring, truncation, standard errors, exposures.

use crate::columns::Evaluator;
use crate::family::{Family, Response};
use crate::link::Link;
use crate::response::check;
use crate::syntax::{Kind, Node};
use crate::terms::{Additions, Censoring, infinite};
use bayes::Error;

/// Changes to the family's likelihoods of rows. Each list is empty, or has an element for each row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Adjustments {
    /// Factors of the log likelihoods.
    pub(crate) weights: Vec<f64>,
    /// The intervals of censored responses; `None` for an observed response.
    pub(crate) regions: Vec<Option<Region>>,
    /// The bounds within which responses are observed, both included.
    pub(crate) bounds: Vec<[f64; 2]>,
}

/// An interval that contains a censored response, or would contain one of a row whose response was observed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Region {
    /// The value in the table instead of the response.
    pub(crate) recorded: f64,
    /// The ends, both included.
    pub(crate) ends: [f64; 2],
    /// Whether the response of the row in the table is the recorded value, and is not censored: it was seen at the very end.
    pub(crate) was_seen: bool,
}

impl Adjustments {
    /// Whether the response of a row, which is `y` in the table, is censored.
    pub(crate) fn is_censored(&self, row: usize, y: f64) -> bool {
        let region = self.regions.get(row).copied().flatten();
        region.is_some_and(|region| region.recorded == y && !region.was_seen)
    }

    /// The finite times at which the observation of rows ends, with their rows: of censoring, of intervals and of truncation from above.
    pub(crate) fn ends(&self) -> impl Iterator<Item = (usize, f64)> {
        let of_region = |(row, region): (usize, &Option<Region>)| {
            let ends = region.map(|region| [region.recorded, region.ends[1]]);
            ends.into_iter().flatten().map(move |end| (row, end))
        };
        let of_regions = self.regions.iter().enumerate().flat_map(of_region);
        let of_bounds = self.bounds.iter().enumerate();
        let of_bounds = of_bounds.map(|(row, [_, high])| (row, *high));
        of_regions
            .chain(of_bounds)
            .filter(|(_, end)| end.is_finite())
    }

    /// Whether rows have the likelihood of the family.
    pub(crate) fn is_empty(&self) -> bool {
        self.weights.is_empty() && self.regions.is_empty() && self.bounds.is_empty()
    }
}

/// Weights, censoring and truncation of a response, `[rows]`, NaN for missing values of a table to predict.
pub(crate) fn adjustments(
    family: Family,
    additions: &Additions,
    (response, y): (&Node, &[f64]),
    evaluator: &mut Evaluator<'_>,
) -> Result<Adjustments, Error> {
    let weights = weights(additions, y, evaluator)?;
    let bounds = bounds(family, additions, (response, y), evaluator)?;
    let regions = regions(family, additions, (y, &bounds), evaluator)?;
    Ok(Adjustments {
        weights,
        regions,
        bounds,
    })
}

/// Whether a table to predict lacks both some responses and a column that only responses need.
fn is_absent(node: &Node, y: &[f64], evaluator: &Evaluator<'_>) -> bool {
    evaluator.predicts && y.iter().any(|y| y.is_nan()) && evaluator.may_lack(node)
}

fn weights(
    additions: &Additions,
    y: &[f64],
    evaluator: &mut Evaluator<'_>,
) -> Result<Vec<f64>, Error> {
    let Some(node) = &additions.weights else {
        return Ok(Vec::new());
    };
    if is_absent(node, y, evaluator) {
        return Ok(Vec::new());
    }
    let weights = evaluator.numbers(node)?;
    let wanted = "numbers from 0, for `weights`";
    check(&weights, node, evaluator, wanted, |weight| weight >= 0.0)?;
    if evaluator.learns && weights.iter().all(|weight| *weight == 0.0) {
        let message = format!("the weights `{node}` are 0 in all rows, so no row says anything");
        return Err(evaluator.wrong(node, message));
    }
    Ok(weights)
}

/// The known standard deviations of rows: `se(s)`.
pub(crate) fn errors(
    family: Family,
    additions: &Additions,
    evaluator: &mut Evaluator<'_>,
) -> Result<Vec<f64>, Error> {
    let Some((node, _)) = &additions.errors else {
        return Ok(Vec::new());
    };
    if !matches!(family, Family::Gaussian | Family::StudentT) {
        let message = format!("the family {family} has no `se`; gaussian and student have");
        return Err(evaluator.wrong(node, message));
    }
    let values = evaluator.numbers(node)?;
    let wanted = "numbers above 0, for `se`";
    check(&values, node, evaluator, wanted, |value| value > 0.0)?;
    Ok(values)
}

/// The exposures of counts, such as time or area: `rate(t)`.
pub(crate) fn exposures(
    (family, link): (Family, Link),
    additions: &Additions,
    evaluator: &mut Evaluator<'_>,
) -> Result<Vec<f64>, Error> {
    let Some(node) = &additions.rate else {
        return Ok(Vec::new());
    };
    if !matches!(family, Family::Poisson | Family::NegativeBinomial) {
        let message = format!(
            "the family {family} has no `rate`; did you mean the family `poisson`? negative-binomial has it too, and others take `offset(log({node}))`"
        );
        return Err(evaluator.wrong(node, message));
    }
    // the logarithm of an exposure is added to the logarithm of the mean
    if link != Link::Log {
        let message = format!("`rate` needs the link log, and this is {link}");
        return Err(evaluator.wrong(node, message));
    }
    let values = evaluator.numbers(node)?;
    let wanted = "numbers above 0, for `rate`";
    check(&values, node, evaluator, wanted, |value| value > 0.0)?;
    Ok(values)
}

/// The smallest and the largest value of a response.
fn range(family: Family) -> [f64; 2] {
    match family.response() {
        Response::Real => [f64::NEG_INFINITY, f64::INFINITY],
        Response::Share => [0.0, 1.0],
        _ => [0.0, f64::INFINITY],
    }
}

/// Refuses additions that need probabilities of intervals if the family has none.
fn check_intervals(
    family: Family,
    (node, word): (&Node, &str),
    evaluator: &Evaluator<'_>,
) -> Result<(), Error> {
    match family.has_intervals() {
        true => Ok(()),
        false => {
            let with = Family::ALL
                .iter()
                .filter(|(_, other)| other.has_intervals());
            let with: Vec<&str> = with.map(|(name, _)| *name).collect();
            let message = format!(
                "the family {family} has no `{word}`; {} have",
                with.join(", ")
            );
            Err(evaluator.wrong(node, message))
        }
    }
}

/// The bounds of truncation; infinite for a missing bound.
fn bounds(
    family: Family,
    additions: &Additions,
    (response, y): (&Node, &[f64]),
    evaluator: &mut Evaluator<'_>,
) -> Result<Vec<[f64; 2]>, Error> {
    let Some(nodes) = &additions.truncation else {
        return Ok(Vec::new());
    };
    let node = nodes.iter().flatten().next().unwrap_or(response);
    check_intervals(family, (node, "trunc"), evaluator)?;
    let mut ends = [Vec::new(), Vec::new()];
    for ((end, node), none) in ends
        .iter_mut()
        .zip(nodes)
        .zip([f64::NEG_INFINITY, f64::INFINITY])
    {
        *end = match node {
            None => vec![none; y.len()],
            Some(node) => match infinite(node) {
                Some(value) => vec![value; y.len()],
                None => evaluator.numbers(node)?,
            },
        };
    }
    let [lower, upper] = ends;
    let bounds: Vec<[f64; 2]> = lower.into_iter().zip(upper).map(<[f64; 2]>::from).collect();
    let (range, is_whole) = (range(family), !family.response().is_real());
    for (row, (bounds, y)) in bounds.iter().zip(y).enumerate() {
        if let Some(what) = fault(*bounds, range, is_whole) {
            let [low, high] = bounds;
            let message = format!(
                "the bounds of `trunc` are {low} and {high} in row {}; {what}, for the family {family}",
                row + 1
            );
            return Err(evaluator.wrong(node, message));
        }
        if *y < bounds[0] || *y > bounds[1] {
            let message = format!(
                "`{response}` is {y} in row {}, outside of the bounds of `trunc`, {} and {}",
                row + 1,
                bounds[0],
                bounds[1]
            );
            return Err(evaluator.wrong(response, message));
        }
    }
    Ok(bounds)
}

/// The requirement that these bounds of truncation do not meet, if any.
fn fault([low, high]: [f64; 2], [first, last]: [f64; 2], is_whole: bool) -> Option<&'static str> {
    let is_apart = |low: f64, high: f64| low < high || is_whole && low == high;
    if is_whole
        && [low, high]
            .iter()
            .any(|x| x.is_finite() && x.fract() != 0.0)
    {
        return Some("they must be whole numbers");
    }
    if !is_apart(low, high) {
        return Some("the upper one must be above the lower one");
    }
    if !is_apart(low, last) || !is_apart(first, high) {
        return Some("there must be values between them");
    }
    None
}

/// How a response is censored.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Censored {
    No,
    /// The response is at most the value in the table.
    Left,
    /// The response is above the value in the table.
    Right,
    /// The response is above the value in the table, and at most the upper end.
    Interval,
}

impl Censored {
    /// Reads the notation of brms: words, numbers, or `TRUE` for right-censored.
    fn read(text: &str) -> Option<Self> {
        match text.trim() {
            "none" | "0" | "FALSE" | "false" => Some(Self::No),
            "left" | "-1" => Some(Self::Left),
            "right" | "1" | "TRUE" | "true" => Some(Self::Right),
            "interval" | "2" => Some(Self::Interval),
            _ => None,
        }
    }
}

/// The kind of censoring of each row.
fn kinds(node: &Node, evaluator: &mut Evaluator<'_>) -> Result<Vec<Censored>, Error> {
    let texts: Vec<String> = match &node.kind {
        Kind::Name(name) => {
            evaluator.check_column(node, name)?;
            evaluator.texts(node, name)?
        }
        _ => evaluator
            .numbers(node)?
            .iter()
            .map(f64::to_string)
            .collect(),
    };
    let read = |(row, text): (usize, &String)| {
        // `1.0` is 1
        let number = text.trim().parse::<f64>().ok();
        let text = number.map_or_else(|| text.clone(), |number| number.to_string());
        Censored::read(&text).ok_or_else(|| {
            let message = format!(
                "`{node}` is `{text}` in row {}; `cens` takes none, left, right and interval, or 0, -1, 1 and 2",
                row + 1
            );
            evaluator.wrong(node, message)
        })
    };
    texts.iter().enumerate().map(read).collect()
}

/// What would have been censored in a row that was observed until `last`, NaN if that is unknown; the response is not censored, or missing.
fn beyond(y: f64, last: f64, step: f64) -> Option<Region> {
    (!last.is_nan()).then_some(Region {
        recorded: last,
        ends: [last + step, f64::INFINITY],
        was_seen: y == last,
    })
}

/// The message for a row whose interval has no values: its number, its response, and its upper end.
fn no_values(
    kind: Censored,
    (node, upper_node): (&Node, Option<&Node>),
    (row, y, upper): (usize, f64, f64),
) -> String {
    let row = row + 1;
    match (kind, upper_node) {
        (Censored::Interval, None) => {
            format!(
                "row {row} of `{node}` is interval-censored and needs its upper end: `cens({node}, upper)`"
            )
        }
        (Censored::Interval, Some(end)) => {
            format!(
                "the upper end `{end}` is {upper} in row {row}; it must be above the lower one, {y}"
            )
        }
        _ => format!("nothing is possible in row {row}, which is censored at {y}"),
    }
}

/// The columns of `cens`.
struct Columns {
    kinds: Vec<Censored>,
    /// The upper ends of intervals, NaN in other rows.
    upper: Vec<f64>,
    /// Where the observation of each row ended, or would have; NaN if that is unknown.
    last: Vec<f64>,
}

impl Columns {
    /// The columns of a table; of one to predict, those that it has.
    fn of(censoring: &Censoring, y: &[f64], evaluator: &mut Evaluator<'_>) -> Result<Self, Error> {
        let Censoring { kind, upper, end } = censoring;
        let is_absent = is_absent(kind, y, evaluator);
        let kinds = match is_absent {
            true => vec![Censored::No; y.len()],
            false => kinds(kind, evaluator)?,
        };
        let upper = upper.as_ref().filter(|_| !is_absent);
        let end = end.as_ref();
        let end = end.filter(|end| !is_absent || !evaluator.may_lack(end));
        let mut numbers = |node: Option<&Node>| match node {
            Some(node) => evaluator.optional(node),
            None => Ok(vec![f64::NAN; y.len()]),
        };
        Ok(Self {
            kinds,
            upper: numbers(upper)?,
            last: numbers(end)?,
        })
    }
}

/// The intervals of censored responses, within the bounds of truncation.
fn regions(
    family: Family,
    additions: &Additions,
    (y, bounds): (&[f64], &[[f64; 2]]),
    evaluator: &mut Evaluator<'_>,
) -> Result<Vec<Option<Region>>, Error> {
    let Some(censoring) = &additions.censoring else {
        return Ok(Vec::new());
    };
    check_intervals(family, (&censoring.kind, "cens"), evaluator)?;
    let columns = Columns::of(censoring, y, evaluator)?;
    let step = f64::from(!family.response().is_real());
    let mut regions = Vec::new();
    for (row, y) in y.iter().enumerate() {
        let within = bounds.get(row).copied();
        let within = within.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let region = region(&columns, (row, *y), within, step);
        let wrong = |fault| wrong(fault, censoring, (row, *y), &columns, evaluator);
        regions.push(region.map_err(wrong)?);
    }
    match regions.iter().all(Option::is_none) {
        true => Ok(Vec::new()),
        false => Ok(regions),
    }
}

/// Why a row cannot be censored as it says.
#[derive(Clone, Copy)]
enum Fault {
    /// The response is after the end of the observation.
    AfterEnd,
    /// The interval has no values.
    NoValues,
}

/// The interval of a row within the bounds of truncation, if it has one.
fn region(
    columns: &Columns,
    (row, y): (usize, f64),
    [low, high]: [f64; 2],
    step: f64,
) -> Result<Option<Region>, Fault> {
    let (kind, last) = (columns.kinds[row], columns.last[row]);
    let ends_here = matches!(kind, Censored::No | Censored::Right);
    if ends_here && y > last {
        return Err(Fault::AfterEnd);
    }
    let [a, b] = match kind {
        // how a missing response is censored is not known before it is predicted
        _ if y.is_nan() => return Ok(beyond(y, last, step)),
        Censored::No => return Ok(beyond(y, last, step)),
        Censored::Left => [f64::NEG_INFINITY, y],
        Censored::Right => [y + step, f64::INFINITY],
        Censored::Interval => [y + step, columns.upper[row]],
    };
    let ends = [a.max(low), if b > high { high } else { b }];
    // also false for a missing upper end
    let has_values = ends[0] < ends[1] || step > 0.0 && ends[0] == ends[1];
    let region = Region {
        recorded: y,
        ends,
        was_seen: false,
    };
    has_values.then_some(Some(region)).ok_or(Fault::NoValues)
}

/// The error of a row.
fn wrong(
    fault: Fault,
    Censoring { kind, upper, end }: &Censoring,
    (row, y): (usize, f64),
    columns: &Columns,
    evaluator: &Evaluator<'_>,
) -> Error {
    match (fault, end) {
        (Fault::AfterEnd, Some(end)) => {
            let (row, last) = (row + 1, columns.last[row]);
            let message = format!(
                "the observation of row {row} ended at {last} (`{end}`), before its response {y}"
            );
            evaluator.wrong(end, message)
        }
        _ => {
            let upper = upper.as_ref();
            let of_row = (row, y, columns.upper[row]);
            let message = no_values(columns.kinds[row], (kind, upper), of_row);
            evaluator.wrong(upper.unwrap_or(kind), message)
        }
    }
}
