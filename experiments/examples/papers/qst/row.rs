//! The tables and the figure for a number of qubits.

use crate::Lab;
use crate::nodes::{Found, Walk};
use crate::statistics::{interpolate, jackknife, line, mean, mean_and_error};
use crate::trial::Moves;
use bayes_experiments::chart::{Curve, Panel, Point, Quantity};
use serde_json::{Value, json};

/// The results of a kernel: nodes and chains for each state.
pub struct Row {
    pub kernel: Moves,
    pub smc: Vec<Found>,
    /// Chains without and with a burn-in.
    pub chains: [Vec<Walk>; 2],
    /// Number of steps of a chain with as many likelihoods as a node.
    pub steps: usize,
    /// Number of particles of a node.
    pub particles: usize,
}

/// The mean over states at each point of their curves, with its standard error: `[x, error, standard error]`.
fn over_states(walks: &[Walk]) -> Vec<[f64; 3]> {
    let point = |k: usize| {
        let errors: Vec<f64> = walks.iter().map(|walk| walk.points[k].1).collect();
        let (mse, error) = mean_and_error(&errors);
        [
            mean(walks.iter().map(|walk| walk.points[k].0 as f64)),
            mse,
            error,
        ]
    };
    (0..walks[0].points.len()).map(point).collect()
}

fn plain(points: &[[f64; 3]]) -> Vec<[f64; 2]> {
    points.iter().map(|[x, mse, _]| [*x, *mse]).collect()
}

impl Row {
    /// P, and the mean squared error of P nodes with its standard error over states.
    fn by_nodes(&self) -> Vec<[f64; 3]> {
        let point = |k: usize| {
            let (mse, error) = mean_and_error(&self.of_states(k));
            [(1 << k) as f64, mse, error]
        };
        (0..self.smc[0].squared_errors.len()).map(point).collect()
    }

    /// The mean squared error of 2^k nodes for each state.
    fn of_states(&self, k: usize) -> Vec<f64> {
        let each = |found: &Found| mean(found.squared_errors[k].iter().copied());
        self.smc.iter().map(each).collect()
    }

    /// The slope of log error in log P, with its jackknife error over states.
    fn slope(&self) -> (f64, f64) {
        jackknife(self.smc.len(), |chosen| {
            let point = |k: usize| {
                let all = self.of_states(k);
                let mse = mean(chosen.iter().map(|state| all[*state]));
                [k as f64 * 2f64.ln(), mse.ln()]
            };
            let points: Vec<[f64; 2]> = (0..self.smc[0].squared_errors.len()).map(point).collect();
            line(&points)[1]
        })
    }

    /// The error of one chain in the time of a node, and the smallest number of nodes with this error or less, if any.
    fn crossover(&self, chain: &[Walk]) -> (f64, Option<f64>) {
        let smc = plain(&self.by_nodes());
        let mse = interpolate(&plain(&over_states(chain)), self.steps as f64);
        let below = smc.iter().position(|[_, own]| *own <= mse);
        let nodes = below.map(|k| match k {
            0 => 1.0,
            _ => {
                let swapped = [smc[k], smc[k - 1]].map(|[p, own]| [own, p]);
                interpolate(&swapped, mse)
            }
        });
        (mse, nodes)
    }

    fn seconds(&self) -> f64 {
        mean(self.smc.iter().map(|found| found.seconds))
    }

