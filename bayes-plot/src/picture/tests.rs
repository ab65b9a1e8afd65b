//! What pictures contain.
//!
//! Mutations that these tests were seen to detect: draws with equal weights in the forest, the pairs and the densities; every transition
//! marked as divergent; the first temperature left out; `<` not escaped; the spike of a stuck chain setting the height of a panel.

mod bands;
mod effects;
mod predictions;
mod side_by_side;

use super::{
    band, band_by, comparison, loo_pit, predictive, reliability, rootogram, rootogram_by, runs,
};
use crate::example::{chains, integrated, islands, of_island};
use crate::figure::Figure;
use crate::mark::{Mark, Shape};
use crate::{Plot, Theme};
use bayes_autodiff::Mode;
use bayes_core::Error;
use bayes_core::comparison::{Comparison, ComparisonRow, Method};
use bayes_core::dist::{HalfCauchy, NegativeBinomial, Normal};
use bayes_core::metrics::{Reliability, ReliabilityBin, Score};
use bayes_core::model::{Differentiable, Interpreter, Model, Statement, StatementKind};
use bayes_core::predict::prior_predictive;
use bayes_core::run::{Run, VariableKind};

/// The marks with a meaning, panel by panel.
fn marks<'a>(figure: &'a Figure, meaning: &str) -> Vec<&'a Mark> {
    let all = figure.panels.iter().flat_map(|panel| &panel.marks);
    all.filter(|mark| mark.style.meaning == meaning).collect()
}

fn dots(mark: &Mark) -> &[[f64; 2]] {
    match &mark.shape {
        Shape::Dots(points) | Shape::Crosses(points) | Shape::Line(points) => points,
        other => panic!("no points: {other:?}"),
    }
}

fn message(result: Result<Figure, Error>) -> String {
    result.expect_err("there is nothing to draw").to_string()
}

/// All pictures that the run can give.
fn all_of(run: &Run) -> Vec<Figure> {
    let plots = run.plot();
    let all = [
        plots.trace(),
        plots.rank(),
        plots.density(),
        plots.forest(),
        plots.pair(),
        plots.autocorrelation(),
        plots.ess(),
        plots.ess_evolution(),
        plots.energy(),
        plots.ladder(),
        plots.evidence(),
    ];
    all.into_iter().flatten().collect()
}

#[test]
fn a_trace_has_a_line_for_each_chain_and_marks_its_divergent_draws() {
    let figure = chains(3, 1000, 2)
        .plot()
        .trace()
        .expect("chains have an order");
    assert_eq!(figure.panels.len(), 3);
    let lines = figure.panels[0]
        .marks
        .iter()
        .filter(|m| matches!(m.shape, Shape::Line(_)));
    assert_eq!(lines.map(Mark::len).collect::<Vec<_>>(), [334; 3]);
    assert!(figure.description().contains("Every third draw is drawn."));
    let divergent = marks(&figure, "divergent");
    assert_eq!(
        divergent.iter().map(|m| m.len()).collect::<Vec<_>>(),
        [2; 3]
    );
    let Shape::Segments(ends) = &divergent[0].shape else {
        panic!("they are lines");
    };
    assert_eq!([ends[0][0], ends[1][0]], [3.0, 7.0]);
    // and once in the legend
    assert_eq!(figure.svg().matches("divergent\"").count(), 4);
}

