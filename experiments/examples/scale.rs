//! The cost of long runs besides sampling: checkpoints, resuming, many islands, many shards, many processes and cores.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example scale
//! ```
//!
//! Each part runs in a process of its own, whose peak memory is printed on Linux. `--quick` makes everything small, as a functional check.
//! Some 2 GB of files go to a temporary folder.

use bayes::engine::Smc;
use bayes::observe::Observer;
use bayes::prelude::*;
use bayes::{Error, Run};
use bayes_experiments::common::{self, Options, credit_applications, fail, or_fail};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

#[model]
fn credit(x: &DMatrix<f64>, y: &[bool]) {
    let beta = sample(Normal::new(0.0, 10.0).iid(x.ncols()));
    observe(y, BernoulliLogit::new(x * &beta));
}

#[model]
fn mean(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(mu, 1.0));
}

/// Enough quantities that draws take memory.
#[model]
fn wide(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0).iid(y.len()));
    observe(y, Normal::new(&mu, 1.0));
}

/// Measures one cost, with files in the folder.
type Measure = fn(&Options, &Path) -> Result<Value, Error>;

/// The parts, in the order of their runs.
const PARTS: [(&str, Measure); 7] = [
    ("checkpoints", checkpoints),
    ("resume", resume),
    ("islands", islands),
    ("file", file),
    ("shards", shards),
    ("processes", processes),
    ("cores", cores),
];

fn main() {
    let (options, [part, folder]) = Options::with(["--part", "--folder"]);
    if let (Some(name), Some(folder)) = (part, folder) {
        let Some((_, part)) = PARTS.iter().find(|(known, _)| *known == name) else {
            fail(&format!("there is no part `{name}`"));
        };
        let mut found = or_fail(part(&options, Path::new(&folder)));
        if let Some(peak) = peak_memory() {
            found["peak_memory_in_MB"] = json!(peak);
        }
        println!("{found}");
        return;
    }
    let folder = or_fail(tempfile::tempdir().map_err(Error::from));
    let found: Vec<(String, Value)> = PARTS
        .iter()
        .map(|(name, _)| alone(name, &options, folder.path()))
        .collect();
    if options.json {
        println!("{}", Value::Object(found.into_iter().collect()));
    }
}

/// Runs a part in a separate process.
fn alone(name: &str, options: &Options, folder: &Path) -> (String, Value) {
    let folder = folder.join(name);
    std::fs::create_dir_all(&folder)
        .unwrap_or_else(|error| fail(&format!("{}: {error}", folder.display())));
    let program = std::env::current_exe().unwrap_or_else(|error| fail(&error.to_string()));
    let mut command = Command::new(program);
    command
        .args([
            "--part",
            name,
            "--seed",
            &options.seed.to_string(),
            "--folder",
        ])
        .arg(&folder);
    if options.quick {
        command.arg("--quick");
    }
    let output = command
        .output()
        .unwrap_or_else(|error| fail(&error.to_string()));
    let _ = std::fs::remove_dir_all(&folder);
    let text = String::from_utf8_lossy(&output.stdout);
    let found: Value = serde_json::from_str(&text).unwrap_or_else(|_| {
        fail(&format!(
            "{name}: {}",
            String::from_utf8_lossy(&output.stderr)
        ))
    });
    if !options.json {
        println!("{name}");
        found
            .as_object()
            .into_iter()
            .flatten()
            .for_each(|(what, value)| println!("  {what:<36} {value}"));
    }
    (name.to_owned(), found)
}

/// The largest memory of this process so far, in MB.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1000)
}

/// Seconds with three decimals.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}

/// The size of all files of a folder, in MB.
fn size(folder: &Path) -> u64 {
    let bytes = |path: PathBuf| match path.is_dir() {
        true => size(&path) * 1_000_000,
        false => path.metadata().map_or(0, |data| data.len()),
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| bytes(entry.path())).sum::<u64>() / 1_000_000
}

