//! Regressions, rates and dogs.

use super::Visit;
use crate::data::{Data, centred, columns, design, map, mean, product, sd, zip};
use crate::models::{linear, logistic, rates};
use bayes::prelude::*;

pub fn earnings(program: &str, d: &Data, visit: &mut Visit<'_>) -> bool {
    if !program.contains("earn") {
        return false;
    }
    let (earn, height) = (d.vector("earn"), d.vector("height"));
    let male = || d.vector("male");
    let log_earn = map(&earn, f64::ln);
    let by = |x: DMatrix<f64>, y: &[f64], visit: &mut Visit<'_>| {
        visit(&linear::flat_regression(&x, y));
        true
    };
    match program {
        "earn_height" => by(design([&height]), &earn, visit),
        "log10earn_height" => by(design([&height]), &map(&earn, f64::log10), visit),
        "logearn_height" => by(design([&height]), &log_earn, visit),
        "logearn_height_male" => by(design([&height, &male()]), &log_earn, visit),
        "logearn_logheight_male" => by(design([&map(&height, f64::ln), &male()]), &log_earn, visit),
        "logearn_interaction" => {
            let both = product(&height, &male());
            by(design([&height, &male(), &both]), &log_earn, visit)
        }
        "logearn_interaction_z" => {
            let scale = sd(&height);
            let z = map(&centred(&height), |x| x / scale);
            let both = product(&z, &male());
            by(design([&z, &male(), &both]), &log_earn, visit)
        }
        _ => false,
    }
}

pub fn kidiq(program: &str, d: &Data, visit: &mut Visit<'_>) -> bool {
    let Some(kind) = program.strip_prefix("kidscore_") else {
        return false;
    };
    let y = d.vector("kid_score");
    let hs = || d.vector("mom_hs");
    let iq = || d.vector("mom_iq");
    let interaction = |hs: Vec<f64>, iq: Vec<f64>| design([&hs, &iq, &product(&hs, &iq)]);
    let halves = |x: Vec<f64>| {
        let scale = 2.0 * sd(&x);
        map(&centred(&x), |x| x / scale)
    };
    let x = match kind {
        "momhs" => design([&hs()]),
        "momiq" => design([&iq()]),
        "momhsiq" => design([&hs(), &iq()]),
        "interaction" => interaction(hs(), iq()),
        "interaction_c" => interaction(centred(&hs()), centred(&iq())),
        "interaction_c2" => interaction(map(&hs(), |x| x - 0.5), map(&iq(), |x| x - 100.0)),
        "interaction_z" => interaction(halves(hs()), halves(iq())),
        "mom_work" => {
            let work = d.vector("mom_work");
            let [second, third, fourth] =
                [2.0, 3.0, 4.0].map(|k| map(&work, |w| f64::from(w == k)));
            design([&second, &third, &fourth])
        }
        _ => return false,
    };
    match kind {
        "momhs" | "momiq" | "momhsiq" | "interaction" => visit(&linear::kidscore(&x, &y)),
        _ => visit(&linear::flat_regression(&x, &y)),
    }
    true
}

pub fn mesquite(program: &str, d: &Data, visit: &mut Visit<'_>) -> bool {
    if !program.contains("mesquite") {
        return false;
    }
    let v = |name: &str| d.vector(name);
    let [first, second, canopy, group] = ["diam1", "diam2", "canopy_height", "group"].map(v);
    let (total, density) = (|| v("total_height"), || v("density"));
    let log = |x: &[f64]| map(x, f64::ln);
    let area = log(&product(&first, &second));
    let volume = log(&product(&product(&first, &second), &canopy));
    let shape = log(&zip(&first, &second, |x, y| x / y));
    let x = match program {
        "mesquite" => design([&first, &second, &canopy, &total(), &density(), &group]),
        "logmesquite" => design([
            &log(&first),
            &log(&second),
            &log(&canopy),
            &log(&total()),
            &log(&density()),
            &group,
        ]),
        "logmesquite_logva" => design([&volume, &area, &group]),
        "logmesquite_logvas" => {
            let [total, density] = [log(&total()), log(&density())];
            design([&volume, &area, &shape, &total, &density, &group])
        }
        "logmesquite_logvash" => design([&volume, &area, &shape, &log(&total()), &group]),
        "logmesquite_logvolume" => design([&volume]),
        _ => return false,
    };
    let weight = d.vector("weight");
    let y = if program == "mesquite" {
        weight
    } else {
        log(&weight)
    };
    visit(&linear::flat_regression(&x, &y));
    true
}

pub fn lines(program: &str, d: &Data, visit: &mut Visit<'_>) -> bool {
    let v = |name: &str| d.vector(name);
    match program {
        "blr" => visit(&linear::blr(&d.matrix("X"), &v("y"))),
        "kilpisjarvi" => {
            let pair = |mean: &str, sd: &str| [d.number(mean), d.number(sd)];
            let (alpha, beta) = (pair("pmualpha", "psalpha"), pair("pmubeta", "psbeta"));
            visit(&linear::kilpisjarvi(&v("x"), &v("y"), alpha, beta));
        }
        "diamonds" => {
            let all = d.matrix("X");
            let x = all.columns(1, all.ncols() - 1).into_owned();
            let x = DMatrix::from_fn(x.nrows(), x.ncols(), |i, k| x[(i, k)] - x.column(k).mean());
            visit(&linear::diamonds(&x, &v("Y")));
        }
        "dugongs_model" => visit(&linear::dugongs(&v("x"), &v("Y"))),
        "sesame_one_pred_a" => {
            let x = design([&v("encouraged")]);
            visit(&linear::flat_regression(&x, &v("watched")));
        }
        "nes" => {
            let age = v("age_discrete");
            let [second, third, fourth] = [2.0, 3.0, 4.0].map(|k| map(&age, |a| f64::from(a == k)));
            let [ideology, race, education, gender, income] =
                ["real_ideo", "race_adj", "educ1", "gender", "income"].map(v);
            let x = design([
                &ideology, &race, &second, &third, &fourth, &education, &gender, &income,
            ]);
            visit(&linear::flat_regression(&x, &v("partyid7")));
        }
        _ => return false,
    }
    true
}