#[test]
fn the_forest_has_the_weighted_quantiles_of_the_summary() {
    let mut run = islands(&[-3.0, -1.0]);
    of_island(&mut run.groups[1]).log_weights = (0..64).map(|i| 0.05 * f64::from(i)).collect();
    let figure = run.plot().forest().expect("draws");
    let [interval] = marks(&figure, "interval90")[..] else {
        panic!("one run has one set of lines");
    };
    let Shape::Segments(ends) = &interval.shape else {
        panic!("they are lines");
    };
    let summary = run.summary();
    for (row, [low, _, high, _]) in summary.rows.iter().zip(ends) {
        assert_eq!([*low, *high], [row.q5, row.q95], "{}", row.name);
    }
    let medians = dots(marks(&figure, "median")[0]);
    assert_eq!(medians[0][0], summary.rows[0].q50);
    // the heavier island is around 1
    assert!(medians[0][0] > 0.5, "{medians:?}");
    let texts: Vec<&str> = figure.panels[0]
        .y
        .ticks
        .iter()
        .map(|t| t.1.as_str())
        .collect();
    assert_eq!(texts, ["mu", "beta[0]", "beta[1]"]);
}

#[test]
fn effective_sizes_dip_where_a_chain_is_stuck() {
    let mut run = chains(4, 400, 1);
    // chain 1 stays at one point of its upper half for a quarter of its draws
    for draw in 100..200 {
        run.groups[1].draws[2 * draw] = 0.7 + 1e-3 * (draw % 7) as f64;
    }
    let figure = run.plot().of(["mu"]).ess().expect("chains have sizes");
    let of_intervals = dots(marks(&figure, "second")[0]);
    let least = of_intervals.iter().min_by(|a, b| a[1].total_cmp(&b[1]));
    let [place, size] = *least.expect("there are intervals");
    assert!(
        (0.8..0.95).contains(&place) && size < 200.0,
        "{of_intervals:?}"
    );
    let evolution = run
        .plot()
        .of(["mu"])
        .ess_evolution()
        .expect("they have an order");
    let bulk = dots(marks(&evolution, "first")[0]);
    assert_eq!((bulk.len(), bulk[19][0]), (20, 1600.0));
    let of_all = run.summary().rows[0].ess_bulk;
    assert!((bulk[19][1] / of_all - 1.0).abs() < 1e-9);
}

#[test]
fn effective_sizes_need_chains_of_80_draws() {
    let short = chains(4, 79, 1);
    assert_eq!(
        message(short.plot().ess()),
        "the picture `ess` needs at least 80 draws in each chain, got 79"
    );
    let islands = islands(&[-1.0, -2.0]);
    assert!(islands.plot().ess().is_ok());
    assert!(message(islands.plot().ess_evolution()).contains("use `ess()`"));
}

#[test]
fn pairs_follow_the_weights_and_mark_divergences() {
    // island 0 has nearly no weight, and its `mu` is below 1
    let run = islands(&[-50.0, -1.0, -1.0]);
    let figure = run
        .plot()
        .of(["mu", "beta[1]"])
        .pair()
        .expect("two elements");
    assert_eq!(figure.panels.len(), 3);
    let [draws] = marks(&figure, "draws")[..] else {
        panic!("one scatter plot");
    };
    let from_0 = run.groups[0]
        .draws
        .iter()
        .step_by(3)
        .copied()
        .collect::<Vec<_>>();
    assert!(dots(draws).iter().all(|point| !from_0.contains(&point[0])));
    assert!(marks(&figure, "divergent").is_empty());
    let figure = chains(2, 50, 1).plot().pair().expect("two elements");
    let [crosses] = marks(&figure, "divergent")[..] else {
        panic!("one scatter plot");
    };
    assert_eq!(dots(crosses), [[9.0, 0.5]; 3]);
    let [x, y] = [&figure.panels[1].x, &figure.panels[1].y].map(|axis| axis.label.as_str());
    assert_eq!([x, y], ["mu", "beta[0]"]);
}

#[test]
fn a_ladder_has_a_dot_for_each_temperature_of_each_island() {
    let figure = islands(&[-3.0; 4])
        .plot()
        .ladder()
        .expect("islands have temperatures");
    let temperatures = marks(&figure, "temperature");
    assert_eq!(temperatures.len(), 3 * 4);
    assert!(temperatures.iter().all(|mark| mark.len() == 3));
    let power: Vec<f64> = dots(temperatures[0]).iter().map(|point| point[1]).collect();
    assert_eq!(power, [0.001, 0.2, 1.0]);
}

