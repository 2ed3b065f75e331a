//! Makes programs from numbers.
//!
//! Invariant: a seed gives one program, on every machine, which has one result and is exact ([`crate::exact`]).

mod expression;
mod leaf;
mod real;
mod statement;

use crate::exact;
use crate::interpret::interpret;
use crate::layout::{INTEGERS, REGISTERS, SLOTS};
use crate::program::*;
use crate::random::Random;
use crate::value::{Base, Type, Value};

/// The program of a seed, without types of 16 bits, which many devices do not have.
pub fn generate(seed: u64) -> Program {
    of_kinds(seed, &[Kind::Common, Kind::Common, Kind::Common, Kind::Common, Kind::Wide])
}

/// The program of a seed, with types of 16 bits.
pub fn generate_narrow(seed: u64) -> Program {
    of_kinds(seed, &[Kind::Narrow])
}

fn of_kinds(seed: u64, kinds: &[Kind]) -> Program {
    // Now and then one turns out to depend on what is undefined.
    let mut attempts = (0..).map(|attempt| attempt_at(seed, attempt, kinds));
    loop {
        if let Some(program) = attempts.next().filter(|program| {
            debug_assert!(exact::is_exact(program), "seed {seed} is not exact: {}", crate::hlsl::hlsl(program));
            interpret(program, None).is_ok()
        }) {
            return program;
        }
    }
}

fn attempt_at(seed: u64, attempt: u64, kinds: &[Kind]) -> Program {
    let mut random = Random::new(seed.wrapping_mul(0x1_0001).wrapping_add(attempt << 48));
    let kind = random.pick(kinds);
    let program = Program {
        seed,
        kind,
        threads: random.pick(&[4, 8, 16]),
        groups: 2,
        members: members(&mut random),
        statics: Vec::new(),
        functions: Vec::new(),
    };
    let mut generator = Generator::new(random, program);
    generator.statics();
    for _ in 0..generator.random.below(3) {
        generator.function();
    }
    generator.main();
    generator.program
}

/// What lies in the constant buffer, with gaps.
fn members(random: &mut Random) -> Vec<Member> {
    let mut free = [true; REGISTERS * 4];
    let mut members = Vec::new();
    for _ in 0..12 {
        let (floats, width) = (random.once_in(2), 1 + random.below(4));
        let base = if floats { Base::Float } else { random.pick(&[Base::Int, Base::Uint]) };
        let register = random.below(INTEGERS) + if floats { 0 } else { INTEGERS };
        let end = if floats { INTEGERS } else { REGISTERS };
        let is_array = random.once_in(3);
        let count = is_array.then(|| (2 + random.below(3)).min(end - register));
        // Arrays begin where registers do.
        let word = register * 4 + if is_array { 0 } else { random.below(5 - width) };
        // Between the elements of an array nothing lies that is said to be there.
        let words = match count {
            Some(count) => word..word + count * 4,
            None => word..word + width,
        };
        if free[words.clone()].iter().all(|free| *free) {
            free[words].fill(false);
            members.push(Member { ty: Type { base, width }, count, word });
        }
    }
    members
}

struct Generator {
    random: Random,
    /// As far as it is made.
    program: Program,
    /// The function that is being made.
    function: Function,
    is_main: bool,
    /// Variables that nothing assigns: counters of loops.
    counters: Vec<usize>,
    /// Shared memory holds something to read.
    reads_shared: bool,
    /// The one operation for common words, by view.
    common: [Atomic; 3],
    /// Slots of the output that are taken.
    slots: usize,
}

impl Generator {
    fn new(mut random: Random, program: Program) -> Self {
        let operations = [Atomic::Add, Atomic::Or, Atomic::Xor, Atomic::Max];
        let common = [(); 3].map(|()| random.pick(&operations));
        let function = empty();
        Self { random, program, function, is_main: false, counters: Vec::new(), reads_shared: false, common, slots: 0 }
    }

    fn statics(&mut self) {
        for _ in 0..self.random.below(3) {
            let ty = self.any_type();
            if matches!(ty.base, Base::Int | Base::Uint | Base::Float) {
                let count = 2 + self.random.below(6);
                let elements = (0..count).map(|_| self.constant(ty)).collect();
                self.program.statics.push(elements);
            }
        }
    }

