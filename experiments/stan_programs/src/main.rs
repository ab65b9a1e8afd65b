//! The programs of posteriordb as models: log densities and gradients at five positions, for a comparison with another evaluator, and NUTS at its
//! defaults beside the reference moments.
//!
//! ```text
//! cargo run --release --manifest-path experiments/stan_programs/Cargo.toml -- DIR --out FILE
//! python experiments/peers/stan_programs.py FILE --programs STAN --data DIR
//! cargo run --release --manifest-path experiments/stan_programs/Cargo.toml -- DIR --nuts
//! ```
//!
//! `DIR` holds `posteriors.tsv`, `data` and `moments`; `--only TEXT` selects the posteriors whose names contain the text;
//! without it, `--nuts` takes those with reference moments.

mod data;
mod models;
mod nuts;
mod points;
mod programs;

use data::Data;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

/// A row of `posteriors.tsv`.
struct Posterior {
    name: String,
    program: String,
    data: String,
}

struct Options {
    folder: PathBuf,
    out: Option<String>,
    only: Option<String>,
    nuts: bool,
}

fn main() {
    if let Err(message) = options().and_then(|options| run(&options)) {
        eprintln!("{message}");
        std::process::exit(2);
    }
}

fn options() -> Result<Options, String> {
    let mut arguments = std::env::args().skip(1);
    let (mut folder, mut out, mut only, mut nuts) = (None, None, None, false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--out" => out = arguments.next(),
            "--only" => only = arguments.next(),
            "--nuts" => nuts = true,
            _ => folder = Some(PathBuf::from(argument)),
        }
    }
    let folder = folder.ok_or("usage: DIR [--out FILE] [--only TEXT] [--nuts]")?;
    Ok(Options {
        folder,
        out,
        only,
        nuts,
    })
}

fn run(options: &Options) -> Result<(), String> {
    let mut out: Box<dyn Write> = match &options.out {
        Some(path) => Box::new(fs::File::create(path).map_err(|error| format!("{path}: {error}"))?),
        None => Box::new(std::io::stdout()),
    };
    for posterior in posteriors(options)? {
        let Some(mut data) = Data::read(&options.folder.join("data"), &posterior.data)? else {
            eprintln!("{}: no data", posterior.name);
            continue;
        };
        for steps in steps(&posterior.program, options.nuts) {
            data.steps = *steps;
            if let Some(line) = line(options, &posterior, &data) {
                writeln!(out, "{line}").map_err(|error| error.to_string())?;
            }
        }
    }
    Ok(())
}

/// Steps of differential equations: the library's default, and so many that their error is rounding.
fn steps(program: &str, nuts: bool) -> &'static [usize] {
    match program {
        "lotka_volterra" | "one_comp_mm_elim_abs" | "sir" | "soil_incubation" if !nuts => &[4, 200],
        _ => &[4],
    }
}

/// What is found about a posterior.
fn line(options: &Options, posterior: &Posterior, data: &Data) -> Option<String> {
    let Posterior { name, program, .. } = posterior;
    let mut line = None;
    let has_model = programs::visit(program, data, &mut |model| {
        let density = match model.density() {
            Ok(density) => density,
            Err(error) => return eprintln!("{name}: {error}"),
        };
        let name = match data.steps {
            4 => name.clone(),
            steps => format!("{name}, {steps} steps"),
        };
        line = Some(if options.nuts {
            nuts::report(&*density, &options.folder, &name)
        } else {
            points::line(&*density, &name, program, &posterior.data)
        });
    });
    if !has_model {
        eprintln!("{name}: no model");
    }
    line
}

fn posteriors(options: &Options) -> Result<Vec<Posterior>, String> {
    let path = options.folder.join("posteriors.tsv");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let row = |line: &str| {
        let mut fields = line.split('\t').map(str::to_owned);
        Some(Posterior {
            name: fields.next()?,
            program: fields.next()?,
            data: fields.next()?,
        })
    };
    let rows = text.lines().skip(1).filter_map(row);
    let is_wanted = |posterior: &Posterior| {
        let only = options.only.as_deref().unwrap_or("");
        let moments = options
            .folder
            .join(format!("moments/{}.json", posterior.name));
        posterior.name.contains(only)
            && (!options.nuts || options.only.is_some() || moments.exists())
    };
    Ok(rows.filter(is_wanted).collect())
}