#[test]
fn circles_of_the_evidence_have_the_area_of_the_weights() {
    let run = islands(&[-3.0, -3.0 + 4f64.ln()]);
    let figure = run.plot().evidence().expect("islands have an evidence");
    let [island] = marks(&figure, "island")[..] else {
        panic!("one set of circles");
    };
    let Shape::Circles(circles) = &island.shape else {
        panic!("they are circles");
    };
    assert!(
        (circles[1][2] / circles[0][2] - 2.0).abs() < 1e-9,
        "{circles:?}"
    );
    assert_eq!(circles[0][1], -3.0);
    let mean = dots(marks(&figure, "estimate")[0])[0][1];
    assert_eq!(Some(mean), run.log_evidence());
}

/// Mutation meant to be detected: circles without the correction that the mean has.
#[test]
fn circles_of_the_evidence_are_where_the_mean_is() {
    let mut run = islands(&[-3.0; 2]);
    for group in &mut run.groups {
        of_island(group).adaptation_bias = 0.5;
    }
    let figure = run.plot().evidence().expect("islands have an evidence");
    let Shape::Circles(circles) = &marks(&figure, "island")[0].shape else {
        panic!("they are circles");
    };
    let mean = dots(marks(&figure, "estimate")[0])[0][1];
    assert_eq!([circles[0][1], circles[1][1], mean], [-3.5; 3]);
}

/// Would detect a picture or a report that does not say that integration replaces the path.
#[test]
fn an_evidence_by_integration_is_called_so() {
    let run = integrated();
    let figure = run.plot().evidence().expect("islands have an evidence");
    let mean = dots(marks(&figure, "estimate")[0])[0][1];
    assert!((mean + 3.0).abs() < 1e-9, "{mean}");
    let svg = figure.svg();
    assert!(
        svg.contains("It is by integration around the mode; the path"),
        "{svg}"
    );
    let words = run.log_evidence_in_words(&crate::label::estimate);
    let words = words.expect("it is by integration");
    let html = crate::Report::new(&run).html();
    assert!(html.contains(&format!(" ({words}).")), "{words}");
}

