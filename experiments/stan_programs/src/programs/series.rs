//! Time series, mixtures, processes, differential equations, maps and networks.

use super::Visit;
use crate::data::{Data, map, mean, sd};
use crate::models::{equations, mixtures, others, processes, series};
use bayes::prelude::*;

pub fn over_time(program: &str, d: &Data, visit: &mut Visit<'_>) -> bool {
    let v = |name: &str| d.vector(name);
    match program {
        "arK" => visit(&series::ar_k(&v("y"), d.size("K"))),
        "arma11" => visit(&series::arma11(&v("y"))),
        "garch11" => visit(&series::garch11(&v("y"), d.number("sigma1"))),
        "prophet" => visit(&series::prophet(&downloads(d))),
        "state_space_stochastic_level_stochastic_seasonal" => {
            let y = v("y");
            let (centre, spread) = (mean(&y), 3.0 * sd(&y));
            let [low, high] = [centre - spread, centre + spread];
            visit(&series::state_space(&y, &v("x"), &v("w"), low, high));
        }
        "normal_mixture" => visit(&mixtures::normal_mixture(&v("y"))),
        "normal_mixture_k" => visit(&mixtures::normal_mixture_k(&v("y"), d.size("K"))),
        "low_dim_gauss_mix" => visit(&mixtures::low_dim_gauss_mix(&v("y"))),
        "low_dim_gauss_mix_collapse" => visit(&mixtures::low_dim_gauss_mix_collapse(&v("y"))),
        "ldaK2" | "ldaK5" => {
            let [alpha, beta] = match program {
                "ldaK2" => [vec![1.0; 2], vec![1.0; d.size("V")]],
                _ => [v("alpha"), v("beta")],
            };
            let (word, document) = (d.places("w"), d.places("doc"));
            visit(&mixtures::lda(&word, &document, d.size("M"), &alpha, &beta));
        }
        "hmm_drive_0" => visit(&mixtures::hmm_drive_0(&v("u"), &v("v"), &d.matrix("alpha"))),
        "hmm_drive_1" => {
            let (alpha, sds) = (d.matrix("alpha"), [d.number("tau"), d.number("rho")]);
            visit(&mixtures::hmm_drive_1(
                &v("u"),
                &v("v"),
                &alpha,
                sds[0],
                sds[1],
            ));
        }
        "hmm_example" => visit(&mixtures::hmm_example(&v("y"))),
        "hmm_gaussian" => visit(&mixtures::hmm_gaussian(&v("y"), d.size("K"))),
        "iohmm_reg" => visit(&mixtures::iohmm_reg(&v("y"), &d.matrix("u"), d.size("K"))),
        _ => return false,
    }
    true
}

fn downloads(d: &Data) -> series::Downloads {
    let (t, t_change, x) = (d.vector("t"), d.vector("t_change"), d.matrix("X"));
    let changed = DMatrix::from_fn(t.len(), t_change.len(), |i, k| {
        f64::from(t[i] >= t_change[k])
    });
    let changed_at = DMatrix::from_fn(t.len(), t_change.len(), |i, k| {
        changed[(i, k)] * t_change[k]
    });
    let scaled = |name: &str| {
        let by = d.vector(name);
        DMatrix::from_fn(x.nrows(), x.ncols(), |i, k| x[(i, k)] * by[k])
    };
    assert!(d.number("trend_indicator") == 0.0, "the trend is linear");
    series::Downloads {
        y: d.vector("y"),
        x_added: scaled("s_a"),
        x_multiplied: scaled("s_m"),
        sigmas: d.vector("sigmas"),
        tau: d.number("tau"),
        t,
        t_change,
        changed,
        changed_at,
    }
}

