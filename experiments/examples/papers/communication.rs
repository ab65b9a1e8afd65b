//! The cost of communication: one SMC over P nodes against P islands (the comparison, figures 6 and 10, table 7).
//!
//! Measured on the available cores, and simulated for more. The model: the moves of a node at a temperature take a time `1 + e`, where e is
//! noise of the machine with a standard deviation of 0.1 (log-normal, independent). One SMC waits at every temperature for the slowest node
//! and then for the network; islands do not wait, and end with the slowest island. The network takes no time; or `c (P - 1)`, if one node
//! after the other sends, with c fitted to table 7; or `c log2 P`, a tree with the same c. The numbers of temperatures are measured in SMC
//! runs.

use crate::Lab;
use crate::problem::{Name, Posterior};
use crate::statistics::mean;
use crate::trial::{Moves, finished, smc};
use bayes::rng::stream;
use bayes_experiments::cells::Cell;
use bayes_experiments::chart::{Curve, Panel, Point, Quantity};
use rand_distr::{Distribution as _, StandardNormal};
use serde_json::{Value, json};
use std::time::Instant;

/// Particles of a node.
const PARTICLES: usize = 32;
/// Moves at each temperature.
const MOVES: usize = 16;
/// Standard deviation of the relative noise of a node's time.
const NOISE: f64 = 0.1;
/// Table 7: nodes of one SMC, its seconds and epochs; parallel SMC takes 98.78 s and 669.3 epochs for any number of nodes.
const PUBLISHED: [(usize, f64, f64); 4] = [
    (4, 136.4, 759.2),
    (8, 172.5, 813.4),
    (16, 221.0, 836.0),
    (32, 326.1, 834.0),
];
const PUBLISHED_PARALLEL: [f64; 2] = [98.78, 669.3];

pub fn run(lab: &Lab) -> Value {
    let share = published(lab);
    let islands = lab.options.size(512, 16);
    let most = lab.options.size(12, 5);
    let ladder: Vec<usize> = (0..=most).step_by(2).map(|k| 1 << k).collect();
    let (of_islands, of_one) = temperatures(lab, islands, &ladder);
    lab.say(&format!(
        "temperatures of islands of {PARTICLES}: {:.2} on average, {} to {}",
        mean(of_islands.iter().map(|j| *j as f64)),
        of_islands.iter().min().unwrap_or(&0),
        of_islands.iter().max().unwrap_or(&0)
    ));
    lab.say("time of one SMC over the time of islands, by the model");
    lab.say(&format!(
        "{:>6} {:>12} {:>13} {:>12} {:>12} {:>12}",
        "P", "particles", "temperatures", "barrier", "tree", "gather"
    ));
    let mut rows = Vec::new();
    for (nodes, own) in ladder.into_iter().zip(of_one) {
        let one = mean(own.iter().map(|j| *j as f64));
        let ratio = simulate(nodes, one, &of_islands, lab.cells.seed);
        let tree = ratio(share * (nodes as f64).log2());
        let (barrier, gather) = (ratio(0.0), ratio(share * (nodes - 1) as f64));
        lab.say(&format!(
            "{nodes:>6} {:>12} {one:>13.2} {barrier:>12.2} {tree:>12.2} {gather:>12.2}",
            nodes * PARTICLES
        ));
        rows.push([nodes as f64, one, barrier, tree, gather]);
    }
    draw(lab, &rows);
    measure(lab);
    json!({ "gather_share": share, "rows": rows })
}

/// Table 7 as a slow-down per epoch, without the additional epochs of one SMC; returns the cost of a gather per node.
fn published(lab: &Lab) -> f64 {
    let [seconds, epochs] = PUBLISHED_PARALLEL;
    lab.say("table 7, one SMC against P islands of 32: time, of it epochs, time of an epoch, and the latter for each further node");
    let share = |(nodes, own, own_epochs): (usize, f64, f64)| {
        let (time, work) = (own / seconds, own_epochs / epochs);
        let share = (time / work - 1.0) / (nodes - 1) as f64;
        lab.say(&format!(
            "P = {nodes:<4} {time:.2} = {work:.2} x {:.2}, {share:.3}",
            time / work
        ));
        share
    };
    mean(PUBLISHED.into_iter().map(share))
}

