//! All tests except the scalar distributions, which have a separate program.
//!
//! One program, so that shared parts are compiled once. A new file of tests is a line here.

mod ais;
mod approximations;
mod beyond;
mod budgets;
mod checkpoints;
mod common;
mod data_annealing;
mod densities;
mod engines;
mod faults;
mod improper;
mod interacting;
mod kept;
mod kernel_page;
mod kernels;
mod limits;
mod masses;
mod missed_modes;
mod nan_in_burn_in;
mod narrow_ends;
mod nested;
mod networks;
mod panics;
mod params;
mod pathfinder;
mod pilot;
mod posterior_states;
mod progress;
mod resampling;
mod settings;
mod shards;
mod smallest;
mod starts;
mod step_sizes;
mod streamed;
mod superchains;
mod targets;
mod tempering;
mod transforms;
mod trouble;
mod until;
mod walks;
mod walnuts;
mod weights;
