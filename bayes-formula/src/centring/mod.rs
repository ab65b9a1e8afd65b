//! The coordinates of group effects: centred where the data of a group bind its effect, non-centred where they do not.

mod estimate;
mod working;

use crate::design::{Design, INTERCEPT};
use bayes::autodiff::PlainValue;
use bayes::dist::{Continuous, Data, DataError, Distribution, Drawn, ParameterError, Shape};
use bayes::prelude::*;
use bayes::rng::Stream;
use serde::{Deserialize, Serialize};

/// The smallest share of centred coordinates. Below it the standard deviation may be near 0, where centred coordinates make a funnel.
const LEAST: f64 = 0.85;

/// The coordinates of a coefficient that varies by groups.
///
/// ```text
/// u = share location + scale (sd / scale)^share z,    r = sd z,    z ~ Normal(0, 1)
/// ```
///
/// A share of 0 is the non-centred form, 1 the centred one, in which `u` is the coefficient of the group itself (Papaspiliopoulos, Roberts & Sköld 2007;
/// Gorinova, Moore & Hoffman 2020). Where `sd` is the scale, `u` is the effect `r` about a share of its location, for every share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Centring {
    pub(crate) share: f64,
    /// An estimate of the standard deviation.
    pub(crate) scale: f64,
    pub(crate) around: Around,
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

