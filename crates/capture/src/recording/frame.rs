//! Calls that end a frame.

use crate::call::{Call, failed};
use crate::model::special::Special;
use crate::picture::Pending;
#[cfg(target_os = "linux")]
use crate::picture::{self, read_back};
use crate::recording::heed;
use crate::session::frames;
use crate::session::surfaces::{self, Surface};
use reprise_d3d12::model::MethodId;
use reprise_environment::FrameBoundary;
use reprise_trace::record::FrameSource;

/// Whether a present only asks, and shows nothing.
fn is_test(call: &Call<'_>) -> bool {
    /// `DXGI_PRESENT_TEST`.
    const TEST: u64 = 1;
    call.words.get(1).is_some_and(|flags| flags & TEST != 0)
}

/// Whether a call presents what the frame shows that it ends.
pub(crate) fn shows(call: &Call<'_>, special: Special) -> bool {
    special == Special::Present && !is_test(call) && surfaces::ends_frame(Surface::SwapChain(call.object()))
}

/// A frame ends with a call that presents; `picture` is what it shows.
///
/// # Safety
/// The call is the program's, and has returned `result`.
pub(crate) unsafe fn after(call: &Call<'_>, special: Special, result: u64, picture: Option<Pending>) {
    #[cfg(target_os = "linux")]
    if special == Special::Submit && picture::are_wanted() {
        // SAFETY: the program has submitted lists that it holds.
        read_back::submitted(unsafe { heed::lists(call) });
    }
    let ends = match (special, frames::boundary()) {
        (Special::Present, _) if !failed(call.method, result) && shows(call, special) => {
            picture.iter().for_each(Pending::presented);
            Some(FrameSource::Present)
        }
        (Special::ContractPresent, FrameBoundary::Presents) => Some(FrameSource::Present),
        (Special::Submit, FrameBoundary::Submissions) if call.method == EXECUTE => Some(FrameSource::Submission),
        // SAFETY: the program has submitted lists that it holds.
        (Special::Submit, FrameBoundary::Markers(_)) if unsafe { heed::is_marked(call) } => Some(FrameSource::Marker),
        _ => None,
    };
    if let Some(source) = ends {
        frames::end_frame(source);
    }
}

const EXECUTE: MethodId = reprise_d3d12::method("ID3D12CommandQueue", "ExecuteCommandLists");
