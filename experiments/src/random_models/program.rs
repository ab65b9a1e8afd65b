//! A random model as a model of the library.

use super::expression::{Expression, Values};
use super::{Family, RandomModel, Step};
use bayes::Error;
use bayes::autodiff::gradient::{self, Program};
use bayes::autodiff::{Mode, Real, Value, Vector};
use bayes::density::{ArithmeticSettings, LogDensity, Posterior};
use bayes::dist::{
    Bernoulli, BernoulliLogit, Beta, BetaBinomial, BetaProportion, Binomial, BinomialLogit, Cauchy,
    ChiSquared, Exponential, ExponentiallyModifiedNormal, Frechet, Gamma, Gumbel, HalfCauchy,
    HalfNormal, InverseGamma, Laplace, LogLogistic, LogNormal, Logistic, Lomax, NegativeBinomial,
    Normal, Poisson, PoissonLog, Rayleigh, ScaledInverseChiSquared, SkewNormal, StudentT, Weibull,
};
use bayes::model::{
    AllSampled, Differentiable, Evaluate, GaussianReference, Interpreter, Model, Statement,
};

impl RandomModel {
    /// Its posterior density; the model is compiled here once for all programs.
    ///
    /// # Errors
    /// [`Error::Model`] if no draw of the prior has a finite density.
    pub fn density(&self, settings: ArithmeticSettings) -> Result<Box<dyn LogDensity + '_>, Error> {
        Ok(Box::new(Posterior::with(self, 1, settings)?))
    }

    /// Log prior and log likelihood at unconstrained coordinates, `[dim]`, with the gradient of their sum with these weights in
    /// `slopes`: by dual numbers in the program itself, which the library only records.
    pub fn gradient(&self, position: &[f64], weights: [f64; 2], slopes: &mut [f64]) -> [f64; 2] {
        gradient::gradient(&Densities(self), position, weights, slopes)
    }

    /// The log density at unconstrained coordinates, by a walk over the statements with plain numbers.
    #[must_use]
    pub fn plain_log_density(&self, position: &[f64]) -> f64 {
        let coordinates: Vec<Real<Value>> = position.iter().map(|x| Real::constant(*x)).collect();
        let mut interpreter = Evaluate::new(&coordinates);
        self.program::<Value, _>(&mut interpreter);
        interpreter
            .densities()
            .iter()
            .map(|density| density.primal())
            .sum()
    }
}

/// The densities as a program for any mode. No recording is involved.
struct Densities<'a>(&'a RandomModel);

impl Program for Densities<'_> {
    fn evaluate<M: Mode>(&self, coordinates: &[Real<M>]) -> [Real<M>; 2] {
        let mut evaluation = Evaluate::new(coordinates);
        self.0.program(&mut evaluation);
        evaluation.densities()
    }
}

impl Model for RandomModel {
    fn name(&self) -> &'static str {
        "random"
    }
    fn file(&self) -> &'static str {
        file!()
    }
    fn statements(&self) -> &'static [Statement] {
        self.statements
    }
    fn numbers<'a>(&'a self, show: &mut dyn FnMut(&'a [f64])) {
        self.tables.reals.iter().for_each(|data| show(data));
        let matrices = self.tables.matrices.iter();
        matrices.for_each(|matrix| show(matrix.as_slice()));
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        run(&self.steps, &mut Values::new(self), interpreter);
    }
}
impl AllSampled for RandomModel {}
impl Differentiable for RandomModel {}
impl GaussianReference for RandomModel {}

fn run<M: Mode, I: Interpreter<M>>(
    steps: &[Step],
    values: &mut Values<'_, M>,
    interpreter: &mut I,
) {
    for step in steps {
        match step {
            Step::Sample {
                statement,
                family,
                arguments,
                length,
            } => {
                let interpreter = interpreter.at(*statement);
                match length {
                    None => {
                        let value = sample(*family, values, arguments, interpreter);
                        values.scalars.push(value);
                    }
                    Some(length) => {
                        let value = sample_all(*family, values, arguments, *length, interpreter);
                        values.vectors.push(value);
                    }
                }
            }
            Step::Let(of) => values.scalars.push(values.of(of)),
            Step::Assign(scalar, of) => values.scalars[*scalar] = values.of(of),
            Step::Each { length, of } => {
                let each = (0..*length).map(|i| {
                    values.counters.push(i);
                    let value = values.of(of);
                    values.counters.pop();
                    value
                });
                let vector = Vector::from(each.collect::<Vec<_>>());
                values.vectors.push(vector);
            }
            Step::Product { matrix, vector } => {
                let product = &values.tables.matrices[*matrix] * &values.vectors[*vector];
                values.vectors.push(product);
            }
            Step::Gather { vector, places } => {
                let gathered = values.vectors[*vector].at(&values.tables.places[*places]);
                values.vectors.push(gathered);
            }
            Step::Factor { statement, term } => interpreter.at(*statement).factor(values.of(term)),
            Step::Loop { length, body } => {
                for i in 0..*length {
                    values.counters.push(i);
                    block(body, values, interpreter);
                    values.counters.pop();
                }
            }
            Step::Chosen { places, then } => {
                let at = *values.counters.last().expect("it stands in a loop");
                if values.tables.places[*places][at] == 0 {
                    block(then, values, interpreter);
                }
            }
            Step::Observe { .. } | Step::ObserveAll { .. } => observe(step, values, interpreter),
        }
    }
}

/// The steps of a block, whose scalars end with it.
fn block<M: Mode, I: Interpreter<M>>(
    steps: &[Step],
    values: &mut Values<'_, M>,
    interpreter: &mut I,
) {
    let scalars = values.scalars.len();
    run(steps, values, interpreter);
    values.scalars.truncate(scalars);
}

