//! Finite mixtures.

use super::component::{
    Components, are_of_data, are_proper, check_any, shares_support, unnormalised,
};
use super::data::Window;
use super::rows::count_rows;
use super::simplex::check_simplex;
use super::{Data, DataError, Distribution, Iid, Parameter, ParameterError, Shape};
use crate::rng::Stream;
use bayes_autodiff::{Mode, PlainValue, Real, Vector, log_sum_exp};
use rand::RngExt;

/// A finite mixture: component `k` with probability `w_k`; the component indicator is summed out.
///
/// ```text
/// ln p(x) = ln Σ_k w_k f_k(x)
/// ```
///
/// All components must have the same type of value and the same support. A mixture of scalar distributions
/// chooses a component for each datum. A mixture of distributions of vectors chooses one for a whole vector,
/// and observes the rows of a matrix.
#[derive(Clone, Copy, Debug)]
pub struct Mixture<W, C> {
    weights: W,
    components: C,
}

const NAME: &str = "Mixture";

impl<W, C> Mixture<W, C> {
    /// `weights`: a vector of probabilities that sum to one; `components`: an array, `Vec` or tuple with one
    /// distribution for each weight.
    pub fn new(weights: W, components: C) -> Self {
        Self {
            weights,
            components,
        }
    }

    /// Independent copies: `.iid(n)`.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }

    #[inline(always)]
    fn log_weights<M: Mode>(&self) -> Vector<M>
    where
        W: Parameter<M>,
    {
        let mut logarithms = Vector::zeros(self.weights.shape().elements());
        for k in 0..logarithms.len() {
            logarithms[k] = self.weights.at(k).ln();
        }
        logarithms
    }
}

impl<M: Mode, W: Parameter<M>, C: Components<M>> Distribution<M> for Mixture<W, C> {
    type Value = C::Value;
    type Domain = C::Domain;

    fn name(&self) -> &'static str {
        NAME
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        self.components.get(0).shape()
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.components.get(0).dim()
    }

    fn check(&self) -> Result<(), ParameterError> {
        let count = self.components.count();
        let length = self.weights.shape().elements();
        if length != count || count == 0 {
            let allowed = format!("{}, the number of components", count.max(1));
            return Err(ParameterError::Length {
                distribution: NAME,
                parameter: "weights",
                length,
                allowed,
            });
        }
        let weights: Vec<f64> = (0..count)
            .map(|k| self.weights.at(k).plain_value())
            .collect();
        check_simplex(NAME, "weights", &weights, 0)?;
        for k in 0..count {
            let component = self.components.get(k);
            component.check()?;
            let another = |what| Err(ParameterError::Component { component: k, what });
            if component.shape() != self.shape() {
                return another("shape");
            }
            if !shares_support(&self.components, k) {
                return another("support");
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let log_weights = self.log_weights();
        let mut terms = log_weights.clone();
        let mut sum = Real::constant(0.0);
        for own in elements.chunks_exact(self.shape().elements().max(1)) {
            for (k, term) in terms.iter_mut().enumerate() {
                *term = log_weights[k] + self.components.get(k).log_density_of(own);
            }
            sum += log_sum_exp(&terms);
        }
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Self::Value, Real<M>) {
        self.components.get(0).constrain(coordinates)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        self.components.get(0).unconstrain(elements)
    }

    fn is_proper(&self) -> bool {
        are_proper(&self.components)
    }

    fn unnormalised(&self) -> Option<&'static str> {
        unnormalised(&self.components)
    }

    fn is_of_data(&self) -> bool {
        are_of_data(&self.components)
    }

    /// The joint support of all components; `None` if the support of one component does not depend on random
    /// values.
    fn random_support(&self, element: usize) -> Option<[f64; 2]> {
        let components = 0..self.components.count();
        let supports = components.map(|k| self.components.get(k).random_support(element));
        let supports: Vec<[f64; 2]> = supports.collect::<Option<_>>()?;
        let wider = |a: [f64; 2], b: [f64; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        supports.into_iter().reduce(wider)
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let mut rest = stream.random::<f64>();
        let last = self.components.count() - 1;
        let mut weights = (0..last).map(|k| self.weights.at(k).plain_value());
        let chosen = weights.position(|weight| {
            rest -= weight;
            rest < 0.0
        });
        self.components.get(chosen.unwrap_or(last)).draw(stream)
    }

    /// A datum is allowed if any component allows it.
    fn check_data<T: Data<Self::Domain> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let len = data.shape().elements();
        let each = match self.shape() {
            Shape::Scalar if len == 0 => {
                let allowed = "at least 1".to_owned();
                return Err(DataError::Length {
                    distribution: NAME,
                    length: 0,
                    allowed,
                });
            }
            Shape::Scalar => 1,
            shape => {
                count_rows(NAME, shape.elements(), data)?;
                shape.elements()
            }
        };
        for start in (0..len).step_by(each) {
            let own = Window::new(data, start, each);
            check_any(&self.components, &own).map_err(|error| error.shifted(start))?;
        }
        Ok(())
    }

    #[inline(always)]
    fn for_each_term<T: Data<Self::Domain> + ?Sized>(
        &self,
        data: &T,
        mut visit: impl FnMut(Real<M>),
    ) {
        let log_weights = self.log_weights();
        let count = log_weights.len();
        let each = self.shape().elements().max(1);
        let rows = data.shape().elements() / each;
        // `terms[row * count + k]` is the log of component k's share of the density of row `row`.
        let mut terms = Vector::from_fn(
            rows * count,
            #[inline(always)]
            |i| log_weights[i % count],
        );
        for k in 0..count {
            let component = self.components.get(k);
            if self.shape() == Shape::Scalar {
                // all data at once, so that the normaliser is computed once
                component.add_terms(&data, &mut terms[k..], count);
            } else {
                for row in 0..rows {
                    let own = Window::new(data, row * each, each);
                    component.add_terms(&own, &mut terms[row * count + k..], 0);
                }
            }
        }
        for row in terms.chunks_exact(count.max(1)) {
            visit(log_sum_exp(row));
        }
    }
}