/// The processor seconds of all threads of this process, on Linux.
fn work() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/stat").ok()?;
    // after the name of the program, which may contain anything
    let (_, fields) = status.rsplit_once(')')?;
    let ticks = |place| fields.split_whitespace().nth(place)?.parse::<f64>().ok();
    // in hundredths of a second on every Linux
    Some((ticks(11)? + ticks(12)?) / 100.0)
}

/// Checkpoints at their default interval: the same run with and without, alternating which is first. Besides the time it measures the
/// processor time of all threads, which depends less on other work of the machine.
fn checkpoints(options: &Options, folder: &Path) -> Result<Value, Error> {
    let (x, y) = credit_applications();
    let model = credit(&x, &y);
    let psmc = Inference::psmc().islands(options.size(40, 2));
    let psmc = psmc.seed(options.seed).progress(false);
    let cost = |psmc: &Smc<Hmc>| -> Result<[f64; 2], Error> {
        let (start, before) = (Instant::now(), work().unwrap_or(f64::NAN));
        psmc.run(&model)?;
        let worked = work().unwrap_or(f64::NAN) - before;
        Ok([start.elapsed().as_secs_f64(), worked])
    };
    let (mut without, mut with) = (Vec::new(), Vec::new());
    cost(&psmc.clone().islands(2))?;
    for pair in 0..options.size(10, 1) {
        let saved = psmc.clone().checkpoint(folder.join(pair.to_string()));
        if pair % 2 == 0 {
            without.push(cost(&psmc)?);
            with.push(cost(&saved)?);
        } else {
            with.push(cost(&saved)?);
            without.push(cost(&psmc)?);
        }
    }
    let ratio = |what: usize| {
        let pairs = with.iter().zip(&without);
        let ratios: Vec<f64> = pairs
            .map(|(with, without)| with[what] / without[what])
            .collect();
        common::estimate(&ratios)
    };
    let ([time, error_of_time], [work, error_of_work]) = (ratio(0), ratio(1));
    Ok(json!({
        "pairs": with.len(),
        "seconds_without": median(&mut without.iter().map(|cost| cost[0]).collect::<Vec<_>>()),
        "ratio_of_times": time,
        "error_of_times": error_of_time,
        "ratio_of_work": work,
        "error_of_work": error_of_work,
    }))
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Reads the checkpoint folder of a finished run of about 1 GB again, and its file.
fn resume(options: &Options, folder: &Path) -> Result<Value, Error> {
    let y = vec![0.5; options.size(1000, 20)];
    let model = wide(&y);
    let psmc = || {
        let psmc = Inference::psmc()
            .islands(options.size(64, 2))
            .particles(64)
            .posterior_states(16);
        psmc.seed(options.seed)
            .progress(false)
            .checkpoint(folder.join("saved"))
    };
    let run = psmc().run(&model)?;
    let start = Instant::now();
    let again = psmc().run(&model)?;
    let resumed = start.elapsed();
    assert_eq!(again.log_evidence(), run.log_evidence());
    let saved = size(&folder.join("saved"));
    drop(again);
    let file = folder.join("all.run");
    let start = Instant::now();
    run.save(&file)?;
    let saving = start.elapsed();
    drop(run);
    let start = Instant::now();
    let loaded = Run::load(&file)?;
    Ok(json!({
        "draws": loaded.total_draws(),
        "MB_of_checkpoints": saved,
        "seconds_to_resume": seconds(resumed),
        "seconds_to_save_a_file": seconds(saving),
        "seconds_to_load_it": seconds(start.elapsed()),
    }))
}

fn small(seed: u64) -> Smc<Hmc> {
    Inference::psmc()
        .particles(16)
        .states_kept(1)
        .seed(seed)
        .progress(false)
}

/// Very many islands of a small model, one shard at a time: memory holds one shard.
fn islands(options: &Options, folder: &Path) -> Result<Value, Error> {
    let (all, shards) = (options.size(100_000, 200), 100);
    let y = [0.3, -0.8, 1.9];
    let start = Instant::now();
    let mut early = None;
    for shard in 0..shards {
        let run = small(options.seed)
            .islands(all)
            .shard(shard, shards)
            .run(&mean(&y))?;
        run.save(folder.join(format!("part-{shard}.run")))?;
        if shard == shards / 10 {
            early = peak_memory();
        }
    }
    Ok(json!({
        "islands": all,
        "seconds": seconds(start.elapsed()),
        "peak_memory_in_MB_after_a_tenth": early,
        "MB_of_files": size(folder),
    }))
}

/// Records the peak memory after this number of islands.
#[derive(Debug)]
struct MemoryAfter {
    left: AtomicUsize,
    peak: Mutex<Option<u64>>,
}

impl Observer for MemoryAfter {
    fn finish(&self, _: usize) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1
            && let Ok(mut peak) = self.peak.lock()
        {
            *peak = peak_memory();
        }
    }
}

