//! Our runtime tells what the groups of a mesh shader give: it makes pipeline states that store this into memory, and says where in it things
//! lie.
//!
//! | call | of | means |
//! |---|---|---|
//! | `SetPrivateData` | a device | the next pipeline state that this thread makes of it has this address, u64: there lie [`CONTROL`] bytes. It draws nothing; its mesh shader stores what each group gives. `S_OK`; no data takes the wish back, and so does the next creation |
//! | `GetPrivateData` | such a pipeline state | its [`Layout`], as [`Layout::bytes`] has it; `DXGI_ERROR_NOT_FOUND` of others |
//!
//! At the address lie u32: how many groups began so far, how many places there are, and the address of the first place, its low half first.
//! Behind the last place there is room for one more, which takes what has no place. Groups take places in any order. Words of a place that the
//! shader does not store stay as they are.
//!
//! As for [`crate::place`], a library that does not know the id keeps what it is given, and has nothing of a pipeline state.
//!
//! ```
//! use reprise_d3d12::meshlets::{Column, Layout};
//!
//! let column = Column { semantic: "COLOUR".into(), index: 0, system_value: 0, component_type: 1, of_primitives: true, stride: 4, places: vec![48] };
//! let layout = Layout { bytes: 64, most: [3, 1], corners: 3, indices: 36, parented: false, columns: vec![column] };
//! assert_eq!(Layout::of(&layout.bytes()), Some(layout.clone()));
//! assert_eq!(Layout::of(&layout.bytes()[1..]), None);
//! ```

use crate::model::Guid;

/// The id.
pub static ID: Guid =
    Guid { data1: 0x2f8b_90d4, data2: 0x7c15, data3: 0x4e02, data4: [0x8a, 0x63, 0xe1, 0x0b, 0x3d, 0x97, 0x52, 0xc8] };

/// Bytes at the address that a pipeline state is made with.
pub const CONTROL: u64 = 16;
/// Words that a place begins with: the number of the command of an indirect call; the group, in each direction; the group of the amplification
/// shader that started it; how many vertices and primitives the shader says there are.
pub const HEAD: usize = 9;
/// Where these begin, in words.
pub const COMMAND: usize = 0;
/// See [`HEAD`].
pub const GROUP: usize = 1;
/// See [`HEAD`].
pub const PARENT: usize = 4;
/// See [`HEAD`].
pub const COUNTS: usize = 7;

/// Where in a place things lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes of a place.
    pub bytes: u32,
    /// Most vertices, and primitives, of a group.
    pub most: [u32; 2],
    /// Vertices of a primitive.
    pub corners: u32,
    /// Where the vertices' numbers of the first primitive lie, u32 each, in bytes from the place on; those of the next follow.
    pub indices: u32,
    /// An amplification shader starts the groups.
    pub parented: bool,
    /// What vertices and primitives have, in the order of the shader's signatures.
    pub columns: Vec<Column>,
}

/// An output of vertices or primitives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its semantic, as the shader writes it.
    pub semantic: String,
    /// Its semantic index.
    pub index: u32,
    /// `D3D_NAME`.
    pub system_value: u32,
    /// `D3D_REGISTER_COMPONENT_TYPE`. Truths are 0 and 1.
    pub component_type: u32,
    /// It is of primitives.
    pub of_primitives: bool,
    /// Bytes from one vertex or primitive to the next.
    pub stride: u32,
    /// Where the components of the first one lie, in bytes from the place on; [`NOWHERE`]: it is not stored.
    pub places: Vec<u32>,
}

/// No place.
pub const NOWHERE: u32 = u32::MAX;

impl Layout {
    /// As bytes: seven u32 (the numbers in their order, 0 or 1, a count), then of each column five (its numbers in their order), the length of its
    /// name, a count of places, the name in UTF-8 and the places.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut words = |all: &[u32], text: &str, places: &[u32]| {
            bytes.extend(all.iter().flat_map(|word| word.to_le_bytes()));
            bytes.extend(text.as_bytes());
            bytes.extend(places.iter().flat_map(|word| word.to_le_bytes()));
        };
        let [vertices, primitives] = self.most;
        let head = [self.bytes, vertices, primitives, self.corners, self.indices, self.parented.into()];
        words(&head, "", &[self.columns.len() as u32]);
        for column in &self.columns {
            let numbers = [column.index, column.system_value, column.component_type, column.of_primitives.into()];
            let counts = [column.stride, column.semantic.len() as u32, column.places.len() as u32];
            words(&[&numbers[..], &counts].concat(), &column.semantic, &column.places);
        }
        bytes
    }

    /// What [`Layout::bytes`] wrote; `None` of other bytes.
    pub fn of(bytes: &[u8]) -> Option<Layout> {
        let mut rest = bytes;
        let (bytes, most) = (word(&mut rest)?, [word(&mut rest)?, word(&mut rest)?]);
        let (corners, indices, parented) = (word(&mut rest)?, word(&mut rest)?, truth(&mut rest)?);
        let mut columns = Vec::new();
        // Counts are not trusted: each element is read before the next has room.
        for _ in 0..word(&mut rest)? {
            let (index, system_value, component_type) = (word(&mut rest)?, word(&mut rest)?, word(&mut rest)?);
            let (of_primitives, stride) = (truth(&mut rest)?, word(&mut rest)?);
            let (length, count) = (word(&mut rest)? as usize, word(&mut rest)?);
            let semantic = String::from_utf8(take(&mut rest, length)?.to_vec()).ok()?;
            let mut places = Vec::new();
            for _ in 0..count {
                places.push(word(&mut rest)?);
            }
            columns.push(Column { semantic, index, system_value, component_type, of_primitives, stride, places });
        }
        rest.is_empty().then_some(Layout { bytes, most, corners, indices, parented, columns })
    }
}

fn take<'b>(rest: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}

fn word(rest: &mut &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(*take(rest, 4)?.first_chunk()?))
}

fn truth(rest: &mut &[u8]) -> Option<bool> {
    match word(rest)? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}
