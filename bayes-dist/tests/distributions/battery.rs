//! A scalar family in the battery: its functions at plain numbers.
//!
//! The functions are trait objects, so that the tests are compiled once instead of once for every
//! family.

use crate::reference::{Case, Point, References, references};
use bayes_autodiff::{Dual, Dual2, Real, Value, Vector};
use bayes_model::dist::{
    Constraint, Cumulative, Data, DataError, Distribution, Domain, Family, ParameterError,
    ParameterInfo, Parameters, Quantity, Shape, Univariate,
};
use bayes_model::rng::{Key, Purpose, Stream};
use bayes_model::transform::Support;
use std::ops::Deref;

/// One more than the largest number of parameters.
pub const N: usize = 4;

/// A number with its slopes in `x` and the parameters.
pub type First = Real<Dual<N>>;

/// A number with its slopes and its curvature.
pub type Second = Real<Dual2<N>>;

/// Numbers as data of either domain, so that the runtime checks see data that types would refuse.
pub struct Numbers(pub Vec<f64>);

impl<D: Domain> Data<D> for Numbers {
    fn shape(&self) -> Shape {
        Shape::Vector(self.0.len())
    }
    fn at(&self, i: usize) -> f64 {
        self.0[i]
    }
}

/// A reproducible stream for test number `item`.
pub fn stream(item: u64) -> Stream {
    Key::new(20_240_229, Purpose::Initial).item(item).stream()
}

/// A distribution at plain parameters: the methods of [`Distribution`] for plain numbers.
pub trait Law {
    fn check(&self) -> Result<(), ParameterError>;
    fn check_data(&self, data: &[f64]) -> Result<(), DataError>;
    fn shape(&self) -> Shape;
    fn log_density(&self, elements: &[f64]) -> f64;
    fn log_likelihood(&self, data: &[f64]) -> f64;
    fn draw(&self, stream: &mut Stream) -> Vec<f64>;
    /// The first element of the value at one coordinate, and the log Jacobian.
    fn constrain(&self, coordinate: f64) -> (f64, f64);
    fn unconstrain(&self, elements: &[f64]) -> Vec<f64>;
}

impl<F: Family<K>, P: Parameters<Value, K>, const K: usize> Law for Univariate<F, P, K> {
    fn check(&self) -> Result<(), ParameterError> {
        Distribution::<Value>::check(self)
    }
    fn check_data(&self, data: &[f64]) -> Result<(), DataError> {
        Distribution::<Value>::check_data(self, &Numbers(data.to_vec()))
    }
    fn shape(&self) -> Shape {
        Distribution::<Value>::shape(self)
    }
    fn log_density(&self, elements: &[f64]) -> f64 {
        // sums over many values request one at a time
        if let [x] = elements {
            return self.log_density_of(&[Real::<Value>::constant(*x)]).primal();
        }
        let elements: Vec<Real<Value>> = elements.iter().map(|x| Real::constant(*x)).collect();
        self.log_density_of(&elements).primal()
    }
    fn log_likelihood(&self, data: &[f64]) -> f64 {
        Distribution::<Value>::log_likelihood(self, &Numbers(data.to_vec())).primal()
    }
    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        Distribution::<Value>::draw(self, stream)
    }
    fn constrain(&self, coordinate: f64) -> (f64, f64) {
        let coordinate = Real::<Value>::constant(coordinate);
        let (value, log_jacobian) = Distribution::<Value>::constrain(self, &[coordinate]);
        (value.elements()[0].primal(), log_jacobian.primal())
    }
    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        Distribution::<Value>::unconstrain(self, elements)
    }
}

/// A scalar family: the methods of [`Family`], at parameters in a slice.
pub trait Scalar {
    fn name(&self) -> &'static str;
    fn parameters(&self) -> Vec<ParameterInfo>;
    fn is_discrete(&self) -> bool;
    fn support(&self, parameters: &[f64]) -> Support<Value>;
    fn covers(&self, parameters: &[f64]) -> Support<Value>;
    /// The distribution that the constructor makes from data.
    fn known(&self, parameters: &[f64]) -> Box<dyn Law>;
    /// The distribution at random scalars.
    fn distribution(&self, parameters: &[f64]) -> Box<dyn Law>;
    /// The distribution at random vectors.
    fn vector(&self, columns: &[Vec<f64>]) -> Box<dyn Law>;
    /// The log density with slopes.
    fn first(&self, x: First, parameters: &[First]) -> First;
    /// The log density with slopes and curvature.
    fn second(&self, x: Second, parameters: &[Second]) -> Second;
    /// The log density of the unconstrained coordinate with slopes, which HMC follows.
    fn coordinate(&self, coordinate: First, parameters: &[First]) -> First;
}