/// Runs in one process whose draws leave memory: very many islands of a small model, and a run of about 1 GB. Memory holds only the islands
/// at work, and the files equal those of runs that stay in memory.
fn file(options: &Options, folder: &Path) -> Result<Value, Error> {
    let all = options.size(100_000, 200);
    let early = Arc::new(MemoryAfter {
        left: AtomicUsize::new(all / 10),
        peak: Mutex::new(None),
    });
    let y = [0.3, -0.8, 1.9];
    let path = folder.join("small.run");
    let start = Instant::now();
    let small = small(options.seed).islands(all).observer(early.clone());
    let run = small.run_to_file(&mean(&y), &path)?;
    let time = start.elapsed();
    assert_eq!(run.len(), all);
    let peak = peak_memory();
    let y = vec![0.5; options.size(1000, 20)];
    let wide_run = || {
        let psmc = Inference::psmc().particles(64).posterior_states(16);
        psmc.seed(options.seed).progress(false)
    };
    let large = folder.join("large.run");
    let islands = options.size(64, 2);
    let start = Instant::now();
    wide_run().islands(islands).run_to_file(&wide(&y), &large)?;
    let time_of_large = start.elapsed();
    let peak_of_large = peak_memory();
    let megabytes = large.metadata()?.len() / 1_000_000;
    let mut found = json!({
        "islands": all,
        "seconds": seconds(time),
        "peak_memory_in_MB_after_a_tenth": *early.peak.lock().expect("no observer panics"),
        "peak_memory_in_MB_at_the_end": peak,
        "MB_of_a_large_run": megabytes,
        "seconds_of_it": seconds(time_of_large),
        "peak_memory_in_MB_of_it": peak_of_large,
    });
    let start = Instant::now();
    let in_memory = wide_run().islands(islands).run(&wide(&y))?;
    found["seconds_of_it_in_memory"] = json!(seconds(start.elapsed()));
    let saved = folder.join("saved.run");
    in_memory.save(&saved)?;
    drop(in_memory);
    let same = std::fs::read(large).ok() == std::fs::read(saved).ok();
    assert!(same, "the file has other bytes");
    Ok(found)
}

/// Merges very many files.
fn shards(options: &Options, folder: &Path) -> Result<Value, Error> {
    let shards = options.size(10_000, 40);
    let (y, mut files) = ([0.3, -0.8, 1.9], Vec::new());
    for shard in 0..shards {
        let run = small(options.seed)
            .islands(shards)
            .shard(shard, shards)
            .run(&mean(&y))?;
        files.push(folder.join(format!("part-{shard}.run")));
        run.save(&files[shard])?;
    }
    let megabytes = size(folder);
    let all = folder.join("all.run");
    let start = Instant::now();
    RunFile::merge(&files, &all)?;
    let by_file = start.elapsed();
    let peak = peak_memory();
    let start = Instant::now();
    let parts = files
        .iter()
        .map(Run::load)
        .collect::<Result<Vec<Run>, _>>()?;
    let merged = Run::merge(parts)?;
    let time = start.elapsed();
    assert_eq!(merged.groups.len(), shards);
    let one = folder.join("one.run");
    merged.save(&one)?;
    let same = std::fs::read(all).ok() == std::fs::read(one).ok();
    assert!(same, "the merged file has other bytes");
    Ok(json!({
        "shards": shards,
        "MB": megabytes,
        "seconds_to_merge_files": seconds(by_file),
        "peak_memory_in_MB_of_merging_files": peak,
        "seconds_to_load_and_merge": seconds(time),
    }))
}

