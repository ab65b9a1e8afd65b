//! What is said of a regression before it is fitted.

use crate::class::Class;
use crate::design::{Design, Group, Margin};
use crate::family::Family;

/// With fewer rows beside the first ones of their groups, the spread within groups is hardly known.
const FEW: usize = 10;

/// Sentences about groups that have hardly any row beside the first one: nothing tells the spread between groups from the spread within
/// them.
pub(crate) fn of_groups(design: &Design) -> Vec<String> {
    let of_margin = |margin: &Margin| -> Vec<String> {
        let lines = margin.lines.iter().filter(|line| line.of.is_response());
        let groups = lines.flat_map(|line| &line.groups);
        let groups = groups.filter(|group| group.has_intercept);
        groups
            .filter_map(|group| note(design, margin, group))
            .collect()
    };
    design.margins.iter().flat_map(of_margin).collect()
}

fn note(design: &Design, margin: &Margin, group: &Group) -> Option<String> {
    let within = Within::of(margin)?;
    let mut rows = vec![0_usize; group.levels.len()];
    for level in &group.of {
        rows[*level] += 1;
    }
    let single = rows.iter().filter(|rows| **rows == 1).count();
    let (levels, repeats) = (rows.len(), group.of.len().saturating_sub(rows.len()));
    if 2 * single <= levels || repeats >= FEW {
        return None;
    }
    let groups = match repeats {
        0 => format!("all of its {levels} groups"),
        _ => format!("{single} of its {levels} groups"),
    };
    let scale = format!("sd[{}:Intercept]", group.name);
    let known = match (within, repeats) {
        (Within::Spread(class), 0) => format!(
            "the data tell `{scale}` and {} only together, and the priors divide the spread between them",
            spread(design, margin, class)
        ),
        (Within::Spread(class), _) => format!(
            "the data hardly tell `{scale}` and {} apart, and the priors divide the spread between them",
            spread(design, margin, class)
        ),
        (Within::Nothing, _) => {
            format!("the data say hardly anything about `{scale}`, which stays near its prior")
        }
    };
    Some(format!(
        "`{}` has a single row in {groups}: {known}",
        group.term
    ))
}

/// The name of the spread of a response's rows: `sigma`, or `sigma[y1]` of one of several; in words if a linear predictor has its place.
fn spread(design: &Design, margin: &Margin, class: Class) -> String {
    let owners = design.margins.iter().filter(|margin| margin.has(class));
    match (margin.has(class), owners.count()) {
        (false, _) => "the spread of a row".to_owned(),
        (true, 1) => format!("`{}`", class.name()),
        (true, _) => format!("`{}[{}]`", class.name(), margin.name),
    }
}

/// What varies within a group beside its rows' columns.
#[derive(Clone, Copy)]
enum Within {
    /// A parameter of the family that is a spread of its own.
    Spread(Class),
    /// Nothing: a single outcome of a row has no spread, and a free hazard follows any times.
    Nothing,
}

impl Within {
    /// `None` where the spread of a row is known, as of counts with the mean as variance and with `se(s)`: a larger spread is of the groups.
    fn of(margin: &Margin) -> Option<Self> {
        let spreads = [
            Class::Sigma,
            Class::Shape,
            Class::Phi,
            Class::Kappa,
            Class::Nu,
        ];
        let own = margin.family.auxiliaries();
        match spreads.into_iter().find(|class| own.contains(class)) {
            Some(class) => (!margin.knows(class)).then_some(Self::Spread(class)),
            None => Self::is_single(margin).then_some(Self::Nothing),
        }
    }

    fn is_single(margin: &Margin) -> bool {
        let family = margin.family;
        let is_trial =
            family == Family::Binomial && margin.trials.iter().all(|trials| *trials == 1);
        let has_one = matches!(
            family,
            Family::Bernoulli | Family::Categorical | Family::Cox
        );
        has_one || family.has_cutpoints() || is_trial
    }
}
