//! The effects of groups as one distribution, whose coordinates have shares of their location and scale.

use super::{Around, Placement, STEPS};
use crate::design::Design;
use bayes::autodiff::PlainValue;
use bayes::dist::{Continuous, Data, DataError, Distribution, Drawn, ParameterError, Shape};
use bayes::prelude::*;
use bayes::rng::Stream;

/// The standard values of the effects of all groups, coefficient after coefficient.
pub(crate) struct Effects<'d, M: Mode> {
    columns: Vec<Column<'d, M>>,
}

/// The standard values of one coefficient.
struct Column<'d, M: Mode> {
    levels: usize,
    /// Of shares above 0.
    centred: Option<Centred<'d, M>>,
    sd: Real<M>,
    within: Option<&'d (usize, Vec<usize>)>,
}

/// What places the coordinates of one coefficient.
struct Centred<'d, M: Mode> {
    shares: &'d [f64],
    location: Real<M>,
    log_scale: f64,
    /// The logarithm of `sd / scale`.
    log_ratio: Real<M>,
}

impl<M: Mode> Centred<'_, M> {
    /// The logarithms of `scale (sd / scale)^share` by the shares times [`STEPS`], for the shares that are there.
    fn log_scales(&self) -> Vec<Option<Real<M>>> {
        let mut all = vec![None; STEPS as usize + 1];
        for share in self.shares {
            all[step(*share)].get_or_insert_with(|| self.log_ratio * *share + self.log_scale);
        }
        all
    }
}

/// The number of a share.
fn step(share: f64) -> usize {
    (share * STEPS).round() as usize
}

impl<'d, M: Mode> Effects<'d, M> {
    pub(crate) fn new(
        d: &'d Design,
        b: &Vector<M>,
        intercept: Option<Real<M>>,
        sd: &Vector<M>,
    ) -> Self {
        let groups = d
            .groups()
            .flat_map(|group| group.columns.iter().map(|_| group.levels.len()));
        let column = |(k, levels): (usize, usize)| {
            let placement = d.placements.get(k);
            let is_centred = |one: &&Placement| one.shares.iter().any(|share| *share > 0.0);
            let centred = placement.filter(is_centred).map(|one| {
                let log_scale = one.scale.ln();
                let location = match (&one.around, intercept) {
                    (Around::Intercept(columns), Some(at_means)) => {
                        let at_zero = columns.iter().map(|k| b[*k] * d.first().lines[0].means[*k]);
                        at_zero.fold(at_means, |sum, one| sum - one)
                    }
                    (Around::Coefficient(k), _) => b[*k],
                    _ => Real::constant(0.0),
                };
                Centred {
                    shares: &one.shares,
                    location,
                    log_scale,
                    log_ratio: sd[k].ln() - log_scale,
                }
            });
            Column {
                levels,
                centred,
                sd: sd[k],
                within: placement.and_then(|one| one.within.as_ref()),
            }
        };
        Self {
            columns: groups.enumerate().map(column).collect(),
        }
    }

    fn count(&self) -> usize {
        self.columns.iter().map(|column| column.levels).sum()
    }

    /// The distribution of the values, and of the coordinates where no share is above 0.
    fn standard(&self) -> impl Distribution<M, Value = Vector<M>, Domain = Continuous> + use<M> {
        Normal::new(0.0, 1.0).iid(self.count())
    }

    fn is_plain(&self) -> bool {
        self.columns.iter().all(|column| column.centred.is_none())
    }

    /// The numbers of the coefficients, larger groups before the groups within them, and where their values begin.
    fn ordered(&self) -> Vec<(usize, usize)> {
        let depth = |k: usize| {
            let outer = std::iter::successors(Some(k), |k| Some(self.columns[*k].within?.0));
            outer.count()
        };
        let mut start = 0;
        let starts = self.columns.iter().enumerate().map(|(k, column)| {
            start += column.levels;
            (k, start - column.levels)
        });
        let mut all: Vec<(usize, usize)> = starts.collect();
        all.sort_by_key(|(k, _)| depth(*k));
        all
    }

    /// Passes the coordinates of each coefficient that has some with the sums of effects of larger groups, by group; `visit` returns the values of a coefficient.
    fn walk(&self, mut visit: impl FnMut(usize, usize, Option<&[Real<M>]>) -> Vec<Real<M>>) {
        let is_outer = |k: usize| {
            let mut within = self.columns.iter().filter_map(|column| column.within);
            within.any(|(outer, _)| *outer == k)
        };
        // the effects of larger groups, with the effects of the groups around them
        let mut sums: Vec<Option<Vec<Real<M>>>> = self.columns.iter().map(|_| None).collect();
        for (k, start) in self.ordered() {
            let column = &self.columns[k];
            let carried = column.within.and_then(|(outer, levels)| {
                let outer = sums[*outer].as_ref()?;
                Some(levels.iter().map(|level| outer[*level]).collect::<Vec<_>>())
            });
            let values = visit(k, start, carried.as_deref());
            if is_outer(k) {
                let own = values.iter().map(|z| *z * column.sd);
                sums[k] = Some(match carried {
                    Some(carried) => own.zip(carried).map(|(own, more)| own + more).collect(),
                    None => own.collect(),
                });
            }
        }
    }

