//! Outputs that the tables alone cannot fill: data of the callee's own, feature structures, texels.

use crate::context::Context;
use crate::make::{Maker, store};
use crate::object::Object;
use crate::read::rules;
use crate::read::{Reader, Scope, Side, load};
use crate::value::Value;
use reprise_d3d12::model::{Direction, Field, Len, Pointee, Role, Rule, Type};
use std::collections::HashMap;

const IDENTIFIER: u64 = crate::state::IDENTIFIER as u64;

/// Stands for the result where a field is asked for.
static RESULT: Field = Field {
    name: "result",
    ty: Type::Void,
    offset: 0,
    count: 1,
    direction: Direction::Out,
    optional: false,
    role: Role::Plain,
    arm: None,
    iid: None,
    class: None,
};

/// Fills output `index` at `at` if it has a rule; `false` leaves it to the caller.
///
/// # Safety
/// The words are valid arguments; `at` is what parameter `index` points to.
pub(crate) unsafe fn fill(maker: &mut Maker<'_>, call: &Context<'_>, field: &'static Field, at: *mut u8) -> bool {
    let Type::Pointer(pointee) = field.ty else { return false };
    let Len::Rule(rule) = pointee.len else { return false };
    let scope = Scope::Call(call.method, call.words);
    let model = crate::model();
    match rule {
        Rule::FeatureData => {
            let size = scope.fields().iter().position(|f| f.name.ends_with("Size")).map_or(0, |i| call.bits(i));
            let Some(structure) = rules::feature(&scope) else { return true };
            if size < u64::from(structure.size) {
                return true;
            }
            for (index, field) in structure.fields.iter().enumerate() {
                let bytes = field.ty.size(model.structs);
                if governs(structure.fields, index) {
                    continue; // What the caller passed in depends on it.
                }
                if matches!(field.ty, Type::Pointer(_) | Type::Object(_) | Type::Struct(_) | Type::Guid)
                    || field.count > 1
                {
                    continue; // What the caller passed in.
                }
                // SAFETY: the field lies inside the structure, for which the caller has room.
                unsafe {
                    let at = at.add(field.offset as usize);
                    if load(at, bytes) & crate::read::mask(bytes) == 0 {
                        let bits = maker.scalar(field.ty, field.role);
                        store(at, bytes, bits);
                    }
                }
            }
            true
        }
        Rule::Named("OneInBuffer") => {
            let Type::Struct(id) = pointee.ty else { return true };
            let structure = &model.structs[id.0 as usize];
            // SAFETY: the buffer's size is where the next parameter points, and the buffer is that large.
            unsafe {
                if rules::buffer_size(field, &scope).is_some_and(|size| size >= u64::from(structure.size)) {
                    core::ptr::write_bytes(at, 0, structure.size as usize);
                    maker.structure(structure, at);
                }
            }
            true
        }
        rule => {
            let Some(count) = rules::count(rule, &scope) else { return true };
            let size = pointee.ty.size(model.structs) as usize;
            for i in 0..count as usize {
                // SAFETY: the caller has room for as many elements as the rule says.
                unsafe { maker.element(pointee.ty, field, at.add(i * size)) };
            }
            true
        }
    }
}

/// Whether a field counts an array beside it or selects a member of a union.
fn governs(fields: &[Field], index: usize) -> bool {
    fields.iter().any(|field| {
        let counts = match field.ty {
            Type::Pointer(pointee) => match pointee.len {
                Len::Field(i) | Len::Bytes(i) => usize::from(i) == index,
                Len::Rule(_) => true, // Rules may look at any field.
                _ => false,
            },
            _ => false,
        };
        counts || field.arm.is_some_and(|arm| usize::from(arm.selector) == index)
    })
}

/// Data of the callee's own that an output points to.
pub(crate) fn owned(maker: &mut Maker<'_>, field: &'static Field, pointee: &'static Pointee) -> u64 {
    match pointee.len {
        Len::Rule(_) if matches!(pointee.ty, Type::Void | Type::U8) => maker.array(Type::U8, field, IDENTIFIER),
        Len::Rule(_) => maker.array(pointee.ty, field, 1),
        _ => maker.pointee(field, pointee, &HashMap::new()),
    }
}

/// Data of the callee's own that a result points to.
pub(crate) fn owned_result(maker: &mut Maker<'_>, pointee: &'static Pointee) -> u64 {
    owned(maker, &RESULT, pointee)
}

/// What the log says of a result that is a pointer.
///
/// # Safety
/// The result is one that this runtime gave out for this call.
pub(crate) unsafe fn read_result(
    reader: &Reader,
    object: Option<&Object>,
    pointee: &'static Pointee,
    result: u64,
    scope: &Scope<'_>,
) -> Value {
    let at = result as *const u8;
    // SAFETY: memory of ours, as long as said here because we made it so.
    unsafe {
        match pointee.len {
            Len::Rule(_) if matches!(pointee.ty, Type::Void | Type::U8) => {
                let blob = scope.owner() == "GetBufferPointer";
                let bytes = if blob { object.map_or(0, |o| o.state.bytes as u64) } else { IDENTIFIER };
                reader.array(Type::U8, at, bytes, scope, &RESULT, Side::After)
            }
            Len::Rule(_) => reader.array(pointee.ty, at, 1, scope, &RESULT, Side::After),
            _ => reader.pointer(pointee, result, 0, &RESULT, scope, Side::After),
        }
    }
}
