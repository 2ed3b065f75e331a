//! Facts: what the capture layer knows beside the calls.
//!
//! The payload of a [`Kind::Fact`](crate::record::Kind::Fact) is the fact's number u32, 0 u32, then bytes by number. Text is
//! UTF-8, padded with zeros to 8 bytes. Owns the numbers only; readers decide what a fact means for them.

use crate::file::cursor::Cursor;

/// JSON object merged into the trace's `meta` (adapter, driver, runtime, policies); one key may come only once.
pub const META: u32 = 1;
/// A GPU virtual address range: the header's object has it; payload `address` u64, `bytes` u64. Listed in the file's
/// address table, which is readable without the events.
pub const ADDRESS_RANGE: u32 = 2;
/// Opaque capture address of the header's object: `address` u64, `bytes` u64, then bytes that the runtime needs.
pub const CAPTURE_ADDRESS: u32 = 3;
/// CPU or GPU handle at the start of a descriptor heap (the header's object): `cpu` u64, `gpu` u64, `increment` u32,
/// `count` u32.
pub const DESCRIPTOR_HEAP: u32 = 4;
/// How capture finds stores to mapped memory of the header's object: JSON text.
pub const MAPPING_MODE: u32 = 5;
/// Size and alignment of the header's object (a heap or a texture) as the program's device states them: `bytes` u64,
/// `alignment` u64.
pub const ALLOCATION: u32 = 6;
/// A presented image: the header's object is the resource; `width` u32, `height` u32, `format` u32, `index` u32.
pub const PRESENT: u32 = 7;
/// Hash of the image that the frame shows: `width` u32, `height` u32, `format` u32, 0 u32, hash 16 bytes.
pub const FRAME_HASH: u32 = 8;
/// The thread has this name: text.
pub const THREAD_NAME: u32 = 9;
/// The program's event handle became associated or was signalled: `handle` u64, `value` u64.
pub const EVENT: u32 = 10;
/// A device (the header's object): adapter `luid` u64, `nodes` u32, then the descriptor increments of the four heap types
/// in the order of `D3D12_DESCRIPTOR_HEAP_TYPE`, u32 each, 0 u32.
pub const DEVICE: u32 = 11;
/// The answer of the header's object, a device, to `CheckFeatureSupport`: `feature` u32, `size` u32, `size` bytes padded to 8.
pub const FEATURE: u32 = 12;
/// A subresource of the header's object is mapped: `address` u64 in the program, `bytes` u64 (0: unknown), `subresource`
/// u32, `heap type` u32 (0: unknown).
pub const MAPPING: u32 = 13;
/// Frames are wanted (1) or not (0) from the current one on: u32, 0 u32. Without such a fact all frames are wanted. Earlier
/// frames are in the trace because a replay needs them.
pub const WANTED: u32 = 14;
/// The user ended the trace here, and the program went on: [`crate::wanted_frames::StopReason`] u32, 0 u32.
pub const STOP: u32 = 15;
/// The header's object is a buffer of a swap chain that the program was just given: `width` u32, `height` u32, `DXGI_FORMAT` u32,
/// `layers` u32, `D3D12_RESOURCE_FLAGS` u32, 0 u32.
pub const BACK_BUFFER: u32 = 16;
/// The header's object, a device, was removed: what the runtime said of it. `reprise_d3d12::removal` has the bytes.
pub const REMOVAL: u32 = 17;
/// With what a later process can have the identifiers of the header's object, a state object: bytes of the runtime.
pub const GROUP_HANDLES: u32 = 18;
/// Nothing moved any more for as long as the user allowed ([`crate::writer_process::Knowing::hang_after`]): seconds u32, 0 u32. The
/// program went on, or did not.
pub const STILL: u32 = 19;
/// So many calls u64 and frames u32, 0 u32, that the program made here are left out: the user asked for the last frames only, and these
/// calls changed nothing that is still there. What follows keeps the program's own numbers. Both 0: nothing is left out from here on.
pub const LEFT_OUT: u32 = 20;
/// How far the GPU is in lists, by the capture layer's own markers: `reprise_d3d12::markers` has the bytes. The last one counts, but for
/// one about a removed device.
pub const MARKERS: u32 = 21;
/// Presents to the header's object, a swap chain, alone end frames; object 0: to Vulkan's swap chain with this handle: u64.
pub const FRAME_SURFACE: u32 = 22;
/// Parts of the header's object, a buffer, whose contents a cut restored and that hold times, sizes or answers of queries:
/// [`crate::apart`] has the bytes.
pub const APART: u32 = 23;
/// What `reprise edit` changed here, as it was before: `reprise_edit` has the bytes. Nobody else reads it, and no part of an edited trace has it.
pub const EDITED: u32 = 24;
/// Numbers from here on are free for the capture and replay layers to agree on.
pub const FIRST_FREE: u32 = 64;

/// The calls and frames that the payload of a fact says are left out, if it is that of a [`LEFT_OUT`].
pub fn left_out(payload: &[u8]) -> Option<(u64, u32)> {
    let mut cursor = Cursor(payload);
    let (kind, _, calls, frames) = (cursor.u32()?, cursor.u32()?, cursor.u64()?, cursor.u32()?);
    (kind == LEFT_OUT).then_some((calls, frames))
}

/// Whether a fact of this kind with these bytes says that nothing is left out from here on, and that something was before.
pub fn is_whole_from_here(kind: u32, bytes: &[u8]) -> bool {
    kind == LEFT_OUT && bytes.get(..12).is_some_and(|words| words.iter().all(|byte| *byte == 0))
}

/// The payload of a [`LEFT_OUT`].
pub(crate) fn left_out_payload(calls: u64, frames: u32) -> [u8; 24] {
    let mut payload = [0; 24];
    payload[..4].copy_from_slice(&LEFT_OUT.to_le_bytes());
    payload[8..16].copy_from_slice(&calls.to_le_bytes());
    payload[16..20].copy_from_slice(&frames.to_le_bytes());
    payload
}
