//! Reads the caller's arguments: from words and native memory to [`Value`]s.
//!
//! This is the independent expectation for capture and decode, so it shares the model's tables with them and no code.
//! Invariant: it reads only what the call says is there; a length it cannot know is not guessed, the pointer is then
//! given as an address.

pub(crate) mod rules;

use crate::live;
use crate::value::Value;
use reprise_d3d12::model::{Direction, Field, Guid, Len, Method, Model, Pointee, Role, Struct, Type};

/// No array of the API is longer than this many elements; a larger count is a stray word.
pub(crate) const MOST: u64 = 1 << 28;

/// Where the siblings of a length or a selector are found.
#[derive(Clone, Copy)]
pub(crate) enum Scope<'a> {
    /// The parameters of a call, one word each.
    Call(&'static Method, &'a [u64]),
    /// The fields of a structure in memory. `outer` is the scope that holds the pointer to the array this structure is
    /// an element of, `array` the array's first element.
    Memory { structure: &'static Struct, base: *const u8, outer: Option<&'a Scope<'a>>, array: *const u8 },
}

impl<'a> Scope<'a> {
    pub(crate) fn fields(&self) -> &'static [Field] {
        match self {
            Scope::Call(method, _) => method.params,
            Scope::Memory { structure, .. } => structure.fields,
        }
    }

    /// The name of what holds the fields: the structure's, or the method's.
    pub(crate) fn owner(&self) -> &'static str {
        match self {
            Scope::Call(method, _) => method.name,
            Scope::Memory { structure, .. } => structure.name,
        }
    }

    /// The bits of sibling `index`, zero-extended; the address for a pointer.
    pub(crate) fn bits(&self, model: &Model, index: usize) -> u64 {
        let Some(field) = self.fields().get(index) else { return 0 };
        match self {
            Scope::Call(_, words) => words.get(index).copied().unwrap_or(0) & mask(field.ty.size(model.structs)),
            // SAFETY: the base points to a whole structure of the caller's, and the offset is inside by the model.
            Scope::Memory { base, .. } => unsafe {
                load(base.add(field.offset as usize), field.ty.size(model.structs))
            },
        }
    }

    pub(crate) fn named(&self, model: &Model, name: &str) -> Option<u64> {
        let index = self.fields().iter().position(|f| f.name == name)?;
        Some(self.bits(model, index))
    }
}

/// The low `size` bytes.
pub(crate) fn mask(size: u32) -> u64 {
    if size >= 8 { u64::MAX } else { (1u64 << (size * 8)) - 1 }
}

/// Loads `size` (1, 2, 4 or 8) bytes, zero-extended; other sizes load 8.
///
/// # Safety
/// `at` must be readable for `size` bytes.
pub(crate) unsafe fn load(at: *const u8, size: u32) -> u64 {
    // SAFETY: the caller promises the bytes; unaligned reads because program memory need not be aligned.
    unsafe {
        match size {
            1 => u64::from(at.read()),
            2 => u64::from(at.cast::<u16>().read_unaligned()),
            4 => u64::from(at.cast::<u32>().read_unaligned()),
            _ => at.cast::<u64>().read_unaligned(),
        }
    }
}

/// Reads values by the model.
#[derive(Clone, Copy)]
pub(crate) struct Reader {
    pub(crate) model: &'static Model,
}

/// Which side of the call a parameter is read on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

