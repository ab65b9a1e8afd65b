//! The coordinates of group effects: centred where the data of a group bind its effect, non-centred where they do not.

mod effects;
mod estimate;
mod working;

pub(crate) use effects::Effects;

use crate::design::{Design, Group, INTERCEPT};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The smallest mean share of centred coordinates. Below it the standard deviation may be near 0, where centred coordinates make a funnel.
const LEAST: f64 = 0.85;
/// The smallest sum of squares of the shares that shows the same: with it the logarithm of the standard deviation is known to a tenth, because the levels of a
/// share `s` say as much about it as `s²` known effects.
const KNOWN: f64 = 50.0;
/// Shares are multiples of one over this number, so that a few powers of the standard deviation serve all levels.
const STEPS: f64 = 20.0;

/// The coordinates of a coefficient that varies by groups.
///
/// ```text
/// u = share location + scale (sd / scale)^share z,    r = sd z,    z ~ Normal(0, 1)
/// ```
///
/// A share of 0 is the non-centred form, 1 the centred one, in which `u` is the coefficient of the group itself (Papaspiliopoulos, Roberts & Sköld 2007;
/// Gorinova, Moore & Hoffman 2020). Where `sd` is the scale, `u` is the effect `r` about a share of its location, for every share. Each group has
/// its own share. Of groups within larger ones the effect of the larger one is a part of the location.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Centring {
    /// The shares above 0 by the names of the groups; all other groups are non-centred.
    pub(crate) shares: BTreeMap<String, f64>,
    /// An estimate of the standard deviation.
    pub(crate) scale: f64,
    pub(crate) around: Around,
    /// The number of the same coefficient of larger groups, and the name of the larger group of each group: the coordinates of a run mean the nesting of its
    /// table.
    pub(crate) within: Option<(usize, BTreeMap<String, String>)>,
}

/// The location of the coefficient of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Around {
    Zero,
    /// The intercept where these columns are 0 and all others at their means: the columns that vary by the same groups.
    Intercept(Vec<usize>),
    /// The coefficient with this number in the linear predictor of the response.
    Coefficient(usize),
}

/// The coordinates of a coefficient of the groups of a table.
#[derive(Clone, Debug)]
pub(crate) struct Placement {
    /// Of each group.
    shares: Vec<f64>,
    scale: f64,
    around: Around,
    /// The number of the same coefficient of larger groups, and the larger group of each group.
    within: Option<(usize, Vec<usize>)>,
}

/// The centring of each coefficient that varies by groups, in the order of their standard deviations: all of the linear predictor of the response that are
/// not correlated with others. None for several responses, whose effects are non-centred.
pub(crate) fn centrings(design: &Design) -> Vec<Centring> {
    if design.has_several() {
        return Vec::new();
    }
    let mut estimates = estimate::estimates(design);
    for estimate in &mut estimates {
        if !estimate.is_bound() {
            estimate.shares.fill(0.0);
        }
    }
    let mean = |k: usize| estimates[k].mean();
    let line = &design.first().lines[0];
    let columns = || {
        let groups = line.groups.iter();
        groups.flat_map(|group| group.columns.iter().map(move |(name, _)| (group, name)))
    };
    let groups: Vec<&Group> = columns().map(|(group, _)| group).collect();
    let names: Vec<&str> = columns().map(|(_, name)| name.as_str()).collect();
    let place = |name: &str| line.coefficients.iter().position(|known| known == name);
    let is_within = |mut k: usize, outer: usize| {
        while let Some(next) = estimates[k].within {
            if next == outer {
                return true;
            }
            k = next;
        }
        false
    };
    let mut all: Vec<Centring> = Vec::new();
    for (k, (group, name)) in columns().enumerate() {
        // of several terms one takes the location, with the terms of groups within its groups
        let is_before = |j: usize| mean(j) > mean(k) || (mean(j) == mean(k) && j < k);
        let is_other = |j: usize| j != k && !is_within(j, k) && !is_within(k, j);
        let is_taken =
            (0..names.len()).any(|j| names[j] == name.as_str() && is_other(j) && is_before(j));
        let around = match place(name) {
            _ if mean(k) == 0.0 || is_taken => Around::Zero,
            _ if name == INTERCEPT
                && line.has_intercept
                && !design.first().family.has_cutpoints() =>
            {
                let columns = group.columns.iter();
                Around::Intercept(columns.filter_map(|(name, _)| place(name)).collect())
            }
            Some(place) => Around::Coefficient(place),
            None => Around::Zero,
        };
        let shares = group
            .levels
            .iter()
            .cloned()
            .zip(estimates[k].shares.clone());
        all.push(Centring {
            shares: shares.filter(|(_, share)| *share > 0.0).collect(),
            scale: estimates[k].scale,
            around,
            within: estimates[k]
                .within
                .map(|outer| (outer, nesting(group, groups[outer]))),
        });
    }
    all
}

