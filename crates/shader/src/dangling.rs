//! Values that the translator uses and does not define: drivers fault on such a module, so it is refused.
//!
//! What is known to do it is a local array of a constant buffer's numbers that the translator does not keep, because it reads the
//! buffer in its place, and that a shader uses through pointers of another type. Only operands that are read as values are looked at:
//! pointers and copies.

use crate::TranslateError;
use crate::facts::instructions;

/// Numbers of the SPIR-V specification.
mod op {
    pub(super) const LOAD: u32 = 61;
    pub(super) const STORE: u32 = 62;
    pub(super) const ACCESS_CHAIN: u32 = 65;
    pub(super) const IN_BOUNDS_ACCESS_CHAIN: u32 = 66;
    pub(super) const COPY_OBJECT: u32 = 83;
}

/// Where a module's words say how many values it has.
const BOUND: usize = 3;

/// Refuses a module that reads a value which nothing defines.
pub(crate) fn refuse(words: &[u32]) -> Result<(), TranslateError> {
    let mut defined = vec![false; words.get(BOUND).copied().unwrap_or_default() as usize];
    for (opcode, operands) in instructions(words) {
        // The second word is the result of all that has one and a type. A store has two uses.
        if opcode != op::STORE
            && let Some(known) = operands.get(1).and_then(|id| defined.get_mut(*id as usize))
        {
            *known = true;
        }
    }
    let used = |(opcode, operands): (u32, &[u32])| match opcode {
        op::LOAD | op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN | op::COPY_OBJECT => operands.get(2).copied(),
        _ => None,
    };
    match instructions(words).filter_map(used).find(|id| !defined.get(*id as usize).is_some_and(|known| *known)) {
        None => Ok(()),
        Some(id) => Err(TranslateError::Rejected {
            step: "writing the module",
            code: 0,
            log: format!(
                "value {id} is used and not defined, as happens to local arrays that are used as another type"
            ),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::emit;

    /// A load through a copy of a pointer, which is there or not.
    fn module(with_variable: bool) -> Vec<u32> {
        const VARIABLE: u32 = 59;
        let mut words = vec![0x0723_0203, 0x0001_0400, 0, 20, 0];
        if with_variable {
            emit(&mut words, VARIABLE, &[2, 10, 7]);
        }
        emit(&mut words, op::COPY_OBJECT, &[2, 11, 10]);
        emit(&mut words, op::LOAD, &[3, 12, 11]);
        // A use in the second word defines nothing.
        emit(&mut words, op::STORE, &[11, 10]);
        words
    }

    #[test]
    fn a_copy_of_what_is_not_there_is_refused() {
        assert_eq!(refuse(&module(true)), Ok(()));
        assert!(refuse(&module(false)).is_err_and(|error| error.to_string().contains("value 10 is used")));
    }
}
