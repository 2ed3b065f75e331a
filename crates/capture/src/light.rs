//! The straight-line path: calls whose arguments are numbers, handles, objects and short arrays of these.
//!
//! Everything that depends on the method alone is a constant here, so that a thunk becomes: room in the ring, header,
//! arguments, publish, real call. Invariant: the bytes are those that [`reprise_codec::Codec::encode_enter`] writes for the
//! same call (a test compares them for every light method); no locks, no allocation, no system calls, no time stamp.

use crate::chain::{self, Chain};
use crate::sites::Sites;
use crate::thread::Recorder;
use crate::{heavy, thread, tls};
use core::ffi::c_void;
use core::mem::MaybeUninit;
use reprise_d3d12::MODEL;
use reprise_d3d12::generated::{METHODS, STRUCTS};
use reprise_d3d12::model::{Direction, Field, Len, Method, MethodId, Order, Rule, Type};
use reprise_trace::record::{AFTER, Kind, LEAVES, ORDERED, SEQUENCE};
use reprise_trace::ring::Reading;

/// Most parameters of a light method.
pub(crate) const MAX_PARAMS: usize = 12;
/// A call with more payload than this, in bytes, takes the other path.
const MAX_PAYLOAD: usize = 4096;
/// So does one with more bytes than this in arrays that hold objects, which are copied on the stack: 32 barriers.
const MAX_COPY: usize = 1024;

/// What the straight-line path does with one argument.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Its own bytes.
    Scalar(u32),
    /// An object: its id for the record, its real pointer for the call.
    Object,
    /// A pointer to elements of this many bytes.
    Array(u32, Count),
    /// The same, with objects in them: see [`sites`].
    Deep(u32, Count),
    /// Not for this path.
    Heavy,
}

/// How many elements there are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Count {
    Const(u32),
    /// The value of this argument, of this size.
    Field(u8, u32),
    /// This argument, unless the other one says that one handle stands for all ([`Rule::RenderTargets`]).
    Targets(u8, u8),
}

const fn flat(ty: Type) -> bool {
    match ty {
        Type::Void | Type::Object(_) | Type::Pointer(_) => false,
        Type::Struct(id) => STRUCTS[id.0 as usize].flat,
        _ => true,
    }
}

const fn step(method: &Method, index: usize) -> Step {
    let field: &Field = &method.params[index];
    if !matches!(field.direction, Direction::In) || field.count != 1 {
        return Step::Heavy;
    }
    match field.ty {
        Type::Object(_) => Step::Object,
        Type::Pointer(to) => {
            let size = to.ty.size(STRUCTS);
            let count = match to.len {
                Len::One => Count::Const(1),
                Len::Const(count) => Count::Const(count),
                Len::Field(at) => Count::Field(at, method.params[at as usize].ty.size(STRUCTS)),
                Len::Bytes(at) if size == 1 => Count::Field(at, method.params[at as usize].ty.size(STRUCTS)),
                Len::Rule(Rule::RenderTargets) => match targets(method) {
                    Some(count) => count,
                    None => return Step::Heavy,
                },
                _ => return Step::Heavy,
            };
            if flat(to.ty) {
                Step::Array(size, count)
            } else if Sites::of(to.ty).is_some() && !matches!(count, Count::Targets(..)) {
                Step::Deep(size, count)
            } else {
                Step::Heavy
            }
        }
        Type::Struct(_) | Type::Guid | Type::Void => Step::Heavy,
        other => Step::Scalar(other.size(STRUCTS)),
    }
}

/// `OMSetRenderTargets(NumRenderTargetDescriptors, pRenderTargetDescriptors, RTsSingleHandleToDescriptorRange, ..)`.
const fn targets(method: &Method) -> Option<Count> {
    if method.params.len() == 4 && matches!(method.params[0].ty, Type::U32) && matches!(method.params[2].ty, Type::Bool)
    {
        Some(Count::Targets(0, 2))
    } else {
        None
    }
}

