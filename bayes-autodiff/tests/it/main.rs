//! The functions, lanes and replays that users see, optimised as in their programs, and the machine code of this program itself. A new file
//! of tests is a line here.

mod compiled;
mod functions;
mod lanes;
mod trace;
