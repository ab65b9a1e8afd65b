//! The model of all regressions: one `#[model]` for every engine.

use crate::above::Above;
use crate::baseline::FUNCTIONS;
use crate::centring::Effects;
use crate::class::Class;
use crate::coefficients::Coefficients;
use crate::cutpoints::Cutpoints;
use crate::design::Design;
use crate::exactly::Exactly;
use crate::inside::Inside;
use crate::likelihood::{Given, OfColumns, OfCounts, OfNumbers, OfResponses, Others, least};
use crate::monotonic::Shares;
use crate::predictor::{
    Start, all_at_zero, at_zero, correlations, curves, effects, linear_predictor, of_response,
    terms, waves,
};
use crate::prior::Each;
use crate::residuals::{with_latent, with_residuals};
use crate::shrinkage::Shrinkage;
use bayes::prelude::*;

/// A cutpoint below all linear predictors: the grade below it has the probability e^-1e5.
const BELOW_ALL: f64 = -1e5;

/// A regression: linear predictors of terms and of the effects of groups, and a family for each response.
///
/// The columns of the terms are centred, so `intercept_at_means` is hardly correlated with `b`; `intercept` belongs to the uncentred
/// columns. Effects of groups are a standard normal `z` times a standard deviation; their coordinates are centred
/// where the data of a group bind its effect ([`Centring`](crate::centring::Centring)).
#[model]
pub(crate) fn regression(#[rows] d: Design) {
    // a prior that shrinks coefficients together
    let mut shrinking: Vector = Vector::zeros(0);
    #[dims(local = d.shrunk(Shrinkage::is_horseshoe))]
    let hs_local = sample(d.priors.local());
    for (of, [global, slab]) in d.priors.horseshoe() {
        let hs_global = sample(HalfStudentT::new(global[0], global[1]));
        let hs_slab = sample(InverseGamma::new(slab[0], slab[1]));
        shrinking = of.horseshoe(hs_global, hs_slab, &hs_local);
    }
    #[dims(part = d.shrunk(Shrinkage::is_r2d2))]
    let r2d2_phi = sample(d.priors.shares());
    for (of, [a, b]) in d.priors.r2d2() {
        let r2d2_r2 = sample(Beta::new(a, b));
        shrinking = of.r2d2(r2d2_r2, &r2d2_phi);
    }

    // terms
    #[dims(coefficient = d.coefficients())]
    let b = sample(Coefficients::new(&d.priors, shrinking));
    let mut at_means: Vec<Option<Real>> = vec![None; d.lines().count()];
    for prior in d.priors.of(Class::Intercept) {
        let intercept_at_means = sample(*prior);
        at_means[0] = Some(intercept_at_means);
        let intercept = deterministic(at_zero(
            &d.first().lines[0],
            Start::default(),
            &b,
            intercept_at_means,
        ));
    }
    #[dims(parameter = d.intercepts())]
    let intercepts_at_means = sample(Each(d.priors.of(Class::Intercepts)));
    #[dims(parameter = d.intercepts())]
    let intercepts = deterministic(all_at_zero(d, &b, &intercepts_at_means));
    for (k, line) in Class::Intercepts.lines(d).into_iter().enumerate() {
        at_means[line] = Some(intercepts_at_means[k]);
    }

    let mut start: Start = Start::default();
    let mut all_terms: Vec<Vector> = Vec::new();
    for (line, intercept) in d.lines().zip(&at_means) {
        all_terms.push(terms(line, start, *intercept, &b));
        start = start.after(line);
    }

    // monotonic effects
    #[dims(step = d.shares())]
    let simo = sample(Shares {
        lengths: d.steps().map(|steps| steps.count).collect(),
        concentration: 1.0,
    });

    // curves
    #[dims(curve = d.curves().map(|curve| &curve.name))]
    let sds = sample(Each(d.priors.of(Class::Curve)));
    #[dims(function = d.functions())]
    let zs = sample(Normal::new(0.0, 1.0).iid(d.number_of_functions()));
    #[dims(function = d.functions())]
    let s = deterministic(curves(d, &sds, &zs));

    // Gaussian processes
    #[dims(process = d.processes().map(|process| &process.name))]
    let sdgp = sample(Each(d.priors.of(Class::Process)));
    #[dims(process = d.processes().map(|process| &process.name))]
    let lscale = sample(Each(d.priors.of(Class::Length)));
    #[dims(wave = d.waves())]
    let zgp = sample(Normal::new(0.0, 1.0).iid(d.number_of_waves()));
    #[dims(wave = d.waves())]
    let gp = deterministic(waves(d, &sdgp, &lscale, &zgp));

    // groups
    #[dims(scale = d.scales())]
    let sd = sample(Each(d.priors.of(Class::Deviation)));
    let mut cholesky: Vec<Matrix> = Vec::new();
    for block in d.blocks().iter().filter(|block| block.is_correlated()) {
        let l = sample(LKJCholesky::new(block.size(), d.priors.correlation));
        cholesky.push(l);
    }
    #[dims(effect = d.effects())]
    let z = sample(Effects::new(d, &b, at_means[0], &sd));
    #[dims(effect = d.effects())]
    let r = deterministic(effects(d, &sd, &cholesky, &z));
    #[dims(pair = d.correlations())]
    let cor = deterministic(correlations(&cholesky));

    let mut start: Start = Start::default();
    let mut etas: Vec<Vector> = Vec::new();
    for (line, terms) in d.lines().zip(all_terms) {
        etas.push(linear_predictor(
            line,
            start,
            terms,
            [&b, &simo, &s, &gp, &r],
        ));
        start = start.after(line);
    }

    // residuals before each row
    #[dims(lag = d.lags())]
    let ar = sample(Inside::new(
        d.priors.of(Class::Autoregression),
        d.ends_of_lags(),
    ));
    if let Some(residuals) = &d.first().residuals {
        etas[0] = with_residuals(residuals, &etas[0], &ar);
    }
    for latent in d.first().latent.as_slice() {
        let sderr = sample(d.priors.of(Class::Innovation)[0]);
        #[dims(time = d.latent_residuals())]
        let zerr = sample(Normal::new(0.0, 1.0).iid(latent.names.len()));
        etas[0] = with_latent(latent, &etas[0], [ar[0], sderr], &zerr);
    }

    // parameters besides the linear predictor; each has its own statement, because a quantity gets its name from its statement
    let mut shared: Vec<(Class, Real)> = Vec::new();
    for prior in d.priors.of(Class::Sigma) {
        #[dims(with_sigma = d.owner_names(Class::Sigma))]
        let sigma = sample(*prior);
        shared.push((Class::Sigma, sigma));
    }
    for (prior, one) in d.priors.of(Class::Nu).iter().zip(d.owners(Class::Nu)) {
        #[dims(with_nu = d.owner_names(Class::Nu))]
        let nu = sample(Above::new(*prior, least(one.family, Class::Nu)));
        shared.push((Class::Nu, nu));
    }
    for prior in d.priors.of(Class::Shape) {
        #[dims(with_shape = d.owner_names(Class::Shape))]
        let shape = sample(*prior);
        shared.push((Class::Shape, shape));
    }
    for prior in d.priors.of(Class::Alpha) {
        #[dims(with_alpha = d.owner_names(Class::Alpha))]
        let alpha = sample(*prior);
        shared.push((Class::Alpha, alpha));
    }
    for prior in d.priors.of(Class::Beta) {
        #[dims(with_beta = d.owner_names(Class::Beta))]
        let beta = sample(*prior);
        shared.push((Class::Beta, beta));
    }
    for prior in d.priors.of(Class::Phi) {
        #[dims(with_phi = d.owner_names(Class::Phi))]
        let phi = sample(*prior);
        shared.push((Class::Phi, phi));
    }
    for prior in d.priors.of(Class::Kappa) {
        #[dims(with_kappa = d.owner_names(Class::Kappa))]
        let kappa = sample(*prior);
        shared.push((Class::Kappa, kappa));
    }
    for prior in d.priors.of(Class::ZeroInflation) {
        #[dims(with_zi = d.owner_names(Class::ZeroInflation))]
        let zi = sample(*prior);
        shared.push((Class::ZeroInflation, zi));
    }
    for prior in d.priors.of(Class::Hurdle) {
        #[dims(with_hu = d.owner_names(Class::Hurdle))]
        let hu = sample(*prior);
        shared.push((Class::Hurdle, hu));
    }
    for prior in d.priors.of(Class::Ends) {
        #[dims(with_zoi = d.owner_names(Class::Ends))]
        let zoi = sample(*prior);
        shared.push((Class::Ends, zoi));
    }
    for prior in d.priors.of(Class::Ones) {
        #[dims(with_coi = d.owner_names(Class::Ones))]
        let coi = sample(*prior);
        shared.push((Class::Ones, coi));
    }
    let mut cuts: Vector = Vector::zeros(0);
    // intercepts and cutpoints of the uncentred columns
    let mut level: Real = Real::from(0.0);
    for _ in 0..usize::from(d.first().family.has_cutpoints()) {
        #[dims(grade = d.first().cutpoints())]
        let cutpoints_at_means = sample(Cutpoints::of(d));
        let mut shift: Real = Real::from(0.0);
        for (k, mean) in d.first().lines[0].means.iter().enumerate() {
            shift += *mean * b[k];
        }
        level = shift;
        #[dims(grade = d.first().cutpoints())]
        let cutpoints = deterministic(&cutpoints_at_means + shift);
        // there is no grade 0, so the grades of the table and of predictions begin with 1
        let mut all: Vec<Real> = vec![Real::from(BELOW_ALL)];
        all.extend(cutpoints_at_means.iter().copied());
        cuts = Vector::from(all);
    }

    let mut baseline: Vector = Vector::zeros(0);
    for _ in 0..usize::from(d.first().baseline.is_some()) {
        #[dims(spline = 1..=FUNCTIONS)]
        let sbhaz = sample(Dirichlet::new(vec![1.0; FUNCTIONS]));
        baseline = sbhaz.clone();
    }

    // the residuals of several responses
    let mut residual: Option<Matrix> = None;
    for _ in 0..usize::from(d.rescor) {
        let lrescor = sample(LKJCholesky::new(d.margins.len(), d.priors.residual));
        #[dims(response_pair = d.pairs())]
        let rescor = deterministic(correlations(std::slice::from_ref(&lrescor)));
        residual = Some(lrescor.clone());
    }

    let mut others = Others::of_all(d, &etas, &shared);
    others[0].cuts = cuts;
    others[0].ar = ar.clone();
    others[0].baseline = baseline;
    // for expected responses, not for runs
    for k in d.told() {
        let (one, own) = (&d.margins[k], &others[k]);
        let eta = of_response(one, d.etas_of(k, &etas));
        let linear_predictor = generate(Exactly(eta + level));
        let auxiliaries = generate(Exactly(own.of_rows(d.rows())));
        for _ in 0..usize::from(one.family.has_cutpoints()) {
            let thresholds = generate(Exactly(&own.cuts + level));
        }
        for _ in 0..usize::from(one.baseline.is_some()) {
            let baseline_shares = generate(Exactly(own.baseline.clone()));
        }
    }

    let mut given = Given::of_all(d, &etas, others);
    if d.has_several() {
        let y = &d.joint;
        #[dims(row = 0..d.rows(), response = d.joint_names())]
        observe(y, OfResponses::new(given, residual));
    } else if d.first().family.has_columns() {
        let y = &d.first().columns;
        #[dims(row = 0..d.rows(), outcome = d.first().outcomes())]
        observe(y, OfColumns(given.remove(0)));
    } else if d.first().family.response().is_real() {
        let y = &d.first().y;
        observe(y, OfNumbers(given.remove(0)));
    } else {
        let y = &d.first().counts;
        observe(y, OfCounts(given.remove(0)));
    }
}

impl regression {
    /// The data of the regression.
    pub(crate) fn design(&self) -> &Design {
        &self.d
    }
}
