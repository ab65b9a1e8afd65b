//! Priors chosen at run time.

mod extent;

use crate::arguments::in_order;
use crate::syntax::{Kind, Node, parse};
use bayes::FormulaError;
use bayes::dist::{
    Continuous, Data, DataError, Distribution, Drawn, Gaussian, ParameterError, Shape,
};
use bayes::prelude::*;
use bayes::rng::Stream;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A prior of one number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prior {
    family: PriorFamily,
    parameters: [f64; 3],
}

/// Lists the families once: their names in Rust and in texts, their parameters and the distribution.
macro_rules! priors {
    ($($variant:ident $method:ident $text:literal ($($parameter:ident),*) $bound:ident $documentation:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        enum PriorFamily { $($variant),* }

        impl PriorFamily {
            const ALL: &[(&'static str, Self, &'static [&'static str])] = &[$(($text, Self::$variant, &[$(stringify!($parameter)),*])),*];

            /// Whether the prior's values are above 0.
            fn is_positive(self) -> bool {
                match self { $(Self::$variant => bound!($bound)),* }
            }
        }

        impl Prior {
            $(
                #[doc = $documentation]
                #[must_use]
                #[allow(unused_assignments, unused_mut)]
                pub fn $method($($parameter: f64),*) -> Self {
                    let mut parameters = [0.0; 3];
                    let mut k = 0;
                    $(parameters[k] = $parameter; k += 1;)*
                    Self { family: PriorFamily::$variant, parameters }
                }
            )*

            /// The probability of a value of at most `x`.
            pub(crate) fn cdf(self, x: f64) -> f64 {
                match self.family {
                    $(PriorFamily::$variant => {
                        let [$($parameter,)* ..] = self.parameters;
                        $variant::new($($parameter),*).cdf(x)
                    })*
                }
            }

            /// The logarithm of the probability of a value above `x`.
            pub(crate) fn log_sf(self, x: f64) -> f64 {
                match self.family {
                    $(PriorFamily::$variant => {
                        let [$($parameter,)* ..] = self.parameters;
                        $variant::new($($parameter),*).log_sf(x)
                    })*
                }
            }

            /// The value below which a share of the probability lies.
            pub(crate) fn quantile(self, share: f64) -> f64 {
                match self.family {
                    $(PriorFamily::$variant => {
                        let [$($parameter,)* ..] = self.parameters;
                        $variant::new($($parameter),*).quantile(share)
                    })*
                }
            }

            /// Passes the distribution to a visitor.
            #[inline(always)]
            fn visit<M: Mode, V: Visitor<M>>(self, visitor: V) -> V::Output {
                match self.family {
                    $(PriorFamily::$variant => {
                        let [$($parameter,)* ..] = self.parameters;
                        visitor.see($variant::new($($parameter),*))
                    })*
                }
            }
        }
    };
}

macro_rules! bound {
    (real) => {
        false
    };
    (positive) => {
        true
    };
}

priors! {
    Normal normal "normal" (mean, sd) real "Normal.";
    StudentT student_t "student_t" (nu, location, scale) real "Student's t.";
    Cauchy cauchy "cauchy" (location, scale) real "Cauchy.";
    Laplace laplace "laplace" (location, scale) real "Laplace, or double exponential.";
    Logistic logistic "logistic" (location, scale) real "Logistic.";
    HalfNormal half_normal "half_normal" (sd) positive "Normal with the mean 0, above 0.";
    HalfStudentT half_student_t "half_student_t" (nu, scale) positive "Student's t around 0, above 0.";
    HalfCauchy half_cauchy "half_cauchy" (scale) positive "Cauchy around 0, above 0.";
    Exponential exponential "exponential" (rate) positive "Exponential with this rate.";
    Gamma gamma "gamma" (shape, rate) positive "Gamma with this shape and rate.";
    InverseGamma inverse_gamma "inverse_gamma" (shape, scale) positive "Inverse gamma with this shape and scale.";
    LogNormal log_normal "log_normal" (mu, sigma) positive "The exponential of a normal value.";
    Beta beta "beta" (a, b) positive "Beta, from 0 to 1.";
    Uniform uniform "uniform" (low, high) real "Uniform from `low` to `high`.";
}

/// An operation on the distribution of a prior.
trait Visitor<M: Mode> {
    type Output;
    fn see<D: Distribution<M, Value = Real<M>, Domain = Continuous>>(
        self,
        distribution: D,
    ) -> Self::Output;
}

impl Prior {
    /// Reads `normal(0, 10)`.
    ///
    /// # Errors
    /// The mistake and its place.
    pub fn read(text: &str) -> Result<Self, FormulaError> {
        let node = parse(text)?;
        let wrong = |node: &Node, message: String| FormulaError {
            formula: text.to_owned(),
            at: node.at.clone(),
            message,
        };
        let known = || {
            let names = PriorFamily::ALL.iter().map(|(name, ..)| *name);
            names.collect::<Vec<_>>().join(", ")
        };
        let Kind::Call {
            function,
            arguments,
        } = &node.kind
        else {
            let message = format!(
                "a prior is written as `normal(0, 10)`; known are {}",
                known()
            );
            return Err(wrong(&node, message));
        };
        let Some((_, family, names)) = PriorFamily::ALL.iter().find(|(name, ..)| name == function)
        else {
            return Err(wrong(
                &node,
                format!("there is no prior `{function}`; known are {}", known()),
            ));
        };
        let Some(values) = in_order(arguments, names) else {
            let message = format!("write `{function}({})`", names.join(", "));
            return Err(wrong(&node, message));
        };
        let mut parameters = [0.0; 3];
        for (parameter, value) in parameters.iter_mut().zip(values) {
            *parameter =
                number(value).ok_or_else(|| wrong(value, "this is no number".to_owned()))?;
        }
        let prior = Self {
            family: *family,
            parameters,
        };
        match prior.visit::<bayes::autodiff::Value, _>(Check) {
            Ok(()) => Ok(prior),
            Err(error) => Err(wrong(&node, error.to_string())),
        }
    }
}

fn number(node: &Node) -> Option<f64> {
    match &node.kind {
        Kind::Number(number) => Some(*number),
        Kind::Negative(inner) => number(inner).map(|number| -number),
        _ => None,
    }
}

impl fmt::Display for Prior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = PriorFamily::ALL
            .iter()
            .find(|(_, family, _)| *family == self.family);
        let (name, _, parameters) = found.expect("all families are listed");
        write!(f, "{name}(")?;
        for (k, value) in self.parameters[..parameters.len()].iter().enumerate() {
            write!(f, "{}{value}", if k > 0 { ", " } else { "" })?;
        }
        f.write_str(")")
    }
}

/// A vector whose elements each have their own prior.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Each<'a>(pub(crate) &'a [Prior]);

struct Check;
struct Density<'a, M: Mode>(&'a [Real<M>]);
struct Constrain<'a, M: Mode>(&'a [Real<M>]);
struct Unconstrain<'a>(&'a [f64]);
struct Draw<'a>(&'a mut Stream);
struct CheckData<'a, T: ?Sized>(&'a T);
struct AsGaussian;

