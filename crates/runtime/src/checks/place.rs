//! From an index in a heap to the register of a table. Pure.

use core::fmt;

use reprise_dxbc::root_signature::{APPEND, Kind, Range};
use reprise_shader::Class;
use reprise_shader::checks::layout::types;

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// What kind of register.
    pub class: Class,
    /// Its number.
    pub number: u32,
    /// Register space.
    pub space: u32,
    /// It lies behind its range, which ends before it.
    pub beyond: bool,
}

impl Register {
    /// A register that is bound alone.
    pub fn of(kind: Kind, number: u32, space: u32) -> Register {
        Register { class: class(kind), number, space, beyond: false }
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let behind = if self.beyond { " (behind its range)" } else { "" };
        write!(f, "{}{} space{}{behind}", self.class.letter(), self.number, self.space)
    }
}

fn class(kind: Kind) -> Class {
    match kind {
        Kind::Cbv => Class::Cbv,
        Kind::Srv => Class::Srv,
        Kind::Uav => Class::Uav,
        Kind::Sampler => Class::Sampler,
    }
}

/// Whether a use of these types may be through a range of this class.
fn serves(class: Class, wanted: u32) -> bool {
    let of = match class {
        Class::Srv => types::SAMPLED_IMAGE | types::RAW_BUFFER | types::UNIFORM_TEXELS | types::ACCELERATION,
        Class::Uav => types::STORAGE_IMAGE | types::RAW_BUFFER | types::STORAGE_TEXELS | types::ADDRESS,
        Class::Cbv => types::CONSTANT_BUFFER,
        Class::Sampler => types::SAMPLER,
    };
    wanted & of != 0
}

/// The register of the descriptor `index` of the heap, in a table that begins at `start`; `wanted` are the types of the use. An index
/// behind all ranges belongs to the last one of its class that begins before it.
pub fn register(ranges: &[Range], start: u32, index: u32, wanted: u32) -> Option<Register> {
    let place = index.checked_sub(start)?;
    let (mut end, mut last) = (0u32, None);
    for range in ranges {
        let begin = if range.offset == APPEND { end } else { range.offset };
        end = begin.saturating_add(range.count);
        let Some(behind) = place.checked_sub(begin).filter(|_| serves(class(range.kind), wanted)) else { continue };
        let register = Register {
            class: class(range.kind),
            number: range.register.saturating_add(behind),
            space: range.space,
            beyond: behind >= range.count,
        };
        if !register.beyond {
            return Some(register);
        }
        last = Some(register);
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(kind: Kind, register: u32, count: u32, offset: u32) -> Range {
        Range { kind, count, register, space: 1, flags: 0, offset }
    }

    fn of(class: Class, number: u32, beyond: bool) -> Option<Register> {
        Some(Register { class, number, space: 1, beyond })
    }

    #[test]
    fn an_index_has_the_register_of_the_range_that_it_lies_in() {
        let ranges = [
            range(Kind::Cbv, 2, 1, APPEND),
            range(Kind::Srv, 5, 4, APPEND),
            range(Kind::Uav, 0, u32::MAX, 10),
            range(Kind::Srv, 40, 2, 20),
        ];
        let at = |index, wanted| register(&ranges, 100, index, wanted);
        assert_eq!(at(100, types::CONSTANT_BUFFER), of(Class::Cbv, 2, false));
        assert_eq!(at(101, types::SAMPLED_IMAGE), of(Class::Srv, 5, false));
        assert_eq!(at(104, types::RAW_BUFFER), of(Class::Srv, 8, false));
        assert_eq!(at(121, types::STORAGE_IMAGE), of(Class::Uav, 11, false));
        assert_eq!(at(121, types::UNIFORM_TEXELS), of(Class::Srv, 41, false));
        // Beyond the first range of textures, and before the second.
        assert_eq!(at(110, types::SAMPLED_IMAGE), of(Class::Srv, 14, true));
        assert_eq!(at(104, types::CONSTANT_BUFFER), of(Class::Cbv, 6, true));
        assert_eq!(at(99, types::CONSTANT_BUFFER), None, "before the table");
        assert_eq!(at(104, types::STORAGE_IMAGE), None, "before all ranges of its class");
        assert_eq!(at(104, types::SAMPLER), None);
    }

    #[test]
    fn registers_read_like_the_shading_language() {
        assert_eq!(of(Class::Srv, 3, false).map(|it| it.to_string()), Some("t3 space1".into()));
        assert_eq!(of(Class::Sampler, 0, true).map(|it| it.to_string()), Some("s0 space1 (behind its range)".into()));
    }
}