/// The names of groups, each with the name of the larger group that it is in.
fn nesting(group: &Group, outer: &Group) -> BTreeMap<String, String> {
    let pairs = group.of.iter().zip(&outer.of);
    pairs
        .map(|(level, outer_level)| {
            (
                group.levels[*level].clone(),
                outer.levels[*outer_level].clone(),
            )
        })
        .collect()
}

/// The coordinates of the coefficients of the groups of a table. Groups that the centrings do not know are non-centred; their larger groups are those of the
/// table.
pub(crate) fn placements(centrings: &[Centring], design: &Design) -> Vec<Placement> {
    let groups = design.first().lines[0].groups.iter();
    let columns: Vec<&Group> = groups
        .flat_map(|group| group.columns.iter().map(move |_| group))
        .collect();
    let one = |(centring, group): (&Centring, &&Group)| {
        let share = |level: &String| centring.shares.get(level).copied().unwrap_or(0.0);
        let outer = |(number, nesting): &(usize, BTreeMap<String, String>)| {
            let outer = columns[*number];
            let mut numbers = vec![0; group.levels.len()];
            for (level, other) in group.of.iter().zip(&outer.of) {
                numbers[*level] = *other;
            }
            let names = outer.levels.iter().enumerate();
            let places: BTreeMap<&String, usize> = names.map(|(k, name)| (name, k)).collect();
            for (number, level) in numbers.iter_mut().zip(&group.levels) {
                let known = nesting.get(level).and_then(|name| places.get(name));
                *number = known.copied().unwrap_or(*number);
            }
            (*number, numbers)
        };
        Placement {
            shares: group.levels.iter().map(share).collect(),
            scale: centring.scale,
            around: centring.around.clone(),
            within: centring.within.as_ref().map(outer),
        }
    };
    centrings.iter().zip(&columns).map(one).collect()
}

#[cfg(test)]
mod tests {
    use bayes::data::Table;

    /// The shares of `y ~ 1 + x + (1 | a) + (1 | b)`, with effects of these sizes of 12 groups `a`, and of groups `b` that are within those of `a` or cross them.
    fn shares(sizes: [f64; 2], is_nested: bool) -> Vec<f64> {
        let wave = |k: usize, by: f64| (by * (k as f64 + 1.0)).sin() * 2f64.sqrt();
        let mut text = String::from("a,b,x,y\n");
        for row in 0..12 * 4 * 5 {
            let (a, of_a) = (row / 20, row / 5 % 4);
            let b = if is_nested { row / 5 } else { of_a };
            let y = 3.0 * wave(row, 0.37)
                + sizes[0] * wave(a, 1.7)
                + sizes[1] * wave(b, 2.3)
                + wave(row, 4.1);
            text += &format!("a{a},b{b},{},{y}\n", wave(row, 0.37));
        }
        let table = Table::from_csv(text.as_bytes()).expect("it is a table");
        let formula = crate::formula("y ~ 1 + x + (1 | a) + (1 | b)").expect("it is a formula");
        let regression = formula.on(&table).expect("it fits the table");
        regression
            .recipe()
            .centrings
            .iter()
            .map(|centring| {
                let sum: f64 = centring.shares.values().sum();
                sum / centring.shares.len().max(1) as f64
            })
            .collect()
    }

    // Seen to detect: effects of groups within others that count as known, and effects that all groups have in common that do not cancel.
    #[test]
    fn a_share_is_large_where_the_rows_of_a_group_bind_its_effect() {
        let found = shares([5.0, 0.0], false);
        assert!(found[0] > 0.95 && found[1] == 0.0, "{found:?}");
        let found = shares([0.0, 0.0], true);
        assert!(found[0] == 0.0 && found[1] == 0.0, "{found:?}");
        // of 4 groups b within each group a
        let found = shares([1.0, 5.0], true);
        assert!(found[0] == 0.0 && found[1] > 0.9, "{found:?}");
        // they are about the effects of `a`, so that these do not hide them
        let found = shares([5.0, 5.0], true);
        assert!(found[1] > 0.9, "{found:?}");
        let found = shares([5.0, 5.0], false);
        assert!(found[0] > 0.95 && found[1] > 0.95, "{found:?}");
    }
}
