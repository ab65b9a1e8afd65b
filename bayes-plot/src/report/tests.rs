//! The contents of reports, and their size.

use super::Report;
use crate::Plot;
use crate::example::{chains, islands};

#[test]
fn a_report_has_every_section_and_every_element() {
    let run = chains(4, 60, 2);
    let html = Report::new(&run).html();
    for text in [
        "<h1>line</h1>",
        ">Warnings</h2>",
        ">Posterior</h2>",
        ">Pictures</h2>",
        ">Model</h2>",
        ">Settings</h2>",
        "observe(y[i], Normal::new(mu, 1.0))",
        "00000000deadbeef",
        ">Trace</h3>",
        ">Energy</h3>",
    ] {
        assert!(html.contains(text), "{text}");
    }
    let summary = run.summary();
    for row in &summary.rows {
        assert!(html.contains(&format!(">{}</th><td data-v=\"{}\"", row.name, row.mean)));
    }
    // with minus signs, as in the pictures
    let low = &summary.rows[0].cells()[4];
    assert!(low.starts_with('-'), "{low}");
    assert!(html.contains(&format!(">{}</td>", low.replacen('-', "−", 1))));
    assert!(!html.contains(&format!(">{low}</td>")));
    // the first chain: no history, three divergent trajectories
    assert!(html.contains("<th scope=\"row\">0</th><td>–</td><td>–</td><td>3</td>"));
    // three divergent trajectories are reported, with a remedy
    let warnings = run.warnings();
    assert!(!warnings.is_empty());
    for warning in warnings {
        assert!(html.contains(&crate::label::escaped(&warning.problem())));
    }
    // no picture that chains lack, and no network address except for the name of the SVG standard
    assert!(!html.contains("Temperature ladder"));
    assert_eq!(
        html.replace("http://www.w3.org/2000/svg", "")
            .matches("http")
            .count(),
        0
    );
}

#[test]
fn several_runs_are_compared() {
    let (a, b) = (islands(&[-3.0, -3.1]), islands(&[-5.0, -5.1]));
    let html = Report::new(&a).run("other", &b).title("two runs").html();
    assert!(html.contains("<h1>two runs</h1>") && html.contains(">Comparison of the runs</h2>"));
    assert!(
        html.contains(">Posterior: other</h2>") && html.contains("Posterior intervals, run by run")
    );
    // island 1 of the first run, with its share of the posterior and its 64 ancestors
    let weight = crate::label::number(a.weights().as_slice()[1]);
    let row = format!(
        "<th scope=\"row\">1</th><td>−3.100</td><td>{weight}</td><td>3</td><td>0.700</td><td>40.0</td><td>64</td>"
    );
    assert!(html.contains(&row));
    let factor = b.log_bayes_factor(&a).expect("unknown data");
    let factor = factor.expect("both have an evidence");
    assert!(html.contains(&format!("<td>{}</td>", crate::label::estimate(&factor))));
}

#[test]
fn names_and_texts_are_escaped() {
    let mut run = islands(&[-1.0, -1.2]);
    let evil = "<script>alert('x')</script>";
    run.model = evil.to_owned();
    run.statements[0].text = evil.to_owned();
    run.source = evil.to_owned();
    run.layout.variables[0].name = evil.to_owned();
    run.settings.insert(evil.to_owned(), evil.to_owned());
    let html = Report::new(&run).html();
    assert_eq!(
        html.matches("<script>").count(),
        1,
        "that of the page itself"
    );
    assert!(html.contains("&lt;script&gt;alert(&#39;x&#39;)"));
    run.source.clear();
    let html = Report::new(&run).html();
    assert_eq!(html.matches("<script>").count(), 1, "of the statements");
}

#[test]
fn a_hundred_parameters_and_ten_thousand_draws_stay_below_five_megabytes() {
    let run = chains(4, 2500, 99);
    let html = Report::new(&run).html();
    // `tests/browser.sh` opens it
    if let Some(path) = std::env::var_os("BAYES_REPORT") {
        std::fs::write(path, &html).expect("the folder can be written");
    }
    assert!(html.len() < 2_000_000, "{} bytes", html.len());
    assert!(html.contains(">beta[98]</th>") && html.contains("100 of 100 shown"));
    assert!(html.contains("12 of 100 elements are shown"));
}

#[test]
fn a_report_is_a_file() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("report.html");
    islands(&[-1.0, -1.2]).report(&path).expect("there is room");
    let html = std::fs::read_to_string(&path).expect("it was written");
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"));
    let error = islands(&[-1.0]).report("/no/such/folder/report.html");
    assert!(
        error
            .expect_err("no such folder")
            .to_string()
            .contains("cannot be written")
    );
}

/// The reader of a report has no program.
#[test]
fn a_report_says_how_many_elements_are_shown_and_gives_no_code() {
    let (a, b) = (chains(2, 40, 60), chains(2, 40, 61));
    let html = Report::new(&a).run("other", &b).html();
    assert!(html.contains("40 of 61 elements are shown."));
    assert!(!html.contains("[..]") && !html.contains("run.plot"));
}