pub fn processes_and_equations(program: &str, d: &Data, visit: &mut Visit<'_>) -> bool {
    let v = |name: &str| d.vector(name);
    let m = |name: &str| d.matrix(name);
    match program {
        "gp_regr" => visit(&processes::gp_regr(&v("x"), &v("y"))),
        "gp_pois_regr" => visit(&processes::gp_pois_regr(&v("x"), &d.counts("k"))),
        "accel_gp" => {
            let (x, x_sigma) = (m("Xgp_1"), m("Xgp_sigma_1"));
            let (of, of_sigma) = (v("slambda_1"), v("slambda_sigma_1"));
            visit(&processes::accel_gp(&v("Y"), &x, &of, &x_sigma, &of_sigma));
        }
        "accel_splines" => {
            let [x, z, x_sigma, z_sigma] = ["Xs", "Zs_1_1", "Xs_sigma", "Zs_sigma_1_1"].map(m);
            visit(&processes::accel_splines(
                &v("Y"),
                &x,
                &z,
                &x_sigma,
                &z_sigma,
            ));
        }
        "kronecker_gp" => visit(&processes::kronecker_gp(&m("y"), &v("x1"))),
        "hierarchical_gp" => {
            let sizes = ["N_years", "N_years_obs", "N_states", "N_regions"];
            let of = processes::Votes {
                state: d.places("state_ind"),
                region: d.places("region_ind"),
                year: d.places("year_ind"),
                region_of_state: d.places("state_region_ind"),
                sizes: sizes.map(|name| d.size(name)),
            };
            visit(&processes::hierarchical_gp(&v("y"), &of));
        }
        _ => return solved(program, d, visit),
    }
    true
}

fn solved(program: &str, d: &Data, visit: &mut Visit<'_>) -> bool {
    let v = |name: &str| d.vector(name);
    match program {
        "lotka_volterra" => {
            let start = v("y_init");
            visit(&equations::lotka_volterra(
                [start[0], start[1]],
                &d.matrix("y"),
                &v("ts"),
                d.steps,
            ));
        }
        "one_comp_mm_elim_abs" => {
            let (dose, volume) = (d.number("D"), d.number("V"));
            visit(&equations::one_comp_mm_elim_abs(
                &v("C_hat"),
                &v("times"),
                dose,
                volume,
                d.steps,
            ));
        }
        "sir" => {
            let start = v("y0");
            let start = [0, 1, 2, 3].map(|k| start[k]);
            let (new, bacteria, times) = (d.counts("stoi_hat"), v("B_hat"), v("t"));
            let is_stiff = d.steps < 100;
            visit(&equations::sir(
                &new, &bacteria, start, &times, d.steps, is_stiff,
            ));
        }
        "soil_incubation" => {
            let total = d.number("totalC_t0");
            visit(&equations::soil_incubation(
                &v("eCO2mean"),
                &v("ts"),
                total,
                d.steps,
            ));
        }
        _ => return on_maps(program, d, visit),
    }
    true
}

fn on_maps(program: &str, d: &Data, visit: &mut Visit<'_>) -> bool {
    match program {
        "covid19imperial_v2" | "covid19imperial_v3" => visit(&others::covid19(&countries(d))),
        "bym2_offset_only" => {
            let log_expected = map(&d.vector("E"), f64::ln);
            let edges = [d.places("node1"), d.places("node2")];
            let scaling = d.number("scaling_factor");
            visit(&others::bym2(
                &d.counts("y"),
                &log_expected,
                &edges[0],
                &edges[1],
                scaling,
            ));
        }
        "nn_rbm1bJ10" | "nn_rbm1bJ100" => {
            let hidden = if program == "nn_rbm1bJ10" { 10 } else { 100 };
            let (x, y) = (d.matrix("x"), d.places("y"));
            visit(&others::nn_rbm1b(&x, &y, d.size("K"), hidden));
        }
        _ => return false,
    }
    true
}

fn countries(d: &Data) -> others::Countries {
    let reversed = |x: Vec<f64>| x.into_iter().rev().collect::<Vec<f64>>();
    let f = d.matrix("f");
    let ends: Vec<usize> = d.places("N").iter().map(|n| n + 1).collect();
    others::Countries {
        deaths: d.count_matrix("deaths"),
        measures: d.matrices("X"),
        population: d.vector("pop"),
        interval_reversed: reversed(d.vector("SI")),
        fatal_reversed: (0..f.ncols())
            .map(|m| reversed(f.column(m).iter().copied().collect()))
            .collect(),
        start: d.places("EpidemicStart"),
        end: ends,
        seeded: d.size("N0"),
    }
}