impl<M: Mode> Visitor<M> for Check {
    type Output = Result<(), ParameterError>;
    fn see<D: Distribution<M>>(self, distribution: D) -> Self::Output {
        distribution.check()
    }
}
impl<M: Mode> Visitor<M> for Density<'_, M> {
    type Output = Real<M>;
    #[inline(always)]
    fn see<D: Distribution<M, Value = Real<M>, Domain = Continuous>>(
        self,
        distribution: D,
    ) -> Real<M> {
        distribution.log_density_of(self.0)
    }
}
impl<M: Mode> Visitor<M> for Constrain<'_, M> {
    type Output = (Real<M>, Real<M>);
    #[inline(always)]
    fn see<D: Distribution<M, Value = Real<M>, Domain = Continuous>>(
        self,
        distribution: D,
    ) -> Self::Output {
        distribution.constrain(self.0)
    }
}
impl<M: Mode> Visitor<M> for Unconstrain<'_> {
    type Output = Vec<f64>;
    fn see<D: Distribution<M, Value = Real<M>, Domain = Continuous>>(
        self,
        distribution: D,
    ) -> Vec<f64> {
        distribution.unconstrain(self.0)
    }
}
impl<M: Mode> Visitor<M> for Draw<'_> {
    type Output = Drawn;
    fn see<D: Distribution<M, Value = Real<M>, Domain = Continuous>>(
        self,
        distribution: D,
    ) -> Drawn {
        distribution.draw_with_coordinates(self.0)
    }
}

impl<M: Mode, T: Data<Continuous> + ?Sized> Visitor<M> for CheckData<'_, T> {
    type Output = Result<(), DataError>;
    fn see<D: Distribution<M, Value = Real<M>, Domain = Continuous>>(
        self,
        distribution: D,
    ) -> Self::Output {
        distribution.check_data(self.0)
    }
}
impl<M: Mode> Visitor<M> for AsGaussian {
    type Output = Option<Gaussian>;
    fn see<D: Distribution<M, Value = Real<M>, Domain = Continuous>>(
        self,
        distribution: D,
    ) -> Self::Output {
        distribution.gaussian()
    }
}

