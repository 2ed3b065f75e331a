//! Facts about an object that follow from the arguments of its creation.

use std::collections::HashMap;

use reprise_d3d12::model::{Guid, Method, MethodId, Type};
use reprise_d3d12::struct_;
use reprise_d3d12::types::{
    D3D12_COMMAND_LIST_TYPE, D3D12_COMMAND_SIGNATURE_DESC, D3D12_DESCRIPTOR_HEAP_DESC, D3D12_HEAP_DESC,
    D3D12_HEAP_PROPERTIES, D3D12_RESOURCE_DESC,
};

use crate::indirect::{Layout, ListMade};
use crate::input::values;

/// An object as its creation describes it, where that is needed later.
#[derive(Clone, Copy)]
pub(crate) enum MadeObject {
    Resource {
        desc: D3D12_RESOURCE_DESC,
        heap_type: u32,
        /// Id of the heap that it is placed in, and where.
        placed: Option<(u32, u64)>,
    },
    Heap {
        heap_type: u32,
    },
    DescriptorHeap {
        kind: u32,
        count: u32,
    },
    Queue,
    /// A command signature; its arguments, where they hold GPU virtual addresses, or why they cannot be translated.
    Signature {
        addresses: Option<Result<Layout, &'static str>>,
    },
    List(ListMade),
    MetaCommand {
        command: Guid,
    },
    Other,
}

/// Whether the trace can be played without what this call was to make: a pipeline state that the device refuses. What draws or dispatches with
/// it is left out, as drivers do.
pub(crate) fn can_be_missed(method: MethodId, result: u32) -> bool {
    const OUT_OF_MEMORY: u32 = 0x8007_000e;
    const STATES: [&str; 6] = [
        "CreateGraphicsPipelineState",
        "CreateComputePipelineState",
        "CreatePipelineState",
        "LoadGraphicsPipeline",
        "LoadComputePipeline",
        "LoadPipeline",
    ];
    (result as i32) < 0 && result != OUT_OF_MEMORY && STATES.contains(&method.get().name)
}

/// The object that the arguments of a creation describe. `heap_types` has the type of each heap, by id.
pub(crate) fn made_by(heap_types: &HashMap<u32, u32>, method: &Method, enter: &[u8], words: &[u64]) -> MadeObject {
    let mut heap_type = None;
    let mut desc = None;
    if method.name.starts_with("CreateCommandList") {
        let number = |name| values::argument(method, enter, name).unwrap_or(0);
        return MadeObject::List(ListMade {
            bundle: number("type") == D3D12_COMMAND_LIST_TYPE::BUNDLE.0 as u64,
            allocator: number("pCommandAllocator") as u32,
            pipeline: number("pInitialState") as u32,
        });
    }
    if method.name == "CreateMetaCommand" && words.first().is_some_and(|word| *word != 0) {
        // SAFETY: the codec rebuilt an identifier behind the word.
        return MadeObject::MetaCommand { command: unsafe { *(words[0] as *const Guid) } };
    }
    for (field, &word) in method.params.iter().zip(words) {
        let Type::Pointer(pointee) = field.ty else { continue };
        let Type::Struct(id) = pointee.ty else { continue };
        if word == 0 || !method.name.starts_with("Create") {
            continue;
        }
        // SAFETY: the codec rebuilt a structure of this type behind the word; longer versions begin with the shorter one.
        unsafe {
            if id == struct_("D3D12_HEAP_PROPERTIES") {
                heap_type = Some((*(word as *const D3D12_HEAP_PROPERTIES)).Type.0 as u32);
            } else if id == struct_("D3D12_RESOURCE_DESC") || id == struct_("D3D12_RESOURCE_DESC1") {
                desc = Some(*(word as *const D3D12_RESOURCE_DESC));
            } else if id == struct_("D3D12_HEAP_DESC") {
                return MadeObject::Heap { heap_type: (*(word as *const D3D12_HEAP_DESC)).Properties.Type.0 as u32 };
            } else if id == struct_("D3D12_COMMAND_SIGNATURE_DESC") {
                let desc = &*(word as *const D3D12_COMMAND_SIGNATURE_DESC);
                let count = if desc.pArgumentDescs.is_null() { 0 } else { desc.NumArgumentDescs as usize };
                let arguments = (0..count).map(|index| *desc.pArgumentDescs.add(index));
                return MadeObject::Signature { addresses: Layout::of(desc.ByteStride, arguments) };
            } else if id == struct_("D3D12_COMMAND_QUEUE_DESC") {
                return MadeObject::Queue;
            } else if id == struct_("D3D12_DESCRIPTOR_HEAP_DESC") {
                let desc = &*(word as *const D3D12_DESCRIPTOR_HEAP_DESC);
                return MadeObject::DescriptorHeap { kind: desc.Type.0 as u32, count: desc.NumDescriptors };
            }
        }
    }
    let Some(desc) = desc else { return MadeObject::Other };
    let heap = values::argument(method, enter, "pHeap").map(|heap| heap as u32);
    let heap_type = heap_type.or_else(|| heap.and_then(|heap| heap_types.get(&heap).copied())).unwrap_or(0);
    let offset =
        method.params.iter().position(|field| field.name == "HeapOffset").and_then(|at| words.get(at).copied());
    MadeObject::Resource { desc, heap_type, placed: heap.zip(offset) }
}
