use super::*;
use bayes_core::engine::Engine;

fn engine(name: &str, given: &[(&str, &str)]) -> Result<Box<dyn Engine>, String> {
    let mut settings = Settings::new(name);
    for (name, text) in given {
        settings.set(name, text)?;
    }
    settings.engine()
}

#[test]
fn settings_reach_the_engine_by_the_names_of_its_methods() {
    let given = [
        ("islands", "3"),
        ("memory_limit", "4G"),
        ("ess_target", "0.5"),
    ];
    let made = format!("{:?}", engine("psmc", &given).expect("they fit together"));
    for text in [
        "range: 0..3",
        "memory_limit: Some(4000000000)",
        "ess_target: 0.5",
    ] {
        assert!(made.contains(text), "{text} in {made}");
    }
    let variational = [("epochs", "9"), ("gradient_draws", "4"), ("draws", "30")];
    let pathfinder = [
        ("paths", "3"),
        ("memory", "4"),
        ("iterations", "50"),
        ("elbo_draws", "7"),
    ];
    for (name, given, own) in [
        ("full_rank", variational.as_slice(), "is_full: true"),
        ("pathfinder", &pathfinder, "draws: 1000"),
    ] {
        let made = format!("{:?}", engine(name, given).expect("they fit together"));
        let texts = given.iter().map(|(id, value)| format!("{id}: {value}"));
        for text in texts.chain([own.to_owned()]) {
            assert!(made.contains(&text), "{text} in {made}");
        }
    }
}

#[test]
fn wrong_settings_are_called_by_their_names() {
    for (name, given, words) in [
        (
            "nuts",
            ("islands", "3"),
            "`islands` is no setting of nuts, but of psmc, smc, ais, nested",
        ),
        (
            "nuts",
            ("chain", "3"),
            "there is no setting `chain`; did you mean `chains`?",
        ),
        (
            "nuts",
            ("draws", "2.5"),
            "setting `draws` is 2.5; it must be a whole number from 0 on",
        ),
        (
            "psmc",
            ("at_most", "9"),
            "`at_most` is the most islands that `until` may add; give both",
        ),
        (
            "hmc",
            ("max_depth", "9"),
            "`max_depth` is no setting of the kernel hmc, but of nuts and walnuts",
        ),
        (
            "pcn",
            ("mass", "variance"),
            "`mass` is no setting of the kernel pcn, but of hmc, mala, nuts, walnuts and mams",
        ),
        (
            "nuts",
            ("starts", "priors"),
            "setting `starts` is priors; it must be one of prior, pathfinder",
        ),
        (
            "nuts",
            ("mass", "LowRank"),
            "setting `mass` is LowRank; it must be one of identity, variance, covariance, fisher, low_rank",
        ),
    ] {
        assert_eq!(engine(name, &[given]).expect_err("it is wrong"), words);
    }
}

#[test]
fn settings_of_chains_are_called_by_the_names_of_kernels() {
    let kernels: Vec<&str> = bayes_core::kernel::names().collect();
    let kernels = kernels.join(", ");
    let tempering = format!("tempering, {kernels}");
    for (name, (setting, value), owners) in [
        ("mean_field", ("burn_in", "3"), &tempering),
        ("psmc", ("starts", "prior"), &kernels),
    ] {
        let found = engine(name, &[(setting, value)]).expect_err("it is wrong");
        assert_eq!(
            found,
            format!("`{setting}` is no setting of {name}, but of {owners}")
        );
    }
}
