//! Local root signatures: root arguments that lie behind a shader's identifier in its record, where the program writes them.

use super::{Binding, Class, Place, Slot};

/// What a local root signature says about registers. Its arguments lie in the record in the order of the parameters: constants as
/// words of 4 bytes, the others as 8 bytes at multiples of 8 (DXR specification, "Shader record").
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Local {
    /// Handles of tables in records count bytes of the heap: this is the binary logarithm of a view's size.
    pub resource_size_log2: u32,
    /// The same for samplers.
    pub sampler_size_log2: u32,
    /// The parameters.
    pub parameters: Vec<LocalParameter>,
    /// Static samplers, each at a place of its own.
    pub samplers: Vec<Binding>,
}

/// A parameter of a local root signature.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LocalParameter {
    /// Words in a constant buffer's register.
    Constants {
        /// Register space.
        space: u32,
        /// Register.
        register: u32,
        /// How many words.
        words: u32,
    },
    /// A root descriptor.
    Descriptor {
        /// What kind of register.
        class: Class,
        /// Register space.
        space: u32,
        /// Register.
        register: u32,
    },
    /// A descriptor table.
    Table(Vec<LocalRange>),
}

/// A range of a descriptor table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LocalRange {
    /// What kind of registers.
    pub class: Class,
    /// Register space.
    pub space: u32,
    /// First register.
    pub register: u32,
    /// Number of registers; `u32::MAX` is unbounded.
    pub count: u32,
    /// Where the range begins in the table, in descriptors.
    pub offset: u32,
}

impl Local {
    /// The place of a static sampler.
    pub(crate) fn sampler(&self, class: Class, space: u32, register: u32) -> Option<Slot> {
        let found = self.samplers.iter().find(|sampler| {
            class == Class::Sampler && (sampler.class, sampler.space, sampler.register) == (class, space, register)
        });
        found.and_then(|sampler| match sampler.place {
            Place::Fixed(slot) => Some(slot),
            _ => None,
        })
    }

    /// Whether a register lies in one of the tables.
    pub(crate) fn has_in_table(&self, class: Class, space: u32, register: u32) -> bool {
        let ranges = self.parameters.iter().flat_map(|parameter| match parameter {
            LocalParameter::Table(ranges) => &ranges[..],
            _ => &[],
        });
        let covers = |range: &LocalRange| {
            let behind = register.checked_sub(range.register);
            (range.class, range.space) == (class, space) && behind.is_some_and(|behind| behind < range.count)
        };
        ranges.into_iter().any(covers)
    }
}
