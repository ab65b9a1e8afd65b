//! A walk through Rubin's eight schools (1981) with a picture at every step, which docs/walk.md follows: what the model expects before it
//! has seen data, whether the chains can be trusted and what to do if not, whether the model fits, which model is better, and a report with
//! all of it.
//!
//! ```text
//! mu ~ Normal(0, 5)    tau ~ HalfCauchy(spread)    theta[j] ~ Normal(mu, tau)    y[j] ~ Normal(theta[j], sigma[j])
//! ```
//!
//! The model is centred, so that the trajectories of NUTS diverge where tau is small: the pictures show it, and the non-centred form
//! mends it. Pictures go to the folder given by `--pictures`, by default a temporary one.

mod common;

use bayes::engine::Chains;
use bayes::plot::{self, Figure};
use bayes::prelude::*;
use common::{Options, Report, fail};
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

const Y: [f64; 8] = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0];
/// As Rubin calls the schools.
const SCHOOLS: [&str; 8] = ["A", "B", "C", "D", "E", "F", "G", "H"];
const SIGMA: [f64; 8] = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0];

/// The folder of the pictures.
struct Album(PathBuf);

impl Album {
    fn save(&self, figure: Figure, name: &str) -> Result<(), bayes::Error> {
        figure.save(self.0.join(format!("{name}.svg")))
    }
}

fn main() {
    let (options, [folder]) = Options::with(["--pictures"]);
    let temporary = || std::env::temp_dir().join(format!("bayes-report-{}", std::process::id()));
    let album = Album(folder.map_or_else(temporary, PathBuf::from));
    let mut report = Report::new("eight_schools", options);
    if let Err(error) = walk(&mut report, options, &album) {
        fail(&error.to_string());
    }
    report.say(&format!("pictures: {}", album.0.display()));
    report.finish();
}

fn walk(report: &mut Report, options: Options, album: &Album) -> Result<(), bayes::Error> {
    std::fs::create_dir_all(&album.0)?;
    let model = eight_schools(&SCHOOLS, &Y, &SIGMA, 5.0);

    // could the effects be that large?
    let before = prior_predictive(model, options.size(2000, 500))?;
    album.save(plot::predictive(&before, "y")?, "prior_predictive")?;

    let psmc = || {
        let islands = Inference::psmc()
            .islands(8)
            .particles(options.size(1024, 256));
        islands.seed(options.seed)
    };
    let islands = report.run("psmc", || psmc().run(&model));
    let chains = report.run("nuts", || nuts(options).run(&model));
    diagnose(album, &chains, &islands)?;
    mend(report, options, album, [&chains, &islands])?;

    // what was learnt, and does the model fit?
    album.save(islands.plot().of(["mu", "tau"]).prior(&model)?, "prior")?;
    album.save(islands.plot().of(["mu", "tau"]).density()?, "density")?;
    album.save(islands.plot().forest()?, "forest")?;
    album.save(
        plot::predictive(&islands.predict(model)?, "y")?,
        "predictive",
    )?;
    album.save(
        plot::loo_pit(&islands.loo_pit(&model, "y")?, "y")?,
        "loo_pit",
    )?;

    judge(report, &model, &islands)?;

    // do the schools differ at all?
    let alike = eight_schools(&SCHOOLS, &Y, &SIGMA, 0.1);
    let same = report.run("alike", || psmc().run(&alike));
    let [differ, same] = [islands.loo(&model)?, same.loo(&alike)?];
    let comparison = compare([("schools differ", &differ), ("schools alike", &same)])?;
    report.say(&comparison.to_string());
    album.save(plot::comparison(&comparison), "comparison")?;

    // all of it in one page, and the two engines side by side
    let path = album.0.join("report.html");
    let page = plot::Report::new(&islands)
        .model(&model)?
        .run("nuts", &chains);
    page.comparison(&comparison)
        .title("Eight schools")
        .save(&path)?;
    let html = std::fs::read_to_string(&path)?;
    assert!(html.contains(">Leave-one-out cross-validation</h2>"));
    let bytes = html.len();
    report.note("bytes", bytes.into());
    assert!(
        (100_000..2_000_000).contains(&bytes),
        "the report has {bytes} bytes"
    );
    Ok(())
}

fn nuts(options: Options) -> Chains<Nuts> {
    Inference::nuts()
        .draws(options.size(1000, 250))
        .seed(options.seed)
}

/// The non-centred form beside chains on the centred one, which must not be trusted, and islands.
fn mend(
    report: &mut Report,
    options: Options,
    album: &Album,
    [chains, islands]: [&Run; 2],
) -> Result<(), bayes::Error> {
    let other_form = non_centred(&SCHOOLS, &Y, &SIGMA);
    let mended = report.run("non_centred", || nuts(options).run(&other_form));
    // after the burn-in: the first steps of any chain may diverge
    let divergent = |run: &Run| -> u64 {
        let trajectories = run.groups.iter().filter_map(|g| g.trajectories.as_ref());
        trajectories.map(|t| t.divergent).sum()
    };
    let [after, before] = [divergent(&mended), divergent(chains)];
    assert!(
        after < before,
        "{after} divergences, {before} in the centred form"
    );
    let runs = [
        ("nuts", chains),
        ("nuts, non-centred", &mended),
        ("psmc", islands),
    ];
    album.save(plot::runs(runs).forest()?, "engines")
}

/// Do the priors of mu and tau decide? Does the model expect a school as good as the best, and what would coaching do in a ninth?
fn judge(report: &mut Report, model: &impl Model, islands: &Run) -> Result<(), bayes::Error> {
    let sensitivity = islands.sensitivity(model)?;
    report.say(&sensitivity.to_string());
    assert_eq!(sensitivity.priors, ["mu", "tau"]);
    assert_eq!(sensitivity.left_out, ["theta"]);

    let best = |y: &[f64]| y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let p = islands.p_value(model, "y", |_, y| best(y))?;
    report.say(&format!("the best school: {p}"));
    assert!((0.02..0.98).contains(&p.p.mean));
    let ninth = islands.predict(model)?.draws("ninth")?;
    let [low, high] = [ninth.quantile(0.05)?[0], ninth.quantile(0.95)?[0]];
    report.say(&format!(
        "effect in a ninth school: 90% from {low:.0} to {high:.0}"
    ));
    Ok(())
}

/// Can the draws be trusted?
fn diagnose(album: &Album, chains: &Run, islands: &Run) -> Result<(), bayes::Error> {
    album.save(chains.plot().of(["mu", "tau"]).trace()?, "trace")?;
    album.save(chains.plot().of(["mu", "tau"]).rank()?, "rank")?;
    album.save(
        chains.plot().of(["mu", "tau"]).autocorrelation()?,
        "autocorrelation",
    )?;
    album.save(chains.plot().of(["mu", "tau"]).ess()?, "ess")?;
    album.save(
        chains.plot().of(["mu", "tau"]).ess_evolution()?,
        "ess_evolution",
    )?;
    album.save(chains.plot().energy()?, "energy")?;
    let pair = chains.plot().of(["mu", "tau", "theta[A]"]).pair()?;
    let starts = chains.divergences("tau")?;
    assert_eq!(
        !starts.is_empty(),
        pair.svg().contains("divergent"),
        "divergences are marked"
    );
    album.save(pair, "pair")?;
    album.save(islands.plot().rank()?, "rank_islands")?;
    album.save(islands.plot().ladder()?, "ladder")?;
    album.save(islands.plot().evidence()?, "evidence")
}