/// A family with a distribution function.
pub trait Tails {
    fn at(&self, parameters: &[f64]) -> Box<dyn crate::cumulative::Probabilities>;
    /// `[log_cdf, log_sf]` with their slopes.
    fn log_tails(&self, x: First, parameters: &[First]) -> [First; 2];
    /// The log probability of an interval with its slopes in the parameters.
    fn log_interval(&self, ends: [f64; 2], parameters: &[First]) -> First;
}

/// A constructor of the family `F`.
struct Constructor<F, P, const K: usize>(fn([f64; K]) -> Univariate<F, P, K>);

/// The first `K` of a slice.
fn array<T: Copy, const K: usize>(values: &[T]) -> [T; K] {
    std::array::from_fn(|k| values[k])
}

/// Parameters as tuples, one tuple type for every `K`.
macro_rules! scalar {
    ($count:literal: $($k:tt)*) => {
        impl<F: Family<$count>, P: Parameters<Value, $count> + 'static> Scalar
            for Constructor<F, P, $count>
        {
            fn name(&self) -> &'static str {
                F::NAME
            }
            fn parameters(&self) -> Vec<ParameterInfo> {
                F::PARAMETERS.to_vec()
            }
            fn is_discrete(&self) -> bool {
                F::Domain::DISCRETE
            }
            fn support(&self, parameters: &[f64]) -> Support<Value> {
                F::support(array(parameters).map(Real::constant))
            }
            fn covers(&self, parameters: &[f64]) -> Support<Value> {
                F::covers(array(parameters).map(Real::constant))
            }
            fn known(&self, parameters: &[f64]) -> Box<dyn Law> {
                Box::new((self.0)(array(parameters)))
            }
            fn distribution(&self, parameters: &[f64]) -> Box<dyn Law> {
                Box::new(F::at(($(Real::<Value>::constant(parameters[$k]),)*)))
            }
            fn vector(&self, columns: &[Vec<f64>]) -> Box<dyn Law> {
                Box::new(F::at(($(Vector::<Value>::constant(&columns[$k]),)*)))
            }
            fn first(&self, x: First, parameters: &[First]) -> First {
                F::at(($(parameters[$k],)*)).log_density_at(&x)
            }
            fn second(&self, x: Second, parameters: &[Second]) -> Second {
                F::at(($(parameters[$k],)*)).log_density_at(&x)
            }
            fn coordinate(&self, coordinate: First, parameters: &[First]) -> First {
                let distribution = F::at(($(parameters[$k],)*));
                let (x, log_jacobian) = distribution.constrain(&[coordinate]);
                distribution.log_density_at(&x) + log_jacobian
            }
        }

        impl<F: Cumulative<$count>, P: Parameters<Value, $count> + 'static> Tails
            for Constructor<F, P, $count>
        {
            fn at(&self, parameters: &[f64]) -> Box<dyn crate::cumulative::Probabilities> {
                Box::new(F::at(($(parameters[$k],)*)))
            }
            fn log_tails(&self, x: First, parameters: &[First]) -> [First; 2] {
                let distribution = F::at(($(parameters[$k],)*));
                [distribution.log_cdf_at(x), distribution.log_sf_at(x)]
            }
            fn log_interval(&self, ends: [f64; 2], parameters: &[First]) -> First {
                let distribution = F::at(($(parameters[$k],)*)).interval_censored();
                distribution.log_likelihood(&Numbers(ends.to_vec()))
            }
        }
    };
}
scalar!(1: 0);
scalar!(2: 0 1);
scalar!(3: 0 1 2);

/// A scalar family under test, made by one of its constructors.
pub struct Subject {
    pub references: References,
    /// The names of the constructor's parameters.
    pub names: &'static [&'static str],
    family: Box<dyn Scalar>,
}

impl Deref for Subject {
    type Target = dyn Scalar;
    fn deref(&self) -> &Self::Target {
        &*self.family
    }
}

impl Subject {
    /// The family that `constructor` makes, with the references named `reference`.
    #[expect(private_bounds, reason = "every number of parameters has them")]
    pub fn new<F, P, const K: usize>(
        reference: &str,
        names: &'static [&'static str],
        constructor: fn([f64; K]) -> Univariate<F, P, K>,
    ) -> Self
    where
        F: 'static,
        P: 'static,
        Constructor<F, P, K>: Scalar,
    {
        let references = references(reference);
        assert_eq!(references.parameters.len(), K, "parameters of {reference}");
        Self {
            references,
            names,
            family: Box::new(Constructor(constructor)),
        }
    }

    pub fn cases(&self) -> &[Case] {
        &self.references.cases
    }

    /// All points of the references.
    pub fn points(&self) -> Vec<Point> {
        self.cases().iter().flat_map(|c| c.points.clone()).collect()
    }

    pub fn log_density(&self, x: f64, parameters: &[f64]) -> f64 {
        self.distribution(parameters).log_density(&[x])
    }

    pub fn allowed(&self) -> Vec<Constraint> {
        self.parameters().iter().map(|p| p.allowed).collect()
    }
}

