//! The generator of random models.

use super::expression::{Expression, Function, Operation, Place};
use super::{Family, RandomModel, Step, Support, Tables};
use bayes::model::{Statement, StatementKind};
use bayes::rng::{RngExt, Stream, stream};
use nalgebra::DMatrix;

/// The largest depth of an expression.
const DEPTH: usize = 3;

impl RandomModel {
    /// The model of a seed. It samples at least one quantity and observes some data.
    ///
    /// The names of its statements stay in memory until the program ends.
    #[must_use]
    pub fn generate(seed: u64) -> Self {
        let mut writer = Writer::new(stream(seed));
        let mut steps = vec![writer.sample()];
        for _ in 0..writer.below(8) {
            steps.extend(writer.step());
        }
        steps.extend(writer.observe_loop());
        Self {
            tables: writer.tables,
            steps,
            statements: writer.statements.leak(),
        }
    }
}

/// What is known of the text so far.
struct Writer {
    stream: Stream,
    tables: Tables,
    statements: Vec<Statement>,
    /// Whether each scalar is a real number, positive or within 0 and 1.
    scalars: Vec<Support>,
    /// The same of each vector, and its length.
    vectors: Vec<(Support, usize)>,
    /// The lengths of the loops around the place.
    loops: Vec<usize>,
}

