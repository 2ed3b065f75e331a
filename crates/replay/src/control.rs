//! A negative control of comparisons: the trace is played with a change that must show in whatever the GPU made.
//!
//! No shader runs under either change, of any kind and in any container, so nothing depends on what a shader can be replaced by, and no
//! shader, address or count that is not the program's can keep the GPU busy. Pipelines are made, fences are signalled and memory is mapped as ever.
//! Invariant: a control only leaves commands of lists out, changes values that commands clear to or write, and adds clears and writes of words.

use std::collections::HashMap;

use reprise_d3d12::model::{Method, MethodId};
use reprise_d3d12::operation::{self, Operation};
use reprise_d3d12::types::{
    D3D12_CPU_DESCRIPTOR_HANDLE as Handle, D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_RENDER_PASS_BEGINNING_ACCESS as Access,
    D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE as Begin, D3D12_RENDER_PASS_DEPTH_STENCIL_DESC as DepthStencil,
    D3D12_RENDER_PASS_RENDER_TARGET_DESC as Target, D3D12_RESOURCE_DIMENSION, D3D12_TEXTURE_COPY_LOCATION as Location,
    D3D12_TEXTURE_COPY_TYPE, D3D12_WRITEBUFFERIMMEDIATE_PARAMETER as Word,
};
use reprise_d3d12::{interface, method};

use crate::call::open_call::Enter;
use crate::world::World;

/// What is changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    /// The GPU does nothing: nothing is drawn, computed, built, copied, resolved or cleared.
    Idle,
    /// The GPU writes something else: draws fill their targets with white, clears have other values, words that lists write have other bits, copies
    /// and resolved queries leave a word in the buffer that they write. Nothing is computed or built.
    Painted,
}

impl Control {
    /// Both, in the order in which they are of use: what the first does not reach, because it holds what memory holds that nothing wrote, the
    /// second may.
    pub const ALL: [Control; 2] = [Control::Idle, Control::Painted];

    /// The name on command lines and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Control::Idle => "idle",
            Control::Painted => "painted",
        }
    }

    /// Whether a control of this kind leaves out calls of a method.
    pub(crate) fn leaves_out(self, method: &Method) -> bool {
        let operation = operation::of(method);
        match self {
            // A pass clears and resolves by itself, so it goes with its draws.
            Control::Idle => {
                method.name == "BeginRenderPass" || operation.is_some_and(|operation| operation != Operation::Barrier)
            }
            // What runs shaders, or builds what shaders of rays read.
            Control::Painted => operation.is_some_and(|operation| {
                operation.uses_bound() || matches!(operation, Operation::Bundle | Operation::Build | Operation::Meta)
            }),
        }
    }
}

/// Why a call is not made.
pub(crate) const LEFT_OUT: &str = "the control leaves it out";

const LIST: &str = "ID3D12GraphicsCommandList";
/// What draws paint.
const WHITE: [f32; 4] = [1.0; 4];
/// The word that copies leave.
const MARK: u32 = 0x5a5a_a5a5;

/// Has the GPU write something else.
#[derive(Default)]
pub(crate) struct Painter {
    /// By list: targets that are set and not painted yet, as they are here.
    targets: HashMap<u32, Vec<u64>>,
    /// A word, by its address here, of what the copy under way writes.
    written: Option<u64>,
}

impl Painter {
    /// Before a call that is left out: a draw paints the targets of its list.
    pub(crate) fn before(&mut self, world: &mut World, enter: Enter<'_, '_>) {
        let paints = |of: Operation| of.draws() || matches!(of, Operation::Indirect | Operation::Bundle);
        if !operation::of_name(enter.method.name).is_some_and(paints) {
            return;
        }
        let Some(targets) = self.targets.remove(&enter.event.object) else { return };
        let Ok(list) = world.pointer(enter.event.object, interface(LIST)) else { return };
        for target in targets {
            let words = [target, WHITE.as_ptr() as u64, 0, 0];
            // SAFETY: the list is recording: the program is calling it. It set these targets, and draws to them now.
            unsafe { world.runtime.call(list, method(LIST, "ClearRenderTargetView"), &words) };
        }
    }

