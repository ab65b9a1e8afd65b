//! Hidden Markov models.

use super::component::{
    Components, are_of_data, are_proper, check_any, shares_support, unnormalised,
};
use super::data::{Window, of_whole};
use super::markov::Chain;
use super::rows::count_rows;
use super::simplex::check_simplex;
use super::{
    Data, DataError, Distribution, Iid, Parameter, ParameterError, Quantity, Repeat, Shape,
};
use crate::rng::Stream;
use bayes_autodiff::fault::{Fault, raise};
use bayes_autodiff::{Matrix, Mode, PlainValue, Real, Vector, log_sum_exp};
use rand::RngExt;

/// A series whose values depend on a hidden state: a Markov chain of `K` states, which are summed out.
///
/// ```text
/// p(x) = Σ_s start_{s_1} f_{s_1}(x_1) Π_t moves_{s_{t-1}, s_t} f_{s_t}(x_t)
/// ```
///
/// by the forward recursion (Rabiner 1989, section III A), on the log scale: `K²` operations for each value. A series is one observation;
/// the rows of a matrix are independent series of numbers. If the emissions are distributions of vectors, such as a
/// [`Product`](super::Product) of one family for each of several series, a series is a matrix with a row for each time. Elsewhere:
/// `hmm_marginal` (Stan).
#[derive(Clone, Copy, Debug)]
pub struct HiddenMarkov<P, A, C> {
    start: P,
    moves: A,
    emissions: C,
    length: usize,
    skip_missing: bool,
}

const NAME: &str = "HiddenMarkov";

/// Some values of a series: its known ones.
struct Known<'a, T: ?Sized> {
    data: &'a T,
    places: &'a [usize],
}

impl<D: super::Domain, T: Data<D> + ?Sized> Data<D> for Known<'_, T> {
    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Vector(self.places.len())
    }
    #[inline(always)]
    fn at(&self, i: usize) -> f64 {
        self.data.at(self.places[i])
    }
}

impl<P, A, C> HiddenMarkov<P, A, C> {
    /// `start`: the probabilities of the first state, `[K]`. `moves`: the probabilities of the next state, `[K, K]` with a row for each
    /// present state; if they change with time, `[(length - 1) K, K]`: the rows of the first step, then the rows of the second.
    /// `emissions`: an array, `Vec` or tuple of the distributions of a value in each state, all with the same support. `length`: the
    /// number of values.
    pub fn new(start: P, moves: A, emissions: C, length: usize) -> Self {
        Self {
            start,
            moves,
            emissions,
            length,
            skip_missing: false,
        }
    }

    /// Values of the data that are NaN (`None` among counts, `&[Option<u64>]`) are missing: the state moves on, and they say nothing of it.
    /// Without this they are refused. If values are vectors, a time is missing if all of its elements are; for single elements see
    /// [`Product::skip_missing`](super::Product::skip_missing).
    #[must_use]
    pub fn skip_missing(self) -> Self {
        Self {
            skip_missing: true,
            ..self
        }
    }

    /// Independent series: the rows of a matrix.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }

    /// The probabilities of the states at each time given the whole series, `[length, K]`: smoothed, by the recursions forward and backward.
    ///
    /// ```text
    /// let weather = HiddenMarkov::new(&start, &moves, emissions, y.len());
    /// let state = deterministic(weather.state_probabilities(y));
    /// observe(y, weather);
    /// ```
    ///
    /// # Panics
    /// With a [`Fault::Shape`](bayes_autodiff::fault::Fault) (in a model, an error before the run) unless `series` is one series of
    /// `length` values.
    pub fn state_probabilities<M, T>(&self, series: &T) -> Matrix<M>
    where
        M: Mode,
        P: Parameter<M>,
        A: Parameter<M>,
        C: Components<M>,
        T: Data<C::Domain> + ?Sized,
    {
        self.require_one(series);
        let states = self.emissions.count();
        let chain = self.chain();
        let terms = self.terms_of(series, 0);
        let forward = chain.forward(&terms);
        let backward = chain.backward(&terms);
        let mut found = Matrix::zeros(self.length, states);
        for t in 0..self.length {
            let row = t * states..(t + 1) * states;
            let pairs = forward[row.clone()].iter().zip(&backward[row]);
            let both: Vec<Real<M>> = pairs.map(|(ahead, behind)| *ahead + *behind).collect();
            let total = log_sum_exp(&both);
            for (k, term) in both.iter().enumerate() {
                found[(t, k)] = (*term - total).exp();
            }
        }
        found
    }

    /// The states of the likeliest path given the whole series, `[length]`, numbers from 0 on (Viterbi 1967). It is the likeliest path as
    /// a whole; its state at a time need not be the likeliest one there.
    ///
    /// ```text
    /// let path = deterministic(weather.most_likely_states(y));
    /// ```
    ///
    /// # Panics
    /// As [`HiddenMarkov::state_probabilities`].
    pub fn most_likely_states<M, T>(&self, series: &T) -> Vector<M>
    where
        M: Mode,
        P: Parameter<M>,
        A: Parameter<M>,
        C: Components<M>,
        T: Data<C::Domain> + ?Sized,
    {
        self.require_one(series);
        self.chain().most_likely(&self.terms_of(series, 0))
    }

