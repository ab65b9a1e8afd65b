//! Every scalar distribution of the table goes through one battery; the other distributions have their
//! own tests.

#![allow(
    clippy::unwrap_used,
    reason = "clippy knows tests by their attribute, not the helpers they share"
)]

mod accepted;
mod battery;
mod bounded;
mod cumulative;
mod derivatives;
mod errors;
mod far_classes;
mod gaussian_field;
mod hidden_markov;
mod hidden_series;
mod icar;
mod integration;
mod intervals;
mod intrinsic_random_walk;
mod matrices;
mod non_centred;
mod ordered_logistic;
mod page;
mod processes;
mod properties;
mod reference;
mod sampling;
mod scan;
mod state_space;
mod state_space_errors;
mod state_space_states;
mod structured;
mod tails;
mod unnormalised;
mod vector_errors;
mod vectorised;
mod vectors;
mod wiener;
mod wiener_tails;
mod zero_sum;

use bayes_model::dist::*;

/// No tests: a structured distribution has its own.
macro_rules! no_tests {
    ($($ignored:tt)*) => {};
}

macro_rules! tests_of {
    (scalar, $($line:tt)*) => { crate::battery::scalar_tests!($($line)*); };
    (cumulative, $($line:tt)*) => { crate::battery::cumulative_tests!($($line)*); };
    (structured, $($line:tt)*) => { no_tests!($($line)*); };
}

macro_rules! table {
    ($($file:ident: $family:ident { $($constructors:tt)* } $domain:ident $tests:ident;)*) => {
        /// The tests of each line of the table.
        mod family {
            $(mod $file {
                constructors!($file, $family, $tests, $($constructors)*);
            })*
        }
    };
}

macro_rules! constructors {
    ($file:ident, $family:ident, $tests:ident, $($name:ident($($parameter:ident),*)),*) => {
        $(mod $name {
            tests_of! {
                $tests,
                density,
                crate::battery::reference(stringify!($file), stringify!($name)),
                |$($parameter),*| $family::$name($($parameter),*)
            }
        })*
    };
}
bayes_catalogue::distributions!(table);

macro_rules! list {
    ($($file:ident: $family:ident { $($name:ident $parameters:tt),* } $domain:ident $tests:ident;)*) => {
        /// File and constructor of each distribution.
        const LISTED: &[(&str, &str)] = &[$($((stringify!($file), stringify!($name))),*),*];
    };
}
bayes_catalogue::distributions!(list);

mod composed {
    use crate::*;

    battery::scalar_tests! {
        zero_inflated_negative_binomial, "zero_inflated.negative_binomial",
        |pi, mu, phi| ZeroInflated::new(pi, NegativeBinomial::mean_dispersion(mu, phi))
    }
    battery::scalar_tests! {
        hurdle_poisson, "hurdle.poisson", |pi, rate| Hurdle::new(pi, Poisson::new(rate))
    }
    battery::scalar_tests! {
        hurdle_negative_binomial, "hurdle.negative_binomial",
        |pi, r, p| Hurdle::new(pi, NegativeBinomial::successes_probability(r, p))
    }
    battery::scalar_tests! {
        hurdle_binomial, "hurdle.binomial", |pi, n, p| Hurdle::new(pi, Binomial::new(n, p))
    }
}
