//! Every claim about speed, measured in one run and printed as a table.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example speed                       the table; about three minutes
//! cargo run --release -p bayes-experiments --example speed -- --quick            shorter readings and fewer runs
//! cargo run --release -p bayes-experiments --example speed -- --json             one JSON line on stdout
//! cargo run --release -p bayes-experiments --example speed -- --only credit,smc  some of the questions
//! cargo run --release -p bayes-experiments --example speed -- --peers DIR        other libraries by their scripts in DIR, in the same run
//! cargo run --release -p bayes-experiments --example speed -- --native PROGRAM   this program built with target-cpu=native, in the same run
//! ```
//!
//! `DIR` holds `bench_jax.py`; the Python that runs it is `$PEERS_PYTHON` (`python3` if not set). `PROGRAM` is made by
//! `RUSTFLAGS="-C target-cpu=native" cargo build --release -p bayes-experiments --example speed --target-dir target/native`.
//!
//! Ratios compare the best of many readings taken in turn; next to them are the quartiles of the ratios of
//! adjacent readings.

mod allocations;
mod block;
mod chains;
mod clock;
mod credit;
mod dimension;
mod hand;
mod models;
mod native;
mod networks;
mod options;
mod overhead;
mod peers;
mod problems;
mod scalar_loops;
mod small;
mod smc;
mod table;
mod threads;

use options::Options;
use problems::Problems;
use table::{Row, header};

/// The context of a question.
struct Context {
    options: Options,
    problems: Problems,
}

/// A question: its name for `--only`, and the function that answers it.
type Question = (&'static str, fn(&Context) -> Vec<Row>);

const QUESTIONS: [Question; 11] = [
    ("credit", credit::rows),
    ("small", small::rows),
    ("loops", scalar_loops::rows),
    ("dimension", dimension::rows),
    ("networks", networks::rows),
    ("smc", smc::rows),
    ("overhead", overhead::rows),
    ("chains", chains::rows),
    ("threads", threads::rows),
    ("native", native::rows),
    ("allocations", allocations::rows),
];

fn main() {
    let options = Options::from_args();
    let context = Context {
        problems: Problems::load(),
        options,
    };
    if context.options.probe {
        return native::probe(&context);
    }
    let options = &context.options;
    options.say(&header());
    let mut rows = Vec::new();
    for (name, question) in QUESTIONS {
        if !options.asks(name) {
            continue;
        }
        for row in one_thread(|| question(&context)) {
            options.say(&row.text());
            rows.push(row.json());
        }
    }
    if options.json {
        let machine = native::machine();
        let seed = options.seed;
        let object =
            serde_json::json!({ "model": "speed", "seed": seed, "machine": machine, "rows": rows });
        println!("{object}");
    }
}

/// Runs `work` with one thread for all parallel code inside.
fn one_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    on_threads(1, work)
}

/// The same with a number of threads.
fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("threads can be started")
        .install(work)
}
