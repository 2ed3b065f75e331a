//! Structures in native memory, made and read by the names that the model gives their fields.
//!
//! Replay makes calls of its own (readback, replaced swap-chain images) and needs a handful of structures for them. The
//! model states every layout; nothing is stated here a second time. Invariant: a field that the model does not have is
//! an error in words, never a guess.

use reprise_d3d12::model::{Field, Model, Struct, Type};

/// One structure, zeroed, aligned to 8 bytes.
pub(crate) struct Native {
    model: Model,
    layout: &'static Struct,
    words: Box<[u64]>,
}

impl Native {
    pub(crate) fn new(model: &Model, name: &str) -> Result<Self, String> {
        let layout = model
            .structs
            .iter()
            .find(|layout| layout.name == name)
            .ok_or_else(|| format!("the model has no structure {name}"))?;
        let words = vec![0; (layout.size as usize).div_ceil(8)].into_boxed_slice();
        Ok(Self { model: *model, layout, words })
    }

    /// Sets a field, given as in `Transition.pResource`; of a value only the bytes that the field has are stored.
    pub(crate) fn set(mut self, path: &str, value: u64) -> Result<Self, String> {
        let (offset, size) = locate(&self.model, self.layout, path)?;
        for (index, byte) in value.to_le_bytes().into_iter().take(size).enumerate() {
            let at = offset + index;
            self.words[at / 8] &= !(0xff << (at % 8 * 8));
            self.words[at / 8] |= u64::from(byte) << (at % 8 * 8);
        }
        Ok(self)
    }

    /// Stays valid as long as the structure is neither dropped nor changed.
    pub(crate) fn pointer(&self) -> u64 {
        self.words.as_ptr() as u64
    }

    /// For a call that writes the structure.
    pub(crate) fn pointer_mut(&mut self) -> u64 {
        self.words.as_mut_ptr() as u64
    }

    pub(crate) fn get(&self, path: &str) -> Result<u64, String> {
        let (offset, size) = locate(&self.model, self.layout, path)?;
        let mut bytes = [0; 8];
        for (index, byte) in bytes.iter_mut().take(size).enumerate() {
            let at = offset + index;
            *byte = (self.words[at / 8] >> (at % 8 * 8)) as u8;
        }
        Ok(u64::from_le_bytes(bytes))
    }
}

/// Offset and size in bytes of a plain field, at most 8.
fn locate(model: &Model, layout: &'static Struct, path: &str) -> Result<(usize, usize), String> {
    let mut layout = layout;
    let mut offset = 0;
    let mut names = path.split('.').peekable();
    while let Some(name) = names.next() {
        let field: &Field = layout
            .fields
            .iter()
            .find(|field| field.name == name)
            .ok_or_else(|| format!("{} has no field {name} in the model", layout.name))?;
        offset += field.offset as usize;
        match field.ty {
            Type::Struct(inner) if names.peek().is_some() => layout = &model.structs[usize::from(inner.0)],
            _ if names.peek().is_some() => return Err(format!("{}.{name} is no structure", layout.name)),
            ty => {
                let size = ty.size(model.structs) as usize;
                return Ok((offset, size.min(8)));
            }
        }
    }
    Err(format!("{path:?} names no field"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use reprise_d3d12::model::{Direction, Role, StructId};

    use super::*;

    const fn field(name: &'static str, ty: Type, offset: u32) -> Field {
        Field {
            name,
            ty,
            offset,
            count: 1,
            direction: Direction::In,
            optional: false,
            role: Role::Plain,
            arm: None,
            iid: None,
            class: None,
        }
    }

    static STRUCTS: [Struct; 2] = [
        Struct {
            name: "INNER",
            size: 8,
            align: 4,
            flat: true,
            fields: &[field("A", Type::U16, 2), field("B", Type::U32, 4)],
        },
        Struct {
            name: "OUTER",
            size: 24,
            align: 8,
            flat: true,
            fields: &[field("Inner", Type::Struct(StructId(0)), 4), field("Word", Type::U64, 16)],
        },
    ];
    const MODEL: Model = Model { interfaces: &[], methods: &[], structs: &STRUCTS, enums: &[] };

    #[test]
    fn fields_lie_where_the_model_says() {
        let native = Native::new(&MODEL, "OUTER").unwrap();
        let native = native.set("Inner.A", 0xffff_ffff).unwrap().set("Inner.A", 0x1_2345).unwrap();
        let native = native.set("Word", u64::MAX).unwrap().set("Inner.B", 7).unwrap();
        assert_eq!(native.words[..], [0x2345 << 48, 7, u64::MAX]);
        assert_eq!(native.get("Inner.A"), Ok(0x2345));
        assert_eq!(native.get("Inner.B"), Ok(7));
    }

    #[test]
    fn what_the_model_lacks_is_an_error() {
        assert!(Native::new(&MODEL, "OTHER").is_err());
        let outer = || Native::new(&MODEL, "OUTER").unwrap();
        for path in ["", "C", "Word.X", "Inner.C"] {
            assert!(outer().set(path, 1).is_err(), "{path}");
        }
    }
}
