//! What a library says of the nodes of work graphs, as the translator reads it, and what its code expects of whoever dispatches a node.
//!
//! A node is a compute shader whose groups find their records by themselves. The translator's code reads [`Push`] from push constants, has
//! its root arguments in a uniform buffer, and appends its outputs to memory that [`Push`] names ([`Push::counters`]):
//!
//! ```text
//!  word 0   bytes of records that were taken so far, a multiple of 16 for each taking
//!  word 1   takings so far
//!  word 2…  records so far, one word per node
//!  at Push::takings (in words behind word 2)   two words per taking: node << 8 | records - 1, offset of the first record
//! ```
//!
//! An empty record counts, and takes nothing. Specialisation constants have the numbers of [`constant`].

use core::ffi::{CStr, c_char};

use dxil_spirv_sys as sys;

use crate::error::check;
use crate::remap::Context;
use crate::session::Session;
use crate::{Interface, Link, Stage, TranslateError, verify};

/// Most records of one taking: their number less one has 8 bits.
pub const TAKING: u32 = 256;
/// Groups in a row of a node's dispatch: the code counts a group's number as `y * ROW + x`.
pub const ROW: u32 = 32 * 1024;
/// Threads of a group of a thread launch node. A taking is of a wave, in which each thread has 8 records at most.
pub const THREADS: u32 = TAKING / 8;

/// Numbers of specialisation constants. Those of outputs are [`Output::constant`].
pub mod constant {
    /// Threads of a group along x: of a thread launch node, what whoever dispatches it wants.
    pub const THREADS: u32 = 0;
    /// Records lie one after the other, and not where a list of offsets says.
    pub const ENTRY: u32 = 3;
    /// The address and stride of such records are read from memory.
    pub const INDIRECT: u32 = 4;
    /// Broadcasting launch: the grid is the record's.
    pub const DYNAMIC: u32 = 5;
    /// Broadcasting launch: there is one record, and the dispatch is its grid.
    pub const STATIC: u32 = 6;
    /// Broadcasting launch: the first of three with the grid, or the largest one.
    pub const GRID: u32 = 7;
}

/// Push constants of a node, as the code has them (64 bytes).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Push {
    /// Address of the records.
    pub records: u64,
    /// Address of a word: the number of the dispatch's first record.
    pub first: u64,
    /// Address of a word: the number behind the last record.
    pub end: u64,
    /// Address of a word per record: its offset.
    pub offsets: u64,
    /// Address of where new records go.
    pub outputs: u64,
    /// Address of the counters.
    pub counters: u64,
    /// Address of the local root arguments.
    pub local: u64,
    /// Words from the counters of nodes to the list of takings.
    pub takings: u32,
    /// How often the node may still take records of itself.
    pub recursions: u32,
}

impl Push {
    /// The bytes that Vulkan takes.
    pub fn bytes(&self) -> [u8; 64] {
        let longs = [self.records, self.first, self.end, self.offsets, self.outputs, self.counters, self.local];
        let words = [self.takings, self.recursions];
        let mut bytes =
            longs.into_iter().flat_map(u64::to_le_bytes).chain(words.into_iter().flat_map(u32::to_le_bytes));
        core::array::from_fn(|_| bytes.next().unwrap_or(0))
    }
}

/// How records become groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Launch {
    /// Each record is a grid of groups.
    #[default]
    Broadcasting = 1,
    /// A group has several records.
    Coalescing = 2,
    /// A thread has a record.
    Thread = 3,
}

impl Launch {
    /// The launch by its number.
    pub fn from_number(number: u32) -> Option<Launch> {
        [Launch::Broadcasting, Launch::Coalescing, Launch::Thread].into_iter().find(|launch| *launch as u32 == number)
    }
}

/// A node's name.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id {
    /// The name, which an array of nodes shares.
    pub name: String,
    /// The place in the array.
    pub index: u32,
}

/// Where a record says how large its grid is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GridField {
    /// Byte in the record.
    pub offset: u32,
    /// Components; 0: the record does not say it.
    pub components: u32,
    /// A component has 16 bits, not 32.
    pub narrow: bool,
}

/// Nodes that a node sends records to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The first of them.
    pub to: Id,
    /// How many of the array: 0 for a node that is no array, `u32::MAX` for as many as there are.
    pub count: u32,
    /// Some of the array may be missing.
    pub sparse: bool,
    /// Most records of a group.
    pub records: u32,
    /// The specialisation constant that takes the number of the first node.
    pub constant: u32,
}

/// A node as its library declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Its entry point's name in the module.
    pub entry: String,
    /// That name as the source has it.
    pub plain: String,
    /// Its name as a node.
    pub id: Id,
    /// How records become groups.
    pub launch: Launch,
    /// Bytes from record to record; 0 for empty ones.
    pub stride: u32,
    /// A word behind the record's own bytes counts the groups that share it; it is among the stride.
    pub tracked: bool,
    /// Where a record says its grid.
    pub field: GridField,
    /// Broadcasting: the grid, or the largest one.
    pub grid: [u32; 3],
    /// The grid is the record's.
    pub dynamic: bool,
    /// Coalescing: most records of a group.
    pub coalesced: u32,
    /// How often it may send records to itself.
    pub recursions: u32,
    /// The node whose records it has, too.
    pub shares: Option<Id>,
    /// Its place in the table of local root arguments.
    pub table: Option<u32>,
    /// Programs begin with it.
    pub begins: bool,
    /// Where it sends records.
    pub outputs: Vec<Output>,
}

