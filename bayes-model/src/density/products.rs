//! Vectors that a density multiplies by a random scale, found by derivatives.

use super::{LogDensity, Particles};
use crate::dist::Shape;
use crate::model::{Variable, VariableKind};
use crate::order;
use crate::rng::{Key, Purpose};
use serde::{Deserialize, Serialize};

/// A vector of random quantities that enters the likelihood only as its product with a random scale: a group effect in the non-centred
/// form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Product {
    /// The vector.
    pub vector: String,
    /// The scale, or its logarithm.
    pub scale: String,
}

/// Number of prior draws with a comparison of derivatives, and the number that are tried.
const DRAWS: usize = 3;
const TRIED: u64 = 10;
/// Maximum relative error of derivatives that agree; one of them is partly a difference.
const TOLERANCE: f64 = 1e-5;
/// A derivative below this share of its terms proves nothing.
const SHARE: f64 = 1e-3;
/// Maximum number of coordinates of a density that is examined, and of coordinates that may belong to a scale.
const MAX_DIM: usize = 2000;
const MAX_SCALES: usize = 64;
/// The step of a difference.
const STEP: f64 = 1e-4;

impl dyn LogDensity + '_ {
    /// The vectors in the likelihood that appear only in their product with a random scale, or two such vectors with the same scale.
    ///
    /// If the likelihood depends on `s` and `z` only through `s z`, then `s ∂L/∂s = Σ z_j ∂L/∂z_j` (Euler, for functions of degree 0 in
    /// `s` and `1/z`). The gradient at three prior draws is tested for this, so the form of the model does not matter.
    pub fn products(&self) -> Vec<Product> {
        let dim = self.dim();
        if dim > MAX_DIM || self.describe().discrete.iter().any(|discrete| *discrete) {
            return Vec::new();
        }
        let variables = self.describe().layout.variables;
        let seen: Vec<Slopes> = (0..TRIED)
            .filter_map(|item| self.slopes(item, &variables))
            .take(DRAWS)
            .collect();
        match seen.split_first() {
            Some((first, others)) if others.len() + 1 == DRAWS => products_of(first, others),
            _ => Vec::new(),
        }
    }

    /// The derivatives of the log likelihood at prior draw `item`, if they are finite there.
    fn slopes(&self, item: u64, variables: &[Variable]) -> Option<Slopes> {
        let mut one = Particles::new(1, self.dim());
        let key = Key::new(0, Purpose::Validation).item(item);
        self.draw_start(&mut key.stream(), &mut one.positions);
        if !one.positions.iter().all(|x| x.is_finite()) {
            return None;
        }
        self.evaluate_gradient([0.0, 1.0], &mut one.block());
        let is_finite = one.gradient.iter().all(|slope| slope.is_finite());
        let output = self.quantities().output(&one.positions);
        let coordinates = Coordinates::of(&one.positions, &output, variables);
        let vectors = coordinates.vectors.iter().map(|(name, places)| {
            let terms = places.iter().map(|(k, x)| x * one.gradient[*k]);
            (name.clone(), terms.collect())
        });
        let vectors = vectors.collect();
        let scales = self.scale_slopes(&one, &output, &coordinates);
        is_finite.then_some(Slopes { vectors, scales })
    }

    /// `s ∂L/∂s` of every scalar quantity, and `∂L/∂s` of quantities that equal their coordinate: `s` may be the logarithm of a scale.
    fn scale_slopes(
        &self,
        at: &Particles,
        output: &[f64],
        coordinates: &Coordinates,
    ) -> Vec<(String, f64)> {
        let mut slopes = Vec::new();
        for (name, k) in &coordinates.own {
            slopes.push((name.clone(), at.gradient[*k] * at.positions[*k]));
            slopes.push((name.clone(), at.gradient[*k]));
        }
        if coordinates.free.len() > MAX_SCALES {
            return slopes;
        }
        for k in &coordinates.free {
            let moved = |by: f64| {
                let mut position = at.positions.clone();
                position[*k] += by;
                self.quantities().output(&position)
            };
            let (above, below) = (moved(STEP), moved(-STEP));
            for (name, element) in &coordinates.scalars {
                let slope = (above[*element] - below[*element]) / (2.0 * STEP);
                if slope != 0.0 {
                    slopes.push((name.clone(), at.gradient[*k] * output[*element] / slope));
                }
            }
        }
        slopes
    }
}

/// The coordinates of each quantity, from values at one position.
#[derive(Default)]
struct Coordinates {
    /// Vectors whose elements equal their coordinates: for each element the coordinate and its value.
    vectors: Vec<(String, Vec<(usize, f64)>)>,
    /// Scalars that equal their coordinate.
    own: Vec<(String, usize)>,
    /// Other scalars, by their elements.
    scalars: Vec<(String, usize)>,
    /// The coordinates of none of these quantities.
    free: Vec<usize>,
}

