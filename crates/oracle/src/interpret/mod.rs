//! Runs a program on the processor.
//!
//! Invariants: what the language or the API leaves open ends the run with [`Undefined`], so a program that runs to its end has one
//! result; threads run one after the other between barriers, and a word for which that order matters is undefined, too.

mod expression;
mod memory;
mod operation;

use crate::exact::Precision;
use crate::layout;
use crate::program::{Cell as Place, Function, Operation, Part, Program, Statement};
use crate::value::{Base, Value};
use memory::Cell;

/// Why a program has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Undefined(pub(crate) &'static str);

/// What a word of the output has to be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Word {
    /// As the processor calculates it.
    pub bits: u32,
    pub(crate) precision: Precision,
}

/// Statements and expressions that a program may take.
const FUEL: usize = 4_000_000;

/// The words of the output. With a `fault` one operation is wrong: for tests of what compares.
///
/// # Errors
/// When the program has no single result.
pub fn interpret(program: &Program, fault: Option<Operation>) -> Result<Vec<Word>, Undefined> {
    let (constants, input) = layout::inputs(program);
    let blank = Word { bits: 0, precision: Precision::BITS };
    let mut machine = Machine {
        program,
        constants,
        input,
        output: vec![blank; layout::output_words(program)],
        common: vec![Cell::new(Some(0)); layout::COMMON],
        shared: Vec::new(),
        fault,
        fuel: FUEL,
    };
    for group in 0..program.groups {
        machine.group(group)?;
    }
    for (word, cell) in machine.output.iter_mut().zip(&machine.common) {
        word.bits = cell.word().unwrap_or_default();
    }
    Ok(machine.output)
}

struct Machine<'a> {
    program: &'a Program,
    constants: Vec<u32>,
    input: Vec<u32>,
    output: Vec<Word>,
    /// The words of the output that all threads share.
    common: Vec<Cell>,
    /// The group's memory.
    shared: Vec<Cell>,
    fault: Option<Operation>,
    fuel: usize,
}

/// A function as a thread runs it.
struct Frame<'a> {
    function: &'a Function,
    thread: Thread,
    /// Elements of each variable; `None` is not written.
    variables: Vec<Vec<Option<Value>>>,
}

#[derive(Clone, Copy)]
struct Thread {
    in_group: u32,
    group: u32,
    in_all: usize,
}

/// How a list of statements ends.
#[derive(PartialEq)]
enum Flow {
    Through,
    Break,
    Continue,
}

impl<'a> Machine<'a> {
    fn group(&mut self, group: u32) -> Result<(), Undefined> {
        let program = self.program;
        let main = program.main();
        self.shared = vec![Cell::new(None); program.threads as usize];
        let mut frames = Vec::new();
        for in_group in 0..program.threads {
            let in_all = (group * program.threads + in_group) as usize;
            let thread = Thread { in_group, group, in_all };
            frames.push(self.enter(main, thread, Vec::new())?);
        }
        for phase in main.body.split(|statement| *statement == Statement::Barrier) {
            for frame in &mut frames {
                self.statements(frame, phase)?;
            }
            self.shared.iter_mut().for_each(Cell::barrier);
        }
        Ok(())
    }

