//! Makes up values of any type of the model: arguments for calls, and what outputs come back with.
//!
//! Values are deterministic (the same seed, the same values), distinct within and across calls as far as their width
//! allows, and never zero where zero would hide a mistake. Lengths, selectors and union members agree with each other.

use crate::read::mask;
use reprise_d3d12::model::{Field, InterfaceId, Len, Model, Role, Struct, Type};
use std::collections::HashMap;

/// Memory of made-up values; everything lives as long as this.
#[derive(Default)]
pub struct Arena {
    blocks: Vec<Box<[u64]>>,
}

impl Arena {
    /// Zeroed memory, aligned to 8 bytes; a valid address also for no bytes.
    pub fn bytes(&mut self, size: usize) -> *mut u8 {
        self.blocks.push(vec![0u64; size.div_ceil(8).max(1)].into_boxed_slice());
        match self.blocks.last_mut() {
            Some(block) => block.as_mut_ptr().cast(),
            None => core::ptr::null_mut(),
        }
    }
}

/// Gives an object (as its address) for an interface; 0 for none.
pub type Objects<'a> = dyn FnMut(InterfaceId) -> u64 + 'a;

/// Makes values.
pub struct Maker<'a> {
    pub(crate) model: &'static Model,
    pub(crate) arena: &'a mut Arena,
    pub(crate) objects: &'a mut Objects<'a>,
    /// Rises with every value.
    seed: u64,
    /// Structures being made, outermost first: lists end after two of a kind.
    within: Vec<&'static str>,
}

/// Elements per array that a sibling counts.
const ELEMENTS: u64 = 2;

impl<'a> Maker<'a> {
    /// A maker whose values follow from `seed`.
    pub fn new(arena: &'a mut Arena, objects: &'a mut Objects<'a>, seed: u64) -> Self {
        Self {
            model: crate::model(),
            arena,
            objects,
            seed: seed.wrapping_mul(0x101).wrapping_add(1),
            within: Vec::new(),
        }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.seed = self.seed.wrapping_add(1);
        self.seed
    }

    /// A distinct number of `size` bytes, not 0, and plausible as a size, count or handle.
    pub(crate) fn number(&mut self, size: u32) -> u64 {
        let n = self.next();
        match size {
            1 => n % 251 + 1,
            2 => n % 65_521 + 1,
            4 => 0x0100_0000 + (n & 0x3fff_ffff),
            _ => 0x0000_1000_0000_0000 + (n << 4),
        }
    }

    /// The bits of a value of a type without pointers or fields.
    pub(crate) fn scalar(&mut self, ty: Type, role: Role) -> u64 {
        match (ty, role) {
            (_, Role::Reserved) => 0,
            (Type::Bool, _) => 1,
            (Type::Hresult, _) => 0x0026_0000 | (self.next() & 0xffff),
            (Type::F32, _) => u64::from((self.next() as f32 * 0.5).to_bits()),
            (Type::F64, _) => (self.next() as f64 * 0.25).to_bits(),
            (Type::Enum(id), _) => {
                let members = self.model.enums[id.0 as usize].members;
                let n = self.next() as usize;
                let wanted: Vec<i64> = members.iter().map(|m| m.1).filter(|&v| v != 0 && v != -1).collect();
                let value = wanted.get(n % wanted.len().max(1)).copied().unwrap_or(1);
                value as u64 & mask(4)
            }
            _ => {
                let size = ty.size(self.model.structs);
                self.number(size)
            }
        }
    }

    /// Fills one element of `ty` at `at`, which must be zeroed.
    ///
    /// # Safety
    /// `at` must be writable for the element.
    pub unsafe fn element(&mut self, ty: Type, field: &'static Field, at: *mut u8) {
        let size = ty.size(self.model.structs);
        // SAFETY: the caller promises room for the element; nothing is written past it.
        unsafe {
            match ty {
                Type::Void => {}
                Type::Struct(id) => self.structure(&self.model.structs[id.0 as usize], at),
                Type::Guid => {
                    for i in 0..16 {
                        at.add(i).write((self.next() % 255 + 1) as u8);
                    }
                }
                Type::Object(interface) => {
                    let address = (self.objects)(field.class.unwrap_or(interface));
                    store(at, 8, address);
                }
                Type::Pointer(_) => {} // The owner knows the length.
                _ => {
                    let bits = self.scalar(ty, field.role);
                    store(at, size, bits);
                }
            }
        }
    }

    /// Fills a zeroed structure: selectors first, then counts, then the active fields.
    ///
    /// # Safety
    /// `base` must be writable for the structure.
    pub unsafe fn structure(&mut self, structure: &'static Struct, base: *mut u8) {
        self.within.push(structure.name);
        let chosen = self.selectors(structure);
        // SAFETY: every field lies inside the structure, which the caller lets us write.
        unsafe {
            for (&index, &bits) in &chosen {
                let field = &structure.fields[index];
                store(base.add(field.offset as usize), field.ty.size(self.model.structs), bits);
            }
            let counts = self.counts(structure.fields, |field| {
                crate::read::active(
                    crate::model(),
                    field,
                    &crate::read::Scope::Memory { structure, base, outer: None, array: base },
                )
            });
            for (index, field) in structure.fields.iter().enumerate() {
                let scope = crate::read::Scope::Memory { structure, base, outer: None, array: base };
                if chosen.contains_key(&index) || !crate::read::active(self.model, field, &scope) {
                    continue;
                }
                let at = base.add(field.offset as usize);
                let size = field.ty.size(self.model.structs) as usize;
                if let Some(&count) = counts.get(&index) {
                    store(at, size as u32, count);
                } else if let Type::Pointer(pointee) = field.ty {
                    let address = self.pointee(field, pointee, &counts);
                    store(at, 8, address);
                } else {
                    for i in 0..usize::from(field.count.max(1)) {
                        self.element(field.ty, field, at.add(i * size));
                    }
                }
            }
        }
        self.within.pop();
    }