    /// The values, and the logarithm of their volume by that of the coordinates: each value is linear in its own coordinate, and else depends on those of larger
    /// groups alone.
    fn placed(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        let mut values = coordinates.to_vec();
        let mut log_jacobian = Real::constant(0.0);
        self.walk(|k, start, carried| {
            let column = &self.columns[k];
            let own = start..start + column.levels;
            if let Some(centred) = &column.centred {
                let log_scales = centred.log_scales();
                let factors: Vec<Option<Real<M>>> = log_scales
                    .iter()
                    .map(|log_scale| log_scale.map(|log_scale| (-log_scale).exp()))
                    .collect();
                for (level, share) in centred.shares.iter().enumerate() {
                    let (Some(log_scale), Some(factor)) =
                        (log_scales[step(*share)], factors[step(*share)])
                    else {
                        unreachable!("each share has a scale");
                    };
                    let mut location = centred.location;
                    if let Some(carried) = carried {
                        location += carried[level];
                    }
                    let u = coordinates[start + level];
                    values[start + level] = match *share > 0.0 {
                        true => (u - location * *share) * factor,
                        false => u * factor,
                    };
                    log_jacobian -= log_scale;
                }
            }
            values[own].to_vec()
        });
        (Vector::from(values), log_jacobian)
    }

    /// The coordinates of values.
    fn coordinates(&self, elements: &[f64]) -> Vec<f64> {
        let mut coordinates = elements.to_vec();
        self.walk(|k, start, carried| {
            let column = &self.columns[k];
            let own = &elements[start..start + column.levels];
            if let Some(centred) = &column.centred {
                let log_scales = centred.log_scales();
                for (level, share) in centred.shares.iter().enumerate() {
                    let log_scale = log_scales[step(*share)].map_or(0.0, |x| x.plain_value());
                    let more = carried.map_or(0.0, |carried| carried[level].plain_value());
                    coordinates[start + level] = share * (centred.location.plain_value() + more)
                        + log_scale.exp() * own[level];
                }
            }
            own.iter().map(|z| Real::constant(*z)).collect()
        });
        coordinates
    }
}

impl<M: Mode> Distribution<M> for Effects<'_, M> {
    type Value = Vector<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        "Effects"
    }

    fn shape(&self) -> Shape {
        Shape::Vector(self.count())
    }

    fn dim(&self) -> usize {
        self.count()
    }

    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }

    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        self.standard().log_density_of(elements)
    }

    fn add_sample(
        &self,
        coordinates: &[Real<M>],
        jacobian: bool,
        total: &mut Real<M>,
    ) -> Vector<M> {
        if self.is_plain() {
            return self.standard().add_sample(coordinates, jacobian, total);
        }
        let (values, log_jacobian) = self.placed(coordinates);
        *total += self.standard().log_density_of(&values);
        if jacobian {
            *total += log_jacobian;
        }
        values
    }

    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        if self.is_plain() {
            return self.standard().constrain(coordinates);
        }
        self.placed(coordinates)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        self.coordinates(elements)
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        Distribution::<M>::draw(&self.standard(), stream)
    }

    fn draw_with_coordinates(&self, stream: &mut Stream) -> Drawn {
        let mut drawn = Distribution::<M>::draw_with_coordinates(&self.standard(), stream);
        if !self.is_plain() {
            drawn.coordinates = self.unconstrain(&drawn.elements);
        }
        drawn
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        Distribution::<M>::check_data(&self.standard(), data)
    }

    /// A term for each value, since they are independent: predictions draw the values of new groups alone.
    fn for_each_term<T: Data<Continuous> + ?Sized>(&self, data: &T, visit: impl FnMut(Real<M>)) {
        self.standard().for_each_term(data, visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bayes::autodiff::Value;

    fn number(x: f64) -> Real<Value> {
        Real::constant(x)
    }

    // Seen to detect: a Jacobian with the other sign, coordinates without the location, and groups that miss the effect of their larger one.
    #[test]
    fn coordinates_have_a_share_of_the_location_and_of_the_scale() {
        let shares = [0.5, 0.0, 1.0];
        // the second and third groups are within the second of the larger ones, which come last
        let within = (2, vec![0, 1, 1]);
        let column = |levels, centred, within| Column::<Value> {
            levels,
            centred,
            sd: number(2.0),
            within,
        };
        let centred = Centred {
            shares: &shares,
            location: number(0.7),
            log_scale: 0.3,
            log_ratio: number(-0.2),
        };
        let effects = Effects {
            columns: vec![
                column(1, None, None),
                column(3, Some(centred), Some(&within)),
                column(2, None, None),
            ],
        };
        let coordinates = [0.4, 0.5, 2.0, -0.1, -1.2, 0.6];
        let (values, log_jacobian) = effects.constrain(&coordinates.map(number));
        let values: Vec<f64> = values.iter().map(|z| z.plain_value()).collect();
        for (k, (z, u)) in values.iter().zip(coordinates).enumerate() {
            let wanted = match k {
                1 => 0.5 * (0.7 + 2.0 * -1.2) + (0.3f64 - 0.1).exp() * z,
                2 => 0.3f64.exp() * z,
                3 => 0.7 + 2.0 * 0.6 + (0.3f64 - 0.2).exp() * z,
                _ => *z,
            };
            assert!((u - wanted).abs() < 2e-15, "{k}: {u} {wanted}");
        }
        let volume = 3.0 * 0.3 - 0.1 - 0.2;
        assert!((log_jacobian.plain_value() + volume).abs() < 2e-15);
        let again = Distribution::<Value>::unconstrain(&effects, &values);
        let differ = again
            .iter()
            .zip(coordinates)
            .any(|(u, v)| (u - v).abs() > 2e-15);
        assert!(!differ, "{again:?}");
        let standard: f64 = values
            .iter()
            .map(|z| -0.5 * z * z - 0.5 * std::f64::consts::TAU.ln())
            .sum();
        for (jacobian, wanted) in [(false, standard), (true, standard - volume)] {
            let mut total = number(1.0);
            effects.add_sample(&coordinates.map(number), jacobian, &mut total);
            assert!(
                (total.plain_value() - 1.0 - wanted).abs() < 1e-13,
                "{jacobian}"
            );
        }
    }
}
