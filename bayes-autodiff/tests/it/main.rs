//! The tests of what users of the number types see. A new file of tests is a line here.

mod compiled;
mod complex;
mod deviance;
mod edges;
mod functions;
mod gradient;
mod incomplete;
mod lanes;
mod matrices;
mod mixing;
mod trace;
