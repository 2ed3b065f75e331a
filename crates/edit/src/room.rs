//! Heaps, buffers and descriptor heaps that edits made smaller, and what has no room in them any more.

use crate::survey::Survey;
use crate::values::{inner, member};
use reprise_codec::{Codec, Value};
use reprise_d3d12::model::{MethodId, Role};
use reprise_timeline::State;
use std::collections::HashMap;

/// What became smaller, by object.
#[derive(Debug, Default)]
pub(crate) struct Room {
    smaller: HashMap<u32, Smaller>,
}

#[derive(Clone, Copy, Debug)]
struct Smaller {
    /// Bytes; of descriptor heaps descriptors.
    room: u64,
    /// The call that makes it, and the edit.
    call: u64,
    by: usize,
}

/// Bytes of a tile.
const TILE: u64 = 65536;

/// Something that has no room: where it is made, the edit that took the room, and what is the matter.
pub(crate) struct Overflow {
    pub(crate) made: u64,
    pub(crate) by: usize,
    pub(crate) what: String,
}

/// How large the arguments of a creation make what it makes.
fn size(codec: &Codec, method: MethodId, enter: &[u8]) -> Option<u64> {
    let arguments = codec.decode_enter(method, enter).ok()?;
    arguments.members.iter().find_map(|argument| {
        let of = |name: &str| inner(&argument.value, name)?.number();
        // Of resources buffers alone: textures have addresses nowhere.
        of("SizeInBytes").or(of("NumDescriptors")).or_else(|| (of("Dimension")? == 1).then(|| of("Width"))?)
    })
}

impl Room {
    /// Takes changed arguments of a call into account.
    pub(crate) fn note(
        &mut self,
        (codec, survey): (&Codec, &Survey),
        (call, method): (u64, MethodId),
        (old, new): (&[u8], &[u8]),
        by: usize,
    ) {
        let Some(made) = survey.makes.get(&call) else { return };
        if let (Some(old), Some(room)) = (size(codec, method, old), size(codec, method, new))
            && room < old
        {
            self.smaller.extend(made.iter().map(|object| (*object, Smaller { room, call, by })));
        }
    }

    /// Looks at a call's arguments; `call` names it, `makes` are the objects that it makes.
    ///
    /// # Errors
    /// It uses more than there is.
    pub(crate) fn check(
        &self,
        codec: &Codec,
        state: &State,
        survey: &Survey,
        (method, enter): (MethodId, &[u8]),
        (call, makes): (&str, &[u32]),
    ) -> Result<(), Overflow> {
        if self.smaller.is_empty() {
            return Ok(());
        }
        let Ok(arguments) = codec.decode_enter(method, enter) else { return Ok(()) };
        let of = |name: &str| member(&arguments.members, name).and_then(Value::number);
        let name = method.get().name;
        let says = |object: u32, end: u64, unit: &str| match self.smaller.get(&object) {
            Some(Smaller { room, call: made, by }) if end > *room => Err(Overflow {
                made: *made,
                by: *by,
                what: format!(
                    "it makes object {object} with {room} {unit} only, and {call} ({name}) needs {end} of it: make it no smaller"
                ),
            }),
            _ => Ok(()),
        };
        for member in &arguments.members {
            self.values(state, &member.value, &says)?;
        }
        if let (Some(heap), Some(offset), true) =
            (of("pHeap"), of("HeapOffset"), name.starts_with("CreatePlacedResource"))
        {
            // As the program's device stated it; of buffers it is known at least.
            let stated = makes.iter().find_map(|object| survey.sizes.get(object).copied());
            let bytes = size(codec, method, enter).or(stated).unwrap_or(1);
            says(heap as u32, offset.saturating_add(bytes), "bytes")?;
        }
        if let (Some(heap), "UpdateTileMappings") = (of("pHeap"), name) {
            let list = |name: &str| match member(&arguments.members, name) {
                Some(Value::Array(values)) => values.iter().filter_map(Value::number).collect(),
                _ => Vec::new(),
            };
            let (starts, counts): (Vec<u64>, Vec<u64>) = (list("pHeapRangeStartOffsets"), list("pRangeTileCounts"));
            for (index, start) in starts.iter().enumerate() {
                // Without counts every range is one tile, and a range that is one tile again and again is in it, too.
                let flags = list("pRangeFlags").get(index).copied().unwrap_or(0);
                let tiles = if flags == 0 { counts.get(index).copied().unwrap_or(1) } else { 1 };
                // D3D12_TILE_RANGE_FLAG_NULL, _SKIP: nothing of the heap.
                if flags & 3 == 0 {
                    says(heap as u32, start.saturating_add(tiles).saturating_mul(TILE), "bytes")?;
                }
            }
        }
        Ok(())
    }

    /// Descriptors and addresses.
    fn values(
        &self,
        state: &State,
        value: &Value<'_>,
        says: &dyn Fn(u32, u64, &str) -> Result<(), Overflow>,
    ) -> Result<(), Overflow> {
        let addresses = &state.addresses;
        match value {
            Value::Word(role @ (Role::CpuDescriptor | Role::GpuDescriptor), word) => {
                let slot = if *role == Role::CpuDescriptor { addresses.cpu(*word) } else { addresses.gpu(*word) };
                slot.map_or(Ok(()), |slot| says(slot.heap, u64::from(slot.index) + 1, "descriptors"))
            }
            Value::Word(Role::GpuAddress, word) => {
                addresses.resource(*word).map_or(Ok(()), |at| says(at.resource, at.offset.saturating_add(1), "bytes"))
            }
            Value::Struct(_, members) => members.iter().try_for_each(|member| self.values(state, &member.value, says)),
            Value::Array(values) => values.iter().try_for_each(|value| self.values(state, value, says)),
            Value::Stream(all) => all.iter().try_for_each(|(_, value)| self.values(state, value, says)),
            _ => Ok(()),
        }
    }
}
