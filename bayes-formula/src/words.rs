//! What messages of a run call the statements of the model of all regressions, in the words of the formula.

use crate::design::{Curve, Design};
use crate::recipe::Recipe;
use bayes::model::{Statement, StatementKind, TermScale};

/// A statement in words; `None` for what is only kept.
pub(crate) fn of(recipe: &Recipe, statement: &Statement) -> Option<String> {
    let name = statement.name;
    match statement.kind {
        StatementKind::Sample => {
            Some(of_prior(name).map_or_else(|| format!("the prior of `{name}`"), str::to_owned))
        }
        StatementKind::Observe => {
            let formulas = recipe.terms().ok()?;
            let each = formulas.each.iter().zip(recipe.families());
            let words = each.map(|(formula, (family, link))| {
                let response = recipe.formula.get(formula.response.at.clone());
                let response = response.unwrap_or_default();
                format!("`{response}` ({family}, link {link})")
            });
            let words: Vec<String> = words.collect();
            Some(format!("the likelihood of {}", words.join(" and ")))
        }
        _ => None,
    }
}

/// The terms whose coefficients have a random scale: groups, curves and Gaussian processes.
pub(crate) fn scales(design: &Design) -> Vec<TermScale> {
    let groups = design.groups().flat_map(|group| {
        let of = |name: String| (group.term.clone(), format!("sd[{name}]"));
        group.scales().into_iter().map(of)
    });
    let curves = design.curves();
    let curves = curves.map(|Curve { name, .. }| (name.clone(), format!("sds[{name}]")));
    let processes = design.processes();
    let processes = processes.map(|p| (format!("gp({})", p.name), format!("sdgp[{}]", p.name)));
    let all = groups.chain(curves).chain(processes);
    all.map(|(term, scale)| TermScale { term, scale }).collect()
}

/// Quantities whose names do not stand in the summary, or for several terms.
fn of_prior(name: &str) -> Option<&'static str> {
    Some(match name {
        "b" => "the prior of the coefficients",
        "intercept_at_means" | "intercepts_at_means" => "the prior of an intercept",
        "simo" => "the prior of a monotonic effect",
        "sds" => "the prior of the standard deviation of a smooth term",
        "zs" => "the prior of a smooth term",
        "sdgp" => "the prior of the standard deviation of a Gaussian process",
        "lscale" => "the prior of the length scale of a Gaussian process",
        "zgp" => "the prior of a Gaussian process",
        "sd" => "the prior of the standard deviations of effects of groups",
        "ar" => "the prior of the coefficients of residuals",
        "zerr" => "the prior of the latent residuals",
        "l" => "the prior of the correlations of effects of groups",
        "lrescor" => "the prior of the correlations of residuals",
        "z" => "the prior of the effects of groups",
        "cutpoints_at_means" => "the prior of the cutpoints",
        "hs_local" | "hs_global" | "hs_slab" => "the horseshoe prior of the coefficients",
        "r2d2_phi" | "r2d2_r2" => "the R2D2 prior of the coefficients",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::{Family, formula};
    use bayes::data::Table;
    use bayes::model::{Model, StatementKind};
    use bayes::prelude::*;

    /// Would detect events of a formula that name a line of the library.
    #[test]
    fn statements_are_called_by_the_formula() {
        let table =
            Table::from_csv("y,n,x,g\n1,4,0.5,a\n3,4,-0.2,b\n2,5,1.0,a\n0,3,0.1,b\n".as_bytes())
                .expect("a table");
        let model = formula("y | trials(n) ~ x + (1 | g)")
            .expect("a formula")
            .family(Family::Binomial)
            .on(&table)
            .expect("it fits the table");
        for (index, statement) in model.statements().iter().enumerate() {
            let words = model.in_words(index);
            let is_density = matches!(
                statement.kind,
                StatementKind::Sample | StatementKind::Observe
            );
            assert_eq!(words.is_some(), is_density, "{}", statement.name);
            let words = words.unwrap_or_default();
            assert!(!words.contains("line") && !words.contains("::"), "{words}");
        }
        let observed = model.statements().iter();
        let mut observed = observed
            .zip(0..)
            .filter(|(s, _)| s.kind == StatementKind::Observe);
        let (_, index) = observed.next().expect("it observes");
        let words = model.in_words(index).expect("it is a density");
        assert_eq!(words, "the likelihood of `y` (binomial, link logit)");
        let run = Inference::nuts().chains(1).burn_in(20).draws(20).seed(1);
        let run = run.progress(false).run(&model).expect("it runs");
        assert!(run.statements.iter().any(|s| s.quoted() == words));
    }
}
