//! The text and the data of a random model for Stan.

use super::expression::{Expression, Place};
use super::{Family, RandomModel, Step, Support};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// A Stan program with its data.
#[derive(Debug)]
pub struct StanProgram {
    /// The program. Its log density has all constants.
    pub text: String,
    /// The data by name.
    pub data: Value,
    /// The names of the parameters in the order of the coordinates, each with its length (`None`: a scalar) and `real`, `positive` or
    /// `unit`.
    pub parameters: Vec<(String, Option<usize>, &'static str)>,
}

impl RandomModel {
    /// The same model for Stan: the same coordinates in the same order, the same density with all constants.
    #[must_use]
    pub fn stan(&self) -> StanProgram {
        let mut writer = Writer::default();
        writer.steps(&self.steps);
        let mut declared = String::new();
        for (name, length, support) in &writer.parameters {
            let bounds = match *support {
                "positive" => "<lower=0>",
                "unit" => "<lower=0, upper=1>",
                _ => "",
            };
            let shape = match length {
                None => format!("real{bounds}"),
                Some(length) => format!("vector{bounds}[{length}]"),
            };
            let _ = writeln!(declared, "  {shape} {name};");
        }
        let (data, values) = self.stan_data();
        StanProgram {
            text: format!(
                "data {{\n{data}}}\nparameters {{\n{declared}}}\nmodel {{\n{}}}\n",
                writer.text
            ),
            data: values,
            parameters: writer.parameters,
        }
    }

    fn stan_data(&self) -> (String, Value) {
        let mut text = String::new();
        let mut values = Map::new();
        for (k, data) in self.tables.reals.iter().enumerate() {
            let _ = writeln!(text, "  vector[{}] d{k};", data.len());
            values.insert(format!("d{k}"), json!(data));
        }
        for (k, data) in self.tables.counts.iter().enumerate() {
            let _ = writeln!(text, "  array[{}] int k{k};", data.len());
            values.insert(format!("k{k}"), json!(data));
        }
        for (k, places) in self.tables.places.iter().enumerate() {
            let _ = writeln!(text, "  array[{}] int p{k};", places.len());
            let from_one: Vec<usize> = places.iter().map(|place| place + 1).collect();
            values.insert(format!("p{k}"), json!(from_one));
        }
        for (k, matrix) in self.tables.matrices.iter().enumerate() {
            let (rows, columns) = matrix.shape();
            let _ = writeln!(text, "  matrix[{rows}, {columns}] x{k};");
            let rows: Vec<Vec<f64>> = matrix
                .row_iter()
                .map(|row| row.iter().copied().collect())
                .collect();
            values.insert(format!("x{k}"), json!(rows));
        }
        (text, Value::Object(values))
    }
}

#[derive(Default)]
struct Writer {
    text: String,
    parameters: Vec<(String, Option<usize>, &'static str)>,
    /// The name of each scalar in sight.
    scalars: Vec<String>,
    /// The number of scalars so far: Stan lets no name hide another one.
    names: usize,
    vectors: usize,
    loops: usize,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let indent = 2 * (self.loops + 1);
        let _ = writeln!(self.text, "{:indent$}{line}", "");
    }

    fn steps(&mut self, steps: &[Step]) {
        steps.iter().for_each(|step| self.step(step));
    }

    /// The steps of a block, whose names end with it.
    fn block(&mut self, steps: &[Step]) {
        let scalars = self.scalars.len();
        self.steps(steps);
        self.scalars.truncate(scalars);
    }

    fn scalar(&mut self) -> String {
        let name = format!("s{}", self.names);
        self.names += 1;
        self.scalars.push(name.clone());
        name
    }