    /// Changes the rebuilt arguments of a call, and notes what it binds and writes.
    ///
    /// # Safety
    /// The codec rebuilt the words for this method, in memory that may be written.
    pub(crate) unsafe fn change(&mut self, world: &mut World, enter: Enter<'_, '_>, words: &mut [u64]) {
        let list = enter.event.object;
        let place = |name: &str| enter.method.params.iter().position(|field| field.name == name);
        let word = |name: &str| place(name).map_or(0, |at| words[at]);
        // SAFETY: each pointer among the words is null or leads to what the parameter states, says the caller.
        unsafe {
            match enter.method.name {
                "OMSetRenderTargets" => {
                    let targets = targets(world, list, words);
                    self.targets.insert(list, targets);
                }
                "Reset" | "ClearState" | "BeginRenderPass" | "EndRenderPass" => {
                    self.targets.remove(&list);
                    let begun = slice_of(word("pRenderTargets"), word("NumRenderTargets"));
                    begun.iter_mut().for_each(|target: &mut Target| other_access(&mut target.BeginningAccess, false));
                    let depth = slice_of(word("pDepthStencil"), 1);
                    depth.iter_mut().for_each(|target: &mut DepthStencil| {
                        other_access(&mut target.DepthBeginningAccess, true);
                        other_access(&mut target.StencilBeginningAccess, true);
                    });
                }
                "ClearRenderTargetView" => other_values(slice_of(word("ColorRGBA"), 4)),
                "ClearUnorderedAccessViewFloat" => other_values(slice_of(word("Values"), 4)),
                "ClearUnorderedAccessViewUint" => {
                    slice_of(word("Values"), 4).iter_mut().for_each(|value: &mut u32| *value = !*value);
                }
                "ClearDepthStencilView" => {
                    let depth = other_depth(f32::from_bits(word("Depth") as u32));
                    let changed = [("Depth", u64::from(depth.to_bits())), ("Stencil", word("Stencil") ^ 0xff)];
                    changed
                        .into_iter()
                        .for_each(|(name, value)| place(name).into_iter().for_each(|at| words[at] = value));
                }
                "WriteBufferImmediate" => {
                    let written = slice_of(word("pParams"), word("Count"));
                    written.iter_mut().for_each(|word: &mut Word| word.Value = !word.Value);
                }
                _ => self.written = written(world, enter, words),
            }
        }
    }

    /// After a call that was made: a copy to a buffer leaves a word there.
    pub(crate) fn after(&mut self, world: &mut World, enter: Enter<'_, '_>) {
        let Some(address) = self.written.take() else { return };
        const WRITER: &str = "ID3D12GraphicsCommandList2";
        let Ok(list) = world.pointer(enter.event.object, interface(WRITER)) else { return };
        let word = Word { Dest: address, Value: MARK };
        // SAFETY: the list is recording, and the word lies in a buffer that it just wrote.
        unsafe {
            let words = [1, core::ptr::from_ref(&word) as u64, 0];
            world.runtime.call(list, method(WRITER, "WriteBufferImmediate"), &words);
        }
    }
}

/// The targets that a list sets, one by one.
///
/// # Safety
/// The codec rebuilt the words for `OMSetRenderTargets`.
unsafe fn targets(world: &mut World, list: u32, words: &[u64]) -> Vec<u64> {
    let [count, first, is_range, ..] = *words else { return Vec::new() };
    let is_range = is_range as u32 != 0;
    // SAFETY: the caller says that so many handles lie there, or one that begins a range, or none.
    let handles: &[Handle] = unsafe { slice_of(first, if is_range { 1 } else { count }) };
    let handles: Vec<u64> = handles.iter().map(|handle| handle.ptr).collect();
    let Some(start) = handles.first().copied().filter(|_| is_range) else { return handles };
    const STEP: MethodId = method("ID3D12Device", "GetDescriptorHandleIncrementSize");
    let Ok(device) = world.device_of(list) else { return vec![start] };
    let kind = D3D12_DESCRIPTOR_HEAP_TYPE::RTV.0 as u64;
    // SAFETY: the device is alive.
    let step = u64::from(unsafe { device.runtime().call(device.pointer(), STEP, &[kind]) } as u32);
    (0..count & 0xf).map(|index| start + index * step).collect()
}