pub fn wells(program: &str, d: &Data, visit: &mut Visit<'_>) -> bool {
    let Some(kind) = program.strip_prefix("wells_") else {
        return false;
    };
    let (dist, y) = (d.vector("dist"), d.flags("switched"));
    let arsenic = || d.vector("arsenic");
    let hundreds = map(&dist, |x| x / 100.0);
    let fourths = || map(&d.vector("educ"), |x| x / 4.0);
    let (c_hundreds, c_arsenic) = (map(&centred(&dist), |x| x / 100.0), centred(&arsenic()));
    let both = product(&c_hundreds, &c_arsenic);
    let x = match kind {
        "dist" => {
            visit(&logistic::wells_dist(&dist, &y));
            return true;
        }
        "dist100_model" => columns([&hundreds]),
        "dist100ars_model" => columns([&hundreds, &arsenic()]),
        "interaction_model" => columns([&hundreds, &arsenic(), &product(&hundreds, &arsenic())]),
        "interaction_c_model" => columns([&c_hundreds, &c_arsenic, &both]),
        "dae_model" => columns([&hundreds, &arsenic(), &fourths()]),
        "dae_c_model" => columns([&c_hundreds, &c_arsenic, &both, &fourths()]),
        "daae_c_model" => {
            let assoc = d.vector("assoc");
            columns([&c_hundreds, &c_arsenic, &both, &assoc, &fourths()])
        }
        "dae_inter_model" => {
            let educ = d.vector("educ");
            let centre = mean(&educ);
            let educ = map(&educ, |x| (x - centre) / 4.0);
            let by_educ = [&c_hundreds, &c_arsenic].map(|x| product(x, &educ));
            columns([
                &c_hundreds,
                &c_arsenic,
                &educ,
                &both,
                &by_educ[0],
                &by_educ[1],
            ])
        }
        _ => return false,
    };
    visit(&logistic::wells(&x, &y));
    true
}

pub fn counts(program: &str, d: &Data, visit: &mut Visit<'_>) -> bool {
    let (v, n) = (|name: &str| d.vector(name), |name: &str| d.number(name));
    let (c, k) = (
        |name: &str| d.counts(name),
        |name: &str| d.number(name) as u64,
    );
    match program {
        "nes_logit_model" => visit(&logistic::wells(&columns([&v("income")]), &d.flags("vote"))),
        "GLM_Binomial_model" => visit(&logistic::glm_binomial(&v("year"), &c("N"), &c("C"))),
        "GLM_Poisson_model" => visit(&logistic::glm_poisson(&v("year"), &c("C"))),
        "GLMM_Poisson_model" => visit(&logistic::glmm_poisson(&v("year"), &c("C"))),
        "GLMM1_model" => {
            let site = d.places("obssite");
            visit(&logistic::glmm1(&c("obs"), &site, d.size("nsite")));
        }
        "logistic_regression_rhs" => {
            let prior = logistic::Slab {
                scale_icept: n("scale_icept"),
                scale_global: n("scale_global"),
                nu_global: n("nu_global"),
                nu_local: n("nu_local"),
                slab_scale: n("slab_scale"),
                slab_df: n("slab_df"),
            };
            let model = (d.matrix("x"), d.flags("y"));
            visit(&logistic::logistic_regression_rhs(
                &model.0, &model.1, &prior,
            ));
        }
        "Rate_1_model" => visit(&rates::rate_1(k("n"), k("k"))),
        "Rate_2_model" => visit(&rates::rate_2(k("n1"), k("n2"), k("k1"), k("k2"))),
        "Rate_3_model" | "Rate_5_model" => {
            visit(&rates::rate_3(k("n1"), k("n2"), k("k1"), k("k2")));
        }
        "Rate_4_model" => visit(&rates::rate_4(k("n"), k("k"))),
        "Survey_model" => visit(&rates::survey(&c("k"), d.size("nmax"))),
        _ => return false,
    }
    true
}

pub fn dogs(program: &str, d: &Data, visit: &mut Visit<'_>) -> bool {
    if !program.starts_with("dogs") {
        return false;
    }
    let y = d.matrix("y");
    let (shock, dogs) = (d.flags("y"), y.nrows());
    let before = |of: &dyn Fn(f64) -> f64| -> Vec<f64> {
        let sum = |i: usize, t: usize| (0..t).map(|s| of(y[(i, s)])).sum();
        (0..dogs)
            .flat_map(|i| (0..y.ncols()).map(move |t| (i, t)))
            .map(|(i, t)| sum(i, t))
            .collect()
    };
    let (shocked, avoided) = (before(&|y| y), before(&|y| 1.0 - y));
    match program {
        "dogs" => visit(&logistic::dogs(&shock, &avoided, &shocked)),
        "dogs_log" => visit(&logistic::dogs_log(&shock, &avoided, &shocked)),
        "dogs_hierarchical" => visit(&logistic::dogs_hierarchical(&shock, &avoided, &shocked)),
        "dogs_nonhierarchical" => {
            visit(&logistic::dogs_nonhierarchical(
                &shock, &avoided, &shocked, dogs,
            ));
        }
        _ => return false,
    }
    true
}
