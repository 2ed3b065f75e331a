//! Tables of shader records whose identifiers, addresses or handles differ here: a compute shader of replay's own makes translated copies
//! right before the dispatch.
//!
//! `shaders/records.hlsl` finds the record's shader by its identifier, and with it what lies where in the record. It puts in the identifier
//! of this device, moves addresses as indirect arguments are moved, and handles of descriptor tables by the heaps that they lie in. As with
//! indirect arguments, it looks things up in tables that are filled when the list is executed, so records may be written on the GPU
//! until then. A record whose identifier the program did not ask for is copied as it is: unused records of a table may hold
//! anything.

use reprise_d3d12::types::{D3D12_DISPATCH_RAYS_DESC, D3D12_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE as Table};

use super::commands::Commands;
use super::kit::{ALIGNMENT, Kit};
use super::parts::Program;

/// A table of shader records: a part of `D3D12_DISPATCH_RAYS_DESC`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Records {
    /// The first one, here.
    address: u64,
    bytes: u64,
    /// Bytes from one to the next.
    stride: u64,
}

impl Records {
    /// Bytes of the longest record that there can be: `D3D12_RAYTRACING_MAX_SHADER_RECORD_STRIDE`.
    pub(super) const LONGEST: u64 = 4096;
    /// Bytes of a dispatch's tables that are moved at most: records of 128 bytes for each of two million geometries. Every recording
    /// has copies of its own, and the program's resources need memory, too.
    const MOST: u64 = 256 << 20;

    /// A table with so many bytes in its resource. Without a distance every record is the first one.
    fn new(address: u64, bytes: u64, stride: u64, there: u64) -> Records {
        let bytes = bytes.min(there);
        match stride / 4 * 4 {
            0 => Records { address, bytes: bytes.min(Self::LONGEST), stride: Self::LONGEST },
            stride => Records { address, bytes, stride: stride.min(Self::MOST) },
        }
    }

    /// The tables of a dispatch: ray generation, miss, hit groups, callable.
    fn of(desc: &D3D12_DISPATCH_RAYS_DESC, there: [u64; 4]) -> [Records; 4] {
        let ray = &desc.RayGenerationShaderRecord;
        let table = |it: &Table, there| Records::new(it.StartAddress, it.SizeInBytes, it.StrideInBytes, there);
        let [of_ray, of_miss, of_hit, of_callable] = there;
        [
            Records::new(ray.StartAddress, ray.SizeInBytes, 0, of_ray),
            table(&desc.MissShaderTable, of_miss),
            table(&desc.HitGroupTable, of_hit),
            table(&desc.CallableShaderTable, of_callable),
        ]
    }

    /// Puts the tables' places into a dispatch.
    fn put(desc: &mut D3D12_DISPATCH_RAYS_DESC, addresses: [u64; 4]) {
        let [ray, miss, hit, callable] = addresses;
        desc.RayGenerationShaderRecord.StartAddress = ray;
        desc.MissShaderTable.StartAddress = miss;
        desc.HitGroupTable.StartAddress = hit;
        desc.CallableShaderTable.StartAddress = callable;
    }

    fn is_there(&self) -> bool {
        self.address != 0 && self.bytes >= 4
    }

    /// The shader's constants but for the last: the distance of records and the length of the table in words, and how many records
    /// begin in it.
    fn constants(&self) -> [u32; 3] {
        let (words, stride) = (self.bytes / 4, (self.stride / 4).max(1));
        [stride as u32, words as u32, words.div_ceil(stride) as u32]
    }
}

/// The tables of a dispatch, and where their copies lie.
pub(super) struct Copies {
    all: [Records; 4],
    /// From the beginning of the copies.
    offsets: [u64; 4],
    bytes: u64,
}

impl Copies {
    /// Of a dispatch with addresses of this device; so many bytes are `there` from each table on.
    ///
    /// # Errors
    /// A table is too large to be copied.
    pub(super) fn of(desc: &D3D12_DISPATCH_RAYS_DESC, there: [u64; 4]) -> Result<Copies, String> {
        let (all, mut bytes) = (Records::of(desc, there), 0u64);
        let mut offsets = [0; 4];
        for (table, offset) in all.iter().zip(&mut offsets) {
            *offset = bytes;
            if table.is_there() {
                if table.bytes > Records::MOST - bytes.min(Records::MOST) {
                    return Err(format!(
                        "a shader table of {} bytes is too large to be moved: all of a dispatch may have {} bytes",
                        table.bytes,
                        Records::MOST
                    ));
                }
                if table.constants()[2] > Kit::MOST {
                    let (records, most) = (table.constants()[2], Kit::MOST);
                    return Err(format!("{records} shader records are more than the {most} that can be moved at once"));
                }
                bytes += table.bytes.next_multiple_of(ALIGNMENT);
            }
        }
        Ok(Copies { all, offsets, bytes })
    }

