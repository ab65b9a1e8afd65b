//! Draws as the CSV files of CmdStan, which CmdStanPy and ArviZ read.

use super::at;
use super::equal_draws::EqualDraws;
use crate::dist::Shape;
use crate::run::{Group, Run, Variable};
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Stan's default maximum depth.
const STANS_DEPTH: u32 = 10;

impl Run {
    /// With the feature `io`: writes the draws as CSV files of CmdStan, one for each chain: `schools_1.csv`, `schools_2.csv`, .. for the
    /// path `schools`. Returns their paths.
    ///
    /// ```python
    /// fit = cmdstanpy.from_csv("schools_*.csv")        # and arviz.from_cmdstanpy(fit)
    /// ```
    ///
    /// The first columns are `lp__` (log prior with the Jacobian, plus log likelihood) and, for chains that have them, `accept_stat__`,
    /// `stepsize__`, `treedepth__`, `n_leapfrog__`, `divergent__` and `energy__`. The elements follow as `theta.1`, numbered from 1,
    /// matrices by columns, as in Stan. Names of places ([`Run::with_dims`]) are not written. The header names NUTS, so that readers count
    /// its divergences. Its metric is written as the unit metric, since the metric used is not kept. Other engines are written as
    /// `fixed_param`.
    ///
    /// CmdStan's files have no weights. So the draws of islands, and of any run with weights, are resampled to at most 4000 equal draws in
    /// four chains, as in [`Run::to_arviz`]: the readers' R-hat, effective sizes and their errors mean nothing.
    ///
    /// [`Run::from_cmdstan`] reads these files, and files of CmdStan.
    ///
    /// # Errors
    /// Errors of the system; [`AlreadyExists`](io::ErrorKind::AlreadyExists) if a file with one of these names exists.
    pub fn to_cmdstan(&self, path: impl AsRef<Path>) -> io::Result<Vec<PathBuf>> {
        self.write_cmdstan(path.as_ref())
    }

    fn write_cmdstan(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        let draws = EqualDraws::new(self, EqualDraws::usual(self));
        let columns = columns(self, &draws);
        let chains = 1..=draws.chains;
        let paths: Vec<PathBuf> = chains.map(|chain| numbered(path, chain)).collect();
        if let Some(there) = paths.iter().find(|path| path.exists()) {
            let message = format!(
                "`{}` is there already, and readers take all files of such a name together; remove them, or choose another name",
                there.display()
            );
            return Err(io::Error::new(ErrorKind::AlreadyExists, message));
        }
        for (chain, path) in paths.iter().enumerate() {
            let written = File::create_new(path)
                .and_then(|file| write_chain(self, file, chain, &columns, &draws));
            written.map_err(|error| at(path, &error))?;
        }
        Ok(paths)
    }
}

/// The file of one chain, counted from 0.
fn write_chain(
    run: &Run,
    file: File,
    chain: usize,
    columns: &[Column<'_>],
    draws: &EqualDraws<'_>,
) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    write_settings(run, &mut out, chain + 1, draws)?;
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    writeln!(out, "{}", names.join(","))?;
    write_adaptation(run, &mut out, chain)?;
    for row in chain * draws.each..(chain + 1) * draws.each {
        for (index, column) in columns.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(out, "{comma}{}", number((column.value)(row)))?;
        }
        writeln!(out)?;
    }
    // readers count the draws up to these lines, which hold times in CmdStan's files
    writeln!(out, "# \n# end of the draws")?;
    out.flush()
}

/// `path` with the number of a chain: `schools_1.csv`.
fn numbered(path: &Path, chain: usize) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".csv").unwrap_or(&name);
    path.with_file_name(format!("{name}_{chain}.csv"))
}

/// Writes CmdStan's settings that its readers look for.
fn write_settings(
    run: &Run,
    out: &mut impl Write,
    chain: usize,
    draws: &EqualDraws<'_>,
) -> io::Result<()> {
    let setting = |name: &str| {
        let number = run.settings.get(name).and_then(|text| text.parse().ok());
        // CmdStanPy refuses a warm-up of 0 steps
        number.unwrap_or(1_u64).max(1)
    };
    let (burn_in, thin) = (setting("burn_in"), setting("thin"));
    // the number of steps before thinning
    let steps = draws.each as u64 * thin;
    let algorithm = if is_nuts(run) {
        let depth = max_depth(run, draws);
        format!(
            "hmc\n#       hmc\n#         engine = nuts\n#           nuts\n#             max_depth = {depth}\n\
             #         metric = unit_e"
        )
    } else {
        "fixed_param".to_owned()
    };
    write!(
        out,
        "# {} of bayes {}, not of Stan\n# model = {}\n# method = sample\n#   sample\n#     num_samples = {steps}\n\
         #     num_warmup = {burn_in}\n#     save_warmup = false\n#     thin = {thin}\n#     algorithm = {algorithm}\n\
         # id = {chain}\n# random\n#   seed = {}\n",
        run.engine, run.version, run.model, run.seed
    )
}