/// `$then` with the distribution of a continuous family.
macro_rules! continuous {
    ($family:expr, $values:expr, $arguments:expr, |$distribution:ident| $then:expr) => {
        continuous!(@ $family, $values, $arguments, $distribution, $then;
            Normal(a, b), StudentT(a, b, c), Cauchy(a, b), Laplace(a, b), Logistic(a, b), Gumbel(a, b),
            SkewNormal(a, b, c), ExponentiallyModifiedNormal(a, b, c), HalfNormal(a), HalfCauchy(a),
            LogNormal(a, b), LogLogistic(a, b), Exponential(a), Gamma(a, b), InverseGamma(a, b),
            ChiSquared(a), ScaledInverseChiSquared(a, b), Weibull(a, b), Frechet(a, b), Rayleigh(a),
            Lomax(a, b), Beta(a, b), BetaProportion(a, b))
    };
    (@ $family:expr, $values:expr, $arguments:expr, $distribution:ident, $then:expr;
        $($name:ident($($argument:ident),+)),+) => {
        match $family {
            $(Family::$name => {
                let [$($argument),+] = $values.all($arguments);
                let $distribution = $name::new($($argument),+);
                $then
            })+
            _ => unreachable!("{:?} is discrete", $family),
        }
    };
}

fn sample<M: Mode, I: Interpreter<M>>(
    family: Family,
    values: &Values<'_, M>,
    arguments: &[Expression],
    interpreter: &mut I,
) -> Real<M> {
    continuous!(family, values, arguments, |distribution| {
        interpreter.sample(distribution)
    })
}

fn sample_all<M: Mode, I: Interpreter<M>>(
    family: Family,
    values: &Values<'_, M>,
    arguments: &[Expression],
    length: usize,
    interpreter: &mut I,
) -> Vector<M> {
    continuous!(family, values, arguments, |distribution| {
        interpreter.sample(distribution.iid(length))
    })
}

fn observe<M: Mode, I: Interpreter<M>>(step: &Step, values: &Values<'_, M>, interpreter: &mut I) {
    match step {
        Step::Observe {
            statement,
            family,
            arguments,
            data,
        } => {
            let interpreter = interpreter.at(*statement);
            let at = *values.counters.last().expect("it stands in a loop");
            if family.is_discrete() {
                let count = values.tables.counts[*data][at];
                observe_count(*family, values, arguments, count, interpreter);
            } else {
                let datum = values.tables.reals[*data][at];
                continuous!(*family, values, arguments, |distribution| {
                    interpreter.observe_under(distribution, datum);
                });
            }
        }
        Step::ObserveAll {
            statement,
            family,
            vector,
            others,
            data,
        } => {
            let interpreter = interpreter.at(*statement);
            observe_all(
                *family,
                &values.vectors[*vector],
                others,
                *data,
                values,
                interpreter,
            );
        }
        _ => unreachable!("it observes"),
    }
}

fn observe_count<M: Mode, I: Interpreter<M>>(
    family: Family,
    values: &Values<'_, M>,
    arguments: &[Expression],
    count: u64,
    interpreter: &mut I,
) {
    const TRIALS: u64 = Family::TRIALS;
    macro_rules! one {
        ($a:ident => $distribution:expr) => {{
            let [$a] = values.all(arguments);
            interpreter.observe_under($distribution, count);
        }};
    }
    match family {
        Family::Bernoulli => {
            let [p] = values.all(arguments);
            interpreter.observe_under(Bernoulli::new(p), count == 1);
        }
        Family::BernoulliLogit => {
            let [logit] = values.all(arguments);
            interpreter.observe_under(BernoulliLogit::new(logit), count == 1);
        }
        Family::Binomial => one!(p => Binomial::new(TRIALS, p)),
        Family::BinomialLogit => one!(logit => BinomialLogit::new(TRIALS, logit)),
        Family::Poisson => one!(rate => Poisson::new(rate)),
        Family::PoissonLog => one!(log_rate => PoissonLog::new(log_rate)),
        Family::BetaBinomial => {
            let [a, b] = values.all(arguments);
            interpreter.observe_under(BetaBinomial::new(TRIALS, a, b), count);
        }
        Family::NegativeBinomial => {
            let [mean, dispersion] = values.all(arguments);
            interpreter.observe_under(NegativeBinomial::mean_dispersion(mean, dispersion), count);
        }
        other => unreachable!("{other:?} is continuous"),
    }
}

fn observe_all<M: Mode, I: Interpreter<M>>(
    family: Family,
    first: &Vector<M>,
    others: &[Expression],
    data: usize,
    values: &Values<'_, M>,
    interpreter: &mut I,
) {
    let tables = values.tables;
    macro_rules! scaled {
        ($name:ident) => {{
            let [scale] = values.all(others);
            interpreter.observe_under($name::new(first, scale), &tables.reals[data]);
        }};
    }
    let counts = |data: usize| &tables.counts[data];
    match family {
        Family::Normal => scaled!(Normal),
        Family::Cauchy => scaled!(Cauchy),
        Family::Logistic => scaled!(Logistic),
        Family::LogNormal => scaled!(LogNormal),
        Family::BernoulliLogit => {
            let flags: Vec<bool> = counts(data).iter().map(|count| *count == 1).collect();
            interpreter.observe_under(BernoulliLogit::new(first), &flags);
        }
        Family::BinomialLogit => {
            let distribution = BinomialLogit::new(Family::TRIALS, first);
            interpreter.observe_under(distribution, counts(data));
        }
        Family::PoissonLog => interpreter.observe_under(PoissonLog::new(first), counts(data)),
        other => unreachable!("{other:?} is not observed in bulk"),
    }
}
