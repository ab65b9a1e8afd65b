//! Hidden Markov models.

use super::component::{
    Components, are_of_data, are_proper, check_any, shares_support, unnormalised,
};
use super::data::Window;
use super::rows::{count_rows, require_series};
use super::simplex::check_simplex;
use super::{Data, DataError, Distribution, Iid, Parameter, ParameterError, Shape};
use crate::rng::Stream;
use bayes_autodiff::{Matrix, Mode, PlainValue, Real, Vector, log_sum_exp};
use rand::RngExt;

/// A series whose values depend on a hidden state: a Markov chain of `K` states, which are summed out.
///
/// ```text
/// p(x) = Σ_s start_{s_1} f_{s_1}(x_1) Π_t moves_{s_{t-1}, s_t} f_{s_t}(x_t)
/// ```
///
/// by the forward recursion (Rabiner 1989, section III A), on the log scale: `K²` operations for each value. A series is one observation; the rows of
/// a matrix are independent series. Elsewhere: `hmm_marginal` (Stan).
#[derive(Clone, Copy, Debug)]
pub struct HiddenMarkov<P, A, C> {
    start: P,
    moves: A,
    emissions: C,
    length: usize,
}

const NAME: &str = "HiddenMarkov";

impl<P, A, C> HiddenMarkov<P, A, C> {
    /// `start`: the probabilities of the first state, `[K]`. `moves`: the probabilities of the next state, `[K, K]` with a row for each
    /// present state. `emissions`: an array, `Vec` or tuple of the distributions of a value in each state, all with the same support.
    /// `length`: the number of values.
    pub fn new(start: P, moves: A, emissions: C, length: usize) -> Self {
        Self {
            start,
            moves,
            emissions,
            length,
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
        C: Components<M, Value = Real<M>>,
        T: Data<C::Domain> + ?Sized,
    {
        require_series(NAME, "states", self.length, series);
        let states = self.emissions.count();
        let (start, moves) = self.logarithms();
        let terms = self.terms_of(&Window::new(series, 0, self.length));
        let forward = forward(&start, &moves, &terms);
        let backward = backward(&moves, &terms);
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

    /// The logarithms of the probabilities of the first state, `[K]`, and of the next one, `[K, K]` row-major.
    #[inline(always)]
    fn logarithms<M: Mode>(&self) -> (Vector<M>, Vector<M>)
    where
        P: Parameter<M>,
        A: Parameter<M>,
    {
        let start = Vector::from_fn(self.start.shape().elements(), |k| self.start.at(k).ln());
        let moves = Vector::from_fn(self.moves.shape().elements(), |i| self.moves.at(i).ln());
        (start, moves)
    }

    /// The log density of each value of a series in each state, `[length, K]` row-major.
    #[inline(always)]
    fn terms_of<M, T>(&self, series: &T) -> Vector<M>
    where
        M: Mode,
        C: Components<M, Value = Real<M>>,
        T: Data<C::Domain>,
    {
        let states = self.emissions.count();
        let mut terms = Vector::zeros(self.length * states);
        for k in 0..states {
            // all values together, so that the normaliser is computed once
            let emission = self.emissions.get(k);
            emission.add_terms(series, &mut terms[k..], states);
        }
        terms
    }
}

/// The log densities of the values up to each time and of the state there, `[length, K]` row-major.
#[inline(always)]
fn forward<M: Mode>(start: &Vector<M>, moves: &Vector<M>, terms: &Vector<M>) -> Vector<M> {
    let states = start.len();
    let mut found = terms.clone();
    for k in 0..states {
        found[k] += start[k];
    }
    let mut paths = Vector::zeros(states);
    for now in (states..terms.len()).step_by(states.max(1)) {
        for k in 0..states {
            for j in 0..states {
                paths[j] = found[now - states + j] + moves[j * states + k];
            }
            found[now + k] += log_sum_exp(&paths);
        }
    }
    found
}

/// The log densities of the values after each time given the state there, `[length, K]` row-major.
fn backward<M: Mode>(moves: &Vector<M>, terms: &Vector<M>) -> Vector<M> {
    let states = moves.len().isqrt();
    let mut found = Vector::zeros(terms.len());
    let mut paths = Vector::zeros(states);
    let times = (states..terms.len()).step_by(states.max(1));
    for next in times.rev() {
        for k in 0..states {
            for j in 0..states {
                paths[j] = moves[k * states + j] + terms[next + j] + found[next + j];
            }
            found[next - states + k] = log_sum_exp(&paths);
        }
    }
    found
}

/// The log density of a series.
#[inline(always)]
fn log_density<M: Mode>(start: &Vector<M>, moves: &Vector<M>, terms: &Vector<M>) -> Real<M> {
    let all = forward(start, moves, terms);
    log_sum_exp(&all[all.len() - start.len()..])
}

impl<P, A, C> HiddenMarkov<P, A, C> {
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
        if self.moves.shape() != Shape::Matrix(states, states) {
            let allowed = format!("a matrix of {states} x {states}, a row for each state");
            return Err(ParameterError::Shape {
                distribution: NAME,
                parameter: "moves",
                given: self.moves.shape().words(),
                allowed,
            });
        }
        if self.length == 0 {
            return Err(wrong("length", 0, "at least 1".to_owned()));
        }
        let start = (0..states).map(|k| self.start.at(k).plain_value());
        check_simplex(NAME, "start", &start.collect::<Vec<_>>(), 0)?;
        for row in 0..states {
            let first = row * states;
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
    C: Components<M, Value = Real<M>>,
{
    type Value = Vector<M>;
    type Domain = C::Domain;

    fn name(&self) -> &'static str {
        NAME
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Vector(self.length)
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.length
    }

    fn check(&self) -> Result<(), ParameterError> {
        let states = self.emissions.count();
        self.check_chain(states)?;
        for k in 0..states {
            let emission = self.emissions.get(k);
            emission.check()?;
            let another = |what| Err(ParameterError::Component { component: k, what });
            if emission.shape() != Shape::Scalar {
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
        let states = self.emissions.count();
        let (start, moves) = self.logarithms();
        let mut terms = Vector::zeros(self.length * states);
        let mut sum = Real::constant(0.0);
        for series in elements.chunks_exact(self.length.max(1)) {
            for (t, value) in series.iter().enumerate() {
                for k in 0..states {
                    let emission = self.emissions.get(k);
                    terms[t * states + k] = emission.log_density_of(std::slice::from_ref(value));
                }
            }
            sum += log_density(&start, &moves, &terms);
        }
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Self::Value, Real<M>) {
        let mut log_jacobian = Real::constant(0.0);
        let value = Vector::from_fn(self.length, |t| {
            let (x, log_slope) = self.emissions.get(0).constrain(&coordinates[t..=t]);
            log_jacobian += log_slope;
            x
        });
        (value, log_jacobian)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        let emission = self.emissions.get(0);
        let each = elements.iter().map(|x| emission.unconstrain(&[*x]));
        each.flatten().collect()
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
                let row = state * states;
                state = choose(&|k| self.moves.at(row + k).plain_value(), stream);
            }
            series.extend(self.emissions.get(state).draw(stream));
        }
        series
    }

    /// A value is allowed if any state allows it.
    fn check_data<T: Data<Self::Domain> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        count_rows(NAME, self.length, data)?;
        for i in 0..data.shape().elements() {
            let value = Window::new(data, i, 1);
            check_any(&self.emissions, &value).map_err(|error| error.shifted(i))?;
        }
        Ok(())
    }

    #[inline(always)]
    fn for_each_term<T: Data<Self::Domain> + ?Sized>(
        &self,
        data: &T,
        mut visit: impl FnMut(Real<M>),
    ) {
        let (start, moves) = self.logarithms();
        for row in 0..data.shape().elements() / self.length.max(1) {
            let series = Window::new(data, row * self.length, self.length);
            visit(log_density(&start, &moves, &self.terms_of(&series)));
        }
    }
}
