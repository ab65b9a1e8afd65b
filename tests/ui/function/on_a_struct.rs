use bayes::prelude::*;

#[function]
struct Rate;

fn main() {}
