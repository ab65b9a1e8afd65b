//! Crossovers: nine regressions, irises and networks by parallel SMC and by chains ("SMC Is All You Need", tables 2 and 5, figures 2 to 9).
//!
//! A node has N = 64 particles, or N chains, or a single chain, and the same number of sequential likelihoods. Islands are
//! weighted by their evidence. The crossover is the smallest number P of nodes for which parallel SMC has a smaller error than a single
//! chain in the time of one node. The papers give no N: 64 fits their errors, by N P = posterior variance / error.

mod figure;
mod size;

use crate::Lab;
use crate::bimnist;
use crate::nodes::{Batch, Found, Method, Serial, Walk, over_batches};
use crate::problem::{Name, Posterior};
use crate::statistics::{interpolate, jackknife, line, mean, mean_and_error};
use crate::trial::Moves;
use bayes_experiments::cells::Cell;
use serde_json::{Value, json};
use size::{BIMNIST, IRIS, QUICK_BIMNIST, SIZES, Size};

/// Particles of a node.
const PARTICLES: usize = 64;

/// The size of an experiment: batches of nodes, nodes of a batch, repeats of a chain.
struct Scale {
    nodes: usize,
    chains: usize,
    quick: bool,
}

impl Scale {
    fn batches(&self, size: &Size) -> usize {
        match (self.quick, size.rows * size.columns) {
            (true, _) => 2,
            _ if matches!(size.problem, Name::BiMnist(_)) => 2,
            (_, 64) => 16,
            (_, 1024) => 8,
            _ => 4,
        }
    }
}

/// The results of a kernel on a problem.
struct Row<'a> {
    size: &'a Size,
    kernel: Moves,
    smc: Vec<Found>,
    chains: Vec<Found>,
    serial: Vec<Walk>,
    seed: u64,
}

/// The nine Gaussian problems (three if quick), with pCN and HMC.
pub fn gaussians(lab: &Lab) -> Value {
    let sizes = if lab.options.quick {
        &SIZES[..3]
    } else {
        &SIZES
    };
    let sizes = lab.chosen(sizes, |size| size.title());
    run(lab, &sizes, &[Moves::Pcn, Moves::Hmc], "crossovers")
}

/// The irises.
pub fn irises(lab: &Lab) -> Value {
    run(lab, &[&IRIS], &[Moves::FixedHmc], "iris")
}

/// Zeros and ones of MNIST.
pub fn digits(lab: &Lab) -> Value {
    let sizes = match lab.options.quick {
        true => &[QUICK_BIMNIST][..],
        false => &BIMNIST,
    };
    let sizes = lab.chosen(sizes, |size| size.title());
    for size in &sizes {
        if let Name::BiMnist(size) = size.problem {
            bimnist::find_truth(lab, size);
        }
    }
    run(lab, &sizes, &[Moves::SmallHmc], "bimnist")
}

fn run(lab: &Lab, sizes: &[&Size], kernels: &[Moves], file: &str) -> Value {
    let scale = Scale {
        nodes: lab.options.size(32, 4),
        chains: lab.options.size(20, 2),
        quick: lab.options.quick,
    };
    // the long cells come first
    let reversed = sizes.iter().rev();
    let pairs: Vec<(&Size, Moves)> = reversed
        .flat_map(|size| kernels.iter().map(move |kernel| (*size, *kernel)))
        .collect();
    let smc = nodes(lab, &pairs, &scale, |_, size, kernel| {
        let moves = size.mutations(kernel);
        ("psmc", Method::Smc { moves })
    });
    let chains = nodes(lab, &pairs, &scale, |pair, _, _| {
        let moves = mean(smc[pair].iter().map(|found| found.moves));
        let steps = moves.round() as usize;
        ("chains", Method::Chains { steps })
    });
    let serial = serial(lab, &pairs, &scale, &smc);
    let found = smc.into_iter().zip(chains).zip(serial);
    let mut rows: Vec<Row<'_>> = pairs
        .iter()
        .zip(found)
        .map(|((size, kernel), ((smc, chains), serial))| Row {
            size,
            kernel: *kernel,
            smc,
            chains,
            serial,
            seed: lab.cells.seed,
        })
        .collect();
    rows.reverse();
    for own in rows.chunks(kernels.len()) {
        own[0].introduce(lab);
        own.iter().rev().for_each(|row| row.print(lab));
    }
    figure::draw(lab, &rows, kernels.len(), file);
    rows.iter().map(Row::json).collect()
}

