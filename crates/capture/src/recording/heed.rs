//! Calls that tell of frames. Markers in lists and on queues may end a frame; copies to buffers may hold the picture of one.
//!
//! A marker on a queue ends the frame at once. One in a list ends it with each submission that runs the list, because a list does nothing
//! before that. Invariant: without the options that ask for this, no slot of a vtable leads here and nothing is kept.

use crate::Convention;
use crate::call::Call;
#[cfg(target_os = "linux")]
use crate::picture::{self, read_back};
use crate::session::frames;
use crate::wrapper::object::{self, Chain};
use core::ffi::c_void;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::{method, pix};
use reprise_environment::FrameBoundary;
use reprise_trace::record::FrameSource;
use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// With which a recording of a list begins.
pub(super) const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");
/// Whose destination the program may map.
pub(super) const COPY: MethodId = method("ID3D12GraphicsCommandList", "CopyTextureRegion");
/// Markers in lists.
const IN_LISTS: [MethodId; 2] =
    [method("ID3D12GraphicsCommandList", "SetMarker"), method("ID3D12GraphicsCommandList", "BeginEvent")];
/// Markers between submissions.
const ON_QUEUES: [MethodId; 2] =
    [method("ID3D12CommandQueue", "SetMarker"), method("ID3D12CommandQueue", "BeginEvent")];

const fn is_in(methods: &[MethodId], id: u16) -> bool {
    let mut at = 0;
    while at < methods.len() {
        if methods[at].0 == id {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether calls of a method may say something of frames.
pub(super) const fn may_tell(id: u16) -> bool {
    is_in(&[RESET, COPY], id) || is_in(&IN_LISTS, id) || is_in(&ON_QUEUES, id)
}

/// Whether pictures that a program reads back may be those of its frames: programs of Microsoft's Linux Direct3D 12 alone show frames by
/// other means than the API.
#[cfg(target_os = "linux")]
fn may_show(convention: Convention) -> bool {
    convention == Convention::Itanium && picture::are_wanted()
}

#[cfg(not(target_os = "linux"))]
fn may_show(_: Convention) -> bool {
    false
}

/// Whether calls of a method do, with this program's options.
pub(super) fn tells(convention: Convention, id: MethodId) -> bool {
    let marks = matches!(frames::boundary(), FrameBoundary::Markers(_));
    let copies = may_show(convention);
    match id {
        RESET => marks || copies,
        COPY => copies,
        id => marks && (is_in(&IN_LISTS, id.0) || is_in(&ON_QUEUES, id.0)),
    }
}

/// Lists that hold a marker whose text matches.
fn marked() -> MutexGuard<'static, HashSet<u32>> {
    static MARKED: LazyLock<Mutex<HashSet<u32>>> = LazyLock::new(Mutex::default);
    MARKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The program has made such a call, which returned `result`.
///
/// # Safety
/// The words are its arguments of a call of the method on the chain.
pub(super) unsafe fn after(chain: &Chain, method: MethodId, words: &[u64], result: u64) {
    match method {
        RESET if (result as i32) >= 0 => {
            marked().remove(&chain.id);
            #[cfg(target_os = "linux")]
            read_back::begin(chain.id);
        }
        RESET => {}
        #[cfg(target_os = "linux")]
        // SAFETY: the words are the arguments of `CopyTextureRegion`, which has returned.
        COPY => unsafe { read_back::copied(chain.id, words) },
        // SAFETY: the words are the arguments of a marker's method: the caller says that they are the method's.
        _ if !unsafe { matches(words) } => {}
        _ if is_in(&ON_QUEUES, method.0) => frames::end_frame(FrameSource::Marker),
        _ => _ = marked().insert(chain.id),
    }
}

/// Whether the text of a marker is one that ends a frame.
///
/// # Safety
/// The words are those of a marker: how the data is written, where it lies, and how many bytes it has.
unsafe fn matches(words: &[u64]) -> bool {
    let (FrameBoundary::Markers(pattern), [metadata, data, size, ..]) = (frames::boundary(), words) else {
        return false;
    };
    let data = match *data as *const u8 {
        data if data.is_null() => &[],
        // SAFETY: the program passes so many bytes.
        data => unsafe { core::slice::from_raw_parts(data, *size as u32 as usize) },
    };
    pattern.is_match(&pix::text(*metadata as u32, data).0)
}

/// The lists of a submission.
///
/// # Safety
/// The call is an `ExecuteCommandLists` of the program's.
pub(super) unsafe fn lists(call: &Call<'_>) -> impl Iterator<Item = u32> {
    let (count, lists) = match *call.words {
        [count, lists, ..] if lists != 0 => (count as u32, lists as *const *mut c_void),
        _ => (0, core::ptr::null()),
    };
    // SAFETY: the program passes so many pointers to lists.
    (0..count as usize)
        .filter_map(move |index| unsafe { object::from_pointer(*lists.add(index)) }.map(|chain| chain.id))
}

/// Whether a submission runs a list with a marker that ends a frame.
///
/// # Safety
/// As [`lists`].
pub(super) unsafe fn is_marked(call: &Call<'_>) -> bool {
    let marked = marked();
    // SAFETY: the call is a submission: the caller says what `lists` asks.
    !marked.is_empty() && unsafe { lists(call) }.any(|list| marked.contains(&list))
}