impl<M: Mode> Distribution<M> for Prior {
    type Value = Real<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        let found = PriorFamily::ALL
            .iter()
            .find(|(_, family, _)| *family == self.family);
        found.map_or("", |(name, ..)| name)
    }

    fn shape(&self) -> Shape {
        Shape::Scalar
    }

    fn dim(&self) -> usize {
        1
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.visit::<M, _>(Check)
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        self.visit::<M, _>(Density(elements))
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Real<M>, Real<M>) {
        self.visit::<M, _>(Constrain(coordinates))
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        self.visit::<M, _>(Unconstrain(elements))
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        Distribution::<M>::draw_with_coordinates(self, stream).elements
    }

    fn draw_with_coordinates(&self, stream: &mut Stream) -> Drawn {
        self.visit::<M, _>(Draw(stream))
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        self.visit::<M, _>(CheckData(data))
    }

    fn gaussian(&self) -> Option<Gaussian> {
        self.visit::<M, _>(AsGaussian)
    }
}

impl<M: Mode> Distribution<M> for Each<'_> {
    type Value = Vector<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        "Each"
    }

    fn shape(&self) -> Shape {
        Shape::Vector(self.0.len())
    }

    fn dim(&self) -> usize {
        self.0.len()
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.0.iter().try_for_each(Distribution::<M>::check)
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let mut total = Real::constant(0.0);
        for (prior, x) in self.0.iter().cycle().zip(elements) {
            total += prior.log_density_of(std::slice::from_ref(x));
        }
        total
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        let mut log_jacobian = Real::constant(0.0);
        let value = Vector::from_fn(self.0.len(), |k| {
            let (value, jacobian) = self.0[k].constrain(&coordinates[k..=k]);
            log_jacobian += jacobian;
            value
        });
        (value, log_jacobian)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        let pairs = self.0.iter().zip(elements);
        pairs
            .flat_map(|(prior, x)| Distribution::<M>::unconstrain(prior, &[*x]))
            .collect()
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        Distribution::<M>::draw_with_coordinates(self, stream).elements
    }

    fn draw_with_coordinates(&self, stream: &mut Stream) -> Drawn {
        let mut all = Drawn {
            elements: Vec::new(),
            coordinates: Vec::new(),
            rounding: 0.0,
            lost: false,
        };
        for prior in self.0 {
            let one = Distribution::<M>::draw_with_coordinates(prior, stream);
            all.elements.extend(one.elements);
            all.coordinates.extend(one.coordinates);
            all.rounding = f64::max(all.rounding, one.rounding);
            all.lost |= one.lost;
        }
        all
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        match data.shape().elements() {
            length if length == self.0.len() => Ok(()),
            length => Err(DataError::Length {
                distribution: "Each",
                length,
                allowed: format!("{}, the number of priors", self.0.len()),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bayes::autodiff::{PlainValue, Value};
    use bayes::rng::{Key, Purpose};

    #[test]
    fn texts_are_read_and_written() {
        for text in [
            "normal(0, 2.5)",
            "student_t(3, -1, 2.5)",
            "exponential(1)",
            "beta(1, 1)",
            "uniform(0, 1)",
        ] {
            assert_eq!(Prior::read(text).expect("it is a prior").to_string(), text);
        }
        assert_eq!(Prior::read("normal(0,2)"), Ok(Prior::normal(0.0, 2.0)));
        let refusals = [
            ("normal(0)", "write `normal(mean, sd)`"),
            ("normal(sigma = 1, mu = 7)", "write `normal(mean, sd)`"),
            (
                "normal(0, -1)",
                "Normal: parameter `sd` is -1, must be a finite number above 0",
            ),
            ("normal(0, x)", "this is no number"),
        ];
        for (text, message) in refusals {
            let error = Prior::read(text).expect_err("it is none").message;
            assert_eq!(error, message);
        }
        let error = Prior::read("norml(0, 1)").expect_err("it is none").message;
        assert!(
            error.starts_with("there is no prior `norml`; known are normal, student_t"),
            "{error}"
        );
    }

    #[test]
    fn a_list_is_its_elements() {
        let priors = [
            Prior::normal(1.0, 2.0),
            Prior::exponential(0.5),
            Prior::beta(2.0, 3.0),
        ];
        let each = Each(&priors);
        let mut stream = Key::new(1, Purpose::Initial).stream();
        let drawn = Distribution::<Value>::draw_with_coordinates(&each, &mut stream);
        let coordinates: Vec<Real<Value>> = drawn
            .coordinates
            .iter()
            .map(|x| Real::constant(*x))
            .collect();
        let (value, _) = each.constrain(&coordinates);
        let found: Vec<f64> = value.iter().map(|x| x.plain_value()).collect();
        for (a, b) in found.iter().zip(&drawn.elements) {
            assert!((a - b).abs() < 1e-12);
        }
        let density = each.log_density_of(value.elements()).plain_value();
        let [x, y, z] = [found[0], found[1], found[2]];
        let wanted = -0.5 * ((x - 1.0) / 2.0).powi(2) - (2.0 * std::f64::consts::TAU.sqrt()).ln()
            + 0.5_f64.ln()
            - 0.5 * y
            + (12.0 * z * (1.0 - z).powi(2)).ln();
        assert!((density - wanted).abs() < 1e-12, "{density} {wanted}");
    }
}