impl Coordinates {
    fn of(position: &[f64], output: &[f64], variables: &[Variable]) -> Self {
        let mut found = Self::default();
        let mut is_free = vec![true; position.len()];
        let sorted = order::ascending(position);
        let coordinate = |element: usize| {
            let x = output[element];
            let place = sorted.binary_search_by(|k| position[*k].total_cmp(&x));
            place.ok().map(|place| (sorted[place], x))
        };
        let random = variables
            .iter()
            .filter(|v| v.kind == VariableKind::Continuous);
        for variable in random {
            let places: Option<Vec<(usize, f64)>> = variable.range().map(coordinate).collect();
            let name = variable.name.clone();
            let is_scalar = variable.shape == Shape::Scalar;
            if let Some(places) = &places {
                places.iter().for_each(|(k, _)| is_free[*k] = false);
            }
            match places {
                Some(places) if is_scalar => found.own.extend(places.first().map(|p| (name, p.0))),
                Some(places) => found.vectors.push((name, places)),
                None if is_scalar => found.scalars.push((name, variable.offset)),
                None => {}
            }
        }
        found.free = (0..position.len()).filter(|k| is_free[*k]).collect();
        found
    }
}

/// Derivatives of the log likelihood at one position.
struct Slopes {
    /// `z_j ∂L/∂z_j` of the elements of each vector.
    vectors: Vec<(String, Vec<f64>)>,
    /// `s ∂L/∂s` for each scalar.
    scales: Vec<(String, f64)>,
}

impl Slopes {
    /// Whether the derivative of a scale is the sum of the derivatives of one or two vectors; `None` if it proves nothing.
    fn agree(&self, scale: usize, vectors: &[usize]) -> Option<bool> {
        let terms = || vectors.iter().flat_map(|i| &self.vectors[*i].1);
        let size: f64 = terms().map(|term| term.abs()).sum();
        let slope = self.scales.get(scale)?.1;
        let gap = (terms().sum::<f64>() - slope).abs();
        (gap > TOLERANCE * size || slope.abs() > SHARE * size)
            .then_some(gap <= TOLERANCE * size && size > 0.0)
    }
}

/// The products that hold at all positions.
fn products_of(first: &Slopes, others: &[Slopes]) -> Vec<Product> {
    let is_product = |scale: usize, vectors: &[usize]| {
        let all = std::iter::once(first).chain(others);
        let found: Vec<bool> = all.filter_map(|s| s.agree(scale, vectors)).collect();
        !found.is_empty() && found.iter().all(|agrees| *agrees)
    };
    let mut products: Vec<Product> = Vec::new();
    let count = first.vectors.len();
    for (scale, (name, _)) in first.scales.iter().enumerate() {
        let mut add = |vector: usize| {
            let product = Product {
                vector: first.vectors[vector].0.clone(),
                scale: name.clone(),
            };
            if !products.contains(&product) {
                products.push(product);
            }
        };
        let alone: Vec<usize> = (0..count).filter(|i| is_product(scale, &[*i])).collect();
        alone.iter().for_each(|i| add(*i));
        if alone.is_empty() {
            let pairs = (0..count).flat_map(|i| (i + 1..count).map(move |j| [i, j]));
            for pair in pairs.filter(|pair| is_product(scale, pair)) {
                pair.into_iter().for_each(&mut add);
            }
        }
    }
    products
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::Posterior;
    use crate::dist::{HalfNormal, Normal, Uniform};
    use crate::model::example::statement;
    use crate::model::{Interpreter, Model, Statement, StatementKind};
    use bayes_autodiff::{Mode, Real, Vector};

    /// Effects of groups that two scales multiply, one with a bounded prior, together with coefficients and an effect in the centred
    /// form.
    struct Effects;

    impl Model for Effects {
        fn name(&self) -> &'static str {
            "effects"
        }
        fn file(&self) -> &'static str {
            file!()
        }
        fn statements(&self) -> &'static [Statement] {
            const ALL: [Statement; 7] = [
                statement(StatementKind::Sample, "beta"),
                statement(StatementKind::Sample, "tau"),
                statement(StatementKind::Sample, "z"),
                statement(StatementKind::Sample, "width"),
                statement(StatementKind::Sample, "u"),
                statement(StatementKind::Sample, "v"),
                statement(StatementKind::Observe, "y"),
            ];
            &ALL
        }
        fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
            let beta: Vector<M> = interpreter.at(0).sample(Normal::new(0.0, 1.0).iid(3));
            let tau: Real<M> = interpreter.at(1).sample(HalfNormal::new(1.0));
            let z: Vector<M> = interpreter.at(2).sample(Normal::new(0.0, 1.0).iid(3));
            let width: Real<M> = interpreter.at(3).sample(Uniform::new(0.0, 5.0));
            let u: Vector<M> = interpreter.at(4).sample(Normal::new(0.0, 1.0).iid(3));
            let v: Vector<M> = interpreter.at(5).sample(Normal::new(0.0, tau).iid(3));
            for i in 0..3 {
                let effects = tau * z[i] + width * u[i];
                let mean = effects + &beta[i] * 0.5 + v[i];
                interpreter
                    .at(6)
                    .observe_under(Normal::new(mean, 1.0), 1.0 + i as f64);
            }
        }
    }

    impl crate::model::AllSampled for Effects {}
    impl crate::model::Differentiable for Effects {}

    #[test]
    fn vectors_that_a_random_scale_multiplies_are_found_and_no_others() {
        let posterior = Posterior::new(&Effects, 1).expect("the model is sound");
        let density: &dyn LogDensity = &posterior;
        let product = |vector: &str, scale: &str| Product {
            vector: vector.to_owned(),
            scale: scale.to_owned(),
        };
        let mut found = density.products();
        found.sort_by(|a, b| a.vector.cmp(&b.vector));
        assert_eq!(found, [product("u", "width"), product("z", "tau")]);
    }
}