    /// For every selector of a union, one of the values that some member wants; another one at every turn.
    fn selectors(&mut self, structure: &'static Struct) -> HashMap<usize, u64> {
        let mut wanted: HashMap<usize, Vec<i64>> = HashMap::new();
        for field in structure.fields {
            let Some(arm) = &field.arm else { continue };
            let values = wanted.entry(arm.selector as usize).or_default();
            if arm.inverted {
                if let Some(Type::Enum(id)) = structure.fields.get(arm.selector as usize).map(|f| f.ty) {
                    let members = self.model.enums[id.0 as usize].members;
                    values.extend(members.iter().map(|m| m.1).filter(|v| !arm.values.contains(v)).take(1));
                }
            } else {
                values.extend(arm.values);
            }
        }
        let mut chosen = HashMap::new();
        let mut indices: Vec<_> = wanted.into_iter().filter(|(_, values)| !values.is_empty()).collect();
        indices.sort_unstable_by_key(|(index, _)| *index);
        for (index, values) in indices {
            let n = self.next() as usize;
            let size = structure.fields[index].ty.size(self.model.structs);
            chosen.insert(index, values[n % values.len()] as u64 & mask(size));
        }
        chosen
    }

    /// The counts that arrays among `fields` want of their siblings, by sibling.
    pub(crate) fn counts(
        &self,
        fields: &'static [Field],
        active: impl Fn(&'static Field) -> bool,
    ) -> HashMap<usize, u64> {
        let mut counts = HashMap::new();
        for field in fields {
            let Type::Pointer(pointee) = field.ty else { continue };
            let size = u64::from(pointee.ty.size(self.model.structs).max(1));
            let ends = self.ends(pointee.ty);
            let (index, count) = match pointee.len {
                Len::Field(i) => (i, if ends { 0 } else { ELEMENTS }),
                Len::Bytes(i) if matches!(pointee.ty, Type::Void | Type::U8) => (i, 24),
                Len::Bytes(i) => (i, ELEMENTS * size),
                _ => continue,
            };
            if !active(field) {
                counts.entry(index as usize).or_insert(0);
                continue;
            }
            let entry = counts.entry(index as usize).or_insert(count);
            *entry = (*entry).max(count);
        }
        counts
    }

    /// Whether another structure of this kind would go too deep.
    fn ends(&self, ty: Type) -> bool {
        let Type::Struct(id) = ty else { return false };
        let name = self.model.structs[id.0 as usize].name;
        self.within.iter().filter(|n| **n == name).count() >= 2 || self.within.len() > 12
    }

    /// What a pointer of a structure points to; 0 where lists end, and where code of ours cannot say.
    pub(crate) fn pointee(
        &mut self,
        field: &'static Field,
        pointee: &'static reprise_d3d12::model::Pointee,
        counts: &HashMap<usize, u64>,
    ) -> u64 {
        if self.ends(pointee.ty) || matches!(field.role, Role::Reserved | Role::Callback) {
            return 0;
        }
        let size = u64::from(pointee.ty.size(self.model.structs).max(1));
        let counted = |index: u8| counts.get(&(index as usize)).copied().unwrap_or(ELEMENTS);
        let count = match pointee.len {
            Len::One => 1,
            Len::Const(n) => u64::from(n),
            Len::Field(i) => counted(i),
            Len::Bytes(i) => counted(i) / size,
            Len::Through(_) => ELEMENTS,
            Len::BytesThrough(_) => ELEMENTS,
            Len::Text => return self.text(pointee.ty),
            Len::Rule(_) => return 0,
        };
        self.array(pointee.ty, field, count)
    }

    /// `count` filled elements.
    pub(crate) fn array(&mut self, ty: Type, field: &'static Field, count: u64) -> u64 {
        let bytes = matches!(ty, Type::Void | Type::U8);
        let size = u64::from(ty.size(self.model.structs).max(1));
        let at = self.arena.bytes((count * size) as usize);
        for i in 0..count {
            // SAFETY: the arena just gave `count` elements.
            unsafe {
                let at = at.add((i * size) as usize);
                match ty {
                    _ if bytes => at.write((self.next() % 255 + 1) as u8),
                    Type::Pointer(inner) => {
                        let address = self.pointee(field, inner, &HashMap::new());
                        store(at, 8, address);
                    }
                    _ => self.element(ty, field, at),
                }
            }
        }
        at as u64
    }

    /// Terminated text in the unit of `ty`.
    pub(crate) fn text(&mut self, ty: Type) -> u64 {
        let text = format!("text {}", self.next());
        let unit = if matches!(ty, Type::U16) { crate::wide() } else { 1 };
        let at = self.arena.bytes((text.len() + 1) * unit);
        for (i, byte) in text.bytes().enumerate() {
            // SAFETY: the arena gave that many units, and the last one stays zero.
            unsafe { store(at.add(i * unit), unit as u32, u64::from(byte)) };
        }
        at as u64
    }
}

/// Stores the low `size` bytes of `bits`.
///
/// # Safety
/// `at` must be writable for `size` bytes.
pub(crate) unsafe fn store(at: *mut u8, size: u32, bits: u64) {
    let bytes = bits.to_le_bytes();
    // SAFETY: the caller promises the room, and no scalar is larger than the word.
    unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), at, size.min(8) as usize) };
}
