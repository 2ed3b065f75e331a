//! Shaders of stages in which a device has no operations of subgroups (Mesa's lavapipe: vertices).
//!
//! The translator takes uniform indices from a wave's first lane, which is a hint for drivers. Here each lane takes its own, as if
//! waves had one lane. A shader with other operations of waves is left alone: such waves would contradict these.

use crate::facts::{HEADER, emit, instructions};

/// Numbers of the SPIR-V specification.
mod op {
    pub(super) const COPY_OBJECT: u32 = 83;
    pub(super) const FIRST_OF_GROUP: u32 = 333;
    pub(super) const BROADCAST_FIRST: u32 = 338;
    pub(super) const LAST_OF_GROUP: u32 = 366;
}

/// The module without values of the first lane; as it is where it has none, or other operations of subgroups.
pub(crate) fn without_first_lanes(words: Vec<u32>) -> Vec<u32> {
    let of_group = |opcode: &u32| (op::FIRST_OF_GROUP..=op::LAST_OF_GROUP).contains(opcode);
    let group: Vec<u32> = instructions(&words).map(|(opcode, _)| opcode).filter(of_group).collect();
    if group.is_empty() || group.iter().any(|opcode| *opcode != op::BROADCAST_FIRST) {
        return words;
    }
    let mut out = words[..HEADER].to_vec();
    for (opcode, operands) in instructions(&words) {
        match (opcode, operands) {
            (op::BROADCAST_FIRST, [kind, id, _, value]) => emit(&mut out, op::COPY_OBJECT, &[*kind, *id, *value]),
            _ => emit(&mut out, opcode, operands),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(instructions: &[(u32, &[u32])]) -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x0001_0400, 0, 40, 0];
        instructions.iter().for_each(|(opcode, operands)| emit(&mut words, *opcode, operands));
        words
    }

    #[test]
    fn a_lane_takes_its_own_value_where_nothing_else_is_of_a_group() {
        const STORE: u32 = 62;
        let first: (u32, &[u32]) = (op::BROADCAST_FIRST, &[2, 10, 3, 9]);
        let store: (u32, &[u32]) = (STORE, &[11, 10]);
        let expected = module(&[(op::COPY_OBJECT, &[2, 10, 9]), store]);
        assert_eq!(without_first_lanes(module(&[first, store])), expected);
        const ELECT: u32 = 333;
        for untouched in [module(&[first, (ELECT, &[4, 12, 3]), store]), module(&[store]), Vec::new()] {
            assert_eq!(without_first_lanes(untouched.clone()), untouched);
        }
    }
}