impl Writer {
    fn new(stream: Stream) -> Self {
        Self {
            stream,
            tables: Tables::default(),
            statements: Vec::new(),
            scalars: Vec::new(),
            vectors: Vec::new(),
            loops: Vec::new(),
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.stream.random_range(0..bound)
    }
    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
    /// A short length, or one that fills some groups of lanes.
    fn length(&mut self) -> usize {
        if self.below(4) == 0 {
            40
        } else {
            1 + self.below(9)
        }
    }
    fn number(&mut self, low: f64, high: f64) -> f64 {
        // few digits, so that both texts have the same number
        (self.stream.random_range(low..high) * 1000.0).round() / 1000.0
    }

    fn statement(&mut self, kind: StatementKind, name: String) -> usize {
        let name: &'static str = name.leak();
        self.statements.push(Statement {
            kind,
            name,
            text: name,
            line: u32::try_from(self.statements.len() + 1).expect("a model has few lines"),
        });
        self.statements.len() - 1
    }

    /// One step, or two, anywhere outside of loops.
    fn step(&mut self) -> Vec<Step> {
        match self.below(8) {
            0 | 1 => vec![self.sample()],
            2 => vec![self.named()],
            3 => vec![self.each()],
            4 => vec![self.product()],
            5 => vec![self.gather()],
            6 => self.observe_all(),
            _ => self.observe_loop(),
        }
    }

    fn family(&mut self, fits: impl Fn(Family) -> bool) -> Family {
        let families: Vec<Family> = Family::ALL.iter().copied().filter(|f| fits(*f)).collect();
        self.pick(&families)
    }

    fn sample(&mut self) -> Step {
        let family = self.family(|family| !family.is_discrete());
        let arguments = self.arguments(family.parameters());
        let support = family.support();
        if self.below(2) == 0 {
            let length = self.length();
            let statement =
                self.statement(StatementKind::Sample, format!("v{}", self.vectors.len()));
            self.vectors.push((support, length));
            Step::Sample {
                statement,
                family,
                arguments,
                length: Some(length),
            }
        } else {
            let statement =
                self.statement(StatementKind::Sample, format!("s{}", self.scalars.len()));
            self.scalars.push(support);
            Step::Sample {
                statement,
                family,
                arguments,
                length: None,
            }
        }
    }

    fn named(&mut self) -> Step {
        let (of, support) = self.any();
        self.scalars.push(support);
        Step::Let(of)
    }

    fn each(&mut self) -> Step {
        let length = self.length();
        self.loops.push(length);
        let (of, support) = self.any();
        self.loops.pop();
        self.vectors.push((support, length));
        Step::Each { length, of }
    }

    fn vector(&mut self) -> (usize, usize) {
        if self.vectors.is_empty() {
            return (usize::MAX, 0);
        }
        let vector = self.below(self.vectors.len());
        (vector, self.vectors[vector].1)
    }

    fn product(&mut self) -> Step {
        let (vector, columns) = self.vector();
        if columns == 0 {
            return self.named();
        }
        let rows = self.length();
        let numbers: Vec<f64> = (0..rows * columns)
            .map(|_| self.number(-1.0, 1.0))
            .collect();
        let matrix = self.tables.matrices.len();
        let data = DMatrix::from_row_slice(rows, columns, &numbers);
        self.tables.matrices.push(data);
        self.vectors.push((Support::Real, rows));
        Step::Product { matrix, vector }
    }

    fn places(&mut self, length: usize, bound: usize) -> usize {
        let places = (0..length).map(|_| self.below(bound)).collect();
        self.tables.places.push(places);
        self.tables.places.len() - 1
    }

    fn gather(&mut self) -> Step {
        let (vector, bound) = self.vector();
        if bound == 0 {
            return self.named();
        }
        let length = self.length();
        let places = self.places(length, bound);
        self.vectors.push((self.vectors[vector].0, length));
        Step::Gather { vector, places }
    }

    /// Data that a distribution with this support can have, and their name.
    fn data(&mut self, support: Support, length: usize) -> (usize, String) {
        if matches!(support, Support::Binary | Support::Counts) {
            let bound = if support == Support::Binary { 2 } else { 13 };
            let counts = (0..length).map(|_| self.below(bound) as u64).collect();
            self.tables.counts.push(counts);
            let data = self.tables.counts.len() - 1;
            return (data, format!("k{data}"));
        }
        let (low, high) = match support {
            Support::Positive => (0.1, 3.0),
            Support::Unit => (0.05, 0.95),
            _ => (-2.0, 2.0),
        };
        let reals = (0..length).map(|_| self.number(low, high)).collect();
        self.tables.reals.push(reals);
        let data = self.tables.reals.len() - 1;
        (data, format!("d{data}"))
    }

    fn observe_all(&mut self) -> Vec<Step> {
        let vectors: Vec<usize> = (0..self.vectors.len()).collect();
        if vectors.is_empty() {
            return self.observe_loop();
        }
        let vector = self.pick(&vectors);
        let family = self.family(Family::in_bulk);
        let others = self.arguments(&family.parameters()[1..]);
        let (data, name) = self.data(family.support(), self.vectors[vector].1);
        let statement = self.statement(StatementKind::Observe, name);
        vec![Step::ObserveAll {
            statement,
            family,
            vector,
            others,
            data,
        }]
    }

    /// A loop that observes, with a value that it carries or without.
    fn observe_loop(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        let carried = (self.below(2) == 0).then_some(self.scalars.len());
        if carried.is_some() {
            steps.push(Step::Let(self.real(1)));
            self.scalars.push(Support::Real);
        }
        let length = self.length();
        let size = 1 + self.below(3);
        let body = self.body(length, carried, size);
        steps.push(Step::Loop { length, body });
        steps
    }

    fn body(&mut self, length: usize, carried: Option<usize>, size: usize) -> Vec<Step> {
        self.loops.push(length);
        let scalars = self.scalars.len();
        let mut body = Vec::new();
        for _ in 0..size {
            match (self.below(5), carried) {
                (0, _) => body.push(self.named()),
                (1, Some(state)) => body.push(self.carry(state)),
                (2, _) => {
                    let places = self.places(length, 2);
                    let inside = self.scalars.len();
                    let then = vec![self.named(), self.observe(length)];
                    self.scalars.truncate(inside);
                    body.push(Step::Chosen { places, then });
                }
                (3, _) if self.loops.len() == 1 => {
                    let length = 1 + self.below(3);
                    let body_inside = self.body(length, carried, 1);
                    body.push(Step::Loop {
                        length,
                        body: body_inside,
                    });
                }
                _ => body.push(self.term()),
            }
        }
        body.push(self.observe(length));
        if let Some(state) = carried {
            body.push(self.carry(state));
        }
        self.scalars.truncate(scalars);
        self.loops.pop();
        body
    }

    /// A new value of the state, which stays within -1 and 1.
    fn carry(&mut self, state: usize) -> Step {
        let of = Expression::Both(
            Operation::Plus,
            Box::new(Expression::Scalar(state)),
            Box::new(self.real(DEPTH - 1)),
        );
        Step::Assign(state, Expression::Of(Function::Tanh, Box::new(of)))
    }

    fn term(&mut self) -> Step {
        let statement = self.statement(StatementKind::Factor, "factor".into());
        let term = self.real(DEPTH);
        Step::Factor { statement, term }
    }

    fn observe(&mut self, length: usize) -> Step {
        let family = self.family(|_| true);
        let arguments = self.arguments(family.parameters());
        let (data, name) = self.data(family.support(), length);
        let statement = self.statement(StatementKind::Observe, name);
        Step::Observe {
            statement,
            family,
            arguments,
            data,
        }
    }

    fn arguments(&mut self, parameters: &[Support]) -> Vec<Expression> {
        let depth = self.below(DEPTH);
        let one = |support: &Support| match support {
            Support::Positive => self.positive(depth),
            Support::Unit => self.unit(depth),
            _ => self.real(depth),
        };
        parameters.iter().map(one).collect()
    }

    fn any(&mut self) -> (Expression, Support) {
        match self.below(4) {
            0 => (self.positive(DEPTH), Support::Positive),
            1 => (self.unit(DEPTH), Support::Unit),
            _ => (self.real(DEPTH), Support::Real),
        }
    }

    fn place(&mut self, length: usize) -> Place {
        let counters: Vec<usize> = (0..self.loops.len()).collect();
        if !counters.is_empty() && self.below(4) > 0 {
            let depth = self.pick(&counters);
            if self.loops[depth] <= length && self.below(2) == 0 {
                return Place::Counter(depth);
            }
            let places = self.places(self.loops[depth], length);
            return Place::Listed(places, depth);
        }
        Place::At(self.below(length))
    }

    /// A scalar or an element whose values fit; `None` if there is none.
    fn value(&mut self, fits: impl Fn(Support) -> bool) -> Option<Expression> {
        let scalars: Vec<usize> = (0..self.scalars.len())
            .filter(|s| fits(self.scalars[*s]))
            .collect();
        let vectors: Vec<usize> = (0..self.vectors.len())
            .filter(|v| fits(self.vectors[*v].0))
            .collect();
        let all = scalars.len() + vectors.len();
        if all == 0 {
            return None;
        }
        let chosen = self.below(all);
        Some(match scalars.get(chosen) {
            Some(scalar) => Expression::Scalar(*scalar),
            None => {
                let vector = vectors[chosen - scalars.len()];
                let place = self.place(self.vectors[vector].1);
                Expression::Element(vector, place)
            }
        })
    }

    fn real(&mut self, depth: usize) -> Expression {
        if depth == 0 {
            return match self.below(6) {
                0 => Expression::Number(self.number(-2.0, 2.0)),
                1 if !self.loops.is_empty() => {
                    let length = *self.loops.last().expect("there is one");
                    let (data, _) = self.data(Support::Real, length);
                    Expression::Datum(data, Place::Counter(self.loops.len() - 1))
                }
                _ => {
                    let number = self.number(-2.0, 2.0);
                    self.value(|_| true).unwrap_or(Expression::Number(number))
                }
            };
        }
        let of_real = Function::ALL.len() - Function::OF_POSITIVE;
        match self.below(10) {
            0..=2 => {
                let function = Function::ALL[self.below(of_real)];
                let x = self.real(depth - 1);
                Expression::Of(function, Box::new(bounded(function, x)))
            }
            3 => {
                let function = Function::ALL[of_real + self.below(Function::OF_POSITIVE)];
                Expression::Of(function, Box::new(self.positive(depth - 1)))
            }
            4 if !self.vectors.is_empty() => {
                let (vector, _) = self.vector();
                let all = [Expression::Sum, Expression::Square, Expression::LogSumExp];
                self.pick(&all)(vector)
            }
            5 => self.both(Operation::Divide, Self::real, Self::positive, depth),
            6 => self.real(0),
            _ => {
                let operation = Operation::ALL[self.below(6)];
                self.both(operation, Self::real, Self::real, depth)
            }
        }
    }

    fn both(
        &mut self,
        operation: Operation,
        x: fn(&mut Self, usize) -> Expression,
        y: fn(&mut Self, usize) -> Expression,
        depth: usize,
    ) -> Expression {
        let x = Box::new(x(self, depth - 1));
        let y = Box::new(y(self, depth - 1));
        Expression::Both(operation, x, y)
    }

    fn positive(&mut self, depth: usize) -> Expression {
        if depth == 0 {
            let number = self.number(0.3, 3.0);
            let value = if self.below(3) > 0 {
                self.value(|support| support != Support::Real)
            } else {
                None
            };
            return value.unwrap_or(Expression::Number(number));
        }
        match self.below(6) {
            0 => Expression::Of(
                Function::Exp,
                Box::new(bounded(Function::Exp, self.real(depth - 1))),
            ),
            1 => Expression::Of(Function::Softplus, Box::new(self.real(depth - 1))),
            2 => {
                let square = Expression::Of(Function::Square, Box::new(self.real(depth - 1)));
                let number = Expression::Number(self.number(0.2, 1.0));
                Expression::Both(Operation::Plus, Box::new(number), Box::new(square))
            }
            3 => self.both(Operation::Times, Self::positive, Self::positive, depth),
            4 => {
                let base = Box::new(self.positive(depth - 1));
                let power = Box::new(Expression::Of(
                    Function::Tanh,
                    Box::new(self.real(depth - 1)),
                ));
                Expression::Both(Operation::Power, base, power)
            }
            _ => self.both(Operation::Plus, Self::positive, Self::positive, depth),
        }
    }

    fn unit(&mut self, depth: usize) -> Expression {
        if depth == 0 {
            let number = self.number(0.1, 0.9);
            return self
                .value(|support| support == Support::Unit)
                .unwrap_or(Expression::Number(number));
        }
        // within .05 and .95: nearer to 1 the density by plain numbers is the one that rounds
        let within = Expression::Of(Function::Tanh, Box::new(self.real(depth - 1)));
        let logit = Expression::Both(
            Operation::Times,
            Box::new(Expression::Number(3.0)),
            Box::new(within),
        );
        Expression::Of(Function::Logistic, Box::new(logit))
    }
}

/// The argument of a function, within -1 and 1 where the function grows fast.
fn bounded(function: Function, x: Expression) -> Expression {
    match function {
        Function::Exp => Expression::Of(Function::Tanh, Box::new(x)),
        _ => x,
    }
}