#[test]
fn densities_are_weighted_and_leave_out_islands_without_weight() {
    let run = islands(&[f64::NEG_INFINITY, -1.0, -1.0]);
    let figure = run.plot().of(["mu"]).density().expect("draws");
    assert_eq!(marks(&figure, "each").len(), 2);
    let mean = dots(marks(&figure, "mean")[0])[0][0];
    assert!((mean - run.mean("mu").expect("mu")[0]).abs() < 1e-12);
    assert!(figure.panels[0].x.ends[0] >= 0.0, "island 0 does not count");
    let mut discrete = run;
    discrete.layout.variables[0].kind = VariableKind::Discrete;
    for group in &mut discrete.groups {
        group
            .draws
            .iter_mut()
            .step_by(3)
            .for_each(|x| *x = x.round());
    }
    let figure = discrete.plot().of(["mu"]).density().expect("draws");
    let bars = figure.panels[0]
        .marks
        .iter()
        .find(|m| matches!(m.shape, Shape::Bars(_)));
    let Some(Shape::Bars(bars)) = bars.map(|mark| &mark.shape) else {
        panic!("probabilities are bars");
    };
    assert!((bars.iter().map(|bar| bar[3]).sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn a_stuck_chain_does_not_flatten_the_density_of_all() {
    let mut run = chains(4, 500, 1);
    let stuck = run.groups[1].draws.iter_mut().step_by(2);
    stuck.for_each(|mu| *mu = 0.3 + 0.01 * *mu);
    let figure = run.plot().of(["mu"]).density().expect("draws");
    let lines = figure.panels[0]
        .marks
        .iter()
        .filter(|m| matches!(m.shape, Shape::Line(_)));
    let highest = |mark: &Mark| dots(mark).iter().map(|point| point[1]).fold(0.0, f64::max);
    let all_draws = lines
        .filter(|m| m.style.width == 2.0)
        .map(highest)
        .fold(0.0, f64::max);
    let top = figure.panels[0].y.ends[1];
    assert!(
        all_draws > 0.0 && top < 1.8 * all_draws,
        "{top}, {all_draws}"
    );
}

#[test]
fn what_a_run_does_not_have_is_reported_in_words() {
    let smc = islands(&[-1.0]);
    assert_eq!(
        message(smc.plot().energy()),
        "the picture `energy` shows the energies of Hamiltonian chains, and a run of `psmc` has none; use `Inference::nuts()` or \
         `hmc()`; for particles `ladder()` shows how they moved"
    );
    assert!(message(smc.plot().trace()).contains("use `rank()` or `density()`"));
    assert!(message(smc.plot().autocorrelation()).contains("in their order"));
    assert!(message(smc.plot().rank()).contains("needs at least 2 islands or chains, got 1"));
    let nuts = chains(2, 20, 2);
    assert!(message(nuts.plot().ladder()).contains("`Inference::psmc()`"));
    assert!(message(nuts.plot().evidence()).contains("a run of `nuts` has none"));
    assert!(message(nuts.plot().of(["mu"]).pair()).contains("at least 2 elements, got 1"));
    assert!(
        message(chains(2, 5, 1).plot().autocorrelation()).contains("10 draws in each chain, got 5")
    );
    assert_eq!(
        message(nuts.plot().of(["beta[7]"]).trace()),
        "`beta` has no element `beta[7]`; its elements are beta[0] to beta[1]"
    );
    assert!(message(nuts.plot().of(["bta"]).density()).contains("did you mean `beta`?"));
    let mut nan = chains(1, 4, 1);
    nan.groups[0]
        .draws
        .iter_mut()
        .step_by(2)
        .for_each(|x| *x = f64::NAN);
    assert!(message(nan.plot().density()).contains("no draw of `mu` is a finite number"));
}

#[test]
fn without_names_a_picture_shows_the_first_elements_of_each_quantity() {
    let figure = chains(2, 20, 30).plot().trace().expect("chains");
    let titles: Vec<&str> = figure
        .panels
        .iter()
        .map(|panel| panel.title.as_str())
        .collect();
    assert_eq!(
        (titles.len(), titles[0], titles[11]),
        (12, "mu", "beta[10]")
    );
    assert!(
        figure
            .description()
            .ends_with("12 of 31 elements are shown. `run.plot().of([..])` shows others.")
    );
}

#[test]
fn every_svg_is_whole_and_has_neither_nan_nor_foreign_tags() {
    let mut evil = chains(9, 30, 3);
    evil.layout.variables[1].name = "<b>\"beta\"&".to_owned();
    evil.model = "<script>".to_owned();
    let mut odd = islands(&[-1.0, f64::NEG_INFINITY, -2.0]);
    odd.groups[0].draws[0] = f64::INFINITY;
    odd.groups[2].draws[4] = f64::NAN;
    of_island(&mut odd.groups[0]).history[1].acceptance = f64::NAN;
    let figures: Vec<Figure> = [all_of(&evil), all_of(&odd)].concat();
    assert_eq!(figures.len(), 7 + 7);
    for figure in figures {
        for theme in [Theme::Light, Theme::Dark, Theme::Automatic] {
            let svg = figure.clone().theme(theme).svg();
            for tag in ["svg", "g", "text", "style"] {
                let opened = svg.matches(&format!("<{tag}>")).count()
                    + svg.matches(&format!("<{tag} ")).count();
                assert_eq!(
                    opened,
                    svg.matches(&format!("</{tag}>")).count(),
                    "{tag} in {figure:?}"
                );
            }
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{figure:?}");
            assert!(
                !svg.contains("<script") && !svg.contains("<b>"),
                "{figure:?}"
            );
        }
    }
}

#[test]
fn a_reliability_diagram_has_a_circle_for_each_bin_with_observations() {
    let bin = |count, confidence, accuracy| ReliabilityBin {
        count,
        confidence,
        accuracy,
        accuracy_se: 0.05,
    };
    let figure = reliability(&Reliability {
        bins: vec![
            bin(0, f64::NAN, f64::NAN),
            bin(25, 0.7, 0.6),
            bin(100, 0.95, 0.93),
        ],
        calibration_error: Score {
            value: 0.036,
            se_data: 0.01,
            se_draws: 0.0,
        },
    });
    let circles = marks(&figure, "bin");
    let Shape::Circles(circles) = &circles[1].shape else {
        panic!("the second mark are the circles");
    };
    assert_eq!(circles.len(), 2);
    assert_eq!(circles[1][2] / circles[0][2], 2.0);
    assert!(figure.description().contains("125 observations in 2 bins"));
    assert!(figure.description().contains("0.0360"));
}

#[test]
fn a_loo_pit_curve_is_the_distribution_minus_the_uniform_one() {
    let figure = loo_pit(&[0.75, 0.25], "y").expect("values");
    let curve = dots(marks(&figure, "pit")[0]);
    assert_eq!(curve[..3], [[0.0, 0.0], [0.25, -0.25], [0.25, 0.25]]);
    assert!(message(loo_pit(&[], "y")).contains("at least 1 values"));
}

#[test]
fn a_comparison_shows_each_model_with_its_errors() {
    let row = |name: &str, elpd: f64, difference: f64| ComparisonRow {
        name: name.to_owned(),
        elpd,
        se: 2.0,
        effective_parameters: 1.0,
        difference,
        difference_se: 0.5,
        stacking: 0.5,
        pseudo_bma_plus: 0.5,
        log_evidence: None,
        log_bayes_factor: None,
    };
    let figure = comparison(&Comparison {
        method: Method::Loo,
        rows: vec![row("a", -30.0, 0.0), row("b", -33.0, 3.0)],
        warnings: Vec::new(),
        notes: Vec::new(),
    });
    let [elpd, difference] = marks(&figure, "model")[..] else {
        panic!("two panels with estimates");
    };
    assert_eq!(dots(elpd), [[-30.0, 0.0], [-33.0, 1.0]]);
    assert_eq!(dots(difference), [[0.0, 0.0], [-3.0, 1.0]]);
}

#[test]
fn a_file_that_is_no_svg_is_refused() {
    let error = islands(&[-1.0])
        .plot()
        .evidence()
        .expect("an evidence")
        .save("picture.pdf");
    assert_eq!(
        error.expect_err("PDF is not written").to_string(),
        "`picture.pdf` cannot be written: pictures are SVG, so the name must end in `.svg`, or in `.png` with the feature `png` of the crate `bayes`"
    );
}

#[test]
fn elements_that_never_vary_have_no_panel_unless_they_are_asked_for() {
    let mut run = islands(&[-3.0; 2]);
    for group in &mut run.groups {
        group.draws.chunks_exact_mut(3).for_each(|row| row[1] = 1.0);
    }
    let panels = |figure: Result<Figure, Error>| figure.expect("a run has densities").panels.len();
    assert_eq!(panels(run.plot().density()), 2);
    assert_eq!(panels(run.plot().of(["beta[0]"]).density()), 1);
    let figure = run.plot().forest().expect("a run has intervals");
    let (text, notes) = (figure.svg(), figure.description());
    assert!(
        !text.contains("beta[0]") && text.contains("beta[1]"),
        "{text}"
    );
    assert!(
        notes.contains("2 of 3 elements are shown (one never varies)"),
        "{notes}"
    );
}
