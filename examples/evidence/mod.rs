//! The problems with known evidence.

#[allow(dead_code, reason = "models that only some examples use")]
pub mod models;
pub mod problems;
