//! Pictures of presented frames: their hashes, their files, and how a back buffer is read.
//!
//! Presents of a swap chain of the API come here from the record of the call (`back_buffer`); presents of the program's own Vulkan
//! swap chains come from `presentation`, which reads their images itself. Swaps of OpenGL's show what the program has read back
//! (`read_back`). Invariant: hashes are numbered as the frames are, so
//! only one present is under way while pictures are taken.

pub(crate) mod back_buffer;
pub(crate) mod files;
pub(crate) mod hashes;
#[cfg(target_os = "linux")]
pub(crate) mod read_back;

use crate::call::Call;
use crate::panics::protected;
#[cfg(target_os = "linux")]
use crate::session::environment;
use crate::session::{frames, record};
use back_buffer::BackBuffer;
#[cfg(target_os = "linux")]
use reprise_environment::capture::FRAME_HASHES;
use reprise_trace::fact;
use reprise_trace::frame_hash::FrameHash;
#[cfg(target_os = "linux")]
use std::sync::OnceLock;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is presented.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown {
    /// Object id of the resource; 0 where the program has never taken it.
    pub(crate) object: u32,
    /// In pixels.
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Number of the `DXGI_FORMAT`.
    pub(crate) format: u32,
}

/// Whether this program's frames are to be hashed, as far as its environment says.
#[cfg(target_os = "linux")]
pub(crate) fn are_wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| environment::get(FRAME_HASHES).is_some())
}

/// Held over a present and its frame record, when frames are hashed: numbers of hashes and frames agree.
pub(crate) fn in_order() -> Option<MutexGuard<'static, ()>> {
    static ORDER: Mutex<()> = Mutex::new(());
    hashes::wanted().then(|| ORDER.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The hash of a picture, as a fact about the resource that showed it.
pub(crate) fn note_hash(shown: Shown, hash: FrameHash) {
    let mut bytes = Vec::with_capacity(32);
    for word in [shown.width, shown.height, shown.format, 0] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(hash.0.to_le_bytes());
    protected((), || record::fact(shown.object, fact::FRAME_HASH, &bytes));
}

/// The back buffer that a present is about to show, as it was before the call.
pub(crate) struct Pending {
    _order: MutexGuard<'static, ()>,
    read: Option<Result<BackBuffer, String>>,
}

/// Reads the back buffer of a present of the API's own swap chains, where pictures are asked for.
///
/// # Safety
/// The call is a present on a living swap chain.
pub(crate) unsafe fn before(call: &Call<'_>) -> Option<Pending> {
    let order = in_order()?;
    // SAFETY: the caller's promise is the same.
    let read = frames::is_wanted().then(|| unsafe { back_buffer::read(call) });
    Some(Pending { _order: order, read })
}

impl Pending {
    /// The present was made, and its frame ends behind this: the frame gets its hash and its file.
    pub(crate) fn presented(&self) {
        let frame = hashes::next_frame();
        hashes::note_policy(hashes::BACK_BUFFERS);
        let Some(read) = &self.read else { return };
        let hash = match read {
            Err(reason) => Err(reason.clone()),
            Ok(BackBuffer { shown, pixels, hash }) => {
                files::keep(frame, *shown, pixels);
                note_hash(*shown, *hash);
                Ok(*hash)
            }
        };
        hashes::write(frame, hash);
    }
}