impl Reader {
    /// Parameter `index` of a call.
    ///
    /// Before the call, what an output points to is not looked at; after the call, inputs are not read again (`None`).
    ///
    /// # Safety
    /// The words must be the arguments of a call of `method` that is under way: each pointer is null, or readable for as many bytes as the
    /// model's length rules give for the other arguments.
    pub(crate) unsafe fn param(
        &self,
        method: &'static Method,
        words: &[u64],
        index: usize,
        side: Side,
    ) -> Option<Value> {
        let scope = Scope::Call(method, words);
        let field = &method.params[index];
        let word = scope.bits(self.model, index);
        match (field.ty, side) {
            (Type::Pointer(_), Side::Before) if field.direction == Direction::Out => Some(address(word)),
            (Type::Pointer(pointee), Side::Before) => {
                // SAFETY: passed on from the caller.
                Some(unsafe { self.pointer(pointee, word, 0, field, &scope, side) })
            }
            (Type::Pointer(pointee), Side::After) if field.direction != Direction::In => {
                // SAFETY: passed on from the caller.
                Some(unsafe { self.pointer(pointee, word, 0, field, &scope, side) })
            }
            (_, Side::After) => None,
            (Type::Struct(id), Side::Before) => {
                let structure = &self.model.structs[id.0 as usize];
                let small = words[index].to_le_bytes();
                let base = if structure.size <= 8 { small.as_ptr() } else { words[index] as *const u8 };
                // SAFETY: the bytes of a small structure are in the word, a larger one lies where the word points.
                Some(unsafe { self.structure(structure, base, Some(&scope), base, side) })
            }
            // SAFETY: an id by value is larger than a word, which then is its address.
            (Type::Guid, Side::Before) => Some(unsafe {
                self.element(Type::Guid, words[index] as *const u8, &scope, field, words[index] as *const u8, side)
            }),
            (ty, Side::Before) => {
                let bytes = word.to_le_bytes();
                // SAFETY: no scalar is larger than the word.
                Some(unsafe { self.element(ty, bytes.as_ptr(), &scope, field, bytes.as_ptr(), side) })
            }
        }
    }

    /// What a pointer points to; `index` is its place where it is an element of an array of pointers.
    ///
    /// # Safety
    /// As for [`Reader::param`].
    pub(crate) unsafe fn pointer(
        &self,
        pointee: &'static Pointee,
        word: u64,
        index: usize,
        field: &'static Field,
        scope: &Scope<'_>,
        side: Side,
    ) -> Value {
        if word == 0 {
            return Value::Null;
        }
        let at = word as *const u8;
        // Inside a structure that is passed in, what the callee is to fill is not looked at before it has.
        let unfilled =
            side == Side::Before && field.direction == Direction::Out && matches!(scope, Scope::Memory { .. });
        if field.role == Role::Reserved || unfilled {
            return address(word);
        }
        // SAFETY: passed on from the caller.
        unsafe {
            match pointee.len {
                Len::Text => text(at, pointee.ty),
                Len::Rule(rule) => rules::read(self, rule, pointee, at, index, field, scope, side),
                len => match self.count(len, pointee.ty, scope) {
                    Some(count) => self.array(pointee.ty, at, count, scope, field, side),
                    None => address(word),
                },
            }
        }
    }

    /// The number of elements, where siblings tell it.
    ///
    /// # Safety
    /// As for [`Reader::param`].
    pub(crate) unsafe fn count(&self, len: Len, ty: Type, scope: &Scope<'_>) -> Option<u64> {
        let size = u64::from(ty.size(self.model.structs).max(1));
        // SAFETY: a sibling that is a pointer to a count points to one, by the model; null is checked.
        let through = |index: u8| unsafe {
            let at = scope.bits(self.model, index as usize) as *const u8;
            let Type::Pointer(to) = scope.fields()[index as usize].ty else { return None };
            (!at.is_null()).then(|| load(at, to.ty.size(self.model.structs)))
        };
        let count = match len {
            Len::One => 1,
            Len::Const(n) => u64::from(n),
            Len::Field(i) => scope.bits(self.model, i as usize),
            Len::Bytes(i) => scope.bits(self.model, i as usize) / size,
            Len::Through(i) => through(i)?,
            Len::BytesThrough(i) => through(i)? / size,
            Len::Text | Len::Rule(_) => return None,
        };
        (count <= MOST).then_some(count)
    }

    /// `count` elements from `at` on; bytes come out as [`Value::Bytes`].
    ///
    /// # Safety
    /// The elements must be readable.
    pub(crate) unsafe fn array(
        &self,
        ty: Type,
        at: *const u8,
        count: u64,
        scope: &Scope<'_>,
        field: &'static Field,
        side: Side,
    ) -> Value {
        if matches!(ty, Type::Void | Type::U8) {
            // SAFETY: the caller promises `count` readable bytes.
            return Value::Bytes(unsafe { core::slice::from_raw_parts(at, count as usize) }.to_vec());
        }
        let size = ty.size(self.model.structs) as usize;
        let items = (0..count as usize).map(|i| {
            // SAFETY: element `i` is one of the `count` that the caller promises.
            unsafe { self.element(ty, at.add(i * size), scope, field, at, side) }
        });
        Value::List(items.collect())
    }