    /// Stops the model unless `series` is one series of as many values as this has.
    fn require_one<M, T>(&self, series: &T)
    where
        M: Mode,
        C: Components<M>,
        T: Data<C::Domain> + ?Sized,
    {
        let shape = series.shape();
        let is_one = match self.each() {
            Shape::Scalar => !matches!(shape, Shape::Matrix(..)) && shape.elements() == self.length,
            each => self.is_of_vectors(shape, each.elements()),
        };
        if !is_one {
            raise(Fault::Shape {
                operation: format!(
                    "states of a `{NAME}` of {} values, given {}; make one for each series, as long as it",
                    self.length,
                    shape.words()
                ),
            });
        }
    }

    /// The shape of a value.
    #[inline(always)]
    fn each<M: Mode>(&self) -> Shape
    where
        C: Components<M>,
    {
        match self.emissions.count() {
            0 => Shape::Scalar,
            _ => self.emissions.get(0).shape(),
        }
    }

    /// The chain by the logarithms of its probabilities.
    #[inline(always)]
    fn chain<M: Mode>(&self) -> Chain<M>
    where
        P: Parameter<M>,
        A: Parameter<M>,
    {
        Chain {
            start: Vector::from_fn(self.start.shape().elements(), |k| self.start.at(k).ln()),
            moves: Vector::from_fn(self.moves.shape().elements(), |i| self.moves.at(i).ln()),
        }
    }

    /// The times of the values of a series that are not missing; `first`: the place of its first element.
    #[inline(always)]
    fn known<D: super::Domain, T>(&self, data: &T, first: usize, each: usize) -> Vec<usize>
    where
        T: Data<D> + ?Sized,
    {
        let is_missing = |t: usize| {
            let mut own = first + t * each..first + (t + 1) * each;
            self.skip_missing && own.all(|i| data.at(i).is_nan())
        };
        (0..self.length).filter(|t| !is_missing(*t)).collect()
    }

    /// The log density of each value of a series in each state, `[length, K]` row-major, 0 for a missing one. `first`: the place of its
    /// first element.
    #[inline(always)]
    fn terms_of<M, T>(&self, data: &T, first: usize) -> Vector<M>
    where
        M: Mode,
        C: Components<M>,
        T: Data<C::Domain> + ?Sized,
    {
        let (states, each) = (self.emissions.count(), self.each().elements());
        let known = self.known(data, first, each);
        let mut terms = Vector::zeros(self.length * states);
        if self.each() != Shape::Scalar {
            for t in known {
                let value = Window::new(data, first + t * each, each);
                for k in 0..states {
                    let own = &mut terms[t * states + k..];
                    self.emissions.get(k).add_terms(&value, own, 0);
                }
            }
            return terms;
        }
        // all values together, so that the normaliser is computed once
        let places: Vec<usize> = known.iter().map(|t| first + t).collect();
        let values = Known {
            data,
            places: &places,
        };
        for k in 0..states {
            let mut own = Vector::zeros(known.len());
            self.emissions.get(k).add_terms(&values, &mut own, 1);
            for (t, term) in known.iter().zip(&own) {
                terms[t * states + k] = *term;
            }
        }
        terms
    }

    /// Checks the probabilities of the first and of the next state.
    fn check_chain<M: Mode>(&self, states: usize) -> Result<(), ParameterError>
    where
        P: Parameter<M>,
        A: Parameter<M>,
    {
        let wrong = |parameter, length, allowed| ParameterError::Length {
            distribution: NAME,
            parameter,
            length,
            allowed,
        };
        let given = self.start.shape().elements();
        if given != states || states == 0 {
            let allowed = format!("{}, the number of emissions", states.max(1));
            return Err(wrong("start", given, allowed));
        }
        if self.length == 0 {
            return Err(wrong("length", 0, "at least 1".to_owned()));
        }
        let (shape, varying) = (self.moves.shape(), (self.length - 1) * states);
        if ![states, varying]
            .map(|rows| Shape::Matrix(rows, states))
            .contains(&shape)
        {
            let all = match varying > states {
                true => format!(", or of {varying} x {states} if the moves change with time"),
                false => String::new(),
            };
            return Err(ParameterError::Shape {
                distribution: NAME,
                parameter: "moves",
                given: shape.words(),
                allowed: format!("a matrix of {states} x {states}, a row for each state{all}"),
            });
        }
        let start = (0..states).map(|k| self.start.at(k).plain_value());
        check_simplex(NAME, "start", &start.collect::<Vec<_>>(), 0)?;
        for first in (0..shape.elements()).step_by(states) {
            let row = (first..first + states).map(|i| self.moves.at(i).plain_value());
            check_simplex(NAME, "moves", &row.collect::<Vec<_>>(), first)?;
        }
        Ok(())
    }
}

