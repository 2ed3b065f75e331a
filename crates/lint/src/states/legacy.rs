//! `D3D12_RESOURCE_STATES`: promotion, decay and transitions.
//!
//! Sources: "Using Resource Barriers to Synchronize Resource States in Direct3D 12", sections "Common state promotion" and
//! "State decay to common"; the enhanced barriers specification, "Legacy layouts", for a transition whose state before is one
//! that common may be promoted to.

use super::{Access, Kind};

/// `D3D12_RESOURCE_STATE_COMMON`, which is `PRESENT`, too.
pub const COMMON: u32 = 0;
/// `D3D12_RESOURCE_STATE_GENERIC_READ`.
pub const GENERIC_READ: u32 = 0xac3;
/// States in which a resource is only read.
pub const READS: u32 = GENERIC_READ | 0x20 | 0x2000 | 0x100_0000;

/// The state of a subresource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// `D3D12_RESOURCE_STATES`.
    pub bits: u32,
    /// A use brought it here from common, not a barrier.
    pub promoted: bool,
}

impl State {
    /// As a barrier or a creation states it.
    pub fn of(bits: u32) -> State {
        State { bits, promoted: false }
    }
}

/// The table of "Common state promotion": the states that a use may bring a subresource to that is in common.
pub fn promotable(kind: Kind) -> u32 {
    match kind {
        // All but DEPTH_WRITE, DEPTH_READ and the state of acceleration structures.
        Kind::Buffer | Kind::Simultaneous => {
            0x1 | 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800 | 0x1000 | 0x2000
        }
        // PIXEL and NON_PIXEL_SHADER_RESOURCE, COPY_DEST, COPY_SOURCE.
        Kind::Texture => 0x40 | 0x80 | 0x400 | 0x800,
        Kind::Structure | Kind::Upload | Kind::Readback => 0,
    }
}

/// The state after a use; `None` where the state does not allow it.
pub fn used(kind: Kind, state: State, access: Access) -> Option<State> {
    let need = access.state();
    match kind {
        Kind::Structure => return (access == Access::Structure).then_some(state),
        // RESOLVE_SOURCE: the map of sampler feedback may be encoded from there.
        Kind::Upload => return (need & (GENERIC_READ | 0x2000) != 0).then_some(state),
        // Later runtimes let readback heaps be read, too; only writes that no runtime allows are refused.
        Kind::Readback => {
            let refused = matches!(access, Access::Target | Access::Unordered | Access::DepthWrite | Access::StreamOut);
            return (!refused).then_some(state);
        }
        Kind::Buffer | Kind::Simultaneous | Kind::Texture => {}
    }
    if state.bits == COMMON {
        return (need & promotable(kind) != 0).then_some(State { bits: need, promoted: true });
    }
    // A target that may be written may be tested against.
    let allows = state.bits & need != 0 || (access == Access::DepthRead && state.bits & 0x10 != 0);
    if allows {
        return Some(state);
    }
    // "Promotion from one promoted read state into multiple read state is possible, but not from a write state."
    let more = state.promoted && state.bits & !READS == 0 && need & READS != 0 && need & promotable(kind) != 0;
    more.then_some(State { bits: state.bits | need, promoted: true })
}

/// Whether a transition's state before is the state that the subresource is in.
pub fn matches(kind: Kind, state: State, before: u32) -> bool {
    if matches!(kind, Kind::Structure | Kind::Upload | Kind::Readback) {
        return true;
    }
    if state.bits == before {
        return true;
    }
    // In common, a transition may name a state that a use could have promoted it to.
    if state.bits == COMMON {
        return before & !promotable(kind) == 0 && (before & !READS == 0 || before.count_ones() == 1);
    }
    // Uses promoted it to some read states; the barrier may name more of them, or fewer.
    state.promoted && state.bits & !READS == 0 && before & !(READS & promotable(kind)) == 0
}

/// The state once the submission that used it has ended.
pub fn decayed(kind: Kind, state: State, copy_queue: bool) -> State {
    match kind {
        Kind::Structure | Kind::Upload | Kind::Readback => state,
        Kind::Buffer | Kind::Simultaneous => State::of(COMMON),
        Kind::Texture if copy_queue => State::of(COMMON),
        Kind::Texture if state.promoted && state.bits & !READS == 0 => State::of(COMMON),
        // A promotion to a state that writes stays.
        Kind::Texture => State::of(state.bits),
    }
}

/// Why `D3D12_RESOURCE_STATES` bits are no state.
pub fn malformed(bits: u32) -> bool {
    const WRITES: u32 = 0x4 | 0x8 | 0x10 | 0x100 | 0x400 | 0x1000;
    bits & WRITES != 0 && bits.count_ones() > 1
}

/// The state by the names of its bits.
pub fn name(bits: u32) -> String {
    const NAMES: [(u32, &str); 17] = [
        (0x1, "VERTEX_AND_CONSTANT_BUFFER"),
        (0x2, "INDEX_BUFFER"),
        (0x4, "RENDER_TARGET"),
        (0x8, "UNORDERED_ACCESS"),
        (0x10, "DEPTH_WRITE"),
        (0x20, "DEPTH_READ"),
        (0x40, "NON_PIXEL_SHADER_RESOURCE"),
        (0x80, "PIXEL_SHADER_RESOURCE"),
        (0x100, "STREAM_OUT"),
        (0x200, "INDIRECT_ARGUMENT"),
        (0x400, "COPY_DEST"),
        (0x800, "COPY_SOURCE"),
        (0x1000, "RESOLVE_DEST"),
        (0x2000, "RESOLVE_SOURCE"),
        (0x40_0000, "RAYTRACING_ACCELERATION_STRUCTURE"),
        (0x100_0000, "SHADING_RATE_SOURCE"),
        (0x8000_0000, "RESERVED_INTERNAL"),
    ];
    match bits {
        COMMON => return "COMMON".to_owned(),
        GENERIC_READ => return "GENERIC_READ".to_owned(),
        0xc0 => return "ALL_SHADER_RESOURCE".to_owned(),
        _ => {}
    }
    let known: u32 = NAMES.iter().map(|(bit, _)| bit).sum();
    let named = NAMES.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, name)| (*name).to_owned());
    let rest = (bits & !known != 0).then(|| format!("{:#x}", bits & !known));
    named.chain(rest).collect::<Vec<_>>().join("|")
}
