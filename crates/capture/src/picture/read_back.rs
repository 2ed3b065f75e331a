//! Pictures that the program reads back and shows by itself, as Mesa's OpenGL driver does before it swaps buffers.
//!
//! The rule, which replay follows from the trace: a list copies the whole of a subresource to a buffer, a submission runs the list, and
//! a thread maps the picture in the buffer for reading. The last such picture is that of the frame which the thread's next swap ends. What
//! is hashed are the bytes that the program sees in its mapping. Invariant: a frame without such a picture gets no hash, whatever was
//! read back for an earlier one.

use super::{Shown, files, hashes, note_hash};
use crate::call::Call;
use crate::facts::size;
use crate::session::{frames, words};
use crate::sync::reentrant::Owner;
use crate::wrapper::object;
use core::ffi::c_void;
use reprise_d3d12::read_back::ReadBack;
use reprise_d3d12::types::{D3D12_BOX, D3D12_RANGE, D3D12_TEXTURE_COPY_LOCATION};
use reprise_trace::frame_hash::hash_rows;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// A copy of a picture.
#[derive(Clone, Copy)]
struct Copied {
    /// Id of the buffer.
    buffer: u32,
    /// Id of the texture.
    texture: u32,
    picture: ReadBack,
}

/// What is followed.
#[derive(Default)]
struct Followed {
    /// What each list copies once it runs.
    lists: HashMap<u32, Vec<Copied>>,
    /// The last picture in each buffer that submitted work copies and the program has not mapped.
    buffers: HashMap<u32, Copied>,
    /// The last picture that a thread has mapped since its last swap, with padded rows.
    seen: Vec<(Owner, Copied, Vec<u8>)>,
}

fn followed() -> MutexGuard<'static, Followed> {
    static FOLLOWED: LazyLock<Mutex<Followed>> = LazyLock::new(Mutex::default);
    FOLLOWED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The program records a list anew.
pub(crate) fn begin(list: u32) {
    followed().lists.remove(&list);
}

/// The program has recorded a `CopyTextureRegion`.
///
/// # Safety
/// The words are its arguments.
pub(crate) unsafe fn copied(list: u32, words: &[u64]) {
    let [to, x, y, z, from, part] = *words else { return };
    // SAFETY: the program's pointers to structures, which the runtime has just read.
    let (to, from, part) = unsafe {
        let (to, from) = (to as *const D3D12_TEXTURE_COPY_LOCATION, from as *const D3D12_TEXTURE_COPY_LOCATION);
        (to.as_ref(), from.as_ref(), (part as *const D3D12_BOX).as_ref())
    };
    let (Some(to), Some(from)) = (to, from) else { return };
    let place = [x, y, z].map(|at| at as u32);
    let Some(picture) = ReadBack::of_copy(to, place, from, part) else { return };
    // SAFETY: objects of the program's that the call names.
    let (buffer, texture) = unsafe {
        (object::from_pointer(to.pResource.cast::<c_void>()), object::from_pointer(from.pResource.cast::<c_void>()))
    };
    if let (Some(buffer), Some(texture)) = (buffer, texture) {
        let copied = Copied { buffer: buffer.id, texture: texture.id, picture };
        followed().lists.entry(list).or_default().push(copied);
    }
}

/// The program has submitted lists.
pub(crate) fn submitted(lists: impl Iterator<Item = u32>) {
    let mut followed = followed();
    let Followed { lists: known, buffers, .. } = &mut *followed;
    if !known.is_empty() {
        let copies = lists.filter_map(|list| known.get(&list)).flatten();
        buffers.extend(copies.map(|copied| (copied.buffer, *copied)));
    }
}

/// The program has mapped a subresource.
///
/// # Safety
/// The call is a `Map` that succeeded.
pub(crate) unsafe fn mapped(call: &Call<'_>) {
    let (Some(chain), [0, range, out, ..]) = (call.chain, call.words) else { return };
    let mut followed = followed();
    let Some(copied) = followed.buffers.get(&chain.id).copied() else { return };
    // SAFETY: the program's pointers, which the runtime has just used.
    let (range, address) = unsafe { ((*range as *const D3D12_RANGE).as_ref(), (*out as *const usize).as_ref()) };
    let picture = copied.picture;
    // SAFETY: the chain is a resource's, alive.
    let size = unsafe { size::mapped(chain, 0) };
    let (true, Some(address)) = (
        picture.is_within(range.map(|range| (range.Begin, range.End))) && picture.offset + picture.bytes() <= size,
        address.filter(|address| **address != 0),
    ) else {
        return;
    };
    let from = (*address as *const u8).wrapping_add(picture.offset as usize);
    // SAFETY: the mapping has `size` bytes from its address on, and nothing unmaps it before this call returns. The program says that it
    // reads these bytes now, so no work writes them.
    let rows = unsafe { core::slice::from_raw_parts(from, picture.bytes() as usize) }.to_vec();
    followed.buffers.remove(&chain.id);
    let owner = words::owner();
    followed.seen.retain(|(other, ..)| *other != owner);
    followed.seen.push((owner, copied, rows));
}

/// This thread has swapped buffers, and its frame ends behind this: the frame gets its hash and its file. Held over both:
/// [`super::in_order`].
pub(crate) fn swapped() {
    let owner = words::owner();
    let seen = {
        let mut followed = followed();
        let at = followed.seen.iter().position(|(other, ..)| *other == owner);
        at.map(|at| followed.seen.swap_remove(at))
    };
    let frame = hashes::next_frame();
    if !frames::is_wanted() {
        return;
    }
    let Some((_, Copied { texture, picture, .. }, rows)) = seen else {
        const WHY: &str = "no picture was read back before the buffers were swapped";
        reprise_log::warning_once("a frame has no hash:", WHY);
        return hashes::write(frame, Err(WHY.into()));
    };
    let ReadBack { width, height, format, pitch, row, .. } = picture;
    let shown = Shown { object: texture, width, height, format };
    let (pitch, row) = (pitch as usize, row as usize);
    let pixels: Vec<u8> = rows.chunks(pitch).flat_map(|padded| &padded[..row]).copied().collect();
    files::keep(frame, shown, &pixels);
    let hash = hash_rows((width, height, format), &pixels, row, row).ok_or_else(|| "the picture is too short".into());
    if let Ok(hash) = hash {
        note_hash(shown, hash);
    }
    hashes::write(frame, hash);
}