impl<M, P, A, C> Distribution<M> for HiddenMarkov<P, A, C>
where
    M: Mode,
    P: Parameter<M>,
    A: Parameter<M>,
    C: Components<M>,
    C::Value: Repeat<M, usize>,
{
    type Value = <C::Value as Repeat<M, usize>>::Output;
    type Domain = C::Domain;

    fn name(&self) -> &'static str {
        NAME
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        <C::Value as Repeat<M, usize>>::shape(self.each(), &self.length)
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        match self.emissions.count() {
            0 => self.length,
            _ => self.length * self.emissions.get(0).dim(),
        }
    }

    fn check(&self) -> Result<(), ParameterError> {
        let states = self.emissions.count();
        self.check_chain(states)?;
        for k in 0..states {
            let emission = self.emissions.get(k);
            emission.check()?;
            let another = |what| Err(ParameterError::Component { component: k, what });
            if emission.shape() != self.each() {
                return another("shape");
            }
            if !shares_support(&self.emissions, k) {
                return another("support");
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let (states, each) = (self.emissions.count(), self.each().elements().max(1));
        let chain = self.chain();
        let mut terms = Vector::zeros(self.length * states);
        let mut sum = Real::constant(0.0);
        for series in elements.chunks_exact(self.length.max(1) * each) {
            for (t, value) in series.chunks_exact(each).enumerate() {
                for k in 0..states {
                    terms[t * states + k] = self.emissions.get(k).log_density_of(value);
                }
            }
            sum += chain.log_density(&terms);
        }
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Self::Value, Real<M>) {
        let mut log_jacobian = Real::constant(0.0);
        let emission = self.emissions.get(0);
        let mut elements = Vec::with_capacity(self.shape().elements());
        for own in coordinates.chunks_exact(emission.dim().max(1)) {
            let (x, log_slope) = emission.constrain(own);
            log_jacobian += log_slope;
            elements.extend_from_slice(x.elements());
        }
        let value = Self::Value::from_elements(self.shape(), Vector::from(elements));
        (value, log_jacobian)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        let emission = self.emissions.get(0);
        let values = elements.chunks_exact(self.each().elements().max(1));
        values.flat_map(|x| emission.unconstrain(x)).collect()
    }

    fn is_proper(&self) -> bool {
        are_proper(&self.emissions)
    }

    fn unnormalised(&self) -> Option<&'static str> {
        unnormalised(&self.emissions)
    }

    fn is_of_data(&self) -> bool {
        are_of_data(&self.emissions)
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let states = self.emissions.count();
        let choose = |probability: &dyn Fn(usize) -> f64, stream: &mut Stream| {
            let mut rest = stream.random::<f64>();
            let chosen = (0..states).find(|k| {
                rest -= probability(*k);
                rest < 0.0
            });
            // by rounding, the probabilities may sum to slightly less than the uniform number
            chosen.unwrap_or(states.saturating_sub(1))
        };
        let mut state = choose(&|k| self.start.at(k).plain_value(), stream);
        let mut series = Vec::with_capacity(self.length);
        for t in 0..self.length {
            if t > 0 {
                // the rows of this step, if it has its own
                let steps = self.moves.shape().elements() / (states * states);
                let row = ((t - 1) % steps * states + state) * states;
                state = choose(&|k| self.moves.at(row + k).plain_value(), stream);
            }
            series.extend(self.emissions.get(state).draw(stream));
        }
        series
    }

    /// A value is allowed if any state allows it.
    fn check_data<T: Data<Self::Domain> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let each = self.each().elements();
        match self.each() {
            Shape::Scalar => {
                count_rows(NAME, self.length, data)?;
            }
            _ => self.check_size(data, each)?,
        }
        for i in 0..data.shape().elements() / each {
            if self.skip_missing && (i * each..(i + 1) * each).all(|i| data.at(i).is_nan()) {
                continue;
            }
            let value = Window::new(data, i * each, each);
            check_any(&self.emissions, &value)
                .map_err(|error| of_whole(error.shifted(i * each), NAME))?;
        }
        Ok(())
    }

    #[inline(always)]
    fn for_each_term<T: Data<Self::Domain> + ?Sized>(
        &self,
        data: &T,
        mut visit: impl FnMut(Real<M>),
    ) {
        let chain = self.chain();
        let size = self.length.max(1) * self.each().elements();
        for row in 0..data.shape().elements() / size {
            visit(chain.log_density(&self.terms_of(data, row * size)));
        }
    }
}

impl<P, A, C> HiddenMarkov<P, A, C> {
    /// Whether data of this shape are one series of vectors of `each` elements.
    fn is_of_vectors(&self, shape: Shape, each: usize) -> bool {
        let may_be_flat = each == 1 || self.length == 1;
        shape == Shape::Matrix(self.length, each)
            || may_be_flat && shape == Shape::Vector(self.length * each)
    }

    /// Checks that data are one series of vectors of `each` elements.
    fn check_size<D: super::Domain, T>(&self, data: &T, each: usize) -> Result<(), DataError>
    where
        T: Data<D> + ?Sized,
    {
        let shape = data.shape();
        if self.is_of_vectors(shape, each) {
            return Ok(());
        }
        Err(DataError::Length {
            distribution: NAME,
            length: shape.elements(),
            allowed: format!("a matrix of {} x {each}, a row for each time", self.length),
        })
    }
}
