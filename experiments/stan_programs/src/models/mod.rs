//! The programs as models. Quantities have the names of the program, in which `mu_1` and `mu_2` are the elements of `mu`.

#![allow(non_snake_case, reason = "the programs have such names")]

pub mod answers;
pub mod capture;
pub mod equations;
pub mod groups;
pub mod linear;
pub mod logistic;
pub mod mixtures;
pub mod others;
pub mod processes;
pub mod radon;
pub mod rates;
pub mod series;