/// The numbers of temperatures of islands of 32 particles, and of a few runs of one SMC over each number of nodes.
fn temperatures(lab: &Lab, islands: usize, nodes: &[usize]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let sizes = nodes.iter().rev().map(|nodes| (4, PARTICLES * nodes));
    let cell = |(islands, particles)| Cell {
        name: format!("communication-{islands}-{particles}"),
        settings: (islands, particles, MOVES),
    };
    let cells: Vec<Cell<_>> = sizes.chain([(islands, PARTICLES)]).map(cell).collect();
    let mut found = lab.cells.run(&cells, |(islands, particles, moves)| {
        let posterior = Posterior::new(Name::Ones, lab.cells.seed);
        let smc = smc(Moves::Pcn, *particles, *moves, lab.cells.seed).islands(*islands);
        let groups = finished(smc.run_on(&posterior)).groups;
        let temperatures = groups.iter().map(|group| group.history().len());
        temperatures.collect::<Vec<usize>>()
    });
    let of_islands = found.pop().unwrap_or_default();
    found.reverse();
    (of_islands, found)
}

/// The time of one SMC with these temperatures on `nodes` nodes over the time of islands, for a given time of the network.
fn simulate(
    nodes: usize,
    temperatures: f64,
    of_islands: &[usize],
    seed: u64,
) -> impl Fn(f64) -> f64 {
    let mut stream = stream(seed);
    // log-normal with mean 1
    let scale = (1.0 + NOISE * NOISE).ln().sqrt();
    let mut stage = || -> f64 {
        let normal: f64 = StandardNormal.sample(&mut stream);
        (scale * normal - 0.5 * scale * scale).exp()
    };
    let repeats = (20_000 / nodes).clamp(20, 200);
    let slowest: f64 = (0..repeats)
        .map(|_| (0..nodes).map(|_| stage()).fold(0.0, f64::max))
        .sum::<f64>()
        / repeats as f64;
    let mut island = |p: usize| -> f64 {
        let own = of_islands[p % of_islands.len()];
        (0..own).map(|_| stage()).sum()
    };
    let parallel = (0..repeats)
        .map(|r| (0..nodes).map(|p| island(r + p)).fold(0.0, f64::max))
        .sum::<f64>()
        / repeats as f64;
    move |network| temperatures * (slowest + network) / parallel
}

fn draw(lab: &Lab, rows: &[[f64; 5]]) {
    let curve = |(name, column): (&str, usize)| Curve {
        name: name.to_owned(),
        points: rows
            .iter()
            .map(|row| Point {
                x: row[0],
                y: row[column],
                error: 0.0,
            })
            .collect(),
    };
    let names = [
        ("barriers alone", 2),
        ("and a tree", 3),
        ("and a gather", 4),
    ];
    let mut curves: Vec<Curve> = names.into_iter().map(curve).collect();
    let point = |(nodes, seconds, _): (usize, f64, f64)| Point {
        x: nodes as f64,
        y: seconds / PUBLISHED_PARALLEL[0],
        error: 0.0,
    };
    curves.push(Curve {
        name: "published, MNIST".to_owned(),
        points: PUBLISHED.into_iter().map(point).collect(),
    });
    let panel = Panel {
        title: "One SMC over P nodes against P islands".to_owned(),
        x: Quantity::counted("P nodes of 32 particles"),
        y: Quantity::new("time of one SMC over time of islands"),
        curves,
    };
    lab.draw("communication", &[panel], 1);
}

/// Times P islands on P cores, and one SMC with all their particles on the same cores; the times are not part of the JSON.
fn measure(lab: &Lab) {
    let problem = Name::Regression {
        rows: 64,
        columns: 64,
        noise: 1.0,
    };
    let posterior = Posterior::new(problem, lab.cells.seed);
    let each = lab.options.size(512, 32);
    let time = |islands, particles| {
        let smc = smc(Moves::Hmc, particles, MOVES, lab.cells.seed).islands(islands);
        let start = Instant::now();
        let run = finished(smc.run_on(&posterior));
        let temperatures = run.groups.iter().map(|group| group.history().len() as f64);
        (start.elapsed().as_secs_f64(), mean(temperatures))
    };
    lab.say(&format!(
        "measured, {each} particles a core, 64 x 64 with noise 1, HMC: seconds and temperatures\n{:>5}   {:<18} {:<18} time of a temperature",
        "cores", "islands", "one SMC"
    ));
    let most = rayon::current_num_threads().ilog2();
    for cores in (0..=most).map(|k| 1usize << k) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(cores).build();
        let pool = pool.expect("threads can be started");
        let (islands, of_islands) = pool.install(|| time(cores, each));
        let (one, of_one) = pool.install(|| time(1, each * cores));
        lab.say(&format!(
            "{cores:>5}   {islands:<8.2} {of_islands:<9.1} {one:<8.2} {of_one:<9.1} {:.2} times that of islands",
            one / of_one / (islands / of_islands)
        ));
    }
}
