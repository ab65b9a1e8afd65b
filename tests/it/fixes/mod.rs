//! The programs of `tests/ui/` with the fixes that the messages recommend: they compile and run.

// written as a user might write them
#![allow(clippy::all)]

mod control_flow;
mod distributions;
mod gradient;
mod impute;
mod language;
mod observe;
mod param;
mod sample;
mod signature;
mod structured;
mod typo;

#[test]
fn what_the_messages_propose_compiles() {
    control_flow::main();
    distributions::main();
    gradient::main();
    impute::main();
    language::main();
    observe::main();
    param::main();
    sample::main();
    signature::main();
    structured::main();
    typo::main();
}
