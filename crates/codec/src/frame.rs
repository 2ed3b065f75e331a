//! Where a walk stands: the fields being walked, the bytes that hold them, and the frames around them.
//!
//! The bytes are native memory when encoding, unwrapping or checking, and wire bytes when decoding; both have the same
//! layout, so lengths, selectors and rules are read by the same code. Reads outside the bytes give zero.

use reprise_d3d12::model::{Field, MethodId, Struct, StructId};
use std::marker::PhantomData;

/// Whose fields a frame holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    Call(MethodId),
    Struct(StructId),
}

/// The array that holds a frame's structure, before and after a copy: for pointers into it.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Span {
    /// Address in the recorded program.
    pub(crate) old: u64,
    /// Address of the copy.
    pub(crate) new: u64,
    pub(crate) bytes: u64,
}

#[derive(Clone, Copy)]
pub(crate) struct Frame<'p> {
    pub(crate) owner: Owner,
    pub(crate) fields: &'static [Field],
    pub(crate) structs: &'static [Struct],
    pub(crate) parent: Option<&'p Frame<'p>>,
    pub(crate) span: Span,
    base: *const u8,
    len: usize,
    bytes: PhantomData<&'p [u8]>,
}

impl<'p> Frame<'p> {
    /// A frame over memory at `base`.
    ///
    /// # Safety
    /// `base` is readable for `len` bytes for as long as the frame lives.
    pub(crate) unsafe fn native(
        owner: Owner,
        fields: &'static [Field],
        structs: &'static [Struct],
        base: *const u8,
        len: usize,
        parent: Option<&'p Frame<'p>>,
    ) -> Frame<'p> {
        Frame { owner, fields, structs, parent, span: Span::default(), base, len, bytes: PhantomData }
    }

    /// A frame over bytes.
    pub(crate) fn wire(
        owner: Owner,
        fields: &'static [Field],
        structs: &'static [Struct],
        bytes: &'p [u8],
        parent: Option<&'p Frame<'p>>,
    ) -> Frame<'p> {
        // SAFETY: a slice is readable for its length; the frame borrows it.
        unsafe { Frame::native(owner, fields, structs, bytes.as_ptr(), bytes.len(), parent) }
    }

    /// The structure at `offset` inside this one, as a frame of its own.
    pub(crate) fn nested(&'p self, id: StructId, offset: usize) -> Frame<'p> {
        let layout = &self.structs[id.0 as usize];
        let offset = offset.min(self.len);
        Frame {
            owner: Owner::Struct(id),
            fields: layout.fields,
            structs: self.structs,
            parent: Some(self),
            span: Span::default(),
            // SAFETY: `offset` is inside the frame, as just limited.
            base: unsafe { self.base.add(offset) },
            len: (self.len - offset).min(layout.size as usize),
            bytes: PhantomData,
        }
    }

    /// Where the frame's bytes begin.
    pub(crate) fn base(&self) -> *const u8 {
        self.base
    }

    /// Up to 8 bytes at `offset`, zero-extended.
    #[inline]
    pub(crate) fn read(&self, offset: usize, size: usize) -> u64 {
        if offset.saturating_add(size) > self.len {
            return 0;
        }
        // SAFETY: `offset + size` is inside the frame, as just compared.
        unsafe { read_word(self.base.add(offset), size) }
    }

    /// The value of a sibling, zero-extended.
    pub(crate) fn value(&self, field: usize) -> u64 {
        match self.fields.get(field) {
            Some(f) => self.read(f.offset as usize, f.ty.size(self.structs) as usize),
            None => 0,
        }
    }

    /// The value of a sibling found by name.
    pub(crate) fn named(&self, name: &str) -> Option<u64> {
        self.position(name).map(|i| self.value(i))
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|f| f.name == name)
    }

    /// Whether a member of a union is the one in use.
    pub(crate) fn active(&self, field: &Field) -> bool {
        let Some(arm) = &field.arm else { return true };
        let Some(selector) = self.fields.get(arm.selector as usize) else { return false };
        let size = selector.ty.size(self.structs) as usize;
        arm_active(self.read(selector.offset as usize, size), size, arm.values, arm.inverted)
    }
}

/// Compares a selector's low bytes: enumerations may be stated signed or unsigned.
#[inline]
pub(crate) fn arm_active(value: u64, size: usize, values: &[i64], inverted: bool) -> bool {
    let mask = if size >= 8 { u64::MAX } else { (1 << (size * 8)) - 1 };
    values.iter().any(|v| *v as u64 & mask == value & mask) != inverted
}

/// Up to 8 bytes, zero-extended.
///
/// # Safety
/// `pointer` is readable for `size` bytes.
#[inline]
pub(crate) unsafe fn read_word(pointer: *const u8, size: usize) -> u64 {
    // SAFETY: the caller has `size` readable bytes at `pointer`; the reads need no alignment.
    unsafe {
        match size {
            8 => pointer.cast::<u64>().read_unaligned(),
            4 => u64::from(pointer.cast::<u32>().read_unaligned()),
            2 => u64::from(pointer.cast::<u16>().read_unaligned()),
            1 => u64::from(*pointer),
            _ => {
                let mut word = [0u8; 8];
                let size = size.min(8);
                pointer.copy_to_nonoverlapping(word.as_mut_ptr(), size);
                u64::from_le_bytes(word)
            }
        }
    }
}