    pub fn print(&self, lab: &Lab) {
        let kernel = self.kernel.name();
        lab.say(&format!(
            "{kernel}: a node of {} particles makes {:.1} temperatures, {:.3e} {} in {:.2e} s",
            self.particles,
            mean(self.smc.iter().map(|found| found.temperatures)),
            mean(self.smc.iter().map(|found| found.evaluations)),
            if self.kernel == Moves::Pcn {
                "likelihoods"
            } else {
                "gradients"
            },
            self.seconds()
        ));
        let smc = self.by_nodes();
        let [chain, tuned] = self.chains.each_ref().map(|walks| over_states(walks));
        lab.say(&format!(
            "{:>6} {:>7}   {:<21}{:>9}   {:<21}after a burn-in",
            "P",
            "NP",
            format!("pSMC-{kernel}"),
            "steps",
            format!("{kernel}, one chain")
        ));
        let cell = |point: Option<&[f64; 3]>| {
            point.map_or(String::new(), |[_, mse, error]| {
                format!("{mse:.2e} ± {error:.1e}")
            })
        };
        for k in 0..smc.len().max(chain.len()) {
            let own = smc
                .get(k)
                .map_or([String::new(), String::new()], |[p, ..]| {
                    [format!("{p}"), format!("{}", p * self.particles as f64)]
                });
            let steps = chain
                .get(k)
                .map_or(String::new(), |[n, ..]| format!("{n:.0}"));
            lab.say(&format!(
                "{:>6} {:>7}   {:<21}{steps:>9}   {:<21}{}",
                own[0],
                own[1],
                cell(smc.get(k)),
                cell(chain.get(k)),
                cell(tuned.get(k))
            ));
        }
        let (slope, error) = self.slope();
        lab.say(&format!("slope in P: {slope:.2} ± {error:.2}"));
        let most = smc[smc.len() - 1][0];
        for (chain, words) in self.chains.iter().zip(["", " after a burn-in"]) {
            let (mse, nodes) = self.crossover(chain);
            let nodes = nodes.map_or(format!("more than {most}"), |p| format!("{:.0}", p.ceil()));
            lab.say(&format!(
                "crossover with one chain{words}: {nodes} nodes, error {mse:.1e}"
            ));
        }
    }

    pub fn json(&self) -> Value {
        let crossover = |chain: &Vec<Walk>| {
            let (mse, nodes) = self.crossover(chain);
            json!({ "nodes": nodes, "mse": mse })
        };
        json!({
            "kernel": self.kernel.name(),
            "temperatures": mean(self.smc.iter().map(|found| found.temperatures)),
            "evaluations": mean(self.smc.iter().map(|found| found.evaluations)),
            "psmc": self.by_nodes(),
            "chain": over_states(&self.chains[0]),
            "tuned": over_states(&self.chains[1]),
            "slope": self.slope(),
            "crossovers": self.chains.each_ref().map(crossover),
        })
    }
}

/// The errors of NUTS by its gradients.
pub fn print_nuts(lab: &Lab, nuts: &[Walk]) {
    let points = over_states(nuts);
    let text: Vec<String> = points
        .iter()
        .map(|[gradients, mse, error]| format!("{gradients:.2e}: {mse:.2e} ± {error:.1e}"))
        .collect();
    lab.say(&format!(
        "NUTS, one chain, by gradients with those of its burn-in: {}",
        text.join(", ")
    ));
}

/// Errors against the work of a node, in seconds of one core, and against nodes.
pub fn draw(lab: &Lab, qubits: usize, rows: &[Row], nuts: &[Walk]) {
    let point = |x: f64, [_, y, error]: [f64; 3]| Point { x, y, error };
    let mut by_nodes = Vec::new();
    let mut by_work = Vec::new();
    for row in rows {
        let kernel = row.kernel.name();
        let nodes = row.by_nodes().into_iter();
        by_nodes.push(Curve {
            name: format!("pSMC-{kernel}"),
            points: nodes
                .map(|of| point(of[0] * row.particles as f64, of))
                .collect(),
        });
        let tuned = &row.chains[1];
        let each = mean(tuned.iter().map(|walk| walk.seconds));
        let steps = over_states(tuned).into_iter();
        by_work.push(Curve {
            name: format!("{kernel}, one chain after a burn-in"),
            points: steps.map(|of| point(of[0] * each, of)).collect(),
        });
        let nodes = row.by_nodes().into_iter();
        by_work.push(Curve {
            name: format!("pSMC-{kernel}, all nodes on one core"),
            points: nodes.map(|of| point(of[0] * row.seconds(), of)).collect(),
        });
    }
    let each = mean(nuts.iter().map(|walk| walk.seconds));
    by_work.push(Curve {
        name: "NUTS, one chain".to_owned(),
        points: over_states(nuts)
            .into_iter()
            .map(|of| point(of[0] * each, of))
            .collect(),
    });
    let panel = |x, curves| Panel {
        title: super::state::qubits(qubits),
        x: Quantity::new(x),
        y: Quantity::new("squared error of the state"),
        curves,
    };
    let panels = [
        panel("N P particles", by_nodes),
        panel("seconds of one core", by_work),
    ];
    lab.draw(&format!("qst-{qubits}"), &panels, 2);
}
