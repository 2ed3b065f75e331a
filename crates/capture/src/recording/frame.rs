//! Calls that end a frame.

use crate::call::{Call, failed};
use crate::model::special::Special;
use crate::picture::Pending;
use crate::session::frames;
use reprise_d3d12::model::MethodId;

/// Whether a present only asks, and shows nothing.
pub(crate) fn is_test(call: &Call<'_>) -> bool {
    /// `DXGI_PRESENT_TEST`.
    const TEST: u64 = 1;
    call.words.get(1).is_some_and(|flags| flags & TEST != 0)
}

/// A frame ends with a call that presents; `picture` is what it shows.
pub(crate) fn after(call: &Call<'_>, special: Special, result: u64, picture: Option<Pending>) {
    let shows = !failed(call.method, result) && !is_test(call);
    if let Some(picture) = picture.as_ref().filter(|_| shows) {
        picture.presented();
    }
    if frames::by_submissions() {
        if call.method == EXECUTE {
            frames::end_frame(FRAME_SUBMISSION);
        }
        return;
    }
    let presents = match special {
        Special::Present => shows,
        Special::ContractPresent => true,
        _ => false,
    };
    if presents {
        frames::end_frame(FRAME_PRESENT);
    }
}

/// The source of a frame that a present ends, as in FORMAT.md.
const FRAME_PRESENT: u32 = 1;
/// The source of a frame that a submission ends.
const FRAME_SUBMISSION: u32 = 3;
const EXECUTE: MethodId = reprise_d3d12::method("ID3D12CommandQueue", "ExecuteCommandLists");
