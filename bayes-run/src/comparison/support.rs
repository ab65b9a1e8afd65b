//! Observations that hold back a bound of their own support, which importance weights cannot detect.
//!
//! Without the largest of the observations of `Uniform(0, b)`, `b` may be below it. No draw of the posterior is there, so the weights of
//! all draws are equal, their tail is short, and k-hat is small.

use crate::model::{Observations, Wanted};
use crate::predict::Prediction;
use std::collections::BTreeMap;

/// Number of draws at which the distance of a bound is checked.
const DRAWS: usize = 1000;

/// Both bounds of the support of an observation.
type Bounds = [f64; 2];

/// An observation next to a moving bound, without another one in between.
struct Outermost {
    /// The index of the observation among all observations.
    observation: usize,
    /// The index of its variable, and of its element there.
    place: [usize; 2],
    /// 0 for the lower bound, 1 for the upper one.
    end: usize,
    datum: f64,
    /// Its distances from the bound.
    distances: Vec<f64>,
}

/// The observations without which parameters could have values that no draw has, in order.
///
/// The family gives the support, and the types say whether it depends on a parameter. Of observations with the same bounds only the
/// outermost holds the bound back, unless another one equals it. It does not if the bound stays at a distance in all draws, compared with
/// how much the bound varies.
pub(super) fn blind(prediction: &Prediction<'_>) -> Vec<usize> {
    let mut outermost = outermost(prediction);
    if outermost.is_empty() {
        return Vec::new();
    }
    prediction.visit_some(DRAWS, wanted(), |found| {
        for one in &mut outermost {
            let [variable, element] = one.place;
            if let Some(bounds) = bounds_of(found, variable, element) {
                one.distances.push((bounds[one.end] - one.datum).abs());
            }
        }
    });
    let held = outermost.iter().filter(|one| one.is_close());
    let mut held: Vec<usize> = held.map(|one| one.observation).collect();
    held.sort();
    held.dedup();
    held
}

fn wanted() -> Wanted {
    Wanted {
        supports: true,
        ..Wanted::default()
    }
}

fn bounds_of(found: &[Observations], variable: usize, element: usize) -> Option<Bounds> {
    *found.get(variable)?.supports.get(element)?
}

impl Outermost {
    /// Whether the bound comes as close as its variation.
    fn is_close(&self) -> bool {
        let n = self.distances.len() as f64;
        let mean = self.distances.iter().sum::<f64>() / n;
        let squares = self.distances.iter().map(|x| (x - mean).powi(2));
        let sd = (squares.sum::<f64>() / n).sqrt();
        let least = self.distances.iter().copied().fold(f64::INFINITY, f64::min);
        // a NaN distance is no reason to trust the weights
        least <= sd || least.is_nan() || sd.is_nan()
    }
}

/// The outermost of all observations with the same bounds, seen at two draws.
fn outermost(prediction: &Prediction<'_>) -> Vec<Outermost> {
    let mut seen: Vec<Vec<Vec<Option<Bounds>>>> = Vec::new();
    prediction.visit_some(2, wanted(), |found| {
        seen.push(found.iter().map(|o| o.supports.clone()).collect());
    });
    let (Some(a), Some(b)) = (seen.first(), seen.last()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let before = |variable: usize| -> usize {
        let variables = prediction.observed().iter().take(variable);
        variables.map(|observed| observed.observations).sum()
    };
    for (variable, observed) in prediction.observed().iter().enumerate() {
        let mut groups: BTreeMap<[u64; 4], Vec<usize>> = BTreeMap::new();
        for element in 0..observed.data.len() {
            let both = [a, b].map(|at| at.get(variable).and_then(|of| *of.get(element)?));
            if let [Some(a), Some(b)] = both {
                let key = [a[0], a[1], b[0], b[1]].map(f64::to_bits);
                groups.entry(key).or_default().push(element);
            }
        }
        for (key, elements) in groups {
            let [a, b] = [[key[0], key[1]], [key[2], key[3]]];
            // whole numbers may be equal at both draws
            let any = a != b;
            for end in [0, 1].into_iter().filter(|end| !any || a[*end] != b[*end]) {
                let Some(element) = alone(&observed.data, &elements, end) else {
                    continue;
                };
                found.push(Outermost {
                    observation: match observed.owners.get(element) {
                        Some((owner, observation)) => before(*owner) + observation,
                        None => before(variable) + element,
                    },
                    place: [variable, element],
                    end,
                    datum: observed.data[element],
                    distances: Vec::new(),
                });
            }
        }
    }
    found
}

/// The element whose datum is nearest to the lower (0) or upper (1) end, unless several tie.
fn alone(data: &[f64], elements: &[usize], end: usize) -> Option<usize> {
    let known = elements.iter().copied().filter(|i| !data[*i].is_nan());
    let outer = |x: f64, y: f64| if end == 0 { x < y } else { x > y };
    let nearest = known
        .clone()
        .reduce(|best, i| match outer(data[i], data[best]) {
            true => i,
            false => best,
        })?;
    let equal = known.filter(|i| data[*i] == data[nearest]).count();
    (equal == 1).then_some(nearest)
}
