//! Makes a program smaller, for as long as somebody says that it still shows what it should.
//!
//! Invariant: all that is proposed is exact and has one result, as what is generated.

use crate::exact::is_exact;
use crate::hlsl::hlsl;
use crate::interpret::interpret;
use crate::program::*;
use crate::value::{Type, Value};
use std::collections::BTreeSet;

/// Programs that are asked for at once.
const BATCH: usize = 40;

/// The smallest that is found. `shows` says of each of several programs whether it still shows it.
///
/// # Errors
/// As `shows`.
pub fn reduce<E>(program: &Program, mut shows: impl FnMut(&[Program]) -> Result<Vec<bool>, E>) -> Result<Program, E> {
    let mut smallest = program.clone();
    let mut tried = BTreeSet::new();
    'again: loop {
        let mut candidates: Vec<(String, Program)> =
            candidates(&smallest).into_iter().map(|candidate| (hlsl(&candidate), candidate)).collect();
        let size = hlsl(&smallest).len();
        candidates.sort_by_key(|(text, _)| text.len());
        candidates.retain(|(text, _)| text.len() < size && tried.insert(text.clone()));
        let mut sound = candidates
            .into_iter()
            .map(|(_, candidate)| candidate)
            .filter(|candidate| is_exact(candidate) && interpret(candidate, None).is_ok());
        loop {
            let batch: Vec<Program> = sound.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                return Ok(smallest);
            }
            let shown = shows(&batch)?;
            if let Some(at) = shown.iter().position(|shown| *shown) {
                smallest.clone_from(&batch[at]);
                continue 'again;
            }
        }
    }
}

/// All programs that are one step smaller.
fn candidates(program: &Program) -> Vec<Program> {
    let mut made = Vec::new();
    for function in 0..program.functions.len() {
        for_each_number(
            |number| edited(program, function, &mut |function| edit_block(&mut function.body, number)),
            &mut made,
        );
        expressions(program, function, &mut made);
        variables(program, function, &mut made);
    }
    for number in 0..program.members.len() {
        let mut less = program.clone();
        less.members[number].count = None;
        made.push(less);
    }
    if program.groups > 1 {
        made.push(Program { groups: 1, ..program.clone() });
    }
    made
}

/// Calls with 0, 1 and so on, until there is nothing.
fn for_each_number(mut edit: impl FnMut(usize) -> Option<Program>, made: &mut Vec<Program>) {
    let mut number = 0;
    while let Some(program) = edit(number) {
        made.push(program);
        number += 1;
    }
}

fn edited(program: &Program, function: usize, edit: &mut dyn FnMut(&mut Function) -> bool) -> Option<Program> {
    let mut program = program.clone();
    edit(&mut program.functions[function]).then_some(program)
}

/// Makes the edit of this number in a block or in one inside; false where there are not so many.
fn edit_block(block: &mut Vec<Statement>, number: usize) -> bool {
    edit_some(block, number).is_none()
}

/// As [`edit_block`]; what is left of the number where the edit is behind this block.
fn edit_some(block: &mut Vec<Statement>, mut number: usize) -> Option<usize> {
    // Runs of statements go, longer ones first.
    let count = block.len();
    let mut length = count;
    while length > 0 {
        let places = count - length + 1;
        if number < places {
            block.drain(number..number + length);
            return None;
        }
        number -= places;
        length /= 2;
    }
    // What is around a block goes.
    for at in 0..count {
        let inner = bodies(&block[at]);
        if number < inner.len() {
            block.splice(at..=at, inner[number].clone());
            return None;
        }
        number -= inner.len();
    }
    for statement in block.iter_mut() {
        for inner in bodies_mut(statement) {
            number = edit_some(inner, number)?;
        }
    }
    Some(number)
}

fn bodies(statement: &Statement) -> Vec<&Vec<Statement>> {
    match statement {
        Statement::If { then, otherwise, .. } => vec![then, otherwise],
        // A `break` would be left alone.
        Statement::Loop { body, .. } if body.iter().any(|inner| matches!(inner, Statement::Leave { .. })) => Vec::new(),
        Statement::Loop { body, .. } => vec![body],
        Statement::Switch { cases, default, .. } => cases.iter().map(|(_, body)| body).chain([default]).collect(),
        _ => Vec::new(),
    }
}

fn bodies_mut(statement: &mut Statement) -> Vec<&mut Vec<Statement>> {
    match statement {
        Statement::If { then, otherwise, .. } => vec![then, otherwise],
        Statement::Loop { body, .. } => vec![body],
        Statement::Switch { cases, default, .. } => cases.iter_mut().map(|(_, body)| body).chain([default]).collect(),
        _ => Vec::new(),
    }
}

