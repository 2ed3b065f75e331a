//! Subobjects of pipeline state streams and of state objects: the type that each number names.
//!
//! The model's tables of choices say it; here they are laid out by number once.

use crate::shape::Kind;
use reprise_d3d12::model::{EnumId, Model, Select, StructId, Type};

/// The model's tables, by number.
pub(crate) struct Subobjects {
    stream: Box<[Option<Type>]>,
    state: Box<[Option<Type>]>,
    chain: Box<[(i64, Type)]>,
    /// The enumeration that names the stream's subobjects, for dumps.
    pub(crate) stream_types: Option<EnumId>,
    /// The enumeration that names structures of a chain.
    pub(crate) chain_types: Option<EnumId>,
}

/// One subobject of a pipeline stream: the value lies at `offset` of the stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subobject {
    pub(crate) ty: Type,
    pub(crate) offset: usize,
    pub(crate) next: usize,
}

impl Subobjects {
    pub(crate) fn new(selects: &[Select]) -> Subobjects {
        let table = |name| selects.iter().find(|select| select.name == name);
        Subobjects {
            stream: choices(selects, "PipelineStream"),
            state: choices(selects, "StateSubobject"),
            chain: table("VkNext").map_or(Box::default(), |s| s.cases.into()),
            stream_types: table("PipelineStream").map(|s| s.selector),
            chain_types: table("VkNext").map(|s| s.selector),
        }
    }

    /// The type of a pipeline stream's subobject.
    pub(crate) fn stream_type(&self, number: u32) -> Option<Type> {
        self.stream.get(number as usize).copied().flatten()
    }

    /// What `pDesc` of a state subobject of this type points to.
    pub(crate) fn state_kind(&self, number: u64) -> Kind {
        match usize::try_from(number).ok().and_then(|n| self.state.get(n).copied().flatten()) {
            Some(ty) => Kind::Elements(ty),
            None => Kind::Opaque(number),
        }
    }

    /// The structure of a chain that begins with this type number.
    pub(crate) fn chained(&self, number: u32) -> Option<StructId> {
        self.chain.iter().find_map(|c| match c.1 {
            Type::Struct(id) if c.0 as u32 == number => Some(id),
            _ => None,
        })
    }

    /// The subobject at `offset` of a stream of `length` bytes, its type number being `number`; `None` when the number is
    /// not known or the subobject does not fit: its bytes and all that follow are then opaque.
    pub(crate) fn stream_at(&self, model: &Model, number: u32, offset: usize, length: usize) -> Option<Subobject> {
        let ty = self.stream_type(number)?;
        let align = ty.align(model.structs).max(4) as usize;
        let value = offset.checked_add(4)?.next_multiple_of(align);
        let end = value.checked_add(ty.size(model.structs) as usize)?;
        if end > length {
            return None;
        }
        Some(Subobject { ty, offset: value, next: end.next_multiple_of(8) })
    }

    /// The numbers that are known, for fabricated streams.
    #[cfg(feature = "fabricate")]
    pub(crate) fn stream_numbers(&self) -> Vec<u32> {
        (0..self.stream.len() as u32).filter(|n| self.stream[*n as usize].is_some()).collect()
    }

    /// The numbers that are known, for fabricated state objects.
    #[cfg(feature = "fabricate")]
    pub(crate) fn state_numbers(&self) -> Vec<u32> {
        (0..self.state.len() as u32).filter(|n| self.state[*n as usize].is_some()).collect()
    }
}

/// A table of choices; empty where the model has none of this name, so that all its subobjects are opaque.
fn choices(selects: &[Select], name: &str) -> Box<[Option<Type>]> {
    let Some(select) = selects.iter().find(|s| s.name == name) else { return Box::default() };
    let known = select.cases.iter().filter_map(|c| Some((usize::try_from(c.0).ok().filter(|n| *n < 4096)?, c.1)));
    let mut types = Vec::new();
    for (number, ty) in known {
        types.resize(types.len().max(number + 1), None);
        types[number] = Some(ty);
    }
    types.into_boxed_slice()
}
