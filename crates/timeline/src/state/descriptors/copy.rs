//! Copies of descriptors.

use super::{Descriptor, Descriptors, Slot};
use crate::argument;
use crate::argument::{Argument, CpuHandle, Damaged, Elements, Many};
use crate::call::Call;
use crate::state::Addresses;
use reprise_d3d12::model::MethodId;

/// Descriptors of one copy at most: as many as the largest heaps have. A damaged trace may state more.
const MOST: u64 = 1 << 20;

const SIMPLE: Argument<u32> = argument!("ID3D12Device", "CopyDescriptorsSimple", "NumDescriptors");
const SIMPLE_TO: Argument<CpuHandle> = argument!("ID3D12Device", "CopyDescriptorsSimple", "DestDescriptorRangeStart");
const SIMPLE_FROM: Argument<CpuHandle> = argument!("ID3D12Device", "CopyDescriptorsSimple", "SrcDescriptorRangeStart");

const TO: Argument<Many<CpuHandle>> = argument!("ID3D12Device", "CopyDescriptors", "pDestDescriptorRangeStarts");
const TO_SIZES: Argument<Many<u32>> = argument!("ID3D12Device", "CopyDescriptors", "pDestDescriptorRangeSizes");
const FROM: Argument<Many<CpuHandle>> = argument!("ID3D12Device", "CopyDescriptors", "pSrcDescriptorRangeStarts");
const FROM_SIZES: Argument<Many<u32>> = argument!("ID3D12Device", "CopyDescriptors", "pSrcDescriptorRangeSizes");

/// The methods that copy.
pub(super) const METHODS: [MethodId; 2] = [SIMPLE.method(), TO.method()];

/// A range of handles: the first one, and how many.
type Range = (u64, u32);

/// Gives the runs of slots that a call copies, each with its first slot to, its first slot from, and how many; nothing for calls of
/// other methods.
///
/// # Errors
/// When the arguments cannot be read.
pub fn copied(call: &Call<'_>, addresses: &Addresses, run: &mut dyn FnMut(Slot, Slot, u32)) -> Result<(), Damaged> {
    if call.method == SIMPLE.method() {
        let count = SIMPLE.of(call)?;
        let (to, from) = (SIMPLE_TO.of(call)?.0, SIMPLE_FROM.of(call)?.0);
        ranges([(to, count)].into_iter(), [(from, count)].into_iter(), addresses, run);
    } else if call.method == TO.method() {
        // Without sizes, each range is one descriptor.
        let sized = |starts: Elements<'_, CpuHandle>, sizes: Elements<'_, u32>| {
            let size = |(at, start): (usize, CpuHandle)| (start.0, sizes.get(at).unwrap_or(1));
            starts.iter().enumerate().map(size).collect::<Vec<Range>>()
        };
        let to = sized(TO.of(call)?, TO_SIZES.of(call)?);
        let from = sized(FROM.of(call)?, FROM_SIZES.of(call)?);
        ranges(to.into_iter(), from.into_iter(), addresses, run);
    }
    Ok(())
}

fn ranges(
    mut to: impl Iterator<Item = Range>,
    mut from: impl Iterator<Item = Range>,
    addresses: &Addresses,
    run: &mut dyn FnMut(Slot, Slot, u32),
) {
    let (mut left, mut target, mut source) = (MOST, (None, 0), (None, 0));
    while left > 0 {
        if !take(&mut target, &mut to, addresses) || !take(&mut source, &mut from, addresses) {
            return;
        }
        let count = u32::try_from(left).unwrap_or(u32::MAX).min(target.1).min(source.1);
        if let (Some(to), Some(from)) = (target.0, source.0) {
            run(to, from, count);
        }
        left -= u64::from(count);
        (target, source) = (step(target, count), step(source, count));
    }
}

impl Descriptors {
    pub(super) fn copy(&mut self, call: &Call<'_>, addresses: &Addresses) -> Result<(), Damaged> {
        copied(call, addresses, &mut |to, from, count| self.run(call.number, to, from, count))
    }

    /// Copies descriptors that lie one after the other.
    fn run(&mut self, call: u64, to: Slot, from: Slot, count: u32) {
        for index in 0..count {
            let [to, from] = [to, from].map(|slot| Slot { index: slot.index.saturating_add(index), ..slot });
            let copied = self.get(from).map(|found| Descriptor { view: found.view.clone(), call, from: Some(from) });
            self.put(to, copied);
        }
    }
}

/// What is left of a range: its first slot, if the handle has one, and how many.
type Rest = (Option<Slot>, u32);

/// Begins the next range where one is used up. False at the end.
fn take(rest: &mut Rest, ranges: &mut impl Iterator<Item = Range>, addresses: &Addresses) -> bool {
    while rest.1 == 0 {
        let Some((start, count)) = ranges.next() else { return false };
        *rest = (addresses.cpu(start), count);
    }
    true
}

fn step((slot, left): Rest, count: u32) -> Rest {
    (slot.map(|slot| Slot { index: slot.index.saturating_add(count), ..slot }), left - count)
}