/// The lines between the names and the draws of a chain of NUTS.
fn write_adaptation(run: &Run, out: &mut impl Write, chain: usize) -> io::Result<()> {
    if !is_nuts(run) {
        return Ok(());
    }
    let last = run.groups[chain].history().last();
    let step_size = last.map(|stage| stage.step_size);
    let step_size = number(step_size.unwrap_or(f64::NAN));
    writeln!(
        out,
        "# Adaptation terminated\n# Step size = {step_size}\n# No free parameters for unit metric"
    )
}

/// Whether the draws come from NUTS, with all the columns that readers expect of it.
fn is_nuts(run: &Run) -> bool {
    let is_whole = |group: &Group| {
        let lists = &group.statistics;
        let lengths = [
            lists.acceptance.len(),
            lists.depth.len(),
            lists.leapfrogs.len(),
            lists.divergent.len(),
            lists.energy.len(),
        ];
        !group.history().is_empty()
            && lengths
                .iter()
                .all(|length| *length == group.log_prior.len())
    };
    run.is_chains() && run.kernel == "nuts" && run.groups.iter().all(is_whole)
}

/// The maximum depth that makes readers count the right number of trajectories at that depth.
fn max_depth(run: &Run, draws: &EqualDraws<'_>) -> u32 {
    let depths = draws.listed(|group| &group.statistics.depth);
    let deepest = depths.unwrap_or_default().into_iter().max().unwrap_or(0);
    let trajectories = run.groups.iter().filter_map(Group::trajectories);
    if trajectories.map(|t| t.max_depth_hits).sum::<u64>() > 0 {
        deepest
    } else {
        STANS_DEPTH.max(deepest + 1)
    }
}

/// A column by its name, and its value in a row of all chains.
struct Column<'a> {
    name: String,
    value: Box<dyn Fn(usize) -> f64 + 'a>,
}

impl<'a> Column<'a> {
    fn new(name: impl Into<String>, value: impl Fn(usize) -> f64 + 'a) -> Self {
        Self {
            name: name.into(),
            value: Box::new(value),
        }
    }
}

fn columns<'a>(run: &'a Run, draws: &'a EqualDraws<'a>) -> Vec<Column<'a>> {
    let lp = draws.log_densities();
    let mut columns = vec![Column::new("lp__", move |row| lp[row])];
    if run.is_chains() {
        statistics(draws, &mut columns);
    }
    let elements = run.layout.elements();
    for variable in &run.layout.variables {
        for (name, element) in stan_names(variable) {
            let at = variable.range().start + element;
            columns.push(Column::new(name, move |row| {
                let (group, draw) = draws.rows[row];
                group.draws[draw * elements + at]
            }));
        }
    }
    columns
}

fn statistics<'a>(draws: &'a EqualDraws<'a>, columns: &mut Vec<Column<'a>>) {
    if let Some(list) = draws.listed(|group| &group.statistics.acceptance) {
        columns.push(Column::new("accept_stat__", move |row| list[row]));
    }
    let step = |row: usize| {
        let (group, _) = draws.rows[row];
        group.history().last().map(|stage| stage.step_size)
    };
    if (0..draws.rows.len()).all(|row| step(row).is_some()) {
        columns.push(Column::new("stepsize__", move |row| {
            step(row).unwrap_or(f64::NAN)
        }));
    }
    if let Some(list) = draws.listed(|group| &group.statistics.depth) {
        columns.push(Column::new("treedepth__", move |row| f64::from(list[row])));
    }
    if let Some(list) = draws.listed(|group| &group.statistics.leapfrogs) {
        columns.push(Column::new("n_leapfrog__", move |row| list[row] as f64));
    }
    if let Some(list) = draws.listed(|group| &group.statistics.divergent) {
        columns.push(Column::new("divergent__", move |row| {
            f64::from(u8::from(list[row]))
        }));
    }
    if let Some(list) = draws.listed(|group| &group.statistics.energy) {
        columns.push(Column::new("energy__", move |row| list[row]));
    }
}

/// The names of the elements of a quantity in Stan's order, each with its index in this library's order.
fn stan_names(variable: &Variable) -> Vec<(String, usize)> {
    let name = &variable.name;
    match variable.shape {
        Shape::Scalar => vec![(name.clone(), 0)],
        Shape::Vector(n) => (0..n).map(|i| (format!("{name}.{}", i + 1), i)).collect(),
        Shape::Matrix(rows, columns) => {
            let places = (0..columns).flat_map(|j| (0..rows).map(move |i| (i, j)));
            let named = |(i, j)| (format!("{name}.{}.{}", i + 1, j + 1), i * columns + j);
            places.map(named).collect()
        }
    }
}

