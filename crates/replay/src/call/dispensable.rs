//! Arguments that a replay does not need: it asks again without them where a device refuses the call that has them.
//!
//! No other process opens what a replay shares, nothing of it is displayed, and the priority of a queue changes no picture.
//! Invariant: all other arguments stay as they are.

use reprise_codec::Codec;
use reprise_d3d12::model::{EnumId, Method, Type};
use reprise_d3d12::types::{
    D3D12_COMMAND_QUEUE_DESC, D3D12_HEAP_DESC, D3D12_HEAP_FLAGS, D3D12_RESOURCE_DESC, D3D12_RESOURCE_DESC1,
    D3D12_RESOURCE_DIMENSION, D3D12_RESOURCE_FLAGS, D3D12_TEXTURE_LAYOUT,
};
use reprise_d3d12::{enum_, struct_};

/// What only other processes, adapters, displays, tools, and times of creation see of a heap.
const HEAP: u32 = D3D12_HEAP_FLAGS::SHARED.0
    | D3D12_HEAP_FLAGS::SHARED_CROSS_ADAPTER.0
    | D3D12_HEAP_FLAGS::ALLOW_DISPLAY.0
    | D3D12_HEAP_FLAGS::ALLOW_WRITE_WATCH.0
    | D3D12_HEAP_FLAGS::CREATE_NOT_RESIDENT.0
    | D3D12_HEAP_FLAGS::CREATE_NOT_ZEROED.0
    | D3D12_HEAP_FLAGS::TOOLS_USE_MANUAL_WRITE_TRACKING.0;
/// What only other adapters see of a resource, and a wish to save room.
const RESOURCE: u32 = D3D12_RESOURCE_FLAGS::ALLOW_CROSS_ADAPTER.0 | D3D12_RESOURCE_FLAGS::USE_TIGHT_ALIGNMENT.0;

/// `D3D12_COMMAND_QUEUE_PRIORITY_NORMAL`. The API passes priorities as plain numbers.
const NORMAL: i32 = 0;

const HEAP_FLAGS: EnumId = enum_("D3D12_HEAP_FLAGS");
const RESOURCE_FLAGS: EnumId = enum_("D3D12_RESOURCE_FLAGS");
const FENCE_FLAGS: EnumId = enum_("D3D12_FENCE_FLAGS");
const QUEUE_FLAGS: EnumId = enum_("D3D12_COMMAND_QUEUE_FLAGS");
const TEXTURE_LAYOUT: EnumId = enum_("D3D12_TEXTURE_LAYOUT");

/// An argument that asks for less now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Without {
    /// As in `pDesc.Flags`.
    pub(crate) field: String,
    /// As recorded, in the API's spelling.
    pub(crate) asked: String,
    /// As it is now.
    pub(crate) given: String,
}

/// Takes out of the arguments of a creation what a replay does not need. Gives what is changed.
///
/// # Safety
/// The words were rebuilt by the codec for this method: pointers lead to structures of the stated types that may be written.
pub(crate) unsafe fn take_out(codec: &Codec, method: &Method, words: &mut [u64]) -> Vec<Without> {
    let mut less = Less { codec, changes: Vec::new() };
    if !method.name.starts_with("Create") {
        return less.changes;
    }
    for (field, word) in method.params.iter().zip(words) {
        match field.ty {
            Type::Enum(HEAP_FLAGS) => *word = less.flags(field.name, HEAP_FLAGS, *word as u32, HEAP).into(),
            Type::Enum(FENCE_FLAGS) => *word = less.flags(field.name, FENCE_FLAGS, *word as u32, !0).into(),
            Type::Pointer(pointee) if *word != 0 => {
                let Type::Struct(id) = pointee.ty else { continue };
                // SAFETY: the word is not 0, so it leads to a structure of the parameter's type that may be written; both
                // versions of a resource's description begin alike.
                unsafe {
                    if id == struct_("D3D12_HEAP_DESC") {
                        let desc = &mut *(*word as *mut D3D12_HEAP_DESC);
                        desc.Flags.0 = less.flags("pDesc.Flags", HEAP_FLAGS, desc.Flags.0, HEAP);
                    } else if id == struct_("D3D12_COMMAND_QUEUE_DESC") {
                        less.queue(&mut *(*word as *mut D3D12_COMMAND_QUEUE_DESC));
                    } else if id == struct_("D3D12_RESOURCE_DESC") || id == struct_("D3D12_RESOURCE_DESC1") {
                        let desc = &mut *(*word as *mut D3D12_RESOURCE_DESC);
                        less.resource(desc.Dimension, &mut desc.Layout, &mut desc.Flags);
                    }
                }
            }
            _ => {}
        }
    }
    less.changes
}

/// Takes what a replay does not need out of a resource's description.
pub(crate) fn take_out_of_resource(codec: &Codec, desc: &mut D3D12_RESOURCE_DESC1) {
    Less { codec, changes: Vec::new() }.resource(desc.Dimension, &mut desc.Layout, &mut desc.Flags);
}

/// Arguments that ask for less.
struct Less<'c> {
    codec: &'c Codec,
    changes: Vec<Without>,
}

impl Less<'_> {
    /// Flags without those that can go.
    fn flags(&mut self, field: &str, names: EnumId, flags: u32, dispensable: u32) -> u32 {
        self.value(field, names, flags, flags & !dispensable)
    }

    /// A value that is another one now.
    fn value(&mut self, field: &str, names: EnumId, asked: u32, given: u32) -> u32 {
        if asked != given {
            let [asked, given] = [asked, given].map(|value| self.codec.enum_name(names, value));
            self.changes.push(Without { field: field.to_owned(), asked, given });
        }
        given
    }

    fn queue(&mut self, desc: &mut D3D12_COMMAND_QUEUE_DESC) {
        desc.Flags.0 = self.flags("pDesc.Flags", QUEUE_FLAGS, desc.Flags.0, !0);
        if desc.Priority != NORMAL {
            let [asked, given] = [desc.Priority, NORMAL].map(|priority| priority.to_string());
            self.changes.push(Without { field: "pDesc.Priority".into(), asked, given });
            desc.Priority = NORMAL;
        }
    }

    fn resource(
        &mut self,
        dimension: D3D12_RESOURCE_DIMENSION,
        layout: &mut D3D12_TEXTURE_LAYOUT,
        flags: &mut D3D12_RESOURCE_FLAGS,
    ) {
        // Only other adapters see how the texels lie.
        if dimension != D3D12_RESOURCE_DIMENSION::BUFFER && *layout == D3D12_TEXTURE_LAYOUT::LAYOUT_ROW_MAJOR {
            let unknown = D3D12_TEXTURE_LAYOUT::LAYOUT_UNKNOWN.0 as u32;
            layout.0 = self.value("pDesc.Layout", TEXTURE_LAYOUT, layout.0 as u32, unknown) as i32;
        }
        flags.0 = self.flags("pDesc.Flags", RESOURCE_FLAGS, flags.0, RESOURCE);
    }
}

#[cfg(test)]
mod tests;