/// Calls that need more than recording, although their arguments are light.
const EXCLUDED: [MethodId; 12] = [
    reprise_d3d12::method("ID3D12CommandQueue", "ExecuteCommandLists"),
    reprise_d3d12::method("ID3D12Fence", "Signal"),
    reprise_d3d12::method("ID3D12Fence", "GetCompletedValue"),
    reprise_d3d12::method("ID3D12Fence", "SetEventOnCompletion"),
    reprise_d3d12::method("ID3D12CommandQueue", "Signal"),
    reprise_d3d12::method("ID3D12CommandQueue", "Wait"),
    reprise_d3d12::method("ID3D12CommandQueue", "UpdateTileMappings"),
    reprise_d3d12::method("ID3D12CommandQueue", "CopyTileMappings"),
    reprise_d3d12::method("ID3D12Resource", "Unmap"),
    reprise_d3d12::method("IDXGISwapChain", "Present"),
    reprise_d3d12::method("ID3D12SharingContract", "Present"),
    reprise_d3d12::method("ID3D12CommandAllocator", "Reset"),
];

/// Whether the order of some call on the same interfaces is the object's own.
const fn ordered(method: &Method) -> bool {
    let Some(owner) = method.interface else { return false };
    let family = owner.family().0;
    let mut at = 0;
    while at < METHODS.len() {
        if let (Some(other), Order::Object) = (METHODS[at].interface, METHODS[at].order)
            && other.family().0 == family
        {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether a method takes the straight-line path.
pub(crate) const fn is_light(id: u16) -> bool {
    let method = &METHODS[id as usize];
    if method.interface.is_none() || method.returns_structure || method.params.len() > MAX_PARAMS {
        return false;
    }
    let mut at = 0;
    while at < EXCLUDED.len() {
        if EXCLUDED[at].0 == id {
            return false;
        }
        at += 1;
    }
    let mut index = 0;
    while index < method.params.len() {
        if matches!(step(method, index), Step::Heavy) {
            return false;
        }
        index += 1;
    }
    match (method.order, method.result) {
        (Order::Object, Type::Void) => true,
        (Order::Enter, Type::Void) => !ordered(method),
        (
            Order::EnterLeave,
            Type::U8
            | Type::U16
            | Type::U32
            | Type::I32
            | Type::U64
            | Type::I64
            | Type::Bool
            | Type::Enum(_)
            | Type::Word,
        ) => !ordered(method),
        _ => false,
    }
}

const fn steps(id: u16) -> usize {
    METHODS[id as usize].params.len()
}

const fn step_of(id: u16, index: usize) -> Step {
    if index < steps(id) { step(&METHODS[id as usize], index) } else { Step::Heavy }
}

/// Where the objects are in the elements of a [`Step::Deep`].
const fn sites(id: u16, index: usize) -> Option<Sites> {
    match step_of(id, index) {
        Step::Deep(..) => match METHODS[id as usize].params[index].ty {
            Type::Pointer(to) => Sites::of(to.ty),
            _ => None,
        },
        _ => None,
    }
}

const fn offset_of(id: u16, index: usize) -> usize {
    if index < steps(id) { METHODS[id as usize].params[index].offset as usize } else { 0 }
}

/// Whether the 8 bytes at `slot` of the argument block are not all arguments.
const fn has_gap(id: u16, slot: usize) -> bool {
    let method = &METHODS[id as usize];
    if slot * 8 >= method.args_size as usize {
        return false;
    }
    let mut covered = 0;
    let mut index = 0;
    while index < method.params.len() {
        if method.params[index].offset as usize / 8 == slot {
            covered += method.params[index].ty.size(STRUCTS);
        }
        index += 1;
    }
    covered < 8
}

/// Bytes of the elements behind an argument; huge where the count makes no sense.
#[inline(always)]
fn bytes(element: u32, count: Count, words: &[u64]) -> u64 {
    u64::from(element).saturating_mul(elements(count, words))
}

#[inline(always)]
fn elements(count: Count, words: &[u64]) -> u64 {
    match count {
        Count::Const(count) => count.into(),
        Count::Field(at, size) => masked(words[at as usize], size),
        Count::Targets(at, single) => {
            let count = masked(words[at as usize], 4);
            if masked(words[single as usize], 4) != 0 && count > 0 { 1 } else { count }
        }
    }
}

#[inline(always)]
fn masked(word: u64, size: u32) -> u64 {
    if size >= 8 { word } else { word & ((1 << (size * 8)) - 1) }
}

/// Copies `size` bytes, padded with zeros to 8. A loop of words, kept from becoming a call.
///
/// # Safety
/// `from` is readable for `size` bytes, `to` writable for the padded size.
#[inline(always)]
unsafe fn copy(from: *const u8, to: *mut u8, size: usize) {
    // SAFETY: every access lies within `size` bytes of `from` or the padded size of `to`, which is aligned to 8.
    unsafe {
        let whole = size & !7;
        let mut at = 0;
        while at < whole {
            to.add(at).cast::<u64>().write_volatile(from.add(at).cast::<u64>().read_unaligned());
            at += 8;
        }
        let rest = size - whole;
        if rest == 4 {
            to.add(at).cast::<u64>().write(from.add(at).cast::<u32>().read_unaligned().into());
        } else if rest != 0 {
            let mut last = 0u64;
            let mut byte = 0;
            while byte < rest {
                last |= u64::from(from.add(at + byte).read()) << (byte * 8);
                byte += 1;
            }
            to.add(at).cast::<u64>().write(last);
        }
    }
}

/// Whether a light method reads memory of the program.
const fn reads(id: u16) -> bool {
    let mut index = 0;
    while index < steps(id) {
        if let Step::Array(..) | Step::Deep(..) = step_of(id, index) {
            return true;
        }
        index += 1;
    }
    false
}

/// Whether objects lie in memory that a light method reads.
const fn deep(id: u16) -> bool {
    let mut index = 0;
    while index < steps(id) {
        if let Step::Deep(..) = step_of(id, index) {
            return true;
        }
        index += 1;
    }
    false
}

/// Repeats a body with a constant for each possible parameter.
macro_rules! each {
    ($index:ident => $body:block) => {
        each!(@ $index $body 0 1 2 3 4 5 6 7 8 9 10 11)
    };
    (@ $index:ident $body:block $($number:literal)*) => {
        $({ const $index: usize = $number; if const { $index < steps(M) } $body })*
    };
}

/// Records and forwards a light call. `forward` gets the real function, the real object and the words for it.
///
/// # Safety
/// `M` is light; `chain` is what the program called, `words` are its arguments.
#[inline(always)]
pub(crate) unsafe fn call<const M: u16>(
    chain: &Chain,
    words: &[u64],
    forward: impl FnOnce(*const c_void, *mut c_void, &[u64]) -> u64,
) -> u64 {
    let here = tls::words();
    let recorder = thread::recorder_of_call(here);
    let leaves = const { matches!(METHODS[M as usize].order, Order::EnterLeave) };
    let mut entered = false;
    if const { deep(M) } {
        let mut copied = 0u64;
        each!(I => {
            if let Step::Deep(element, count) = const { step_of(M, I) }
                && words[I] != 0
            {
                copied = copied.saturating_add(bytes(element, count, words));
            }
        });
        if copied > MAX_COPY as u64 {
            // SAFETY: by contract.
            return unsafe { otherwise(chain, M, words) };
        }
    }
    if !recorder.is_null() {
        let mut size = const { METHODS[M as usize].args_size as usize };
        each!(I => {
            if let Step::Array(element, count) | Step::Deep(element, count) = const { step_of(M, I) }
                && words[I] != 0
            {
                let bytes = bytes(element, count, words);
                // Byte buffers from a size on are blobs.
                let most = if element == 1 { reprise_codec::wire::BLOB_BYTES - 1 } else { MAX_PAYLOAD as u64 };
                if bytes > most {
                    // SAFETY: by contract.
                    return unsafe { otherwise(chain, M, words) };
                }
                size += 8 + (bytes as usize).next_multiple_of(8);
            }
        });
        if size > MAX_PAYLOAD {
            // SAFETY: by contract.
            return unsafe { otherwise(chain, M, words) };
        }
        // SAFETY: this thread's recorder; the arguments are the program's.
        entered = unsafe { enter::<M>(&mut *recorder, chain, words, size) };
    }

    let mut real = [0u64; MAX_PARAMS];
    let mut copies = MaybeUninit::<[u64; MAX_COPY / 8]>::uninit();
    let mut room = copies.as_mut_ptr().cast::<u8>();
    each!(I => {
        real[I] = match const { step_of(M, I) } {
            // SAFETY: object arguments are null or COM pointers.
            Step::Object => match unsafe { chain::from_pointer(words[I] as *mut c_void) } {
                Some(chain) => chain.real() as u64,
                None => words[I],
            },
            Step::Deep(element, count) if words[I] != 0 => {
                let (number, from, to) = (elements(count, words) as usize, words[I] as *const u8, room);
                if let Some(sites) = const { &sites(M, I) } {
                    // SAFETY: the program's elements; their sum was compared with the room.
                    unsafe { unwrap(sites, element as usize, number, from, to) };
                }
                room = room.wrapping_add(number * element as usize);
                to as u64
            }
            _ => words[I],
        };
    });
    let _ = room;
    let this = chain.real();
    let depth = here.depth.get();
    here.depth.set(depth + 1);
    // SAFETY: the program may call this slot, so the real object has it.
    let function = unsafe { crate::raw::slot(this, const { METHODS[M as usize].slot as usize }) };
    let result = forward(function, this, &real[..const { steps(M) }]);
    here.depth.set(depth);
    if entered {
        // SAFETY: this thread's recorder, which lives at least until the thread is past the program's code.
        let producer = unsafe { &mut (*recorder).producer };
        if leaves {
            if let Some(to) = producer.begin(Kind::Leave, M, SEQUENCE, chain.id, 0, 8) {
                let size = const { METHODS[M as usize].result.size(STRUCTS) };
                // SAFETY: `begin` gave room for 8 bytes.
                unsafe { to.cast::<u64>().write(masked(result, size)) };
                producer.publish();
            }
        } else {
            producer.leave_call();
        }
    }
    result
}

/// Writes the enter record; false where the thread has stopped recording.
///
/// # Safety
/// As [`call`]; `size` is the payload's.
#[inline(always)]
unsafe fn enter<const M: u16>(recorder: &mut Recorder, chain: &Chain, words: &[u64], size: usize) -> bool {
    let by_object = const { matches!(METHODS[M as usize].order, Order::Object) };
    let leaves = const { matches!(METHODS[M as usize].order, Order::EnterLeave) };
    let (flags, ordinal) = if by_object {
        (ORDERED | AFTER, heavy::next_ordinal(&chain.identity().ordinal))
    } else {
        (if leaves { SEQUENCE | LEAVES } else { SEQUENCE }, 0)
    };
    let producer = &mut recorder.producer;
    let Some(to) = producer.begin(Kind::Enter, M, flags, chain.id, ordinal, size) else {
        thread::refused();
        return false;
    };
    // SAFETY: `begin` gave room for `size` bytes: the argument block, and the children counted by the caller.
    unsafe {
        each!(I => {
            // There are never more words than parameters.
            if const { has_gap(M, I) } {
                to.add(I * 8).cast::<u64>().write(0);
            }
        });
        each!(I => {
            let at = to.add(const { offset_of(M, I) });
            let word = words[I];
            match const { step_of(M, I) } {
                Step::Scalar(1) => at.write(word as u8),
                Step::Scalar(2) => at.cast::<u16>().write(word as u16),
                Step::Scalar(4) => at.cast::<u32>().write(word as u32),
                Step::Object => {
                    let id = chain::from_pointer(word as *mut c_void).map_or(0, |chain| chain.id);
                    at.cast::<u64>().write(id.into());
                }
                _ => at.cast::<u64>().write(word),
            }
        });
        if const { reads(M) } {
            producer.begin_reading(Reading { method: M, object: chain.id });
        }
        let mut child = to.add(const { METHODS[M as usize].args_size as usize });
        each!(I => {
            if let Step::Array(element, count) = const { step_of(M, I) }
                && words[I] != 0
            {
                let elements = elements(count, words);
                let bytes = elements as usize * element as usize;
                child.cast::<u64>().write(elements);
                copy(words[I] as *const u8, child.add(8), bytes);
                child = child.add(8 + bytes.next_multiple_of(8));
            }
            if let Step::Deep(element, count) = const { step_of(M, I) }
                && let Some(sites) = const { &sites(M, I) }
                && words[I] != 0
            {
                let elements = elements(count, words);
                child.cast::<u64>().write(elements);
                name(sites, element as usize, elements as usize, words[I] as *const u8, child.add(8));
                child = child.add(8 + elements as usize * element as usize);
            }
        });
        let _ = child;
    }
    if const { reads(M) } {
        producer.end_reading();
    }
    producer.publish();
    if const { !matches!(METHODS[M as usize].order, Order::EnterLeave) } {
        producer.enter_call();
    }
    true
}

/// Copies elements with the ids of their objects.
///
/// # Safety
/// `from` is readable for `number` elements of `size` bytes, a multiple of 8, and `to` writable; objects are null or COM pointers.
#[inline(always)]
unsafe fn name(sites: &Sites, size: usize, number: usize, from: *const u8, to: *mut u8) {
    // SAFETY: by contract.
    unsafe {
        copy(from, to, size * number);
        for at in (0..number).map(|index| index * size) {
            sites.each(from.add(at), |offset| {
                let object = from.add(at + offset).cast::<*mut c_void>().read_unaligned();
                let id = chain::from_pointer(object).map_or(0, |chain| chain.id);
                to.add(at + offset).cast::<u64>().write(id.into());
            });
        }
    }
}

/// Copies elements with the runtime's own objects.
///
/// # Safety
/// As [`name`].
#[inline(always)]
unsafe fn unwrap(sites: &Sites, size: usize, number: usize, from: *const u8, to: *mut u8) {
    // SAFETY: by contract.
    unsafe {
        copy(from, to, size * number);
        for at in (0..number).map(|index| index * size) {
            sites.each(from.add(at), |offset| {
                let object = from.add(at + offset).cast::<*mut c_void>().read_unaligned();
                if let Some(chain) = chain::from_pointer(object) {
                    to.add(at + offset).cast::<*mut c_void>().write(chain.real());
                }
            });
        }
    }
}

/// The other path, for a call that is too large for this one.
///
/// # Safety
/// As [`call`].
#[cold]
#[inline(never)]
unsafe fn otherwise(chain: &Chain, method: u16, words: &[u64]) -> u64 {
    // SAFETY: by contract; the program may call this slot, so the real object has it.
    unsafe { heavy::method(chain, MethodId(method), words) }
}

const _: () = assert!(MODEL.methods.len() < u16::MAX as usize);

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::api::{self, Special};

    #[test]
    fn what_needs_more_than_recording_is_not_light() {
        for (index, method) in METHODS.iter().enumerate() {
            let special = api::special(MethodId(index as u16));
            assert!(special == Special::None || !is_light(index as u16), "{} is {special:?}", method.name);
        }
    }

    #[test]
    fn the_calls_of_a_draw_are_light() {
        let list = "DrawInstanced DrawIndexedInstanced Dispatch SetPipelineState IASetVertexBuffers IASetIndexBuffer \
            RSSetViewports RSSetScissorRects OMSetRenderTargets OMSetBlendFactor OMSetStencilRef \
            IASetPrimitiveTopology SetGraphicsRootSignature SetGraphicsRootDescriptorTable \
            SetGraphicsRoot32BitConstant SetGraphicsRoot32BitConstants SetGraphicsRootConstantBufferView \
            ResourceBarrier SetDescriptorHeaps CopyTextureRegion ClearRenderTargetView ClearDepthStencilView CopyBufferRegion";
        let find = |owner: &str, name: &str| {
            let owner = api::by_name(owner).unwrap();
            let found =
                METHODS.iter().position(|m| m.name == name && m.interface.is_some_and(|i| owner.derives_from(i)));
            found.unwrap() as u16
        };
        for name in list.split_whitespace() {
            assert!(is_light(find("ID3D12GraphicsCommandList", name)), "{name}");
        }
        for name in ["CopyDescriptorsSimple", "CreateConstantBufferView", "GetDescriptorHandleIncrementSize"] {
            assert!(is_light(find("ID3D12Device", name)), "{name}");
        }
    }

    #[test]
    fn counts_follow_their_siblings() {
        let words = [3, 0x1000, 1, 0];
        assert_eq!(elements(Count::Targets(0, 2), &words), 1);
        assert_eq!(elements(Count::Targets(0, 2), &[3, 0x1000, 0, 0]), 3);
        assert_eq!(elements(Count::Targets(0, 2), &[0, 0x1000, 1, 0]), 0);
        assert_eq!(bytes(24, Count::Field(0, 4), &[u64::MAX]), 24 * u64::from(u32::MAX));
        assert_eq!(bytes(24, Count::Field(0, 8), &[u64::MAX]), u64::MAX);
    }

    #[test]
    fn copies_are_padded_with_zeros() {
        let from: Vec<u8> = (1..=64).collect();
        for size in 0..=64usize {
            let mut to = [[0xffu8; 8]; 9];
            // SAFETY: 64 readable bytes, 72 writable ones, aligned to 8.
            unsafe {
                let mut words = [u64::MAX; 9];
                copy(from.as_ptr(), words.as_mut_ptr().cast(), size);
                for (bytes, word) in to.iter_mut().zip(words) {
                    *bytes = word.to_le_bytes();
                }
            }
            let to = to.as_flattened();
            let padded = size.next_multiple_of(8);
            assert_eq!(&to[..size], &from[..size]);
            assert!(to[size..padded].iter().all(|byte| *byte == 0));
            assert!(to[padded..].iter().all(|byte| *byte == 0xff), "{size}");
        }
    }
}
