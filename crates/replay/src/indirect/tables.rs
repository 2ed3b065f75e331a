//! Tables of shader records that hold what is not right here: a compute shader of replay's own copies them right before the dispatch.
//!
//! `shaders/records.hlsl` finds the record's shader by its identifier, and with it what lies where in the record. It puts in the identifier
//! of this device, moves addresses as indirect arguments are moved, and handles of descriptor tables by the heaps that they lie in. As with
//! indirect arguments, it looks things up in tables that are filled when the list is executed, so records may be written on the GPU
//! until then. What has no identifier that the program asked for stays as it is: beyond what is used, a table may hold anything.

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_DISPATCH_RAYS_DESC, D3D12_RESOURCE_STATES as State};

use super::kit::{COPIES, Kit, Piece, Program, transition};
use crate::runtime::Runtime;

/// Threads of a group, as the shader says.
const GROUP: u32 = 64;
/// Copies begin at multiples of this, which is more than tables ask for (64 bytes).
const ALIGNMENT: u64 = 256;

/// A table of shader records: a part of `D3D12_DISPATCH_RAYS_DESC`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Records {
    /// The first one, here.
    address: u64,
    bytes: u64,
    /// Bytes from one to the next; 0: there is one.
    stride: u64,
}

impl Records {
    /// The tables of a dispatch: ray generation, miss, hit groups, callable.
    fn of(desc: &D3D12_DISPATCH_RAYS_DESC) -> [Records; 4] {
        let ray = &desc.RayGenerationShaderRecord;
        let others = [&desc.MissShaderTable, &desc.HitGroupTable, &desc.CallableShaderTable];
        let [miss, hit, callable] =
            others.map(|it| Records { address: it.StartAddress, bytes: it.SizeInBytes, stride: it.StrideInBytes });
        [Records { address: ray.StartAddress, bytes: ray.SizeInBytes, stride: 0 }, miss, hit, callable]
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
        let words = (self.bytes / 4) as u32;
        let stride = if self.stride < 4 { words } else { (self.stride / 4) as u32 };
        [stride, words, words.div_ceil(stride)]
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
    /// Of a dispatch with addresses of this device.
    ///
    /// # Errors
    /// A table is too large to be copied.
    pub(super) fn of(desc: &D3D12_DISPATCH_RAYS_DESC) -> Result<Copies, String> {
        let (all, mut bytes) = (Records::of(desc), 0u64);
        let mut offsets = [0; 4];
        for (table, offset) in all.iter().zip(&mut offsets) {
            *offset = bytes;
            if table.is_there() {
                if table.bytes > u64::from(u32::MAX) || table.constants()[2] > Kit::MOST {
                    let (bytes, most) = (table.bytes, Kit::MOST);
                    return Err(format!(
                        "a shader table of {bytes} bytes is too large to be moved: {most} records can be"
                    ));
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

    /// Records the copies, and puts their places into the dispatch. Compute state is the program's of the kit afterwards. `moved` is the
    /// address and the length of the table of ranges, `facts` the address of the table of facts.
    ///
    /// # Safety
    /// The list is alive and recording; tables, `to`, which has room for all copies, and both other tables live until the GPU is done
    /// with them.
    pub(super) unsafe fn record(
        &self,
        (runtime, list): (&Runtime, u64),
        program: &Program,
        (moved, ranges): (u64, u32),
        facts: u64,
        (to, desc): (&Piece, &mut D3D12_DISPATCH_RAYS_DESC),
    ) {
        const BARRIER: MethodId = method("ID3D12GraphicsCommandList", "ResourceBarrier");
        const ROOT: MethodId = method("ID3D12GraphicsCommandList", "SetComputeRootSignature");
        const PIPELINE: MethodId = method("ID3D12GraphicsCommandList", "SetPipelineState");
        const CONSTANTS: MethodId = method("ID3D12GraphicsCommandList", "SetComputeRoot32BitConstants");
        const SRV: MethodId = method("ID3D12GraphicsCommandList", "SetComputeRootShaderResourceView");
        const UAV: MethodId = method("ID3D12GraphicsCommandList", "SetComputeRootUnorderedAccessView");
        const DISPATCH: MethodId = method("ID3D12GraphicsCommandList", "Dispatch");
        let barrier = |before, after| {
            let one = transition(to.buffer, before, after);
            // SAFETY: a barrier of ours, on a buffer that is alive.
            unsafe { runtime.call(list, BARRIER, &[1, core::ptr::from_ref(&one) as u64]) };
        };
        // Buffers begin in no state and come to one by their use; so the first use in a list needs no barrier.
        if to.again {
            barrier(COPIES, State::UNORDERED_ACCESS);
        }
        // SAFETY: the list takes these in any order; buffers and tables are alive, says the caller.
        unsafe {
            runtime.call(list, ROOT, &[program.root]);
            runtime.call(list, PIPELINE, &[program.pipeline]);
            runtime.call(list, SRV, &[2, moved]);
            runtime.call(list, SRV, &[3, facts]);
        }
        let mut addresses = self.all.map(|table| table.address);
        for ((table, offset), address) in self.all.iter().zip(self.offsets).zip(&mut addresses) {
            if !table.is_there() {
                continue;
            }
            let [stride, words, records] = table.constants();
            let constants = [stride, words, records, ranges];
            let from = core::mem::replace(address, to.address + offset);
            // SAFETY: as above; the constants are ours.
            unsafe {
                let count = constants.len() as u64;
                runtime.call(list, CONSTANTS, &[0, count, constants.as_ptr() as u64, 0]);
                runtime.call(list, SRV, &[1, from]);
                runtime.call(list, UAV, &[4, *address]);
                runtime.call(list, DISPATCH, &[records.div_ceil(GROUP).into(), 1, 1]);
            }
        }
        barrier(State::UNORDERED_ACCESS, COPIES);
        Records::put(desc, addresses);
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

    #[test]
    fn copies_lie_side_by_side() {
        let copies = Copies::of(&desc((0x2000, 200, 64))).unwrap();
        assert_eq!((copies.count(), copies.bytes()), (2, 512));
        assert_eq!((copies.offsets[0], copies.offsets[2]), (0, 256));
        assert_eq!(copies.all[0].constants(), [10, 10, 1]);
        assert_eq!(copies.all[2].constants(), [16, 50, 4], "the last record is cut");
        // All instances have one record.
        let copies = Copies::of(&desc((0x2000, 64, 0))).unwrap();
        assert_eq!(copies.all[2].constants(), [16, 16, 1]);
        let copies = Copies::of(&desc((0, 64, 32))).unwrap();
        assert_eq!(copies.count(), 1);
    }

    #[test]
    fn a_table_that_is_too_large_is_told() {
        let error = Copies::of(&desc((0x2000, 1 << 33, 32))).err().unwrap();
        assert!(error.contains("8589934592 bytes"), "{error}");
    }
}
