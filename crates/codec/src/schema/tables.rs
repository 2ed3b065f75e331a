//! What both readers of schemas check, and the memory that tables live in.
//!
//! Invariant: tables that pass are as sound as generated ones. Every index is in range, every field lies inside its parent,
//! no structure holds itself. The walks trust their tables, so they may use these whatever the schema's bytes were.

use reprise_d3d12::model::{Field, Len, Method, Order, Role, Struct, Type};

/// The longest structure, in bytes.
pub(super) const MOST_BYTES: u64 = 1 << 20;
/// The longest block of arguments, in bytes.
pub(super) const MOST_ARGUMENTS: u64 = 8 * 32;
/// The most fields of a structure. A byte names a sibling.
pub(super) const MOST_FIELDS: usize = 255;
/// The deepest chain of pointers to pointers.
pub(super) const MOST_POINTERS: usize = 3;
/// The most fields of a structure, with those of nested structures counted.
const MOST_EXPANDED: u64 = 1 << 14;

/// Text that lives as long as the process, as the names of the model do.
pub(super) fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

/// The name of a method that the trace does not use. No name of the API has a space.
pub(super) const UNUSED: &str = "unknown method";

/// Stands at a method's number that the trace does not use.
pub(super) const fn unused() -> Method {
    Method {
        name: UNUSED,
        interface: None,
        slot: 0,
        params: &[],
        result: Type::Void,
        result_role: Role::Plain,
        args_size: 0,
        returns_structure: false,
        order: Order::Enter,
    }
}

/// Works out which structures are flat, and checks that fields lie inside their structures.
///
/// # Errors
/// The structure and the field that are not sound.
pub(super) fn finish(structs: &mut [Struct]) -> Result<(), String> {
    let mut expanded = vec![Expanded::Unknown; structs.len()];
    for id in 0..structs.len() {
        let (flat, _) = expand(structs, id, &mut expanded)?;
        structs[id].flat = flat;
    }
    for own in structs.iter() {
        check_fields(own.fields, own.size.into(), structs).map_err(|error| format!("{}: {error}", own.name))?;
    }
    Ok(())
}

/// What is known of a structure while all are expanded.
#[derive(Clone, Copy)]
enum Expanded {
    Unknown,
    /// Its fields are being looked at: to meet it now means that it holds itself.
    Open,
    /// Whether it is flat, and the number of fields in it, nested ones included.
    Known(bool, u64),
}

/// Whether a structure holds neither pointers nor objects, and how many fields it has with nested ones counted.
///
/// Members of unions share their place, so a structure's size does not bound the number of its nested fields. Walks visit
/// each of them, so it is bounded here.
fn expand(structs: &[Struct], id: usize, known: &mut [Expanded]) -> Result<(bool, u64), String> {
    let own = structs.get(id).ok_or("no such structure")?;
    match known[id] {
        Expanded::Known(flat, fields) => return Ok((flat, fields)),
        Expanded::Open => return Err(format!("{} holds itself", own.name)),
        Expanded::Unknown => known[id] = Expanded::Open,
    }
    let (mut flat, mut fields) = (true, 0);
    for field in own.fields {
        fields += 1;
        match field.ty {
            Type::Pointer(_) | Type::Object(_) => flat = false,
            Type::Struct(id) => {
                let nested = expand(structs, id.0.into(), known)?;
                flat &= nested.0;
                fields += nested.1;
            }
            _ => {}
        }
    }
    if fields > MOST_EXPANDED {
        return Err(format!("{} has more than {MOST_EXPANDED} fields, nested ones counted", own.name));
    }
    known[id] = Expanded::Known(flat, fields);
    Ok((flat, fields))
}

/// Checks that fields lie inside `size` bytes and that siblings they name are numbers or pointers.
///
/// # Errors
/// The field that is not sound.
pub(super) fn check_fields(fields: &[Field], size: u64, structs: &[Struct]) -> Result<(), String> {
    let word = |index: u8| fields.get(usize::from(index)).is_some_and(|sibling| sibling.ty.size(structs) <= 8);
    for field in fields {
        let bytes = u64::from(field.ty.size(structs)) * u64::from(field.count);
        let mut sound = field.count > 0 && u64::from(field.offset) + bytes <= size;
        sound &= field.arm.is_none_or(|arm| word(arm.selector)) && field.iid.is_none_or(word);
        let mut ty = field.ty;
        while let Type::Pointer(pointee) = ty {
            sound &= match pointee.len {
                Len::Field(index) | Len::Through(index) | Len::Bytes(index) | Len::BytesThrough(index) => word(index),
                _ => true,
            };
            ty = pointee.ty;
        }
        if !sound {
            return Err(format!("the field {} does not fit", field.name));
        }
    }
    Ok(())
}