    fn vector(&mut self) -> String {
        self.vectors += 1;
        format!("v{}", self.vectors - 1)
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Sample {
                family,
                arguments,
                length,
                ..
            } => self.sample(*family, arguments, *length),
            Step::Let(of) => {
                let of = self.text(of);
                let name = self.scalar();
                self.line(&format!("real {name} = {of};"));
            }
            Step::Assign(scalar, of) => {
                self.line(&format!("{} = {};", self.scalars[*scalar], self.text(of)));
            }
            Step::Each { length, of } => self.each(*length, of),
            Step::Product { matrix, vector } => {
                let name = self.vector();
                self.line(&format!(
                    "vector[rows(x{matrix})] {name} = x{matrix} * v{vector};"
                ));
            }
            Step::Gather { vector, places } => {
                let name = self.vector();
                self.line(&format!(
                    "vector[size(p{places})] {name} = v{vector}[p{places}];"
                ));
            }
            Step::Observe {
                family,
                arguments,
                data,
                ..
            } => self.observe(*family, arguments, *data),
            Step::ObserveAll {
                family,
                vector,
                others,
                data,
                ..
            } => self.observe_all(*family, *vector, others, *data),
            Step::Factor { term, .. } => self.line(&format!("target += {};", self.text(term))),
            Step::Loop { length, body } => {
                self.line(&format!("for (i{} in 1:{length}) {{", self.loops));
                self.loops += 1;
                self.block(body);
                self.loops -= 1;
                self.line("}");
            }
            Step::Chosen { places, then } => {
                self.line(&format!("if (p{places}[i{}] == 1) {{", self.loops - 1));
                self.block(then);
                self.line("}");
            }
        }
    }

    fn sample(&mut self, family: Family, arguments: &[Expression], length: Option<usize>) {
        let name = match length {
            Some(_) => self.vector(),
            None => self.scalar(),
        };
        let support = match family.support() {
            Support::Positive => "positive",
            Support::Unit => "unit",
            _ => "real",
        };
        self.parameters.push((name.clone(), length, support));
        let density = self.density(family, &name, arguments);
        // the factor of two of a half distribution, for each element
        let half = match (family.is_half(), length.unwrap_or(1)) {
            (true, copies) => format!(" + {copies} * log(2)"),
            _ => String::new(),
        };
        self.line(&format!("target += {density}{half};"));
    }

    fn each(&mut self, length: usize, of: &Expression) {
        let name = self.vector();
        let counter = format!("i{}", self.loops);
        self.line(&format!("vector[{length}] {name};"));
        self.line(&format!("for ({counter} in 1:{length}) {{"));
        self.line(&format!("  {name}[{counter}] = {};", self.text(of)));
        self.line("}");
    }

    fn observe(&mut self, family: Family, arguments: &[Expression], data: usize) {
        let datum = format!("{}{data}[i{}]", data_name(family), self.loops - 1);
        let density = self.density(family, &datum, arguments);
        let half = if family.is_half() { " + log(2)" } else { "" };
        self.line(&format!("target += {density}{half};"));
    }

    fn observe_all(&mut self, family: Family, vector: usize, others: &[Expression], data: usize) {
        let (name, before) = family.stan();
        let all: Vec<String> = std::iter::once(format!("v{vector}"))
            .chain(others.iter().map(|of| self.text(of)))
            .collect();
        let data = format!("{}{data}", data_name(family));
        self.line(&format!(
            "target += {name}({data} | {before}{});",
            all.join(", ")
        ));
    }

    fn density(&self, family: Family, value: &str, arguments: &[Expression]) -> String {
        let (name, before) = family.stan();
        let arguments: Vec<String> = arguments.iter().map(|of| self.text(of)).collect();
        format!("{name}({value} | {before}{})", arguments.join(", "))
    }

    fn text(&self, expression: &Expression) -> String {
        match expression {
            Expression::Number(number) => format!("{number:?}"),
            Expression::Scalar(scalar) => self.scalars[*scalar].clone(),
            Expression::Element(vector, at) => format!("v{vector}[{}]", place(*at)),
            Expression::Datum(data, at) => format!("d{data}[{}]", place(*at)),
            Expression::Sum(vector) => format!("sum(v{vector})"),
            Expression::Square(vector) => format!("dot_self(v{vector})"),
            Expression::LogSumExp(vector) => format!("log_sum_exp(v{vector})"),
            Expression::Of(function, x) => function.stan().replace('$', &self.text(x)),
            Expression::Both(operation, x, y) => {
                let mut parts = operation.stan().split('$');
                let mut part = || parts.next().expect("two places");
                format!(
                    "{}{}{}{}{}",
                    part(),
                    self.text(x),
                    part(),
                    self.text(y),
                    part()
                )
            }
        }
    }
}

fn data_name(family: Family) -> char {
    if family.is_discrete() { 'k' } else { 'd' }
}

fn place(place: Place) -> String {
    match place {
        Place::At(index) => (index + 1).to_string(),
        Place::Counter(depth) => format!("i{depth}"),
        Place::Listed(places, depth) => format!("p{places}[i{depth}]"),
    }
}