    /// A function at its beginning, with its variables initialised.
    fn enter(&mut self, function: &'a Function, thread: Thread, arguments: Vec<Value>) -> Result<Frame<'a>, Undefined> {
        let variables = arguments.into_iter().map(|argument| vec![Some(argument)]).collect();
        let mut frame = Frame { function, thread, variables };
        for local in &function.locals {
            let mut elements = Vec::new();
            for initial in &local.initial {
                elements.push(match initial {
                    Some(initial) => Some(self.evaluate(&mut frame, initial)?),
                    None => None,
                });
            }
            frame.variables.push(elements);
        }
        Ok(frame)
    }

    fn burn(&mut self) -> Result<(), Undefined> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Undefined("it takes too long"))?;
        Ok(())
    }

    fn statements(&mut self, frame: &mut Frame<'a>, statements: &'a [Statement]) -> Result<Flow, Undefined> {
        for statement in statements {
            let flow = self.statement(frame, statement)?;
            if flow != Flow::Through {
                return Ok(flow);
            }
        }
        Ok(Flow::Through)
    }

    fn statement(&mut self, frame: &mut Frame<'a>, statement: &'a Statement) -> Result<Flow, Undefined> {
        self.burn()?;
        match statement {
            Statement::Assign { variable, part, value } => {
                let value = self.evaluate(frame, value)?;
                self.assign(frame, *variable, part, value)?;
            }
            Statement::If { condition, then, otherwise, .. } => {
                let taken = if self.evaluate(frame, condition)?.first() != 0 { then } else { otherwise };
                return self.statements(frame, taken);
            }
            Statement::Switch { on, cases, default } => {
                let on = self.evaluate(frame, on)?.first();
                let taken = cases.iter().find(|(case, _)| u64::from(*case) == on).map_or(default, |(_, body)| body);
                return self.statements(frame, taken);
            }
            Statement::Loop { counter, times, body, .. } => self.turns(frame, *counter, times, body)?,
            Statement::Leave { next, condition } => {
                if self.evaluate(frame, condition)?.first() != 0 {
                    return Ok(if *next { Flow::Continue } else { Flow::Break });
                }
            }
            Statement::Call { function, inputs, outputs, result } => {
                self.call(frame, *function, inputs, outputs, *result)?
            }
            Statement::Output { slot, value, .. } => {
                let precision = Precision::of(value, self.program, frame.function).unwrap_or(Precision::BITS);
                let bits = self.evaluate(frame, value)?.first() as u32;
                self.output[layout::slot(frame.thread.in_all, *slot)] = Word { bits, precision };
            }
            Statement::Share(value) => {
                let word = self.evaluate(frame, value)?.first() as u32;
                self.shared[frame.thread.in_group as usize].write(frame.thread.in_all, word)?;
            }
            Statement::Atomic { operation, cell, value, before } => {
                let value = self.evaluate(frame, value)?.first() as u32;
                let thread = frame.thread.in_all;
                let found = match cell {
                    Place::Shared(at) => {
                        let at = self.evaluate(frame, at)?.first() as usize;
                        let cell = self.shared.get_mut(at).ok_or(Undefined("an access behind shared memory"))?;
                        cell.atomic(thread, *operation, value, before.is_some())?
                    }
                    Place::Common(view, at) => {
                        let at = self.evaluate(frame, at)?.first() as usize % layout::COMMON_OF_VIEW;
                        let cell = &mut self.common[layout::common(*view) + at];
                        cell.atomic(thread, *operation, value, before.is_some())?
                    }
                    Place::Own(_, slot) => {
                        let word = &mut self.output[layout::slot(thread, *slot)];
                        let mut cell = Cell::new(Some(word.bits));
                        let found = cell.atomic(thread, *operation, value, true)?;
                        *word = Word { bits: cell.word().unwrap_or_default(), precision: Precision::BITS };
                        found
                    }
                };
                if let Some(before) = before {
                    frame.variables[*before][0] = Some(Value::uint(found));
                }
            }
            Statement::Barrier => return Err(Undefined("a barrier inside of control flow")),
        }
        Ok(Flow::Through)
    }

    fn turns(
        &mut self,
        frame: &mut Frame<'a>,
        counter: usize,
        times: &crate::program::Expression,
        body: &'a [Statement],
    ) -> Result<(), Undefined> {
        let mut turn = 0;
        loop {
            frame.variables[counter][0] = Some(Value::uint(turn));
            if u64::from(turn) >= self.evaluate(frame, times)?.first() {
                return Ok(());
            }
            let flow = self.statements(frame, body)?;
            if flow == Flow::Break {
                return Ok(());
            }
            turn += 1;
        }
    }

    fn call(
        &mut self,
        frame: &mut Frame<'a>,
        function: usize,
        inputs: &[crate::program::Expression],
        outputs: &[usize],
        result: usize,
    ) -> Result<(), Undefined> {
        let callee = &self.program.functions[function];
        let mut arguments = Vec::new();
        for input in inputs {
            arguments.push(self.evaluate(frame, input)?);
        }
        for output in outputs {
            arguments.push(frame.variables[*output][0].ok_or(Undefined("an argument that is not written"))?);
        }
        let mut inner = self.enter(callee, frame.thread, arguments)?;
        self.statements(&mut inner, &callee.body)?;
        if let Some(value) = &callee.result {
            frame.variables[result][0] = Some(self.evaluate(&mut inner, value)?);
        }
        for (output, value) in outputs.iter().zip(&inner.variables[callee.inputs..]) {
            frame.variables[*output].clone_from(value);
        }
        Ok(())
    }

    fn assign(&mut self, frame: &mut Frame<'a>, variable: usize, part: &Part, value: Value) -> Result<(), Undefined> {
        let element = match part {
            Part::Element(at) => self.evaluate(frame, at)?.first() as usize,
            _ => 0,
        };
        let component = match part {
            Part::Component(at) => Some(self.evaluate(frame, at)?.first() as usize),
            _ => None,
        };
        let place = frame.variables[variable].get_mut(element).ok_or(Undefined("a write behind an array"))?;
        match (part, place.as_mut()) {
            (Part::Whole | Part::Element(_), _) => *place = Some(value),
            (Part::Components(components), Some(whole)) => {
                for (at, component) in components.iter().zip(value.components()) {
                    whole.components[usize::from(*at)] = *component;
                }
            }
            (Part::Component(_), Some(whole)) => {
                let at = component.filter(|at| *at < whole.ty.width).ok_or(Undefined("a write behind a vector"))?;
                whole.components[at] = value.first();
            }
            (_, None) => return Err(Undefined("a write to a part of what is not written")),
        }
        Ok(())
    }

    /// A word of the input.
    fn word(&self, at: usize, base: Base) -> u64 {
        base.cut(u64::from(self.input[at]))
    }
}
