//! The comparison of the runtime's log with the arguments in the trace.
//!
//! Objects are compared by identity: an id of the trace and a serial number of the runtime belong together from their first
//! meeting, in both directions.

use reprise_codec::Value as Traced;
use reprise_null::Value as Seen;
use std::collections::{BTreeMap, HashMap};

/// Pairs of ids and serial numbers, and the tally.
#[derive(Default)]
pub struct Comparison {
    serial_of: HashMap<u32, u64>,
    id_of: HashMap<u64, u32>,
    /// Values compared that hold something.
    pub values: u64,
    /// Pointers that the runtime did not follow, by where.
    pub unfollowed: BTreeMap<String, u64>,
}

/// A difference, with the path to it.
pub type Difference = String;

impl Comparison {
    /// Whether this id and this serial number are one object.
    pub fn object(&mut self, id: u32, serial: u64) -> bool {
        *self.serial_of.entry(id).or_insert(serial) == serial && *self.id_of.entry(serial).or_insert(id) == id
    }

    /// Compares one value.
    pub fn value(
        &mut self,
        path: &str,
        seen: &Seen,
        traced: &Traced<'_>,
        blobs: &BTreeMap<u32, Vec<u8>>,
    ) -> Result<(), Difference> {
        self.values += 1;
        let differ = || Err(format!("{path}: the runtime saw {seen:?}, the trace has {traced:?}"));
        let check = |equal: bool| if equal { Ok(()) } else { differ() };
        match (seen, traced) {
            (Seen::Null, Traced::Null | Traced::Void) => Ok(()),
            (Seen::Null, Traced::Object(0, _) | Traced::Word(_, 0)) => Ok(()),
            (Seen::Bits { bits, size }, traced) => {
                let mask = if *size >= 8 { u64::MAX } else { (1 << (size * 8)) - 1 };
                let number = match traced {
                    Traced::Unsigned(n) | Traced::Word(_, n) => *n,
                    Traced::Signed(n) => *n as u64 & mask,
                    Traced::Bool(n) | Traced::Hresult(n) | Traced::Enum(_, n) => u64::from(*n),
                    Traced::Reference(Some(n)) => *n,
                    Traced::Null => 0,
                    _ => return differ(),
                };
                check(number == *bits)
            }
            (Seen::F32(bits), Traced::F32(other)) => check(bits == other),
            (Seen::F64(bits), Traced::F64(other)) => check(bits == other),
            (Seen::Guid(text), Traced::Guid(guid)) => check(*text == guid.to_string()),
            (Seen::Text(text), Traced::Text(other)) => check(text == other),
            (Seen::Bytes(bytes), Traced::Bytes(other)) => check(bytes.as_slice() == other.as_ref()),
            // Text with a length beside it.
            (Seen::Bytes(bytes), Traced::Text(text)) => {
                check(String::from_utf8_lossy(bytes).trim_end_matches('\0') == text.trim_end_matches('\0'))
            }
            // A buffer that is too small for what was asked for; or words whose number is beyond the runtime, which
            // compares what the trace has with what lies there.
            (Seen::Address(address), Traced::Array(items)) => {
                if !items.is_empty() {
                    *self.unfollowed.entry(path.to_owned()).or_default() += 1;
                }
                // SAFETY: the arguments are alive, and the recorder has read these words there.
                let word = |i: usize| unsafe { (*address as *const u64).add(i).read_unaligned() };
                check(items.iter().enumerate().all(|(i, item)| *item == Traced::Unsigned(word(i))))
            }
            (Seen::List(items), Traced::Bytes(bytes)) => check(
                items.len() == bytes.len()
                    && items
                        .iter()
                        .zip(bytes.iter())
                        .all(|(item, byte)| *item == Seen::Bits { bits: u64::from(*byte), size: 1 }),
            ),
            (Seen::Bytes(bytes), Traced::Unknown(_, other)) => check(bytes.as_slice() == other.as_ref()),
            (Seen::Bytes(bytes), Traced::Blob(number, _, size)) => {
                check(blobs.get(number).is_some_and(|blob| blob == bytes) && *size == bytes.len() as u64)
            }
            // Plain bytes to the runtime, a number to the trace.
            (Seen::Bytes(bytes), Traced::Unsigned(_) | Traced::Bool(_) | Traced::Enum(..)) if bytes.len() <= 8 => {
                let mut word = [0; 8];
                word[..bytes.len()].copy_from_slice(bytes);
                let bits = Seen::Bits { bits: u64::from_le_bytes(word), size: bytes.len() as u8 };
                self.value(path, &bits, traced, blobs)
            }
            // Texels: their extent is beyond the runtime, which compares what the trace has with what lies there.
            (Seen::Address(address), Traced::Bytes(_) | Traced::Blob(..)) => {
                let other = match traced {
                    Traced::Blob(number, ..) => blobs.get(number).map_or(&[][..], Vec::as_slice),
                    Traced::Bytes(bytes) => bytes.as_ref(),
                    _ => &[],
                };
                *self.unfollowed.entry(path.to_owned()).or_default() += 1;
                // SAFETY: the arguments are alive, and the recorder has read this many bytes there.
                check(unsafe { core::slice::from_raw_parts(*address as *const u8, other.len()) } == other)
            }
            (Seen::List(items), Traced::Text(text)) => {
                let units = items.iter().map(|i| if let Seen::Bits { bits, .. } = i { *bits as u16 } else { 0 });
                let units: Vec<u16> = units.take_while(|&u| u != 0).collect();
                check(String::from_utf16_lossy(&units) == *text)
            }
            (Seen::Bytes(bytes), Traced::Array(items)) => check(
                items.len() == bytes.len()
                    && items.iter().zip(bytes).all(|(item, byte)| *item == Traced::Unsigned(u64::from(*byte))),
            ),
            (Seen::Object(serial), Traced::Object(id, _)) => check(*id != 0 && self.object(*id, *serial)),
            (Seen::Foreign(address), Traced::Object(id, _)) => {
                // SAFETY: what the program passed is alive until the comparison is done.
                check(unsafe { reprise_capture::entry::object_id(*address as *mut _) } == *id)
            }
            (Seen::Foreign(address) | Seen::Address(address), Traced::Word(_, other)) => check(address == other),
            (Seen::Address(_), Traced::Absent(..)) => {
                *self.unfollowed.entry(path.to_owned()).or_default() += 1;
                Ok(())
            }
            (Seen::Struct(name, fields), Traced::Struct(id, members)) => {
                let model = &reprise_d3d12::MODEL;
                let other = model.structs[id.0 as usize].name;
                if *name != other || fields.len() != members.len() {
                    return differ();
                }
                for ((name, seen), member) in fields.iter().zip(members) {
                    if *name != member.field.name {
                        return differ();
                    }
                    self.value(&format!("{path}.{name}"), seen, &member.value, blobs)?;
                }
                Ok(())
            }
            (Seen::List(items), Traced::Array(others)) if matches!(items.as_slice(), [node] if link(node).is_some()) => {
                // A linked list is an array in the trace, its links raw.
                let mut at = &items[0];
                for (i, other) in others.iter().enumerate() {
                    let (Seen::Struct(name, fields), Traced::Struct(_, members)) = (at, other) else { return differ() };
                    for ((field, seen), member) in fields.iter().zip(members) {
                        if *field != "pNext" {
                            self.value(&format!("{path}[{i}].{name}.{field}"), seen, &member.value, blobs)?;
                        }
                    }
                    match (link(at), i + 1 == others.len()) {
                        (Some(Seen::Null), true) => return Ok(()),
                        (Some(Seen::List(next)), false) => at = &next[0],
                        _ => return Err(format!("{path}: {} nodes in the trace", others.len())),
                    }
                }
                differ()
            }
            (Seen::List(items), Traced::Array(others)) if items.len() == others.len() => {
                for (i, (item, other)) in items.iter().zip(others).enumerate() {
                    self.value(&format!("{path}[{i}]"), item, other, blobs)?;
                }
                Ok(())
            }
            (Seen::List(items), Traced::Stream(others)) if items.len() == others.len() => {
                for (i, (item, (kind, other))) in items.iter().zip(others).enumerate() {
                    let Seen::Struct(_, fields) = item else { return differ() };
                    let [(_, Seen::Bits { bits, .. }), (_, value)] = fields.as_slice() else { return differ() };
                    if *bits != u64::from(*kind) {
                        return differ();
                    }
                    self.value(&format!("{path}[{i}]"), value, other, blobs)?;
                }
                Ok(())
            }
            (Seen::List(items), other) if items.len() == 1 => self.value(path, &items[0], other, blobs),
            _ => differ(),
        }
    }
}

/// The link of a node of a linked list.
fn link(node: &Seen) -> Option<&Seen> {
    let Seen::Struct(_, fields) = node else { return None };
    fields.iter().find(|(name, _)| *name == "pNext").map(|(_, value)| value)
}
