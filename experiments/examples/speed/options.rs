//! The command line.

use std::path::PathBuf;
use std::time::Duration;

/// The user's options.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `--quick`: shorter readings, fewer runs.
    pub quick: bool,
    /// `--json`: a JSON object as the only line of stdout.
    pub json: bool,
    /// `--only A,B`: only these questions; all if empty.
    only: Vec<String>,
    /// `--seed N`: the first seed of the runs.
    pub seed: u64,
    /// `--peers DIR`: the folder with the scripts of other libraries.
    pub peers: Option<PathBuf>,
    /// `--native PROGRAM`: this program built for this processor only.
    pub native: Option<PathBuf>,
    /// `--probe`: print the times that `--native` compares, and nothing else.
    pub probe: bool,
}

const OPTIONS: &str = "options: [--quick] [--seed N] [--json] [--times] [--only A,B] [--peers DIR] [--native PROGRAM]";

impl Options {
    /// Reads the command line; prints usage and exits on anything else.
    pub fn from_args() -> Self {
        let mut options = Self {
            seed: 1,
            ..Self::default()
        };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut value = || {
                args.next()
                    .unwrap_or_else(|| usage(&format!("`{arg}` takes a value")))
            };
            match arg.as_str() {
                "--help" | "-h" => {
                    println!("{OPTIONS}");
                    std::process::exit(0)
                }
                "--quick" => options.quick = true,
                "--json" => options.json = true,
                "--probe" => options.probe = true,
                // Everything printed is a timing.
                "--times" => {}
                "--only" => options.only = value().split(',').map(str::to_owned).collect(),
                "--seed" => {
                    let seed = value().parse();
                    options.seed =
                        seed.unwrap_or_else(|_| usage("`--seed` takes a whole number from 0"));
                }
                "--peers" => options.peers = Some(value().into()),
                "--native" => options.native = Some(value().into()),
                other => usage(&format!("unknown option `{other}`")),
            }
        }
        options
    }

    /// Whether the question is asked.
    pub fn asks(&self, question: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == question)
    }

    /// `full`, or `quick` with `--quick`.
    pub fn size(&self, full: usize, quick: usize) -> usize {
        if self.quick { quick } else { full }
    }

    /// Time for the readings of one comparison.
    pub fn budget(&self) -> Duration {
        Duration::from_millis(if self.quick { 150 } else { 1500 })
    }

    /// Prints a line of text: to stdout, or to stderr if stdout is for JSON.
    pub fn say(&self, text: &str) {
        if self.json {
            eprintln!("{text}")
        } else {
            println!("{text}")
        }
    }
}

fn usage(problem: &str) -> ! {
    eprintln!("{problem}\n{OPTIONS}");
    std::process::exit(2)
}
