//! Sequential Monte Carlo: one island, and islands in parallel.

pub(super) mod adaptation_bias;
pub(super) mod control_variates;
pub(super) mod doomed;
pub(super) mod falls;
mod fit;
pub(super) mod interaction;
pub(super) mod island;
pub(super) mod local_mass;
pub(super) mod mutations;
pub(super) mod numbers;
pub(super) mod path;
pub(super) mod plan;
pub(super) mod posterior_states;
pub(super) mod psmc;
pub(super) mod resample;
pub(super) mod resumable;
pub(super) mod sampler;
pub(super) mod schedule;
pub(super) mod settings;
pub(super) mod step_size_rule;
pub(super) mod trails;
pub(super) mod trajectory_length;
pub(super) mod walks;