/// The centring of each coefficient that varies by groups, in the order of their standard deviations: all of the linear predictor of the response that are
/// not correlated with others. None for several responses, whose effects are non-centred.
pub(crate) fn centrings(design: &Design) -> Vec<Centring> {
    if design.has_several() {
        return Vec::new();
    }
    let estimates = estimate::estimates(design);
    let shares = estimates.iter().map(|estimate| estimate.share);
    let shares: Vec<f64> = shares
        .map(|share| if share < LEAST { 0.0 } else { share })
        .collect();
    let line = &design.first().lines[0];
    let names = line.groups.iter().flat_map(|group| &group.columns);
    let names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
    let place = |name: &str| line.coefficients.iter().position(|known| known == name);
    let mut all: Vec<Centring> = Vec::new();
    for group in &line.groups {
        for (name, _) in &group.columns {
            let (k, share) = (all.len(), shares[all.len()]);
            // of several terms one takes the location
            let is_before = |j: usize| shares[j] > share || (shares[j] == share && j < k);
            let is_taken = (0..names.len()).any(|j| names[j] == name && is_before(j));
            let around = match place(name) {
                _ if share == 0.0 || is_taken => Around::Zero,
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
            all.push(Centring {
                share,
                scale: estimates[k].scale,
                around,
            });
        }
    }
    all
}

/// The standard values of the effects of all groups, coefficient after coefficient.
pub(crate) struct Effects<M: Mode> {
    columns: Vec<Column<M>>,
}

/// The standard values of one coefficient.
struct Column<M: Mode> {
    levels: usize,
    /// Of a share above 0: the share of the location, and the logarithm of `scale (sd / scale)^share`.
    centred: Option<[Real<M>; 2]>,
}

impl<M: Mode> Effects<M> {
    pub(crate) fn new(
        d: &Design,
        b: &Vector<M>,
        intercept: Option<Real<M>>,
        sd: &Vector<M>,
    ) -> Self {
        let groups = d
            .groups()
            .flat_map(|group| group.columns.iter().map(|_| group.levels.len()));
        let column = |(k, levels): (usize, usize)| {
            let centring = d.centrings.get(k).filter(|centring| centring.share > 0.0);
            let centred = centring.map(
                |Centring {
                     share,
                     scale,
                     around,
                 }| {
                    let log_scale = scale.ln();
                    let location = match (around, intercept) {
                        (Around::Intercept(columns), Some(at_means)) => {
                            let at_zero =
                                columns.iter().map(|k| b[*k] * d.first().lines[0].means[*k]);
                            at_zero.fold(at_means, |sum, one| sum - one)
                        }
                        (Around::Coefficient(k), _) => b[*k],
                        _ => Real::constant(0.0),
                    };
                    [
                        location * *share,
                        (sd[k].ln() - log_scale) * *share + log_scale,
                    ]
                },
            );
            Column { levels, centred }
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

    /// The share of the location and the logarithm of the scale of each coordinate, as plain numbers.
    fn plain(&self) -> Vec<[f64; 2]> {
        let of = |column: &Column<M>| {
            let numbers = column
                .centred
                .map(|numbers| numbers.map(PlainValue::plain_value));
            std::iter::repeat_n(numbers.unwrap_or_default(), column.levels)
        };
        self.columns.iter().flat_map(of).collect()
    }

    /// The values, and the logarithm of their volume by that of the coordinates.
    fn placed(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        let mut values = Vec::with_capacity(coordinates.len());
        let mut log_jacobian = Real::constant(0.0);
        for column in &self.columns {
            let own = &coordinates[values.len()..values.len() + column.levels];
            match column.centred {
                None => values.extend_from_slice(own),
                Some([location, log_scale]) => {
                    let factor = (-log_scale).exp();
                    values.extend(own.iter().map(|u| (*u - location) * factor));
                    log_jacobian -= log_scale * column.levels as f64;
                }
            }
        }
        (Vector::from(values), log_jacobian)
    }
}

impl<M: Mode> Distribution<M> for Effects<M> {
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
        let all = elements.iter().zip(self.plain());
        all.map(|(z, [location, log_scale])| location + log_scale.exp() * z)
            .collect()
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

    /// A term for each value, since they are independent: predictions draw those of new groups alone.
    fn for_each_term<T: Data<Continuous> + ?Sized>(&self, data: &T, visit: impl FnMut(Real<M>)) {
        self.standard().for_each_term(data, visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bayes::autodiff::Value;
    use bayes::data::Table;

    fn number(x: f64) -> Real<Value> {
        Real::constant(x)
    }

    // Seen to detect: a Jacobian with the other sign, and coordinates without the location.
    #[test]
    fn coordinates_have_a_share_of_the_location_and_of_the_scale() {
        let centred = Some([number(0.7), number(0.3)]);
        let column = |levels, centred| Column::<Value> { levels, centred };
        let effects = Effects {
            columns: vec![column(2, None), column(3, centred)],
        };
        let coordinates = [0.4, -1.2, 0.5, 2.0, -0.1];
        let (values, log_jacobian) = effects.constrain(&coordinates.map(number));
        let values: Vec<f64> = values.iter().map(|z| z.plain_value()).collect();
        for (k, (z, u)) in values.iter().zip(coordinates).enumerate() {
            let wanted = if k < 2 { *z } else { 0.7 + 0.3f64.exp() * z };
            assert!((u - wanted).abs() < 1e-15, "{k}: {u} {wanted}");
        }
        assert!((log_jacobian.plain_value() + 3.0 * 0.3).abs() < 1e-15);
        let again = Distribution::<Value>::unconstrain(&effects, &values);
        let differ = again
            .iter()
            .zip(coordinates)
            .any(|(u, v)| (u - v).abs() > 1e-15);
        assert!(!differ, "{again:?}");
        let standard: f64 = values
            .iter()
            .map(|z| -0.5 * z * z - 0.5 * std::f64::consts::TAU.ln())
            .sum();
        for (jacobian, wanted) in [(false, standard), (true, standard - 0.9)] {
            let mut total = number(1.0);
            effects.add_sample(&coordinates.map(number), jacobian, &mut total);
            assert!(
                (total.plain_value() - 1.0 - wanted).abs() < 1e-13,
                "{jacobian}"
            );
        }
    }

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
            .map(|centring| centring.share)
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
        assert!(found[0] == 0.0 && found[1] > 0.95, "{found:?}");
        let found = shares([5.0, 5.0], false);
        assert!(found[0] > 0.95 && found[1] > 0.95, "{found:?}");
    }
}
