//! Calls that end a frame.

use crate::call::{Call, failed};
use crate::model::special::Special;
use crate::session::frames;
use reprise_d3d12::model::MethodId;

/// A frame ends with a call that presents.
pub(crate) fn after(call: &Call<'_>, special: Special, result: u64) {
    /// `DXGI_PRESENT_TEST`: nothing is shown.
    const TEST: u64 = 1;
    if frames::by_submissions() {
        if call.method == EXECUTE {
            frames::end_frame(FRAME_SUBMISSION);
        }
        return;
    }
    let presents = match special {
        Special::Present => !failed(call.method, result) && call.words.get(1).is_none_or(|flags| flags & TEST == 0),
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
