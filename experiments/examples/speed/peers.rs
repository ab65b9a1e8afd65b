//! Other libraries, run by their own scripts.

use super::Context;
use serde_json::Value;
use std::process::Command;

/// The lines that `bench_jax.py` prints for a workload and samplers; empty without `--peers`, or if it fails.
pub fn run(context: &Context, workload: &str, samplers: &str) -> Vec<Value> {
    let Some(folder) = &context.options.peers else {
        return Vec::new();
    };
    let python = std::env::var("PEERS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let output = Command::new(python)
        .current_dir(folder)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .args([
            "bench_jax.py",
            "--workload",
            workload,
            "--sampler",
            samplers,
            "--n",
            "1000",
        ])
        .output();
    match output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout)
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect(),
        Ok(output) => {
            context
                .options
                .say(&String::from_utf8_lossy(&output.stderr));
            Vec::new()
        }
        Err(error) => {
            context.options.say(&format!("no peers: {error}"));
            Vec::new()
        }
    }
}

/// Microseconds of a value and gradient in a compiled loop over blocks of 32 particles.
pub fn gradient(context: &Context, workload: &str) -> Option<f64> {
    let lines = run(context, workload, "grad");
    let looped = lines.iter().filter(|line| {
        let settings = &line["settings"];
        settings["particles"] == 32 && settings["mode"] == "in_loop"
    });
    // The smaller of the two clocks: a busy machine increases wall-clock time, waiting threads increase processor time.
    let micro = |line: &Value| {
        let seconds = line["cpu_s"].as_f64()?.min(line["wall_s"].as_f64()?);
        Some(seconds * 1e6 / line["evals"].as_f64()?)
    };
    looped.filter_map(micro).reduce(f64::min)
}