/// A number with all its digits; `nan`, `inf` and `-inf` as Stan writes them.
fn number(value: f64) -> String {
    if value.is_nan() {
        "nan".to_owned()
    } else {
        format!("{value:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Statistics;
    use crate::run::example::{chains, islands, of_chain, stage};
    use std::fs;
    use tempfile::TempDir;

    /// The folder for the files of one test.
    fn place() -> TempDir {
        tempfile::tempdir().expect("the system has a folder for temporary files")
    }

    fn lines(path: &Path) -> Vec<String> {
        let text = fs::read_to_string(path).expect("it was written");
        text.lines()
            .filter(|line| !line.starts_with('#'))
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn every_chain_is_a_file_of_its_draws() {
        let place = place();
        let run = chains(2, 3);
        let paths = run
            .to_cmdstan(place.path().join("schools.csv"))
            .expect("it can be written");
        assert_eq!(
            paths,
            [1, 2].map(|chain| place.path().join(format!("schools_{chain}.csv")))
        );
        let lines = lines(&paths[1]);
        assert!(lines[0].starts_with("lp__,"), "{}", lines[0]);
        assert!(lines[0].ends_with("mu,beta.1,beta.2"), "{}", lines[0]);
        assert_eq!(lines.len(), 4);
        let last: Vec<f64> = lines[3]
            .split(',')
            .map(|cell| cell.parse().expect("a number"))
            .collect();
        let group = &run.groups[1];
        assert_eq!(last[last.len() - 3..], group.draws[6..]);
        assert_eq!(last[0], group.log_prior[2] + group.log_likelihood[2]);
        fs::remove_file(&paths[0]).expect("it was just written");
        let error = run.to_cmdstan(place.path().join("schools"));
        let error = error.expect_err("the second is there");
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        assert!(!paths[0].exists(), "nothing is written before all can be");
    }

    #[test]
    fn readers_find_what_nuts_did() {
        let place = place();
        let mut run = chains(1, 2);
        run.kernel = "nuts".to_owned();
        run.settings.insert("burn_in".to_owned(), "500".to_owned());
        run.settings.insert("thin".to_owned(), "3".to_owned());
        of_chain(&mut run.groups[0]).history = vec![stage(1.0, 1)];
        run.groups[0].statistics = Statistics {
            acceptance: vec![0.75, 1.0],
            energy: vec![5.5, 6.5],
            leapfrogs: vec![7, 15],
            depth: vec![3, 4],
            divergent: vec![false, true],
        };
        let paths = run
            .to_cmdstan(place.path().join("run"))
            .expect("it can be written");
        let text = fs::read_to_string(&paths[0]).expect("it was written");
        for line in [
            "#     num_samples = 6",
            "#     num_warmup = 500",
            "#     thin = 3",
            "#     algorithm = hmc",
            "#             max_depth = 10",
            "# Adaptation terminated",
            "# Step size = 0.3",
            "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__,mu,beta.1,beta.2",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
        let rows = lines(&paths[0]);
        assert!(
            rows[1].contains(",0.75,0.3,3.0,7.0,0.0,5.5,"),
            "{}",
            rows[1]
        );
        assert!(
            rows[2].contains(",1.0,0.3,4.0,15.0,1.0,6.5,"),
            "{}",
            rows[2]
        );
    }

    #[test]
    fn islands_are_dealt_by_their_weights_to_four_chains() {
        let place = place();
        let run = islands(&[-1.0, -1.0 - 3f64.ln()], 60);
        let paths = run
            .to_cmdstan(place.path().join("run"))
            .expect("it can be written");
        assert_eq!(paths.len(), 4);
        let firsts = run.groups[0]
            .draws
            .chunks_exact(3)
            .map(|draw| number(draw[0]));
        let firsts: Vec<String> = firsts.collect();
        let of_first = |line: &&String| firsts.iter().any(|mu| line.split(',').nth(1) == Some(mu));
        for path in &paths {
            let lines = lines(path);
            assert_eq!(lines.len(), 1 + 30);
            // the first island has three quarters of the weight
            let count = lines[1..].iter().filter(of_first).count();
            assert!((22..=23).contains(&count), "{count}");
        }
        let many = islands(&[0.0, 0.0], 3000);
        let paths = many
            .to_cmdstan(place.path().join("many"))
            .expect("it can be written");
        assert_eq!(lines(&paths[3]).len(), 1 + 1000);
    }

    #[test]
    fn matrices_are_written_by_columns() {
        let mut run = chains(1, 1);
        let beta = &mut run.layout.variables[1];
        beta.shape = Shape::Matrix(2, 3);
        let names: Vec<(String, usize)> = stan_names(beta);
        let names: Vec<(&str, usize)> = names.iter().map(|(n, at)| (n.as_str(), *at)).collect();
        assert_eq!(
            names,
            [
                ("beta.1.1", 0),
                ("beta.2.1", 3),
                ("beta.1.2", 1),
                ("beta.2.2", 4),
                ("beta.1.3", 2),
                ("beta.2.3", 5)
            ]
        );
        assert_eq!(
            [f64::NAN, f64::NEG_INFINITY, 2.5].map(number),
            ["nan", "-inf", "2.5"]
        );
    }
}