/// The batches of nodes of every pair of a size and a kernel, by the method for the pair.
fn nodes(
    lab: &Lab,
    pairs: &[(&Size, Moves)],
    scale: &Scale,
    method: impl Fn(usize, &Size, Moves) -> (&'static str, Method),
) -> Vec<Vec<Found>> {
    let mut cells = Vec::new();
    for (pair, (size, kernel)) in pairs.iter().enumerate() {
        let (name, method) = method(pair, size, *kernel);
        for number in 0..scale.batches(size) {
            let what = format!("{name}-{}-{number}", kernel.name());
            cells.push(Cell {
                name: size.file(&what),
                settings: Batch {
                    problem: size.problem,
                    kernel: *kernel,
                    method,
                    nodes: scale.nodes,
                    particles: PARTICLES,
                    number,
                },
            });
        }
    }
    let mut found = lab.cells.run(&cells, |batch| batch.run(lab.cells.seed));
    let mut all = Vec::new();
    for (size, _) in pairs {
        let rest = found.split_off(scale.batches(size));
        all.push(std::mem::replace(&mut found, rest));
    }
    all
}

/// The single chains of every pair, at least as long as a node of parallel SMC.
fn serial(
    lab: &Lab,
    pairs: &[(&Size, Moves)],
    scale: &Scale,
    smc: &[Vec<Found>],
) -> Vec<Vec<Walk>> {
    let mut cells = Vec::new();
    for ((size, kernel), smc) in pairs.iter().zip(smc) {
        let steps = (steps_of_node(smc, *kernel) as usize).next_power_of_two();
        let chains = size.chains_together();
        let most = size.most_steps(scale.quick);
        for number in 0..scale.chains.div_ceil(chains) {
            cells.push(Cell {
                name: size.file(&format!("chain-{}-{number}", kernel.name())),
                settings: Serial {
                    problem: size.problem,
                    kernel: *kernel,
                    burn_in: size.burn_in(*kernel, scale.quick),
                    steps: steps.min(most),
                    chains,
                    number,
                },
            });
        }
    }
    let mut walks = lab.cells.run(&cells, |chain| chain.run(lab.cells.seed));
    let mut all = Vec::new();
    for (size, _) in pairs {
        let rest = walks.split_off(scale.chains.div_ceil(size.chains_together()));
        all.push(std::mem::replace(&mut walks, rest).concat());
    }
    all
}

/// The number of steps of a chain with as many likelihoods as a node.
fn steps_of_node(smc: &[Found], kernel: Moves) -> f64 {
    mean(smc.iter().map(|found| found.evaluations)) / kernel.epochs() as f64
}

/// The crossover of parallel SMC and a single chain.
struct Crossover {
    /// Mean squared error of the chain in the time of a node.
    mse: f64,
    /// Smallest number of nodes with this error or less; `None` if no such number was run.
    nodes: Option<f64>,
    /// The same number by the papers' cost model `M J C_SMC / C_MCMC`, where an error is C over the number of samples.
    model: f64,
}

impl Row<'_> {
    /// P, and the mean squared error of P nodes with its standard error.
    fn by_nodes(&self, found: &[Found]) -> Vec<[f64; 3]> {
        let all = over_batches(found, self.size.problem, self.seed);
        let point = |(k, errors): (usize, &Vec<f64>)| {
            let (mse, error) = mean_and_error(errors);
            [(1 << k) as f64, mse, error]
        };
        all.iter().enumerate().map(point).collect()
    }

    /// Steps after the burn-in, and the mean squared error of a single chain with its standard error.
    fn by_steps(&self) -> Vec<[f64; 3]> {
        let point = |k: usize| {
            let errors: Vec<f64> = self.serial.iter().map(|walk| walk.points[k].1).collect();
            let (mse, error) = mean_and_error(&errors);
            [self.serial[0].points[k].0 as f64, mse, error]
        };
        (0..self.serial[0].points.len()).map(point).collect()
    }

    /// The slope of log error in log P within batches, with its jackknife error over them.
    fn slope(&self, found: &[Found]) -> (f64, f64) {
        jackknife(found.len(), |chosen| {
            let point = |p: usize| {
                let errors = chosen.iter().flat_map(|b| &found[*b].squared_errors[p]);
                let errors: Vec<f64> = errors.copied().collect();
                [p as f64 * 2f64.ln(), mean_and_error(&errors).0.ln()]
            };
            let points: Vec<[f64; 2]> = (0..found[0].squared_errors.len()).map(point).collect();
            line(&points)[1]
        })
    }

    fn crossover(&self) -> Crossover {
        let plain = |points: Vec<[f64; 3]>| -> Vec<[f64; 2]> {
            points.iter().map(|[x, mse, _]| [*x, *mse]).collect()
        };
        let (smc, chain) = (plain(self.by_nodes(&self.smc)), plain(self.by_steps()));
        let steps = steps_of_node(&self.smc, self.kernel);
        let mse = interpolate(&chain, steps);
        // errors fall with P up to noise: the first P with a smaller error
        let below = smc.iter().position(|[_, own]| *own <= mse);
        let nodes = below.map(|k| match k {
            0 => 1.0,
            _ => {
                let swapped = [smc[k], smc[k - 1]].map(|[p, own]| [own, p]);
                interpolate(&swapped, mse)
            }
        });
        let [p, last] = smc[smc.len() - 1];
        let [samples, of_chain] = chain[chain.len() - 1];
        let constants = last * p * PARTICLES as f64 / (of_chain * samples);
        Crossover {
            mse,
            nodes,
            model: constants * mean(self.smc.iter().map(|found| found.moves)),
        }
    }

    fn introduce(&self, lab: &Lab) {
        let posterior = Posterior::new(self.size.problem, self.seed);
        let squares: f64 = posterior.truth.iter().map(|m| m * m).sum();
        let scale = match self.size.problem {
            Name::Iris | Name::BiMnist(_) => {
                "error is the Kullback-Leibler divergence of predictions".to_owned()
            }
            _ => format!(
                "posterior variance {:.2e}, squared mean {squares:.2e}, both summed",
                posterior.variance
            ),
        };
        lab.say(&format!(
            "\n{} (observations x coefficients): {scale}",
            self.size.title()
        ));
    }

    fn print(&self, lab: &Lab) {
        let kernel = self.kernel.name();
        let (first, seconds) = (&self.smc[0], |found: &[Found]| {
            mean(found.iter().map(|f| f.seconds))
        });
        lab.say(&format!(
            "{kernel}: a node makes {:.0} temperatures of M = {} moves, {:.3e} {} in {:.2e} s; of chains {:.2e} s",
            first.temperatures,
            self.size.mutations(self.kernel),
            first.evaluations,
            if self.kernel == Moves::Pcn { "likelihoods" } else { "gradients" },
            seconds(&self.smc),
            seconds(&self.chains)
        ));
        lab.say(&format!(
            "{:>6} {:>7}   {:<21}{:<21}  {:>7}   one chain",
            "P",
            "NP",
            format!("pSMC-{kernel}"),
            format!("{kernel}∥"),
            "steps"
        ));
        let (smc, chains, steps) = (
            self.by_nodes(&self.smc),
            self.by_nodes(&self.chains),
            self.by_steps(),
        );
        let cell = |point: Option<&[f64; 3]>| {
            point.map_or(String::new(), |[_, mse, error]| {
                format!("{mse:.3e} ± {error:.1e}")
            })
        };
        for k in 0..smc.len().max(steps.len()) {
            let own = smc
                .get(k)
                .map_or([String::new(), String::new()], |[p, ..]| {
                    [format!("{p}"), format!("{}", p * PARTICLES as f64)]
                });
            let made = steps.get(k).map_or(String::new(), |[n, ..]| format!("{n}"));
            lab.say(&format!(
                "{:>6} {:>7}   {:<21}{:<21}  {made:>7}   {}",
                own[0],
                own[1],
                cell(smc.get(k)),
                cell(chains.get(k)),
                cell(steps.get(k))
            ));
        }
        let (slope, error) = self.slope(&self.smc);
        let (of_chains, chains_error) = self.slope(&self.chains);
        lab.say(&format!(
            "slope in P: pSMC {slope:.3} ± {error:.3}, {kernel}∥ {of_chains:.3} ± {chains_error:.3}"
        ));
        self.print_crossover(lab, smc[smc.len() - 1][0]);
    }

    fn print_crossover(&self, lab: &Lab, most: f64) {
        let Crossover { mse, nodes, model } = self.crossover();
        let nodes = nodes.map_or(format!("more than {most}"), |p| format!("{:.0}", p.ceil()));
        let steps = steps_of_node(&self.smc, self.kernel);
        let in_burn_in = if steps < self.size.burn_in(self.kernel, lab.options.quick) as f64 {
            "; with its burn-in counted, the chain has no draw by then"
        } else {
            ""
        };
        lab.say(&format!(
            "crossover with one chain: {nodes} nodes (model {model:.1}), error {mse:.1e}{in_burn_in}"
        ));
        if self.kernel != Moves::Hmc {
            let (mse, nodes, seconds) = self.size.published;
            lab.say(&format!(
                "published: {nodes} nodes, error {mse}, {seconds} s"
            ));
        }
    }

    fn json(&self) -> Value {
        let Crossover { mse, nodes, model } = self.crossover();
        json!({
            "size": self.size.title(),
            "kernel": self.kernel.name(),
            "temperatures": self.smc[0].temperatures,
            "evaluations": self.smc[0].evaluations,
            "psmc": self.by_nodes(&self.smc),
            "chains": self.by_nodes(&self.chains),
            "chain": self.by_steps(),
            "slope": self.slope(&self.smc),
            "chains_slope": self.slope(&self.chains),
            "crossover": { "nodes": nodes, "mse": mse, "model": model },
            "published_nodes": self.size.published.1,
        })
    }
}