/// A scalar family with a distribution function under test.
pub struct WithTails {
    pub subject: Subject,
    pub tails: Box<dyn Tails>,
}

impl WithTails {
    /// Like [`Subject::new`].
    #[expect(private_bounds, reason = "every number of parameters has them")]
    pub fn new<F, P, const K: usize>(
        reference: &str,
        names: &'static [&'static str],
        constructor: fn([f64; K]) -> Univariate<F, P, K>,
    ) -> Self
    where
        F: 'static,
        P: 'static,
        Constructor<F, P, K>: Scalar + Tails,
    {
        Self {
            subject: Subject::new(reference, names, constructor),
            tails: Box::new(Constructor(constructor)),
        }
    }
}

/// The name of the references of a constructor.
pub fn reference(file: &str, constructor: &str) -> String {
    match constructor {
        "new" => file.to_owned(),
        other => format!("{file}.{other}"),
    }
}

/// The tests of a scalar family: `scalar!(name, reference, |parameters| constructor)`.
macro_rules! scalar_tests {
    ($name:ident, $reference:expr, |$($parameter:ident),*| $constructor:expr) => {
        mod $name {
            use crate::*;

            fn subject() -> battery::Subject {
                const NAMES: &[&str] = &[$(stringify!($parameter)),*];
                battery::Subject::new(&$reference, NAMES, |[$($parameter),*]: [f64; NAMES.len()]| $constructor)
            }

            #[test]
            fn density_agrees_with_the_reference() {
                reference::density_agrees(&subject());
            }
            #[test]
            fn density_integrates_to_one() {
                integration::integrates_to_one(&subject());
            }
            #[test]
            fn draws_follow_the_density() {
                sampling::draws_follow_the_density(&subject());
            }
            #[test]
            fn draws_survive_the_transform() {
                sampling::draws_survive_the_transform(&subject());
            }
            #[test]
            fn gradient_agrees_with_differences() {
                derivatives::gradient_agrees(&subject());
            }
            #[test]
            fn coordinates_are_safe() {
                derivatives::coordinates_are_safe(&subject());
            }
            #[test]
            fn hessian_agrees_with_differences() {
                derivatives::hessian_agrees(&subject());
            }
            #[test]
            fn invalid_parameters_are_named() {
                errors::invalid_parameters_are_named(&subject());
            }
            #[test]
            fn data_outside_the_support_are_located() {
                errors::data_outside_the_support_are_located(&subject());
            }
            #[test]
            fn density_is_a_number_within_the_support() {
                properties::density_is_a_number_within_the_support(&subject());
            }
            #[test]
            fn vector_parameters_are_a_product_of_scalars() {
                vectorised::vector_parameters_are_a_product_of_scalars(&subject());
            }
            #[test]
            fn scalar_parameters_are_shared_by_all_data() {
                vectorised::scalar_parameters_are_shared_by_all_data(&subject());
            }
        }
    };
}
pub(crate) use scalar_tests;

/// The tests of a distribution function.
macro_rules! cumulative_tests {
    ($name:ident, $reference:expr, |$($parameter:ident),*| $constructor:expr) => {
        crate::battery::scalar_tests!($name, $reference, |$($parameter),*| $constructor);

        mod distribution_function {
            use crate::*;

            fn subject() -> battery::WithTails {
                const NAMES: &[&str] = &[$(stringify!($parameter)),*];
                battery::WithTails::new(&$reference, NAMES, |[$($parameter),*]: [f64; NAMES.len()]| $constructor)
            }

            #[test]
            fn tails_agree_with_the_reference() {
                cumulative::tails_agree(&subject());
            }
            #[test]
            fn beyond_the_support_is_all_or_nothing() {
                cumulative::beyond_the_support_is_all_or_nothing(&subject());
            }
            #[test]
            fn quantiles_at_random_parameters_lead_back() {
                cumulative::quantiles_at_random_parameters_lead_back(&subject());
            }
            #[test]
            fn quantiles_invert_the_distribution_function() {
                cumulative::quantiles_invert_the_distribution_function(&subject());
            }
            #[test]
            fn gradients_agree_with_differences() {
                cumulative::gradients_agree(&subject());
            }
        }
    };
}
pub(crate) use cumulative_tests;