    /// A type of a variable.
    fn any_type(&mut self) -> Type {
        let bases: &[Base] = match self.program.kind {
            Kind::Common => &[Base::Int, Base::Uint, Base::Float],
            Kind::Wide => &[Base::Int, Base::Uint, Base::Float, Base::Double, Base::Long, Base::Ulong],
            Kind::Narrow => &[Base::Int, Base::Uint, Base::Float, Base::Short, Base::Ushort, Base::Half],
        };
        Type { base: self.random.pick(bases), width: self.random.pick(&[1, 1, 1, 2, 3, 4]) }
    }

    /// A constant that variables may hold.
    fn constant(&mut self, ty: Type) -> Value {
        let components: Vec<u64> = (0..ty.width)
            .map(|_| match ty.base {
                Base::Bool => self.random.below(2) as u64,
                base if base.is_float() => base.of_real((self.random.below(65) as f64 - 32.0) / 4.0),
                base => base.cut(self.random.word()),
            })
            .collect();
        Value::new(ty.base, &components)
    }

    fn function(&mut self) {
        self.function = empty();
        self.is_main = false;
        self.function.inputs = 1 + self.random.below(2);
        let parameters = self.function.inputs + self.random.below(3);
        self.function.parameters = (0..parameters).map(|_| self.any_type()).collect();
        self.locals(1, 1);
        self.function.body = self.block(3, 1);
        let ty = self.any_type();
        self.function.result = Some(self.initial(ty, 2));
        self.finish();
    }

    fn main(&mut self) {
        self.function = empty();
        self.is_main = true;
        self.locals(4, 1);
        let mut body = self.block(3, 2);
        if self.random.once_in(2) {
            body.push(Statement::Share(self.normal(Type::UINT, 2)));
            body.push(Statement::Barrier);
            self.reads_shared = true;
            body.extend(self.block(2, 2));
            self.reads_shared = false;
            body.push(Statement::Barrier);
            body.extend(self.shared_atomics());
            body.push(Statement::Barrier);
            self.reads_shared = true;
            body.extend(self.block(2, 1));
        } else {
            body.extend(self.block(3, 2));
        }
        body.extend(self.specials());
        body.extend(self.common_atomics());
        body.extend(self.own_atomics());
        body.extend(self.outputs());
        self.function.body = body;
        self.finish();
    }

    /// The function is part of the program.
    fn finish(&mut self) {
        self.program.functions.push(std::mem::replace(&mut self.function, empty()));
        self.counters.clear();
    }

    /// Variables, and arrays, and counters for two loops inside each other.
    fn locals(&mut self, variables: usize, arrays: usize) {
        for _ in 0..2 {
            self.counters.push(self.function.variables());
            let initial = vec![Some(Expression::Constant(Value::uint(0)))];
            self.function.locals.push(Local { ty: Type::UINT, is_array: false, initial });
        }
        for _ in 0..variables {
            let ty = self.any_type();
            let initial = vec![Some(self.initial(ty, 2))];
            self.function.locals.push(Local { ty, is_array: false, initial });
        }
        for _ in 0..self.random.below(arrays + 1) {
            let ty = self.any_type();
            let count = 2 + self.random.below(5);
            let from_constants = self.random.once_in(2);
            let initial = (0..count)
                .map(|_| Some(if from_constants { self.of_constants(ty) } else { self.initial(ty, 1) }))
                .collect();
            self.function.locals.push(Local { ty, is_array: true, initial });
        }
    }

    /// A slot of the output; after the last there is none.
    fn slot(&mut self) -> Option<usize> {
        (self.slots < SLOTS).then(|| {
            self.slots += 1;
            self.slots - 1
        })
    }
}

fn empty() -> Function {
    Function { parameters: Vec::new(), inputs: 0, locals: Vec::new(), body: Vec::new(), result: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlsl::hlsl;
    use std::collections::BTreeSet;

    #[test]
    fn a_seed_gives_one_program() {
        for seed in 0..40 {
            let program = generate(seed);
            assert_eq!(program, generate(seed));
            assert!(exact::is_exact(&program));
        }
        let texts: BTreeSet<String> = (0..40).map(|seed| hlsl(&generate(seed))).collect();
        assert_eq!(texts.len(), 40);
    }
}
