//! The payload of an amplification shader, with the group's three numbers in front of it.

use std::collections::HashMap;

use super::refused;
use crate::TranslateError;
use crate::facts::{emit, instructions};
use crate::pulled::code::{Code, op};

const TASK_PAYLOAD: u32 = 5402;
/// Most bytes of a payload (`maxTaskPayloadSize`, and the API's), and of what stands in front of it.
const MOST: u64 = 16384;
const FRONT: u64 = 16;
const COPY_MEMORY: u32 = 63;
/// Operations that are atomic.
const ATOMIC: core::ops::RangeInclusive<u32> = 227..=242;

/// A payload.
pub(super) struct Payload {
    pub(super) variable: u32,
    /// The type of pointers to the program's own, where it has one.
    own: Option<u32>,
    pointer: u32,
    zero: u32,
    one: u32,
}

impl Payload {
    /// The module's payload, declared anew; one without anything where it has none.
    ///
    /// # Errors
    /// There is no room in front of it.
    pub(super) fn of(words: &[u32], code: &mut Code) -> Result<Payload, TranslateError> {
        let mut sizes = Sizes::default();
        let (mut kinds, mut own) = (HashMap::new(), None);
        for (opcode, operands) in instructions(words).take_while(|(opcode, _)| *opcode != op::FUNCTION) {
            sizes.read(opcode, operands);
            match (opcode, operands) {
                (op::TYPE_POINTER, [id, TASK_PAYLOAD, of]) => drop(kinds.insert(*id, *of)),
                (op::VARIABLE, [pointer, id, TASK_PAYLOAD, ..]) => {
                    let kind = kinds.get(pointer).copied().unwrap_or(0);
                    own = Some((*id, *pointer, kind));
                }
                _ => {}
            }
        }
        if own.is_some_and(|(.., kind)| sizes.of(kind) + FRONT > MOST) {
            return Err(refused("a payload that leaves no room for the group that starts a mesh group: not supported"));
        }
        let three = code.of(op::TYPE_VECTOR, &[code.word, 3]);
        let pointer = code.of(op::TYPE_POINTER, &[TASK_PAYLOAD, three]);
        let members: Vec<u32> = [three].into_iter().chain(own.map(|(.., kind)| kind)).collect();
        let structure = code.of(op::TYPE_STRUCT, &members);
        let variable = match own {
            Some((variable, ..)) => variable,
            None => {
                let variable = code.id();
                code.variables.push(variable);
                variable
            }
        };
        code.variable(variable, structure, TASK_PAYLOAD);
        let (zero, one) = (code.constant(0), code.constant(1));
        Ok(Payload { variable, own: own.map(|(_, pointer, _)| pointer), pointer, zero, one })
    }

    /// Whether a variable of the module is declared anew.
    pub(super) fn replaces(&self, variable: u32) -> bool {
        self.own.is_some() && variable == self.variable
    }

    /// Where the numbers of the group lie.
    pub(super) fn parent(&self, code: &mut Code) -> u32 {
        code.value(op::ACCESS_CHAIN, self.pointer, &[self.variable, self.zero])
    }

    /// An instruction of the module, whose pointers lead to the program's own.
    ///
    /// # Errors
    /// It uses the payload in a form that is not known.
    pub(super) fn emit(
        &self,
        code: &mut Code,
        body: &mut Vec<u32>,
        opcode: u32,
        operands: &[u32],
    ) -> Result<(), TranslateError> {
        let Some(own) = self.own.filter(|_| operands.contains(&self.variable)) else {
            emit(body, opcode, operands);
            return Ok(());
        };
        let mut whole = || {
            let place = code.value(op::ACCESS_CHAIN, own, &[self.variable, self.one]);
            body.append(&mut code.body);
            place
        };
        match (opcode, operands) {
            (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [pointer, id, base, indices @ ..])
                if *base == self.variable =>
            {
                emit(body, opcode, &[&[*pointer, *id, *base, self.one], indices].concat());
            }
            (op::LOAD, [kind, id, from, rest @ ..]) if *from == self.variable => {
                let place = whole();
                emit(body, opcode, &[&[*kind, *id, place], rest].concat());
            }
            (op::STORE, [to, value, rest @ ..]) if *to == self.variable => {
                let place = whole();
                emit(body, opcode, &[&[place, *value], rest].concat());
            }
            (opcode, _) if opcode == COPY_MEMORY || ATOMIC.contains(&opcode) => {
                return Err(refused("a payload that is used in a form that is not known"));
            }
            _ => emit(body, opcode, operands),
        }
        Ok(())
    }
}

/// Bytes of types.
#[derive(Default)]
struct Sizes {
    constants: HashMap<u32, u32>,
    bytes: HashMap<u32, u64>,
}

impl Sizes {
    fn of(&self, kind: u32) -> u64 {
        self.bytes.get(&kind).copied().unwrap_or(0)
    }

    fn read(&mut self, opcode: u32, operands: &[u32]) {
        let (id, bytes) = match (opcode, operands) {
            (op::CONSTANT, [_, id, value, ..]) => {
                self.constants.insert(*id, *value);
                return;
            }
            (op::TYPE_BOOL, [id]) => (*id, 4),
            (op::TYPE_INT | op::TYPE_FLOAT, [id, bits, ..]) => (*id, u64::from(*bits) / 8),
            (op::TYPE_VECTOR, [id, of, count]) => (*id, self.of(*of).saturating_mul(u64::from(*count))),
            (op::TYPE_ARRAY, [id, of, count]) => {
                let count = self.constants.get(count).copied().unwrap_or(0);
                (*id, self.of(*of).saturating_mul(u64::from(count)))
            }
            (op::TYPE_STRUCT, [id, members @ ..]) => {
                (*id, members.iter().fold(0u64, |all, member| all.saturating_add(self.of(*member))))
            }
            _ => return,
        };
        self.bytes.insert(id, bytes);
    }
}