/// Reads which nodes a library holds.
///
/// May crash the process where the container is well-formed and its content hostile: see [`crate::worker`].
///
/// # Errors
/// When the container is malformed, or the translator cannot read it.
pub fn nodes(blob: &[u8]) -> Result<Vec<Node>, TranslateError> {
    verify(blob)?;
    let (interface, link) = (Interface::default(), Link::default());
    let mut context = Context::new(&interface, &link, Stage::Compute);
    let mut session = Session::begin(&raw mut context);
    let mut count = 0;
    // SAFETY: the blob is readable for its length, and its verified container too; what is asked afterwards was parsed.
    unsafe {
        check("parsing", sys::dxil_spv_parse_dxil_blob(blob.as_ptr().cast(), blob.len(), &mut session.blob))?;
        check("reading the exports", sys::dxil_spv_parsed_blob_get_num_entry_points(session.blob, &mut count))?;
    }
    let mut all = Vec::new();
    for index in 0..count {
        // SAFETY: the blob was parsed, and the index is below the count.
        all.extend(unsafe { node(session.blob, index)? });
    }
    Ok(all)
}

/// # Safety
/// The blob was parsed, and has so many entry points.
unsafe fn node(blob: sys::dxil_spv_parsed_blob, index: u32) -> Result<Option<Node>, TranslateError> {
    const STEP: &str = "reading the nodes";
    let mut raw = sys::dxil_spv_node_input_data::default();
    let (mut name, mut plain, mut outputs) = (core::ptr::null(), core::ptr::null(), 0);
    // SAFETY: the caller's blob; names are strings that live as long as it.
    unsafe {
        check(STEP, sys::dxil_spv_parsed_blob_get_entry_point_node_input(blob, index, &mut raw))?;
        let Some(launch) = Launch::from_number(raw.launch_type) else { return Ok(None) };
        check(STEP, sys::dxil_spv_parsed_blob_get_entry_point_name(blob, index, &mut name))?;
        check(STEP, sys::dxil_spv_parsed_blob_get_entry_point_demangled_name(blob, index, &mut plain))?;
        check(STEP, sys::dxil_spv_parsed_blob_get_entry_point_num_node_outputs(blob, index, &mut outputs))?;
        let shares = text(raw.node_share_input_id)?;
        let shares = (!shares.is_empty()).then_some(Id { name: shares, index: raw.node_share_input_array_index });
        let mut node = Node {
            entry: text(name)?,
            plain: text(plain)?,
            id: Id { name: text(raw.node_id)?, index: raw.node_array_index },
            launch,
            stride: raw.payload_stride,
            tracked: raw.node_track_rw_input_sharing != 0,
            field: GridField {
                offset: raw.dispatch_grid_offset,
                components: raw.dispatch_grid_components.min(3),
                narrow: raw.dispatch_grid_type_bits == 16,
            },
            grid: raw.broadcast_grid,
            dynamic: raw.dispatch_grid_is_upper_bound != 0,
            coalesced: raw.coalesce_factor.max(1),
            recursions: raw.recursion_factor,
            shares,
            table: (raw.local_root_arguments_table_index != u32::MAX).then_some(raw.local_root_arguments_table_index),
            begins: raw.is_program_entry != 0,
            outputs: Vec::new(),
        };
        for output in 0..outputs {
            let mut raw = sys::dxil_spv_node_output_data::default();
            check(STEP, sys::dxil_spv_parsed_blob_get_entry_point_node_output(blob, index, output, &mut raw))?;
            node.outputs.push(Output {
                to: Id { name: text(raw.node_id)?, index: raw.node_array_index },
                count: raw.node_array_size,
                sparse: raw.sparse_array != 0,
                records: raw.max_records,
                constant: raw.node_index_spec_constant_id,
            });
        }
        Ok(Some(node))
    }
}

/// # Safety
/// `pointer` is null or points to a string that ends with zero.
unsafe fn text(pointer: *const c_char) -> Result<String, TranslateError> {
    if pointer.is_null() {
        return Ok(String::new());
    }
    // SAFETY: the caller says that it is a string.
    let name = unsafe { CStr::from_ptr(pointer) };
    let name = name.to_str().map_err(|_| TranslateError::Container("a name of a node is not UTF-8".to_owned()))?;
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn push_constants_lie_as_the_code_has_them() {
        let push = Push {
            records: 1,
            first: 2,
            end: 3,
            offsets: 4,
            outputs: 5,
            counters: 6,
            local: 7,
            takings: 8,
            recursions: 9,
        };
        let bytes = push.bytes();
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        assert_eq!([0, 8, 16, 24, 32, 40, 48].map(long), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!((bytes[56], bytes[60], size_of::<Push>()), (8, 9, 64));
    }
}
