//! Private data by which capture and replay learn from our runtime where memory lies, and ask it for the same places again.
//!
//! It is private data of [`ID`] and not an interface, because every library answers `GetPrivateData` in its own convention: one that
//! does not know the id says `DXGI_ERROR_NOT_FOUND`, and nothing has to be known of the library before it is asked.
//!
//! | call | of | means |
//! |---|---|---|
//! | `GetPrivateData` | a device | the 24 bytes that its places begin with, which name runtime, form and driver; then the [`State`], u32, and 0 u32 |
//! | `GetPrivateData` | a heap, a committed or reserved buffer | its place, as `reprise_gpu::memory::place` has it; `DXGI_ERROR_NOT_FOUND` where no later process can have it |
//! | `GetPrivateData` | a state object | the handles of its shader groups, as the runtime's `state_object::handles` has them; likewise |
//! | `SetPrivateData` | a device | the next heap or committed or reserved resource that this thread makes of it lies at this place, if it can: `S_OK`; `S_FALSE` where the place is another runtime's or driver's |
//!
//! Before the creation of a state object `SetPrivateData` takes handles of shader groups in the same way. What was made says by `GetPrivateData` whether it got its place. No data takes a wish back, and so does the next creation.

use crate::model::Guid;

/// The id.
pub static ID: Guid =
    Guid { data1: 0x7a61_1c5e, data2: 0x0b2f, data3: 0x4d0a, data4: [0x9e, 0x53, 0x2c, 0x41, 0x6f, 0x0d, 0xd8, 0x37] };

/// No place is longer, in bytes.
pub const MOST: usize = 256;

/// No handles of a state object's shader groups are longer, in bytes.
pub const MOST_GROUPS: usize = 256 << 10;

/// The u32 behind the header of what are handles of shader groups. Places have smaller numbers there.
pub const GROUPS: u32 = 3;

/// Bytes that all places of a device begin with.
pub const HEADER: usize = 24;

/// The first address of what has a place, and its bytes. Behind the header a place has way, class and memory type, u32 each, 0 u32,
/// then u64 each: the first address of the allocation, its bytes, the offset and the bytes of what has the place, and two numbers of
/// the driver's.
pub fn range(place: &[u8]) -> Option<(u64, u64)> {
    let long = |at: usize| place.get(HEADER + 16 + at * 8..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
    Some((long(0)?.checked_add(long(2)?)?, long(3)?))
}

/// Whether bytes are handles of shader groups.
pub fn is_of_groups(bytes: &[u8]) -> bool {
    bytes.get(HEADER..HEADER + 4) == Some(&GROUPS.to_le_bytes())
}

/// What addresses a device gives to what is made without a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum State {
    /// Whatever the driver gives.
    Any = 0,
    /// Such as a later process can have again: objects say their places.
    Repeatable = 1,
}