/// Programs in which one expression is a constant or a part of itself.
fn expressions(program: &Program, function: usize, made: &mut Vec<Program>) {
    let mut sites = Vec::new();
    let mut copy = program.functions[function].clone();
    visit(&mut copy, &mut |expression| sites.push(expression.clone()));
    for (number, site) in sites.iter().enumerate() {
        for smaller in smaller(site, program, &program.functions[function]) {
            let mut program = program.clone();
            let mut at = 0;
            visit(&mut program.functions[function], &mut |expression| {
                if at == number {
                    *expression = smaller.clone();
                }
                at += 1;
            });
            made.push(program);
        }
    }
}

/// What an expression can become.
fn smaller(expression: &Expression, program: &Program, function: &Function) -> Vec<Expression> {
    let ty = type_of(expression, program, function);
    let constant = |number: f64| {
        Expression::Constant(match ty.base {
            base if base.is_float() => Value::of_real(ty, number),
            _ => Value::splat(ty, number as u64),
        })
    };
    let mut smaller = vec![constant(0.0), constant(1.0)];
    let of_type = |part: &&Expression| type_of(part, program, function) == ty;
    smaller.extend(parts(expression).into_iter().filter(of_type).cloned());
    smaller.retain(|smaller| smaller != expression);
    smaller
}

fn parts_mut(expression: &mut Expression) -> Vec<&mut Expression> {
    match expression {
        Expression::Constant(_) | Expression::Variable(_) | Expression::Thread(_) | Expression::Wave(..) => Vec::new(),
        Expression::Member(_, at) => at.iter_mut().map(|at| &mut **at).collect(),
        Expression::Element(_, of)
        | Expression::Component(_, of)
        | Expression::Static(_, of)
        | Expression::Load(_, _, of)
        | Expression::Shared(of)
        | Expression::Unary(_, of)
        | Expression::Convert(_, of)
        | Expression::Bits(_, of)
        | Expression::Swizzle(of, _) => vec![of],
        Expression::Binary(_, left, right) => vec![left, right],
        Expression::Ternary(_, of) => of.iter_mut().collect(),
        Expression::Construct(_, of) => of.iter_mut().collect(),
    }
}

/// Shows all expressions of a function, from the outside in.
fn visit(function: &mut Function, see: &mut dyn FnMut(&mut Expression)) {
    for local in &mut function.locals {
        local.initial.iter_mut().flatten().for_each(|initial| visit_one(initial, see));
    }
    visit_block(&mut function.body, see);
    if let Some(result) = &mut function.result {
        visit_one(result, see);
    }
}

fn visit_one(expression: &mut Expression, see: &mut dyn FnMut(&mut Expression)) {
    see(expression);
    for part in parts_mut(expression) {
        visit_one(part, see);
    }
}

fn visit_block(block: &mut [Statement], see: &mut dyn FnMut(&mut Expression)) {
    for statement in block {
        match statement {
            Statement::Assign { part, value, .. } => {
                if let Part::Component(at) | Part::Element(at) = part {
                    visit_one(at, see);
                }
                visit_one(value, see);
            }
            Statement::If { condition: value, .. }
            | Statement::Switch { on: value, .. }
            | Statement::Loop { times: value, .. }
            | Statement::Leave { condition: value, .. }
            | Statement::Output { value, .. }
            | Statement::Share(value) => visit_one(value, see),
            Statement::Call { inputs, .. } => inputs.iter_mut().for_each(|input| visit_one(input, see)),
            Statement::Atomic { cell, value, .. } => {
                if let Cell::Shared(at) | Cell::Common(_, at) = cell {
                    visit_one(at, see);
                }
                visit_one(value, see);
            }
            Statement::Barrier => {}
        }
        for body in bodies_mut(statement) {
            visit_block(body, see);
        }
    }
}

/// Programs with arrays of fewer elements, and with variables that begin as 0.
fn variables(program: &Program, function: usize, made: &mut Vec<Program>) {
    for local in 0..program.functions[function].locals.len() {
        let mut less = program.clone();
        let local = &mut less.functions[function].locals[local];
        if local.is_array && local.initial.len() > 1 {
            local.initial.pop();
        } else {
            let ty: Type = local.ty;
            let zero = Expression::Constant(Value::splat(ty, 0));
            local.initial = vec![Some(zero)];
        }
        made.push(less);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::generate;

    #[test]
    fn what_is_shown_stays_and_the_rest_goes() {
        let shows = |program: &Program| hlsl(program).contains("countbits");
        let program = (0..).map(generate).find(shows).unwrap();
        let small = reduce(&program, |programs| Ok::<_, ()>(programs.iter().map(shows).collect())).unwrap();
        assert!(shows(&small));
        let statements =
            |program: &Program| program.functions.iter().map(|function| function.body.len()).sum::<usize>();
        assert!(statements(&small) <= 1, "{}", hlsl(&small));
    }
}