/// The address here of a word in what a copy, or the resolve of queries, writes; `None` where that is a texture, or less than a word.
///
/// # Safety
/// The codec rebuilt the words for this method.
unsafe fn written(world: &mut World, enter: Enter<'_, '_>, words: &[u64]) -> Option<u64> {
    let number = |name| enter.number(name);
    let (buffer, offset, bytes) = match enter.method.name {
        "CopyBufferRegion" => ("pDstBuffer", number("DstOffset")?, number("NumBytes")?),
        "AtomicCopyBufferUINT" | "AtomicCopyBufferUINT64" => ("pDstBuffer", number("DstOffset")?, 4),
        "ResolveQueryData" => ("pDestinationBuffer", number("AlignedDestinationBufferOffset")?, 8),
        "CopyResource" => ("pDstResource", 0, 4),
        "CopyTextureRegion" => {
            // SAFETY: the caller says that the destination is there.
            let to: Location = unsafe { slice_of(*words.first()?, 1) }.first().copied()?;
            if to.Type != D3D12_TEXTURE_COPY_TYPE::PLACED_FOOTPRINT {
                return None;
            }
            const ADDRESS: MethodId = method("ID3D12Resource", "GetGPUVirtualAddress");
            // SAFETY: the codec took the resource from the table of live objects; the type says which member there is.
            let (base, placed) =
                unsafe { (world.runtime.call(to.pResource as u64, ADDRESS, &[]), to.Anonymous.PlacedFootprint) };
            return (base != 0).then_some(base + placed.Offset);
        }
        _ => return None,
    };
    let id = number(buffer)? as u32;
    let aligned = offset.next_multiple_of(4);
    let is_buffer = world.resources.get(&id)?.desc.Dimension == D3D12_RESOURCE_DIMENSION::BUFFER;
    let has_room = aligned - offset + 4 <= bytes;
    if !is_buffer || !has_room {
        return None;
    }
    Some(world.base_address(id).ok()? + aligned)
}

/// So many values from a pointer on; none where it is null.
///
/// # Safety
/// Unless it is null, the pointer leads to so many values, and nothing else refers to them.
unsafe fn slice_of<'a, T>(pointer: u64, count: u64) -> &'a mut [T] {
    match pointer {
        0 => &mut [],
        // SAFETY: the caller says so.
        pointer => unsafe { core::slice::from_raw_parts_mut(pointer as *mut T, count as u32 as usize) },
    }
}

/// Values that differ in every channel, whatever the format: from 0 and from 1 the other one, in formats of integers, too.
fn other_values(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value = if *value < 0.5 { 1.0 } else { 0.0 });
}

/// Another depth: not 0 and not 1, which programs clear to and draw over each other. Nothing draws here, so this stays.
fn other_depth(depth: f32) -> f32 {
    if depth < 0.5 { 0.8125 } else { 0.1875 }
}

/// A pass that clears a target clears it to other values.
fn other_access(access: &mut Access, is_depth: bool) {
    if access.Type != Begin::CLEAR {
        return;
    }
    // SAFETY: the type says which member it is, whose own members are values of any bits.
    unsafe {
        let value = &mut access.Anonymous.Clear.ClearValue.Anonymous;
        if is_depth {
            value.DepthStencil.Depth = other_depth(value.DepthStencil.Depth);
            value.DepthStencil.Stencil ^= 0xff;
        } else {
            other_values(&mut value.Color);
        }
    }
}
