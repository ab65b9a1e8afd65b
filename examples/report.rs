//! A walk through Rubin's eight schools (1981) with a picture at every step, which docs/walk.md explains. It shows what the model expects
//! before it has seen data, whether the chains can be trusted and what to do if not, whether the model fits, which model is better, and a
//! report with all of it.
//!
//! ```text
//! mu ~ Normal(0, 5)    tau ~ HalfCauchy(spread)    theta[j] ~ Normal(mu, tau)    y[j] ~ Normal(theta[j], sigma[j])
//! ```
//!  The model is centred, so the trajectories of NUTS diverge where tau is small: the pictures show this, and the non-centred form
//! mends it. Pictures go to the folder named by the argument, or to a temporary one.

use bayes::plot::{self, Figure};
use bayes::prelude::*;
use std::path::PathBuf;

/// Effects of coaching in eight schools, centred.
#[model]
fn eight_schools(school: &[&str], y: &[f64], sigma: &[f64], spread: f64) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(spread));
    #[dims(school)]
    let theta = sample(Normal::new(mu, tau).iid(y.len()));
    for j in 0..y.len() {
        #[dims(school)]
        observe(y[j], Normal::new(theta[j], sigma[j]));
    }
    // what coaching would do in another school
    let ninth = generate(Normal::new(mu, tau));
}

/// The same model, non-centred: the scale multiplies variables of a fixed scale.
#[model]
fn non_centred(school: &[&str], y: &[f64], sigma: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(5.0));
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    #[dims(school)]
    let theta = deterministic(mu + tau * &z);
    for j in 0..y.len() {
        #[dims(school)]
        observe(y[j], Normal::new(theta[j], sigma[j]));
    }
}

/// Names of the schools in Rubin (1981).
const SCHOOLS: [&str; 8] = ["A", "B", "C", "D", "E", "F", "G", "H"];
const Y: [f64; 8] = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0];
const SIGMA: [f64; 8] = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0];

/// The folder of the pictures.
struct Album(PathBuf);

impl Album {
    fn save(&self, figure: Figure, name: &str) -> Result<(), bayes::Error> {
        figure.save(self.0.join(format!("{name}.svg")))
    }
}

fn main() -> Result<(), bayes::Error> {
    let temporary = || std::env::temp_dir().join("eight_schools");
    let folder = std::env::args_os().nth(1);
    let album = Album(folder.map_or_else(temporary, PathBuf::from));
    std::fs::create_dir_all(&album.0)?;

    // could the effects be that large?
    let model = eight_schools(&SCHOOLS, &Y, &SIGMA, 5.0);
    let before = prior_predictive(model, 2000)?;
    album.save(plot::predictive(&before, "y")?, "prior_predictive")?;

    // can the draws be trusted?
    let psmc = Inference::psmc().islands(8).particles(1024).seed(1);
    let nuts = Inference::nuts().draws(1000).seed(1);
    let islands = psmc.run(&model)?;
    println!("{islands}");
    let chains = nuts.run(&model)?;
    println!("{chains}");
    diagnose(&album, &chains, &islands)?;

    // the non-centred form mends the chains
    let mended = nuts.run(&non_centred(&SCHOOLS, &Y, &SIGMA))?;
    println!("{mended}");
    let runs = [
        ("nuts", &chains),
        ("nuts, non-centred", &mended),
        ("psmc", &islands),
    ];
    album.save(plot::runs(runs).forest()?, "engines")?;
    judge(&album, &model, &islands)?;

    // do the schools differ at all?
    let alike = eight_schools(&SCHOOLS, &Y, &SIGMA, 0.1);
    let same = psmc.run(&alike)?;
    println!("{same}");
    let [differ, same] = [islands.loo(&model)?, same.loo(&alike)?];
    let comparison = compare([("schools differ", &differ), ("schools alike", &same)])?;
    println!("{comparison}");
    album.save(plot::comparison(&comparison), "comparison")?;

    // all of it in one page, and the two engines side by side
    plot::Report::new(&islands)
        .model(&model)?
        .run("nuts", &chains)
        .comparison(&comparison)
        .title("Eight schools")
        .save(album.0.join("report.html"))?;
    println!("pictures: {}", album.0.display());
    Ok(())
}

/// The chains, whose trajectories diverge, and the islands.
fn diagnose(album: &Album, chains: &Run, islands: &Run) -> Result<(), bayes::Error> {
    let scales = || chains.plot().of(["mu", "tau"]);
    album.save(scales().trace()?, "trace")?;
    album.save(scales().rank()?, "rank")?;
    album.save(scales().autocorrelation()?, "autocorrelation")?;
    album.save(scales().ess()?, "ess")?;
    album.save(scales().ess_evolution()?, "ess_evolution")?;
    album.save(chains.plot().energy()?, "energy")?;
    let pair = chains.plot().of(["mu", "tau", "theta[A]"]).pair()?;
    album.save(pair, "pair")?;
    album.save(islands.plot().rank()?, "rank_islands")?;
    album.save(islands.plot().ladder()?, "ladder")?;
    album.save(islands.plot().evidence()?, "evidence")
}

/// What was learnt? Do the priors decide? Does the model expect a school as good as the best? What would coaching do in a ninth school?
fn judge(album: &Album, model: &impl Model, islands: &Run) -> Result<(), bayes::Error> {
    let scales = || islands.plot().of(["mu", "tau"]);
    album.save(scales().prior(model)?, "prior")?;
    album.save(scales().density()?, "density")?;
    album.save(islands.plot().forest()?, "forest")?;
    println!("{}", islands.sensitivity(model)?);

    let prediction = islands.predict(model)?;
    album.save(plot::predictive(&prediction, "y")?, "predictive")?;
    album.save(
        plot::loo_pit(&islands.loo_pit(model, "y")?, "y")?,
        "loo_pit",
    )?;
    let best = |y: &[f64]| y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let p = islands.p_value(model, "y", |_, y| best(y))?;
    println!("the best school: {p}");
    let ninth = prediction.draws("ninth")?;
    let [low, high] = [ninth.quantile(0.05)?[0], ninth.quantile(0.95)?[0]];
    println!("effect in a ninth school: 90% from {low:.0} to {high:.0}");
    Ok(())
}
