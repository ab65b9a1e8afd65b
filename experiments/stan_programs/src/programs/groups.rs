//! Animals, homes, groups and answers.

use super::Visit;
use crate::data::{Data, columns, design, map, mean, product, sd};
use crate::models::{answers, capture, groups, radon};
use bayes::prelude::*;

pub fn captured(program: &str, d: &Data, visit: &mut Visit<'_>) -> bool {
    let y = || d.count_matrix("y");
    match program {
        "M0_model" => {
            let seen: Vec<u64> = y().row_iter().map(|row| row.sum()).collect();
            visit(&capture::m0(&seen, d.size("T") as u64));
        }
        "Mb_model" => visit(&capture::mb(&y())),
        "Mh_model" => visit(&capture::mh(&d.counts("y"), d.size("T") as u64)),
        "Mt_model" => visit(&capture::mt(&y())),
        "Mth_model" => visit(&capture::mth(&y())),
        "Mtbh_model" => visit(&capture::mtbh(&y())),
        "multi_occupancy" => {
            let seen = d.count_matrix("X").resize_vertically(d.size("S"), 0);
            visit(&capture::multi_occupancy(&seen, d.size("K") as u64));
        }
        _ => return false,
    }
    true
}

pub fn homes(program: &str, d: &Data, visit: &mut Visit<'_>) -> bool {
    let Some(kind) = program.strip_prefix("radon_") else {
        return false;
    };
    if kind == "county" {
        let (y, county) = (d.vector("y"), d.places("county"));
        visit(&radon::county(&y, &county, d.size("J")));
        return true;
    }
    let (floor, y) = (d.vector("floor_measure"), d.vector("log_radon"));
    let (county, j) = (d.places("county_idx"), d.size("J"));
    let x = || columns([&d.vector("log_uppm"), &floor]);
    match kind {
        "pooled" => visit(&radon::pooled(&floor, &y)),
        "county_intercept" => visit(&radon::county_intercept(&floor, &y, &county, j)),
        "hierarchical_intercept_centered" => {
            visit(&radon::hierarchical_intercept_centered(
                &x(),
                &y,
                &county,
                j,
            ));
        }
        "hierarchical_intercept_noncentered" => {
            visit(&radon::hierarchical_intercept_noncentered(
                &x(),
                &y,
                &county,
                j,
            ));
        }
        "partially_pooled_centered" => visit(&radon::partially_pooled_centered(&y, &county, j)),
        "partially_pooled_noncentered" => {
            visit(&radon::partially_pooled_noncentered(&y, &county, j));
        }
        "variable_intercept_centered" => {
            visit(&radon::variable_intercept_centered(&floor, &y, &county, j));
        }
        "variable_intercept_noncentered" => {
            visit(&radon::variable_intercept_noncentered(
                &floor, &y, &county, j,
            ));
        }
        "variable_slope_centered" => visit(&radon::variable_slope_centered(&floor, &y, &county, j)),
        "variable_slope_noncentered" => {
            visit(&radon::variable_slope_noncentered(&floor, &y, &county, j));
        }
        "variable_intercept_slope_centered" => {
            visit(&radon::variable_intercept_slope_centered(
                &floor, &y, &county, j,
            ));
        }
        "variable_intercept_slope_noncentered" => {
            visit(&radon::variable_intercept_slope_noncentered(
                &floor, &y, &county, j,
            ));
        }
        _ => return false,
    }
    true
}

pub fn grouped(program: &str, d: &Data, visit: &mut Visit<'_>) -> bool {
    let v = |name: &str| d.vector(name);
    let p = |name: &str| d.places(name);
    match program {
        "eight_schools_centered" => visit(&groups::eight_schools_centered(&v("y"), &v("sigma"))),
        "eight_schools_noncentered" => {
            visit(&groups::eight_schools_noncentered(&v("y"), &v("sigma")));
        }
        "pilots" => {
            let (group, scenario) = (p("group_id"), p("scenario_id"));
            let sizes = [d.size("n_groups"), d.size("n_scenarios")];
            visit(&groups::pilots(
                &v("y"),
                &group,
                &scenario,
                sizes[0],
                sizes[1],
            ));
        }
        "rats_model" => {
            let xbar = d.number("xbar");
            let days = map(&v("x"), |x| x - xbar);
            visit(&groups::rats(&v("y"), &days, &p("rat"), d.size("N")));
        }
        "election88_full" => {
            let (black, female) = (v("black"), v("female"));
            let both = product(&female, &black);
            let x = design([&black, &female, &v("v_prev_full"), &both]);
            let sizes = ["n_age", "n_edu", "n_age_edu", "n_state", "n_region_full"];
            let of = groups::Voters {
                age: p("age"),
                education: p("edu"),
                both: p("age_edu"),
                state: p("state"),
                region: p("region_full"),
                sizes: sizes.map(|name| d.size(name)),
            };
            visit(&groups::election88(&x, &d.flags("y"), &of));
        }
        "losscurve_sislob" => {
            let (cohort, time) = (p("cohort_id"), p("t_idx"));
            let is_weibull = d.size("growthmodel_id") == 1;
            let (value, premium) = (v("t_value"), v("premium"));
            visit(&groups::losscurve(
                &v("loss"),
                &cohort,
                &time,
                &value,
                &premium,
                is_weibull,
            ));
        }
        _ => return hospitals_and_plates(program, d, visit),
    }
    true
}