    /// Bytes of all copies.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many tables there are.
    pub(super) fn count(&self) -> u64 {
        self.all.iter().filter(|table| table.is_there()).count() as u64
    }

    /// Where a table's copy lies in memory that begins at `to`; a table that is not there stays where it is not.
    fn place(&self, table: usize, to: u64) -> u64 {
        match &self.all[table] {
            there if there.is_there() => to + self.offsets[table],
            nowhere => nowhere.address,
        }
    }

    /// Puts the places of copies in memory that begins at `to` into a dispatch.
    pub(super) fn put(&self, desc: &mut D3D12_DISPATCH_RAYS_DESC, to: u64) {
        Records::put(desc, core::array::from_fn(|table| self.place(table, to)));
    }

    /// Records the copies, to memory that begins at `to`, has room for all of them and may be written. Compute state is the program's of
    /// the kit afterwards. `moved` is the address and the length of the table of ranges, `facts` the address of the table of facts.
    pub(super) fn record(
        &self,
        commands: Commands<'_>,
        program: &Program,
        (moved, ranges): (u64, u32),
        facts: u64,
        to: u64,
    ) {
        commands.program(program);
        commands.reads(2, moved);
        commands.reads(3, facts);
        for (at, table) in self.all.iter().enumerate().filter(|(_, table)| table.is_there()) {
            let [stride, words, records] = table.constants();
            commands.constants(&[stride, words, records, ranges]);
            commands.reads(1, table.address);
            commands.writes(4, self.place(at, to));
            commands.dispatch(records);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn desc(hit: (u64, u64, u64)) -> D3D12_DISPATCH_RAYS_DESC {
        let mut desc = D3D12_DISPATCH_RAYS_DESC::default();
        (desc.RayGenerationShaderRecord.StartAddress, desc.RayGenerationShaderRecord.SizeInBytes) = (0x1000, 40);
        let table = &mut desc.HitGroupTable;
        (table.StartAddress, table.SizeInBytes, table.StrideInBytes) = hit;
        desc
    }

    const ALL: [u64; 4] = [u64::MAX; 4];

    #[test]
    fn copies_lie_side_by_side() {
        let copies = Copies::of(&desc((0x2000, 200, 64)), ALL).unwrap();
        assert_eq!((copies.count(), copies.bytes()), (2, 512));
        assert_eq!((copies.offsets[0], copies.offsets[2]), (0, 256));
        assert_eq!(copies.all[0].constants(), [1024, 10, 1]);
        assert_eq!(copies.all[2].constants(), [16, 50, 4], "the last record is cut");
        // All instances have one record, of which nobody reads more than there can be.
        let copies = Copies::of(&desc((0x2000, 1 << 40, 0)), ALL).unwrap();
        assert_eq!((copies.all[2].constants(), copies.all[2].bytes), ([1024, 1024, 1], 4096));
        // A dispatch names the copies, and nothing for a table that is not there.
        let mut moved = desc((0x2000, 200, 64));
        Copies::of(&moved, ALL).unwrap().put(&mut moved, 0x9000);
        let places = [moved.RayGenerationShaderRecord.StartAddress, moved.HitGroupTable.StartAddress];
        assert_eq!((places, moved.MissShaderTable.StartAddress), ([0x9000, 0x9100], 0));
        let copies = Copies::of(&desc((0, 64, 32)), ALL).unwrap();
        assert_eq!(copies.count(), 1);
        // What lies behind the resource is no record.
        let copies = Copies::of(&desc((0x2000, 4096, 64)), [64, 0, 256, 0]).unwrap();
        assert_eq!(copies.all[2].constants(), [16, 64, 4]);
        assert_eq!(Copies::of(&desc((0x2000, 4096, 64)), [0; 4]).unwrap().count(), 0);
    }

    #[test]
    fn distances_that_cannot_be_are_harmless() {
        for stride in [1, 3, 1 << 34, u64::MAX] {
            let copies = Copies::of(&desc((0x2000, 4096, stride)), ALL).unwrap();
            assert_eq!(copies.all[2].constants()[2], 1, "{stride}");
        }
    }

    #[test]
    fn tables_that_are_too_large_are_told() {
        let error = Copies::of(&desc((0x2000, 1 << 33, 64)), ALL).err().unwrap();
        assert!(error.contains("8589934592 bytes"), "{error}");
        let error = Copies::of(&desc((0x2000, 256 << 20, 32)), ALL).err().unwrap();
        assert!(error.contains("268435456 bytes"), "beside the ray generation record: {error}");
        let error = Copies::of(&desc((0x2000, 128 << 20, 4)), ALL).err().unwrap();
        assert!(error.contains("33554432 shader records"), "{error}");
    }
}
