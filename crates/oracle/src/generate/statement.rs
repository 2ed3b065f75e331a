//! Statements.

use super::Generator;
use crate::layout::SLOTS;
use crate::program::*;
use crate::value::{Base, Type, Value};

/// Where statements stand.
#[derive(Clone, Copy)]
struct Place {
    /// How deep blocks may still become.
    depth: usize,
    /// Loops around.
    loops: usize,
    /// `break` means the loop.
    leaves: bool,
    /// And so does `continue`, which would leave out the step of the other kinds.
    continues: bool,
}

impl Generator {
    /// Statements of a function's outermost block.
    pub(super) fn block(&mut self, statements: usize, depth: usize) -> Vec<Statement> {
        self.statements(statements, Place { depth, loops: 0, leaves: false, continues: false })
    }

    fn statements(&mut self, most: usize, place: Place) -> Vec<Statement> {
        (0..1 + self.random.below(most)).map(|_| self.statement(place)).collect()
    }

    fn statement(&mut self, place: Place) -> Statement {
        let inner = Place { depth: place.depth.saturating_sub(1), ..place };
        let hint = |this: &mut Self, hints: [&'static str; 2]| this.random.pick(&["", "", hints[0], hints[1]]);
        match self.random.below(10) {
            0 | 1 if place.depth > 0 => Statement::If {
                condition: self.truth(Type::BOOL, 2),
                then: self.statements(3, inner),
                otherwise: if self.random.once_in(2) { self.statements(2, inner) } else { Vec::new() },
                hint: hint(self, ["[branch] ", "[flatten] "]),
            },
            2 if place.depth > 0 => {
                let inside = Place { leaves: false, ..inner };
                let count = 1 + self.random.below(4);
                let on = self.integer(Type::UINT, 1);
                let mask = Expression::Constant(Value::uint(7));
                let step = 1 + self.random.below(2) as u32;
                Statement::Switch {
                    on: Expression::Binary(Binary::And, Box::new(on), Box::new(mask)),
                    cases: (0..count).map(|case| (case as u32 * step, self.statements(2, inside))).collect(),
                    default: self.statements(1, inside),
                }
            }
            3 if place.depth > 0 && place.loops < 2 => self.turns(place, inner),
            4 if place.leaves => Statement::Leave {
                next: place.continues && self.random.once_in(2),
                condition: self.truth(Type::BOOL, 1),
            },
            5 | 6 if !self.program.functions.is_empty() => self.call().unwrap_or_else(|| self.assignment()),
            _ => self.assignment(),
        }
    }

    fn turns(&mut self, place: Place, inner: Place) -> Statement {
        let most = 1 + self.random.below(4) as u32;
        let times = if self.random.once_in(2) {
            Expression::Constant(Value::uint(most))
        } else {
            let any = self.integer(Type::UINT, 1);
            let end = Expression::Constant(Value::uint(most));
            Expression::Binary(Binary::Min, Box::new(any), Box::new(end))
        };
        let kind = self.random.pick(&[LoopKind::For, LoopKind::For, LoopKind::While, LoopKind::Do]);
        let constant = matches!(times, Expression::Constant(_));
        let hint = match kind {
            LoopKind::For if constant => self.random.pick(&["", "[loop] ", "[unroll] "]),
            LoopKind::For => self.random.pick(&["", "[loop] "]),
            _ => "",
        };
        Statement::Loop {
            kind,
            counter: self.counters[place.loops],
            times,
            body: self.statements(
                3,
                Place { loops: place.loops + 1, leaves: true, continues: kind == LoopKind::For, ..inner },
            ),
            hint,
        }
    }

    /// Variables that statements may change.
    fn targets(&self, wanted: impl Fn(&Self, usize) -> bool) -> Vec<usize> {
        let inputs = self.function.inputs;
        (inputs..self.function.variables())
            .filter(|number| !self.counters.contains(number) && wanted(self, *number))
            .collect()
    }

    fn assignment(&mut self) -> Statement {
        let targets = self.targets(|_, _| true);
        let variable = self.random.pick(&targets);
        let ty = self.function.variable(variable);
        if let Some(count) = self.function.elements(variable) {
            let part = Part::Element(self.index(count));
            return Statement::Assign { variable, part, value: self.initial(ty, 3) };
        }
        let (part, ty) = match self.random.below(6) {
            0 if ty.width > 1 => {
                let mut places: Vec<u8> = (0..ty.width as u8).collect();
                while places.len() > 1 && self.random.once_in(2) {
                    places.remove(self.random.below(places.len()));
                }
                let first = self.random.below(places.len());
                places.rotate_left(first);
                let width = places.len();
                (Part::Components(places), Type { width, ..ty })
            }
            // fxc takes that in some loops only.
            1 if ty.width > 1 && self.program.kind != Kind::Common => {
                (Part::Component(self.index(ty.width)), Type::scalar(ty.base))
            }
            _ => (Part::Whole, ty),
        };
        Statement::Assign { variable, part, value: self.initial(ty, 3) }
    }

    /// A call of a function before this one, where there are variables for what it gives; each gets one of it.
    fn call(&mut self) -> Option<Statement> {
        let function = self.random.below(self.program.functions.len());
        let callee = self.program.functions[function].clone();
        let result = type_of(callee.result.as_ref()?, &self.program, &callee);
        let mut taken: Vec<usize> = Vec::new();
        for ty in callee.parameters[callee.inputs..].iter().chain([&result]) {
            let fitting = self.targets(|this, number| {
                !taken.contains(&number)
                    && this.function.elements(number).is_none()
                    && this.function.variable(number) == *ty
            });
            taken.push(*fitting.get(self.random.below(fitting.len().max(1)))?);
        }
        let result = taken.pop()?;
        let inputs = callee.parameters[..callee.inputs].iter().map(|ty| self.initial(*ty, 2)).collect();
        Some(Statement::Call { function, inputs, outputs: taken, result })
    }

    fn atomic(&mut self, operation: Atomic, cell: Cell, before: Option<usize>) -> Statement {
        Statement::Atomic { operation, cell, value: self.normal(Type::UINT, 2), before }
    }

    /// One operation on shared memory by all threads.
    pub(super) fn shared_atomics(&mut self) -> Vec<Statement> {
        let operation =
            self.random.pick(&[Atomic::Add, Atomic::And, Atomic::Or, Atomic::Xor, Atomic::Min, Atomic::Max]);
        (0..1 + self.random.below(2))
            .map(|_| {
                let cell = Cell::Shared(self.index(self.program.threads as usize));
                self.atomic(operation, cell, None)
            })
            .collect()
    }

    pub(super) fn common_atomics(&mut self) -> Vec<Statement> {
        let views = [View::Raw, View::Structured, View::Typed];
        (0..self.random.below(3))
            .map(|_| {
                let view = self.random.below(3);
                let cell = Cell::Common(views[view], self.integer(Type::UINT, 1));
                self.atomic(self.common[view], cell, None)
            })
            .collect()
    }

    /// Operations on a word of the thread's own, which say what was there.
    pub(super) fn own_atomics(&mut self) -> Vec<Statement> {
        let words = self.targets(|this, number| {
            this.function.elements(number).is_none() && this.function.variable(number) == Type::UINT
        });
        let Some(view) = (!words.is_empty()).then(|| self.view()) else { return Vec::new() };
        let Some(slot) = self.slot() else { return Vec::new() };
        let all = [Atomic::Add, Atomic::Or, Atomic::Max, Atomic::Exchange, Atomic::CompareExchange(0), Atomic::Xor];
        (0..self.random.below(4))
            .map(|_| {
                let before = Some(self.random.pick(&words));
                let operation = self.random.pick(&all);
                self.atomic(operation, Cell::Own(view, slot), before)
            })
            .collect()
    }

    fn view(&mut self) -> View {
        self.random.pick(&[View::Raw, View::Structured, View::Typed])
    }

    fn output(&mut self, value: Expression) -> Option<Statement> {
        let slot = self.slot()?;
        Some(Statement::Output { view: self.view(), slot, value })
    }

    /// What rounds, and what looks at floating point of all kinds.
    pub(super) fn specials(&mut self) -> Vec<Statement> {
        (0..4)
            .filter_map(|_| {
                let value = self.special();
                self.output(value)
            })
            .collect()
    }

    /// All variables, component by component.
    pub(super) fn outputs(&mut self) -> Vec<Statement> {
        let mut values = Vec::new();
        for number in 0..self.function.variables() {
            let ty = self.function.variable(number);
            let elements = match self.function.elements(number) {
                Some(count) => (0..count)
                    .map(|at| {
                        let at = Expression::Constant(Value::uint(at as u32));
                        Expression::Element(number, Box::new(at))
                    })
                    .collect(),
                None => vec![Expression::Variable(number)],
            };
            for element in elements {
                values.extend((0..ty.width).flat_map(|place| words(component(&element, place, ty.width), ty.base)));
            }
        }
        while values.len() > SLOTS - self.slots {
            values.remove(self.random.below(values.len()));
        }
        values.into_iter().filter_map(|value| self.output(value)).collect()
    }
}

fn component(value: &Expression, place: usize, width: usize) -> Expression {
    if width == 1 { value.clone() } else { Expression::Swizzle(Box::new(value.clone()), vec![place as u8]) }
}

/// A component as words that the output holds.
fn words(value: Expression, base: Base) -> Vec<Expression> {
    let value = Box::new(value);
    let converted = |base, value| Expression::Convert(base, value);
    match base {
        Base::Float | Base::Int | Base::Uint => vec![*value],
        Base::Double | Base::Half => vec![converted(Base::Float, value)],
        Base::Long | Base::Ulong => {
            let half = Box::new(Expression::Constant(Value::new(base, &[32])));
            let high = Expression::Binary(Binary::Shr, value.clone(), half);
            vec![converted(Base::Uint, value), converted(Base::Uint, Box::new(high))]
        }
        Base::Bool | Base::Short | Base::Ushort => vec![converted(Base::Uint, value)],
    }
}
