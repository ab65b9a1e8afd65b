//! x
#![allow(missing_docs, clippy::unwrap_used)]
use bayes::prelude::*;
use flate2::read::GzDecoder;
use serde_json::Value;

#[model]
pub fn regression(x: &DMatrix<f64>, y: &[f64]) {
    let beta = sample(Normal::new(0.0, 10.0).iid(x.ncols()));
    let sigma = sample(HalfNormal::new(10.0));
    observe(y, Normal::new(x * &beta, sigma));
}

fn main() {
    let file = std::fs::File::open("examples/data/posteriordb/sblrc-blr.json.gz").unwrap();
    let v: Value = serde_json::from_reader(GzDecoder::new(file)).unwrap();
    let data = &v["data"];
    let rows: Vec<Vec<f64>> = serde_json::from_value(data["X"].clone()).unwrap();
    let y: Vec<f64> = serde_json::from_value(data["y"].clone()).unwrap();
    let x = DMatrix::from_fn(rows.len(), rows[0].len(), |i, k| rows[i][k]);
    let args: Vec<f64> = std::env::args()
        .skip(1)
        .map(|a| a.parse().unwrap())
        .collect();
    let [n, p, ess, m, range, seed, verbose] = args[..] else {
        panic!()
    };
    let model = regression(&x, &y);
    let b = Inference::psmc()
        .islands(p as usize)
        .particles(n as usize)
        .ess_target(ess)
        .short_steps(range)
        .seed(seed as u64)
        .progress(false);
    let b = if m > 0.0 {
        b.mutations(m as usize)
    } else if m < 0.0 {
        b.mutations(bayes::engine::Mutations::adaptive().correlation(-m))
    } else {
        b
    };
    let run = b.run(&model).unwrap();
    println!(
        "N {n} P {p} ess {ess} M {m} range {range}: {:.3} ± {:.3}  (-194.968)  gradients {}",
        run.log_evidence().unwrap(),
        run.log_evidence_se().unwrap(),
        run.counts().gradient_evaluations
    );
    if verbose > 0.0 {
        // mean over islands of the curve log Z(λ), interpolated on a grid of log λ
        for g in 0..20 {
            let lam = 10f64.powf(-6.0 + 0.3158 * g as f64).min(1.0);
            let mut vals = vec![];
            for group in &run.groups {
                let (mut l0, mut z0) = (0.0, 0.0);
                let mut out = f64::NAN;
                for s in &group.history {
                    let (l1, z1) = (s.lambda, z0 + s.log_increment);
                    if lam <= l1 {
                        out = z0 + (z1 - z0) * (lam - l0) / (l1 - l0);
                        break;
                    }
                    (l0, z0) = (l1, z1);
                }
                vals.push(out);
            }
            let mean = vals.iter().sum::<f64>() / vals.len() as f64;
            let sd = (vals.iter().map(|v| (v - mean).powi(2)).sum::<f64>()
                / (vals.len() as f64 - 1.0))
                .sqrt();
            println!(
                "{lam:.3e} {mean:.3} ± {:.3}",
                sd / (vals.len() as f64).sqrt()
            );
        }
        for s in &run.groups[0].history {
            println!(
                "  λ {:.3e} ess {:.0} inc {:.3} acc {:.2} step {:.3} M {} unique {}",
                s.lambda,
                s.ess,
                s.log_increment,
                s.acceptance,
                s.step_size,
                s.mutations,
                s.unique_ancestors
            );
        }
    }
}