fn hospitals_and_plates(program: &str, d: &Data, visit: &mut Visit<'_>) -> bool {
    let v = |name: &str| d.vector(name);
    let c = |name: &str| d.counts(name);
    match program {
        "seeds_model" => visit(&groups::seeds(&c("n"), &c("N"), &v("x1"), &v("x2"))),
        "seeds_stanified_model" => {
            visit(&groups::seeds_stanified(
                &c("n"),
                &c("N"),
                &v("x1"),
                &v("x2"),
            ));
        }
        "seeds_centered_model" => {
            visit(&groups::seeds_centered(
                &c("n"),
                &c("N"),
                &v("x1"),
                &v("x2"),
            ));
        }
        "surgical_model" => visit(&groups::surgical(&c("r"), &c("n"))),
        _ => return false,
    }
    true
}

/// The predictors of persons, centred and divided by twice their standard deviation, but for the first, of ones.
fn adjusted(d: &Data) -> DMatrix<f64> {
    let w = d.matrix("W");
    DMatrix::from_fn(w.nrows(), w.ncols(), |i, k| {
        if k == 0 {
            return w[(i, k)];
        }
        let column: Vec<f64> = w.column(k).iter().copied().collect();
        (w[(i, k)] - mean(&column)) / (2.0 * sd(&column))
    })
}

pub fn answered(program: &str, d: &Data, visit: &mut Visit<'_>) -> bool {
    let item = || d.places("ii");
    let person = || d.places("jj");
    let grades = || -> Vec<usize> { d.vector("y").iter().map(|y| *y as usize).collect() };
    match program {
        "irt_2pl" => visit(&answers::irt_2pl(&d.count_matrix("y"))),
        "hier_2pl" => {
            let sizes = [d.size("I"), d.size("J")];
            visit(&answers::hier_2pl(
                &d.flags("y"),
                &item(),
                &person(),
                sizes[0],
                sizes[1],
            ));
        }
        "2pl_latent_reg_irt" => {
            let w = adjusted(d);
            visit(&answers::latent_reg_2pl(
                &d.flags("y"),
                &item(),
                &person(),
                d.size("I"),
                &w,
            ));
        }
        "gpcm_latent_reg_irt" => {
            let (item, y) = (item(), grades());
            let highest = |i: usize| {
                item.iter()
                    .zip(&y)
                    .filter(|of| *of.0 == i)
                    .map(|of| *of.1)
                    .max()
            };
            let mut first = vec![0];
            for i in 0..d.size("I") {
                first.push(first[i] + highest(i).unwrap_or(0));
            }
            visit(&answers::gpcm(&y, &item, &person(), &first, &adjusted(d)));
        }
        "grsm_latent_reg_irt" => {
            let y = grades();
            let steps = y.iter().copied().max().unwrap_or(0);
            visit(&answers::grsm(
                &y,
                &item(),
                &person(),
                d.size("I"),
                steps,
                &adjusted(d),
            ));
        }
        _ => return marked(program, d, visit),
    }
    true
}

fn marked(program: &str, d: &Data, visit: &mut Visit<'_>) -> bool {
    match program {
        "lsat_model" => {
            let (response, ends) = (d.count_matrix("response"), d.vector("culm"));
            let row = |i: usize| ends.iter().filter(|end| **end <= i as f64).count();
            let y = DMatrix::from_fn(d.size("N"), d.size("T"), |i, k| response[(row(i), k)]);
            visit(&answers::lsat(&y));
        }
        "bones_model" => {
            let grades: Vec<usize> = d.vector("ncat").iter().map(|n| *n as usize).collect();
            let (grade, gamma, delta) = (d.matrix("grade"), d.matrix("gamma"), d.vector("delta"));
            visit(&answers::bones(&grade, &gamma, &delta, &grades));
        }
        _ => return false,
    }
    true
}