    /// One element in memory.
    ///
    /// # Safety
    /// The element must be readable.
    pub(crate) unsafe fn element(
        &self,
        ty: Type,
        at: *const u8,
        scope: &Scope<'_>,
        field: &'static Field,
        array: *const u8,
        side: Side,
    ) -> Value {
        let size = ty.size(self.model.structs);
        // SAFETY: the caller promises an element of this type here.
        unsafe {
            match ty {
                Type::Void => Value::Null,
                Type::F32 => Value::F32(load(at, 4) as u32),
                Type::F64 => Value::F64(load(at, 8)),
                Type::Guid => Value::Guid(at.cast::<Guid>().read_unaligned().to_string()),
                Type::Object(_) => live::value(load(at, 8)),
                Type::Pointer(pointee) => {
                    let index = (at as usize - array as usize) / 8;
                    self.pointer(pointee, load(at, 8), index, field, scope, side)
                }
                Type::Struct(id) => self.structure(&self.model.structs[id.0 as usize], at, Some(scope), array, side),
                _ => Value::Bits { bits: load(at, size), size: size as u8 },
            }
        }
    }

    /// One structure: its active fields.
    ///
    /// # Safety
    /// The structure must be readable.
    pub(crate) unsafe fn structure(
        &self,
        structure: &'static Struct,
        base: *const u8,
        outer: Option<&Scope<'_>>,
        array: *const u8,
        side: Side,
    ) -> Value {
        let scope = Scope::Memory { structure, base, outer, array };
        let mut fields = Vec::with_capacity(structure.fields.len());
        for field in structure.fields {
            if !active(self.model, field, &scope) {
                continue;
            }
            let size = field.ty.size(self.model.structs) as usize;
            // SAFETY: fields lie inside the structure, by the model.
            let value = unsafe {
                let at = base.add(field.offset as usize);
                match field.count {
                    0 | 1 => self.element(field.ty, at, &scope, field, at, side),
                    n if matches!(field.ty, Type::U8) => {
                        Value::Bytes(core::slice::from_raw_parts(at, n as usize).to_vec())
                    }
                    n => Value::List(
                        (0..n as usize)
                            .map(|i| self.element(field.ty, at.add(i * size), &scope, field, at, side))
                            .collect(),
                    ),
                }
            };
            fields.push((field.name, value));
        }
        Value::Struct(structure.name, fields)
    }
}

/// Whether a union member is the one in use. Members without a selector always are.
pub(crate) fn active(model: &Model, field: &Field, scope: &Scope<'_>) -> bool {
    let Some(arm) = &field.arm else { return true };
    let selector = arm.selector as usize;
    let Some(by) = scope.fields().get(selector) else { return true };
    let bits = scope.bits(model, selector);
    let size = by.ty.size(model.structs);
    let hit = arm.values.iter().any(|&v| (v as u64) & mask(size) == bits);
    hit != arm.inverted
}

/// A pointer that is not followed.
pub(crate) fn address(word: u64) -> Value {
    if word == 0 { Value::Null } else { Value::Address(word) }
}

/// Zero-terminated text in bytes or wide units.
///
/// # Safety
/// `at` must point to terminated text.
pub(crate) unsafe fn text(at: *const u8, unit: Type) -> Value {
    // SAFETY: passed on.
    let units = unsafe { units(at, unit) };
    Value::Text(match unit {
        Type::U16 if crate::wide() == 4 => {
            units.iter().map(|&u| char::from_u32(u).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }
        Type::U16 => String::from_utf16_lossy(&units.iter().map(|&u| u as u16).collect::<Vec<_>>()),
        _ => String::from_utf8_lossy(&units.iter().map(|&u| u as u8).collect::<Vec<_>>()).into_owned(),
    })
}

/// The units of zero-terminated text, without the terminator. `U16` stands for `WCHAR`, of
/// [`wide`](crate::set_wide) bits.
///
/// # Safety
/// `at` must point to terminated text.
pub(crate) unsafe fn units(at: *const u8, unit: Type) -> Vec<u32> {
    let size = match unit {
        Type::U16 => crate::wide(),
        _ => 1,
    };
    // SAFETY: the caller promises a terminator, and nothing after it is read.
    (0..).map(|i| unsafe { load(at.add(i * size), size as u32) } as u32).take_while(|&u| u != 0).collect()
}