/// The efficiency of 1 to 64 processes, if the next island goes to the first free process, as with MPI. Also the time of P islands on P
/// processes, which is the time of the slowest island, in times of one island. The times are measured on one thread, under the assumption
/// that 64 processes do not slow each other down.
fn processes(options: &Options, _: &Path) -> Result<Value, Error> {
    let (x, y) = credit_applications();
    let model = credit(&x, &y);
    let count = options.size(256, 8);
    let mut times = Vec::new();
    for island in 0..count as u64 {
        let psmc = Inference::psmc()
            .particles(64)
            .seed(options.seed)
            .progress(false);
        let start = Instant::now();
        psmc.island_range(island..island + 1).run(&model)?;
        times.push(start.elapsed().as_secs_f64());
    }
    let total: f64 = times.iter().sum();
    let efficiency = |processes: usize| {
        let mut busy = vec![0.0; processes];
        for time in &times {
            let free = busy.iter_mut().min_by(|a, b| f64::total_cmp(a, b));
            *free.expect("there is a process") += time;
        }
        total / (processes as f64 * busy.iter().copied().fold(0.0, f64::max))
    };
    let mean = total / count as f64;
    let one_each = |processes: usize| {
        let largest = |group: &[f64]| group.iter().copied().fold(0.0, f64::max);
        let slowest: Vec<f64> = times.chunks_exact(processes).map(largest).collect();
        (!slowest.is_empty()).then(|| slowest.iter().sum::<f64>() / slowest.len() as f64 / mean)
    };
    let mut found = json!({ "islands": count, "seconds_of_an_island": mean });
    for power in 0..7 {
        let processes = 1 << power;
        found[format!("efficiency_of_{processes:02}")] = json!(efficiency(processes));
        found[format!("time_of_one_island_each_on_{processes:02}")] = json!(one_each(processes));
    }
    Ok(found)
}

/// The time of P islands on P cores, which equals the time of one if cores are independent and the slowest island is not much
/// slower; and the efficiency of 8 islands per core.
fn cores(options: &Options, _: &Path) -> Result<Value, Error> {
    let (x, y) = credit_applications();
    let model = credit(&x, &y);
    let seconds = |islands: usize, threads: usize, seed: u64| -> Result<f64, Error> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.unwrap_or_else(|error| fail(&error.to_string()));
        let psmc = Inference::psmc()
            .islands(islands)
            .particles(256)
            .seed(seed)
            .progress(false);
        let start = Instant::now();
        pool.install(|| psmc.run(&model))?;
        Ok(start.elapsed().as_secs_f64())
    };
    let available = std::thread::available_parallelism().map_or(1, usize::from);
    let mut found = json!({ "cores": available });
    let repeats = options.size(9, 1) as u64;
    let median = |islands: &dyn Fn(usize) -> usize, threads: usize| -> Result<f64, Error> {
        let times = (0..repeats).map(|k| seconds(islands(threads), threads, options.seed + k));
        let mut times: Vec<f64> = times.collect::<Result<_, Error>>()?;
        times.sort_by(f64::total_cmp);
        Ok((times[times.len() / 2] * 1e3).round() / 1e3)
    };
    let counts = std::iter::successors(Some(1), |p| Some(2 * p));
    for threads in counts.take_while(|p| *p <= available) {
        let one_each = median(&|p| p, threads)?;
        found[format!("seconds_of_one_island_each_on_{threads:02}")] = json!(one_each);
        let most = options.size(8 * available, available);
        let fixed = median(&|_| most, threads)?;
        found[format!("seconds_of_{most}_islands_on_{threads:02}")] = json!(fixed);
    }
    Ok(found)
}
